import { createHash } from 'node:crypto';

import { durationMs } from '../common/duration.js';
import { sizeBytes } from '../common/size.js';
import { statusSet } from '../common/status-set.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { CacheConfig } from '../config/response.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { ForwardedKeys } from './forwarded-keys.js';

/** The `cache` of a route, compiled. Times in milliseconds. */
export interface CachePolicy {
  readonly ttlMs: number;
  readonly isTtlStatus: (status: number) => boolean;
  readonly methods: ReadonlySet<string>;
  readonly respectHeaders: boolean;
  /** Whether entries belong to one identity. */
  readonly byIdentity: boolean;
  /** Whether cookies are credentials. */
  readonly cookiesCount: boolean;
  /** Where API keys come in that upstreams get too. */
  readonly forwardedKeys: ForwardedKeys | null;
  readonly staleWhileRevalidateMs: number;
  readonly staleIfErrorMs: number;
  readonly waitMs: number;
  /** Bytes. */
  readonly maxEntrySize: number;
  readonly invalidates: readonly string[];
}

export function compilePolicy(config: Readonly<CacheConfig>, document: Readonly<GatewayConfig>): CachePolicy {
  return {
    ttlMs: durationMs(config.ttl),
    isTtlStatus: statusSet(config.statuses),
    methods: new Set(config.methods),
    respectHeaders: config.respect_headers,
    byIdentity: config.key.identity === true,
    cookiesCount: config.cookies === 'private',
    forwardedKeys: document.auth.api_keys?.forward ? new ForwardedKeys(document.auth.api_keys) : null,
    staleWhileRevalidateMs: durationMs(config.stale_while_revalidate),
    staleIfErrorMs: durationMs(config.stale_if_error),
    waitMs: durationMs(config.wait),
    maxEntrySize: sizeBytes(document.cache.max_entry_size),
    invalidates: config.invalidates,
  };
}

/** Tells routes with the same id and other settings apart: what one stored is not for the other. */
export function fingerprint(route: Readonly<RouteConfig>): string {
  return createHash('sha256').update(JSON.stringify(route)).digest('base64url').slice(0, 12);
}
