import type { BalancingConfig, UpstreamConfig } from '../config/upstream.config.js';
import type { Exchange } from '../exchange/exchange.js';
import { overloaded, Refusal } from '../exchange/refusal.js';
import type { Backend, TriedBackends, Upstream, WaitingExchange } from '../exchange/upstream.js';
import type { UpstreamAdmission } from './admission.js';
import type { CompiledBackend } from './backend.js';
import type { Balancer } from './balancing/balancer.js';
import type { FollowedNames } from './discovery/follow-names.js';
import type { Sticky } from './sticky/sticky.js';
import type { WaitingLine } from './waiting-line.js';

const NO_NAMES: FollowedNames = new Map();

/** What {@link CompiledUpstream} is made of. */
export interface UpstreamParts {
  readonly name: string;
  /** Equal for equal settings. */
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backends: readonly CompiledBackend[];
  /** Null, or absent, where the backends stay those of the config. */
  readonly discovered?: DiscoveredBackends | null;
  readonly balancer: Balancer;
  readonly admission: UpstreamAdmission;
  /** Null without `sticky`. */
  readonly sticky: Sticky | null;
  readonly line: WaitingLine;
  /** Longest wait in the line, in milliseconds; 0 = there is no line. */
  readonly queueMs: number;
  /** Places in the line for each backend of the rotation. */
  readonly queue: number;
}

/** Backends behind names that are looked up again and again. */
export interface DiscoveredBackends {
  readonly names: FollowedNames;
  /** The backends as the names have them now. */
  readonly list: ListBackends;
}

/**
 * @param kept whose states and pools the backends of the same ids go on with
 * @param own those of them that are still as they should be stay the same objects
 */
export type ListBackends = (
  kept: readonly CompiledBackend[],
  own: readonly CompiledBackend[],
) => readonly CompiledBackend[];

export class CompiledUpstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly balancer: Balancer;
  readonly balancing: string;
  readonly critical: boolean;
  readonly hostHeader: string;
  readonly queueMs: number;
  readonly line: WaitingLine;
  readonly ownCookie: string | null;
  readonly #queue: number;
  readonly #discovered: DiscoveredBackends | null;
  readonly #admission: UpstreamAdmission;
  readonly #sticky: Sticky | null;
  // Discovery puts other lists in the place of these; no list is ever changed.
  #backends: readonly CompiledBackend[] = [];
  /** Those that take part in balancing: `weight: 0` takes a backend out of the rotation, whatever the algorithm. */
  #rotation: readonly Backend[] = [];
  #only: Backend | null = null;
  /** Places in the line. */
  #queueLength = 0;

  constructor(parts: UpstreamParts) {
    const { config } = parts;
    this.name = parts.name;
    this.key = parts.key;
    this.config = config;
    this.balancer = parts.balancer;
    this.balancing = balancingOf(config).type;
    this.critical = config.critical;
    this.hostHeader = config.host_header;
    this.queueMs = parts.queueMs;
    this.line = parts.line;
    this.ownCookie = parts.sticky && parts.sticky.cookie;
    this.#sticky = parts.sticky;
    this.#admission = parts.admission;
    this.#discovered = parts.discovered ?? null;
    this.#queue = parts.queue;
    this.#use(parts.backends);
  }

  get backends(): readonly CompiledBackend[] {
    return this.#backends;
  }

  /** Names that are looked up again and again; empty without `discovery`. */
  get names(): FollowedNames {
    return this.#discovered === null ? NO_NAMES : this.#discovered.names;
  }

  /**
   * Takes the servers that its names have now, going on with the states and pools of `kept`. True when that made
   * another list.
   */
  refresh(kept: readonly CompiledBackend[] = this.#backends): boolean {
    if (this.#discovered === null) return false;
    const before = this.#backends;
    const backends = this.#discovered.list(kept, before);
    if (backends.length === before.length && backends.every((backend, at) => backend === before[at]))
      return false;
    this.#use(backends);
    this.#sticky?.use(backends);
    this.#succeed(before);
    return true;
  }

  #use(backends: readonly CompiledBackend[]): void {
    this.#backends = Object.freeze(backends);
    this.#rotation = Object.freeze(backends.filter((backend) => backend.weight > 0));
    this.#only = this.#rotation.length === 1 ? this.#rotation[0]! : null;
    this.#queueLength = this.#queue * this.#rotation.length;
  }

  pick(exchange: Exchange, tried: TriedBackends | null): Backend | null {
    const admission = this.#admission.for(this.#rotation, tried);
    const only = this.#only;
    if (this.#sticky !== null) {
      const known = this.#sticky.backendOf(exchange);
      if (known !== null && admission.mayTake(known)) return known;
    }
    if (only === null) return this.balancer.pick(this.#rotation, exchange, admission);
    return admission.mayTake(only) ? only : null;
  }

  refusal(): Refusal {
    const admission = this.#admission.for(this.#rotation, null);
    const fit = this.#rotation.filter((backend) => admission.isFit(backend));
    if (fit.length === 0) return new Refusal('no_healthy_backend');
    if (fit.some((backend) => admission.isOpen(backend))) return overloaded();
    const waitMs = Math.min(...fit.map(({ breaker }) => breaker!.waitMs()));
    return new Refusal('circuit_open', {
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
    });
  }

  isFull(tried: TriedBackends | null): boolean {
    if (this.#queueLength === 0) return false;
    const admission = this.#admission.for(this.#rotation, tried);
    return this.#rotation.some((backend) => admission.isOpen(backend) && !admission.wasTried(backend));
  }

  hasRoom(): boolean {
    const admission = this.#admission.for(this.#rotation, null);
    return this.#rotation.some((backend) => admission.mayTake(backend));
  }

  join(waiting: WaitingExchange): boolean {
    return this.line.join(waiting, this.#queueLength);
  }

  leave(waiting: WaitingExchange): void {
    this.line.leave(waiting);
  }

  answering(exchange: Exchange, backend: Backend): void {
    if (this.#sticky !== null) this.#sticky.answering(exchange, backend);
  }

  /** It comes into force instead of `before`: exchanges that wait on that one get what the new bound gives. */
  succeed(before: CompiledUpstream): void {
    this.#succeed(before.backends);
    this.line.advance();
  }

  #succeed(before: readonly CompiledBackend[]): void {
    const successors = new Map(this.#backends.map((backend) => [backend.id, backend]));
    for (const backend of before) {
      const successor = successors.get(backend.id);
      if (successor !== undefined && successor !== backend) backend.succeededBy(successor);
    }
  }
}

/** The long form of `balancing`. */
export function balancingOf({ balancing }: Readonly<UpstreamConfig>): Readonly<BalancingConfig> {
  return typeof balancing === 'string' ? { type: balancing } : balancing;
}
