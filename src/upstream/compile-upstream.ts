import type { UpstreamConfig } from '../config/upstream.config.js';
import { durationMs } from '../common/duration.js';
import { normalisedUrl } from '../common/normalised-url.js';
import type { Clock } from '../common/clock.js';
import type { BackendState } from '../exchange/upstream.js';
import { UpstreamAdmission } from './admission.js';
import { backendAddress, CompiledBackend } from './backend.js';
import { breakerFor } from './breaker/index.js';
import type { Balancer } from './balancing/balancer.js';
import { balancers } from './balancing/index.js';
import { balancingOf, CompiledUpstream } from './compiled-upstream.js';
import { compileConnection, type Connection } from './connection/compile-connection.js';
import type { UpstreamEvents } from './upstream-events.js';
import { compileSticky } from './sticky/sticky.js';
import { WaitingLine } from './waiting-line.js';

/**
 * Compiles one upstream and takes over from `before` what lives across reloads: the whole of it when nothing
 * changed, else each backend's state by its id, its sockets while url and `connection` are the same, the balancer
 * while `balancing` is, and the line.
 */
export function compileUpstream(
  name: string,
  config: Readonly<UpstreamConfig>,
  before: CompiledUpstream | undefined,
  tools: UpstreamTools,
): CompiledUpstream {
  const connection = compileConnection(name, config.connection);
  // One loader wrote both documents, so equal settings have their keys in equal order.
  const key = `${JSON.stringify(config)} ${connection.key}`;
  if (before?.key === key) return before;
  const line = before?.line ?? new WaitingLine();
  const backends = compileBackends(name, config, { before, line, connection, tools });
  const { max_in_flight: bound } = config;
  return new CompiledUpstream({
    name,
    key,
    config,
    backends,
    line,
    balancer: balancerFor(config, before, tools),
    admission: new UpstreamAdmission(
      { slowStartMs: durationMs(config.slow_start), panicThreshold: config.panic_threshold },
      tools.clock,
    ),
    sticky: compileSticky(name, config.sticky, backends, tools),
    connectMs: durationMs(config.connection.connect_timeout),
    queueMs: bound === null ? 0 : durationMs(bound.queue_timeout),
    queue: bound === null ? 0 : bound.queue,
  });
}

/** What upstreams are compiled with. */
export interface UpstreamTools {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly events: UpstreamEvents;
  /** Signs the cookies of upstreams that have no secret of their own. */
  readonly secret: Buffer;
}

interface Surroundings {
  readonly before: CompiledUpstream | undefined;
  readonly line: WaitingLine;
  readonly connection: Connection;
  readonly tools: UpstreamTools;
}

function compileBackends(
  upstream: string,
  config: Readonly<UpstreamConfig>,
  { before, line, connection, tools }: Surroundings,
): CompiledBackend[] {
  const kept = new Map(before?.backends.map((backend) => [backend.id, backend]));
  const ids = new Set<string>();
  return config.backends.map((backend): CompiledBackend => {
    const address = backendAddress(backend.url);
    const id = uniqueId(backend.id ?? normalisedUrl(backend.url), ids);
    const { url, weight, proxy } = backend;
    const poolKey = connection.poolKey(address.origin, proxy);
    const known = kept.get(id);
    return new CompiledBackend({
      ...address,
      id,
      url,
      upstream,
      weight,
      line,
      // A new backend starts healthy: it serves at once, and its first probes tell otherwise.
      state: known?.state ?? newState(before === undefined ? 0 : tools.clock.now()),
      pool: known?.poolKey === poolKey ? known.pool : connection.openPool(address.origin, proxy),
      poolKey,
      breaker: breakerFor(config.circuit_breaker, known?.breaker ?? null, { upstream, url }, tools),
      maxInFlight: config.max_in_flight?.limit ?? 0,
    });
  });
}

/** @param servingSince 0 for the backends of a start, which share the load as they will later. */
function newState(servingSince: number): BackendState {
  return { healthy: true, inFlight: 0, draining: false, servingSince };
}

/** The same backend written twice in one upstream is two backends: `…`, `…#2`. */
function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let copy = 2; taken.has(id); copy++) id = `${wanted}#${copy}`;
  taken.add(id);
  return id;
}

function balancerFor(
  config: Readonly<UpstreamConfig>,
  before: CompiledUpstream | undefined,
  tools: UpstreamTools,
): Balancer {
  const balancing = balancingOf(config);
  if (before && JSON.stringify(balancing) === JSON.stringify(balancingOf(before.config)))
    return before.balancer;
  return balancers.named(balancing.type).create(balancing, tools.random);
}
