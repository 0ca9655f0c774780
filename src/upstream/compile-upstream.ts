import type { UpstreamConfig } from '../config/upstream.config.js';
import { backendAddress, type CompiledBackend, normalisedUrl } from './backend.js';
import type { Balancer } from './balancing/balancer.js';
import { balancers } from './balancing/index.js';
import { balancingOf, CompiledUpstream } from './compiled-upstream.js';
import { BackendConnectionPool } from './connection-pool.js';

/**
 * Compiles one upstream and takes over from `before` what lives across reloads: the whole of it when nothing
 * changed, else each backend's state by its id, its sockets while url and `connection` are the same, and the
 * balancer while `balancing` is.
 */
export function compileUpstream(
  name: string,
  config: Readonly<UpstreamConfig>,
  before: CompiledUpstream | undefined,
): CompiledUpstream {
  // One loader wrote both documents, so equal settings have their keys in equal order.
  const key = JSON.stringify(config);
  if (before?.key === key) return before;
  const kept = new Map(before?.backends.map((backend) => [backend.id, backend]));
  const connection = JSON.stringify(config.connection);
  const ids = new Set<string>();
  const backends = config.backends.map((backend): CompiledBackend => {
    const address = backendAddress(backend.url);
    const id = uniqueId(backend.id ?? normalisedUrl(address), ids);
    const poolKey = `${address.origin.origin} ${connection}`;
    const known = kept.get(id);
    return {
      ...address,
      id,
      url: backend.url,
      upstream: name,
      weight: backend.weight,
      // A new backend starts healthy: it serves at once, and its first probes tell otherwise.
      state: known?.state ?? { healthy: true, inFlight: 0 },
      pool:
        known?.poolKey === poolKey
          ? known.pool
          : new BackendConnectionPool(address.origin, config.connection),
      poolKey,
    };
  });
  return new CompiledUpstream({ name, key, config, backends, balancer: balancerFor(config, before) });
}

/** The same backend written twice in one upstream is two backends: `…`, `…#2`. */
function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let copy = 2; taken.has(id); copy++) id = `${wanted}#${copy}`;
  taken.add(id);
  return id;
}

function balancerFor(config: Readonly<UpstreamConfig>, before: CompiledUpstream | undefined): Balancer {
  const balancing = balancingOf(config);
  if (before && JSON.stringify(balancing) === JSON.stringify(balancingOf(before.config)))
    return before.balancer;
  return balancers.named(balancing.type).create(balancing);
}
