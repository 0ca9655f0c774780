import type { BackendConfig, ConnectionConfig, UpstreamConfig } from '../config/upstream.config.js';
import { backendAddress, CompiledBackend, normalisedUrl } from './backend.js';
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
  if (before && same(config, before.config)) return before;
  const kept = new Map(before?.backends.map((backend) => [backend.id, backend]));
  const ids = new Set<string>();
  const backends = config.backends.map((backend) => {
    const id = uniqueId(backend, ids);
    return compileBackend(
      { id, upstream: name, config: backend, connection: config.connection },
      kept.get(id),
    );
  });
  return new CompiledUpstream(name, config, Object.freeze(backends), balancerFor(config, before));
}

interface BackendSource {
  readonly id: string;
  readonly upstream: string;
  readonly config: Readonly<BackendConfig>;
  readonly connection: Readonly<ConnectionConfig>;
}

function compileBackend(source: BackendSource, before: CompiledBackend | undefined): CompiledBackend {
  const { id, upstream, config, connection } = source;
  const { origin, basePath } = backendAddress(config.url);
  const poolKey = `${origin.origin} ${JSON.stringify(connection)}`;
  return new CompiledBackend({
    id,
    url: config.url,
    upstream,
    weight: config.weight,
    origin,
    basePath,
    // A new backend starts healthy: it serves at once, and its first probes tell otherwise.
    state: before?.state ?? { healthy: true, inFlight: 0 },
    pool: before?.poolKey === poolKey ? before.pool : new BackendConnectionPool(origin, connection),
    poolKey,
  });
}

/** The same backend written twice in one upstream is two backends: `…`, `…#2`. */
function uniqueId(config: Readonly<BackendConfig>, taken: Set<string>): string {
  const wanted = config.id ?? normalisedUrl(backendAddress(config.url));
  let id = wanted;
  for (let copy = 2; taken.has(id); copy++) id = `${wanted}#${copy}`;
  taken.add(id);
  return id;
}

function balancerFor(config: Readonly<UpstreamConfig>, before: CompiledUpstream | undefined) {
  const balancing = balancingOf(config);
  if (before && same(balancing, balancingOf(before.config))) return before.balancer;
  return balancers.named(balancing.type).create(balancing);
}

/** Both come from one loader, which writes keys in one order. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
