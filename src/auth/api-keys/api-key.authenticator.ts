import type { Clock } from '../../common/clock.js';
import { indexOfHeader } from '../../common/raw-headers.js';
import type { ApiKeysConfig } from '../../config/auth.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Identity } from '../../exchange/identity.js';
import type { Authenticator } from '../authenticator.js';
import { invalidApiKey } from './invalid-api-key.js';
import { KeyRing } from './key-ring.js';
import { QueryParameter } from './query-parameter.js';

/** Knows clients by the key in their header or query parameter. */
export class ApiKeyAuthenticator implements Authenticator {
  readonly kind = 'api_key';
  /** Lower case. */
  readonly #header: string;
  readonly #query: QueryParameter | null;
  readonly #ring: KeyRing;

  constructor(
    config: Readonly<ApiKeysConfig>,
    private readonly clock: Clock,
  ) {
    this.#header = config.header.toLowerCase();
    this.#query = config.query === null ? null : new QueryParameter(config.query);
    this.#ring = new KeyRing(config.keys);
  }

  /** Throws `invalid_api_key` for a key that is wrong or expired, and for more than one. */
  authenticate(exchange: Exchange): Identity | null {
    const presented = this.#presented(exchange);
    if (presented === null) return null;
    const identity = this.#ring.identityOf(presented, this.clock.wall());
    if (identity === null) throw invalidApiKey(this.#header);
    return identity;
  }

  #presented(exchange: Exchange): string | null {
    const raw = exchange.head.rawHeaders;
    const at = indexOfHeader(raw, this.#header);
    const query = exchange.target!.query;
    const values = this.#query === null || query === '' ? NONE : this.#query.values(query);
    if (at < 0) return this.#only(values);
    if (values.length > 0 || indexOfHeader(raw, this.#header, at + 2) >= 0) throw invalidApiKey(this.#header);
    return raw[at + 1]!;
  }

  /** Of two keys the gateway would judge one, and the upstream might another one. */
  #only(values: readonly string[]): string | null {
    if (values.length > 1) throw invalidApiKey(this.#header);
    return values[0] ?? null;
  }
}

const NONE: readonly string[] = [];
