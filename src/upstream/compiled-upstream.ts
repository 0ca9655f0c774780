import type { BalancingConfig, UpstreamConfig } from '../config/upstream.config.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { Backend, TriedBackends, Upstream, WaitingExchange } from '../exchange/upstream.js';
import type { UpstreamAdmission } from './admission.js';
import type { CompiledBackend } from './backend.js';
import type { Balancer } from './balancing/balancer.js';
import type { Sticky } from './sticky/sticky.js';
import type { WaitingLine } from './waiting-line.js';

/** What {@link CompiledUpstream} is made of. */
export interface UpstreamParts {
  readonly name: string;
  /** Equal for equal settings. */
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backends: readonly CompiledBackend[];
  readonly balancer: Balancer;
  readonly admission: UpstreamAdmission;
  /** Null without `sticky`. */
  readonly sticky: Sticky | null;
  readonly line: WaitingLine;
  readonly connectMs: number;
  /** Longest wait in the line, in milliseconds; 0 = there is no line. */
  readonly queueMs: number;
  /** Places in the line for each backend of the rotation. */
  readonly queue: number;
}

export class CompiledUpstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backends: readonly CompiledBackend[];
  readonly balancer: Balancer;
  readonly balancing: string;
  readonly critical: boolean;
  readonly hostHeader: string;
  readonly connectMs: number;
  readonly queueMs: number;
  readonly line: WaitingLine;
  readonly ownCookie: string | null;
  readonly #queueLength: number;
  readonly #admission: UpstreamAdmission;
  readonly #sticky: Sticky | null;
  /** Those that take part in balancing: `weight: 0` takes a backend out of the rotation, whatever the algorithm. */
  readonly #rotation: readonly Backend[];
  readonly #only: Backend | null;

  constructor(parts: UpstreamParts) {
    const { config, backends } = parts;
    this.name = parts.name;
    this.key = parts.key;
    this.config = config;
    this.backends = Object.freeze(backends);
    this.balancer = parts.balancer;
    this.balancing = balancingOf(config).type;
    this.critical = config.critical;
    this.hostHeader = config.host_header;
    this.connectMs = parts.connectMs;
    this.queueMs = parts.queueMs;
    this.line = parts.line;
    this.ownCookie = parts.sticky && parts.sticky.cookie;
    this.#sticky = parts.sticky;
    this.#admission = parts.admission;
    this.#rotation = Object.freeze(backends.filter((backend) => backend.weight > 0));
    this.#only = this.#rotation.length === 1 ? this.#rotation[0]! : null;
    this.#queueLength = parts.queue * this.#rotation.length;
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
    return this.#rotation.some((backend) => admission.isOpen(backend) && !tried?.has(backend));
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
    const successors = new Map(this.backends.map((backend) => [backend.id, backend]));
    for (const backend of before.backends) {
      const successor = successors.get(backend.id);
      if (successor !== undefined) backend.succeededBy(successor);
    }
    this.line.advance();
  }
}

export function overloaded(): Refusal {
  return new Refusal('overloaded', { headers: { 'Retry-After': '1' } });
}

/** The long form of `balancing`. */
export function balancingOf({ balancing }: Readonly<UpstreamConfig>): Readonly<BalancingConfig> {
  return typeof balancing === 'string' ? { type: balancing } : balancing;
}
