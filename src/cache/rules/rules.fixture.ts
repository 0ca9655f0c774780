import { CacheConfig } from '../../config/response.config.js';
import { GatewayConfig } from '../../config/gateway.config.js';
import { type CachePolicy, compilePolicy } from '../cache-policy.js';
import type { StoredResponse } from '../cache-store.js';

export function policyOf(changes: Partial<CacheConfig> = {}): CachePolicy {
  return compilePolicy(Object.assign(new CacheConfig(), changes), new GatewayConfig());
}

export function storedWith(changes: Partial<StoredResponse> = {}): StoredResponse {
  return {
    vary: [],
    status: 200,
    statusText: 'OK',
    headers: [],
    body: Buffer.from('0123456789'),
    bornAt: 0,
    freshMs: 10_000,
    staleWhileRevalidateMs: 0,
    staleIfErrorMs: 0,
    alwaysValidate: false,
    neverStale: false,
    shared: false,
    ...changes,
  };
}
