import { cpu, memory } from './measure.mjs';
import { note } from './note.mjs';

/** What V8 needs until nothing gets faster any more, in seconds. */
const WARM_S = 5;

/**
 * As much load as goes, in bursts in turn (A B C A B C …), so that whatever else the machine does hits all alike.
 * Resolves to, for each server, `cpu` (microseconds a request), `rate` (requests a second), `p50` and `p99`
 * (milliseconds), one number for each burst, and `memory` (bytes) after the last.
 */
export async function measureLoad(servers, load, { rounds, burst, connections }, dir) {
  const runs = servers.map(({ id }) => ({ id, cpu: [], rate: [], p50: [], p99: [], errors: 0, memory: 0 }));
  for (const server of servers) await load.run(server, { seconds: WARM_S, connections, dir });
  for (let round = 0; round < rounds; round += 1) {
    note(`load, round ${round + 1} of ${rounds}`);
    for (const [i, server] of servers.entries()) {
      const before = cpu(server.pid);
      const { requests, rate, p50, p99, errors } = await load.run(server, {
        seconds: burst,
        connections,
        dir,
      });
      const run = runs[i];
      run.cpu.push((cpu(server.pid) - before) / requests);
      run.rate.push(rate);
      run.p50.push(p50);
      run.p99.push(p99);
      run.errors += errors;
      run.memory = memory(server.pid);
    }
  }
  return runs;
}
