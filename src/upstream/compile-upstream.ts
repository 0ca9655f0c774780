import type { BackendConfig, UpstreamConfig } from '../config/upstream.config.js';
import { durationMs } from '../common/duration.js';
import { normalisedUrl } from '../common/normalised-url.js';
import type { Clock } from '../common/clock.js';
import type { BackendState } from '../exchange/upstream.js';
import { UpstreamAdmission } from './admission.js';
import { backendAddress, CompiledBackend } from './backend.js';
import { breakerFor } from './breaker/index.js';
import type { Balancer } from './balancing/balancer.js';
import { balancers } from './balancing/index.js';
import { balancingOf, CompiledUpstream, type ListBackends } from './compiled-upstream.js';
import { compileConnection, type Connection } from './connection/compile-connection.js';
import type { DiscoveryEvents } from './discovery/discovery-events.js';
import {
  type DiscoveryTools,
  followNames,
  type FollowedNames,
  type Place,
  placesOf,
} from './discovery/follow-names.js';
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
  const names = followNames(name, config, before?.names, tools);
  const list = backendLister(name, config, { names, line, connection, tools });
  const backends = list(before?.backends ?? [], []);
  const { max_in_flight: bound } = config;
  return new CompiledUpstream({
    name,
    key,
    config,
    backends,
    discovered: names.size === 0 ? null : { names, list },
    line,
    balancer: balancerFor(config, before, tools),
    admission: new UpstreamAdmission(
      { slowStartMs: durationMs(config.slow_start), panicThreshold: config.panic_threshold },
      tools.clock,
    ),
    sticky: compileSticky(name, config.sticky, backends, tools),
    queueMs: bound === null ? 0 : durationMs(bound.queue_timeout),
    queue: bound === null ? 0 : bound.queue,
  });
}

/** What upstreams are compiled with. */
export interface UpstreamTools extends DiscoveryTools {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly events: UpstreamEvents & DiscoveryEvents;
  /** Signs the cookies of upstreams that have no secret of their own. */
  readonly secret: Buffer;
}

interface Surroundings {
  readonly names: FollowedNames;
  readonly line: WaitingLine;
  readonly connection: Connection;
  readonly tools: UpstreamTools;
}

/** Lists the backends: for each that the config names itself, or one for each server behind its name. */
function backendLister(
  upstream: string,
  config: Readonly<UpstreamConfig>,
  surroundings: Surroundings,
): ListBackends {
  const ids = new Set<string>();
  const written = config.backends.map((backend) => ({
    backend,
    id: uniqueId(backend.id ?? normalisedUrl(backend.url), ids),
  }));
  return (kept, own) => {
    const keptById = new Map(kept.map((backend) => [backend.id, backend]));
    const ownById = new Map(own.map((backend) => [backend.id, backend]));
    // The first backends of an upstream share the load at once as they will later.
    const since = kept.length === 0 ? 0 : surroundings.tools.clock.now();
    return written.flatMap(({ backend, id }) =>
      placesOf(backend, id, surroundings.names).map((place) => {
        const known = keptById.get(place.id);
        const mine = ownById.get(place.id);
        return mine !== undefined && isStill(mine, place, known)
          ? mine
          : compileBackend({ upstream, config, backend, place, since, known: known ?? mine }, surroundings);
      }),
    );
  };
}

function isStill(mine: CompiledBackend, { weight }: Place, known: CompiledBackend | undefined): boolean {
  if (mine.weight !== weight) return false;
  return known === undefined || (mine.state === known.state && mine.pool === known.pool);
}

interface BackendSource {
  readonly upstream: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backend: Readonly<BackendConfig>;
  readonly place: Place;
  /** From when it counts as serving if it is new; 0 = always. */
  readonly since: number;
  readonly known: CompiledBackend | undefined;
}

function compileBackend(
  { upstream, config, backend, place, since, known }: BackendSource,
  { line, connection, tools }: Surroundings,
): CompiledBackend {
  const address = backendAddress(backend.url);
  const { id, url, weight, at } = place;
  const poolKey = connection.poolKey(address.origin, backend.proxy);
  return new CompiledBackend({
    ...address,
    id,
    url,
    upstream,
    weight,
    line,
    // A new backend starts healthy: it serves at once, and its first probes tell otherwise.
    state: known?.state ?? newState(since),
    pool: known?.poolKey === poolKey ? known.pool : connection.openPool(address.origin, backend.proxy, at),
    poolKey,
    breaker: breakerFor(config.circuit_breaker, known?.breaker ?? null, { upstream, url }, tools),
    maxInFlight: config.max_in_flight?.limit ?? 0,
  });
}

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
