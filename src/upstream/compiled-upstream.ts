import type { BalancingConfig, UpstreamConfig } from '../config/upstream.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Backend, TriedBackends, Upstream } from '../exchange/upstream.js';
import type { CompiledBackend } from './backend.js';
import { type Balancer, mayTake } from './balancing/balancer.js';

/** What {@link CompiledUpstream} is made of. */
export interface UpstreamParts {
  readonly name: string;
  /** Equal for equal settings. */
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backends: readonly CompiledBackend[];
  readonly balancer: Balancer;
}

export class CompiledUpstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly config: Readonly<UpstreamConfig>;
  readonly backends: readonly CompiledBackend[];
  readonly balancer: Balancer;
  readonly balancing: string;
  readonly critical: boolean;
  /** Those that take part in balancing: `weight: 0` takes a backend out of the rotation, whatever the algorithm. */
  readonly #rotation: readonly Backend[];
  readonly #only: Backend | null;

  constructor({ name, key, config, backends, balancer }: UpstreamParts) {
    this.name = name;
    this.key = key;
    this.config = config;
    this.backends = Object.freeze(backends);
    this.balancer = balancer;
    this.balancing = balancingOf(config).type;
    this.critical = config.critical;
    this.#rotation = Object.freeze(backends.filter((backend) => backend.weight > 0));
    this.#only = this.#rotation.length === 1 ? this.#rotation[0]! : null;
  }

  pick(exchange: Exchange, tried: TriedBackends | null): Backend | null {
    const only = this.#only;
    if (only === null) return this.balancer.pick(this.#rotation, exchange, tried);
    return mayTake(only, tried) ? only : null;
  }
}

/** The long form of `balancing`. */
export function balancingOf({ balancing }: Readonly<UpstreamConfig>): Readonly<BalancingConfig> {
  return typeof balancing === 'string' ? { type: balancing } : balancing;
}
