import { calmest } from './calm.mjs';
import { constantRate } from './load/index.mjs';
import { note } from './note.mjs';

/** Whose latency at the same rate is compared; the others have theirs under full load. */
const COMPARED = new Set(['nginx', 'haproxy', 'fast-gateway', 'nexus', 'nexus-everything']);

/**
 * Latency at constant rates, in bursts in turn, the upstream alone (what the load generator itself sees) among them.
 * Resolves to, for each rate and server, `p50`, `p99` and `max` (milliseconds), one number for each burst.
 */
export async function measureRates(servers, upstream, { rates, rounds, burst, connections }) {
  const direct = { ...upstream, id: 'upstream', label: 'upstream, without a proxy' };
  const targets = [direct, ...servers.filter(({ id }) => COMPARED.has(id))];
  const runs = [];
  for (const rate of rates) {
    const ofRate = targets.map(({ id, label }) => ({
      id,
      label,
      rate,
      p50: [],
      p99: [],
      max: [],
      disturbed: [],
      errors: 0,
    }));
    for (let round = 0; round < rounds; round += 1) {
      note(`${rate} requests a second, round ${round + 1} of ${rounds}`);
      for (const [i, target] of targets.entries()) {
        const figures = await calmest(() => constantRate(target, { rate, seconds: burst, connections }));
        for (const name of ['p50', 'p99', 'max', 'disturbed']) ofRate[i][name].push(figures[name]);
        ofRate[i].errors += figures.errors;
      }
    }
    runs.push(...ofRate);
  }
  return runs;
}
