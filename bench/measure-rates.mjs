import { calmest } from './calm.mjs';
import { constantRate } from './load/index.mjs';
import { cpu } from './measure.mjs';
import { note } from './note.mjs';

/** Whose latency and cost at the same rate are compared; the others have theirs under full load. */
const COMPARED = new Set([
  'nginx',
  'haproxy',
  'fast-gateway',
  'node-answer',
  'nexus',
  'nexus-cache',
  'nexus-everything',
]);
const FIGURES = ['p50', 'p99', 'max', 'cpu', 'disturbed'];

/**
 * Latency and cost at constant rates, in bursts in turn, the upstream alone (what the load generator itself sees) among
 * them. Each measured burst follows one that is not. At the same rate each server wakes its clients and its upstream as
 * often as the others: at full load a fast one finds them awake, which makes its writes cheaper.
 * Resolves to, for each rate and server, `p50`, `p99` and `max` (milliseconds), and `cpu` (microseconds a request; none for
 * the upstream), one number for each burst.
 */
export async function measureRates(servers, upstream, { rates, rounds, burst, connections }) {
  const direct = { ...upstream, id: 'upstream', label: 'upstream, without a proxy' };
  const targets = [direct, ...servers.filter(({ id }) => COMPARED.has(id))];
  const runs = [];
  for (const rate of rates) {
    const ofRate = targets.map((target) => ({ ...emptyRun(target), rate }));
    for (let round = 0; round < rounds; round += 1) {
      note(`${rate} requests a second, round ${round + 1} of ${rounds}`);
      for (const [i, target] of targets.entries()) {
        const figures = await calmest(() => oneBurst(target, { rate, seconds: burst, connections }));
        for (const name of FIGURES) if (name in figures) ofRate[i][name].push(figures[name]);
        ofRate[i].errors += figures.errors;
      }
    }
    runs.push(...ofRate);
  }
  return runs;
}

function emptyRun({ id, label }) {
  return { id, label, ...Object.fromEntries(FIGURES.map((name) => [name, []])), errors: 0 };
}

async function oneBurst(target, options) {
  await constantRate(target, options);
  if (target.pid === undefined) return constantRate(target, options);
  const before = cpu(target.pid);
  const figures = await constantRate(target, options);
  const requests = options.rate * options.seconds + options.connections;
  return { ...figures, cpu: (cpu(target.pid) - before) / requests };
}
