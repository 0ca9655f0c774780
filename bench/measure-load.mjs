import { calmest } from './calm.mjs';
import { cpu, memory } from './measure.mjs';
import { note } from './note.mjs';

/** What V8 needs until nothing gets faster any more, in seconds: at first, and after a server waited for its turn. */
const WARM_S = 5;
const WARM_AGAIN_S = 3;

/**
 * As much load as goes, in bursts in turn (A B C A B C …), so that whatever else the machine does hits all alike.
 * Each measured burst follows one that is not: a server that waited for its turn is cold, some of what V8 compiled is
 * gone by then, and some servers need longer than others.
 * Resolves to, for each server, `cpu` (microseconds a request), `rate` (requests a second), `p50` and `p99`
 * (milliseconds), one number for each burst, and `memory` (bytes) after the last.
 */
export async function measureLoad(servers, load, { rounds, burst, connections, dir }) {
  const runs = servers.map(({ id }) => ({
    id,
    cpu: [],
    rate: [],
    p50: [],
    p99: [],
    disturbed: [],
    errors: 0,
    memory: 0,
  }));
  for (const server of servers) await load.run(server, { seconds: WARM_S, connections, dir });
  for (let round = 0; round < rounds; round += 1) {
    note(`load, round ${round + 1} of ${rounds}`);
    for (const [i, server] of servers.entries()) {
      const figures = await calmest(() => oneBurst(server, load, { seconds: burst, connections, dir }));
      for (const name of ['cpu', 'rate', 'p50', 'p99', 'disturbed']) runs[i][name].push(figures[name]);
      runs[i].errors += figures.errors;
      runs[i].memory = memory(server.pid);
    }
  }
  return runs;
}

async function oneBurst(server, load, options) {
  await load.run(server, { ...options, seconds: WARM_AGAIN_S });
  const before = cpu(server.pid);
  const { requests, ...figures } = await load.run(server, options);
  return { ...figures, cpu: (cpu(server.pid) - before) / requests };
}
