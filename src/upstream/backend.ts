import type {
  Backend,
  BackendState,
  Breaker,
  ConnectionPool,
  Outcome,
  Permit,
} from '../exchange/upstream.js';
import type { WaitingLine } from './waiting-line.js';

/** A url's parts as the path needs them. */
export interface BackendAddress {
  readonly origin: URL;
  /** Without trailing slash; empty for none. */
  readonly basePath: string;
}

/** Takes a backend's url apart; the loader has refused anything but absolute http and https urls. */
export function backendAddress(url: string): BackendAddress {
  const { origin, pathname } = new URL(url);
  return { origin: new URL(origin), basePath: pathname.replace(/\/+$/, '') };
}

export interface BackendParts extends BackendAddress {
  readonly id: string;
  readonly url: string;
  readonly upstream: string;
  readonly weight: number;
  readonly state: BackendState;
  readonly pool: ConnectionPool;
  /** The pool serves the backend after a reload too while this stays the same. */
  readonly poolKey: string;
  readonly breaker: Breaker | null;
  readonly maxInFlight: number;
  readonly line: WaitingLine;
}

export class CompiledBackend implements Backend {
  readonly id: string;
  readonly url: string;
  readonly upstream: string;
  readonly weight: number;
  readonly origin: URL;
  readonly basePath: string;
  readonly state: BackendState;
  readonly pool: ConnectionPool;
  readonly poolKey: string;
  readonly breaker: Breaker | null;
  readonly line: WaitingLine;
  #maxInFlight: number;
  #successor: CompiledBackend | null = null;

  constructor(parts: BackendParts) {
    this.id = parts.id;
    this.url = parts.url;
    this.upstream = parts.upstream;
    this.weight = parts.weight;
    this.origin = parts.origin;
    this.basePath = parts.basePath;
    this.state = parts.state;
    this.pool = parts.pool;
    this.poolKey = parts.poolKey;
    this.breaker = parts.breaker;
    this.#maxInFlight = parts.maxInFlight;
    this.line = parts.line;
  }

  get maxInFlight(): number {
    return this.#successor === null ? this.#maxInFlight : this.#successor.maxInFlight;
  }

  /** The backend of the same id in the snapshot that comes into force. They share their state, so they share the bound. */
  succeededBy(successor: CompiledBackend): void {
    this.#successor = successor;
  }

  begin(): Permit | null {
    this.state.inFlight++;
    return this.breaker === null ? null : this.breaker.begin();
  }

  end(permit: Permit | null, outcome: Outcome): void {
    this.state.inFlight--;
    if (permit !== null) permit.settle(outcome);
    this.line.advance();
  }

  returned(): void {
    this.line.advance();
  }
}
