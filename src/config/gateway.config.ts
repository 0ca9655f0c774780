import { AuthConfig } from './auth.config.js';
import {
  HistoryConfig,
  LoggingConfig,
  MetricsConfig,
  type RedisConfig,
  RequestIdConfig,
  TracingConfig,
} from './observability.config.js';
import type { RateLimitConfig } from './rate-limit.config.js';
import { CacheStoreConfig } from './response.config.js';
import type { RouteConfig } from './route.config.js';
import { AdminConfig, ServerConfig } from './server.config.js';
import type { UpstreamConfig } from './upstream.config.js';

/**
 * A whole document as the loader hands it on, frozen: references replaced, groups flattened, global values
 * that routes and upstreams inherit already in them, upstreams written inside routes among `upstreams`.
 */
export class GatewayConfig {
  server: ServerConfig = new ServerConfig();
  admin: AdminConfig = new AdminConfig();
  logging: LoggingConfig = new LoggingConfig();
  metrics: MetricsConfig = new MetricsConfig();
  tracing: TracingConfig = new TracingConfig();
  history: HistoryConfig = new HistoryConfig();
  request_id: RequestIdConfig = new RequestIdConfig();
  redis: RedisConfig | null = null;
  rate_limit_global: RateLimitConfig | null = null;
  rate_limit_per_user: RateLimitConfig | null = null;
  auth: AuthConfig = new AuthConfig();
  cache: CacheStoreConfig = new CacheStoreConfig();
  extensions: string[] = [];
  upstreams: Record<string, UpstreamConfig> = {};
  routes: RouteConfig[] = [];
}
