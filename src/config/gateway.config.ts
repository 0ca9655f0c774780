import { AuthConfig } from './auth.config.js';
import { either, listOf, nested, orNull, recordOf } from './keys/composites.js';
import { upstreamName } from './keys/formats.js';
import { Key } from './keys/key.js';
import { text } from './keys/scalars.js';
import {
  HistoryConfig,
  LoggingConfig,
  MetricsConfig,
  RedisConfig,
  RequestIdConfig,
  TracingConfig,
} from './observability.config.js';
import { type RateLimitConfig, TotalRateLimitConfig, UserRateLimitConfig } from './rate-limit.config.js';
import { CacheStoreConfig, type SecurityHeaders, securityHeaders } from './response.config.js';
import { RouteConfig } from './route.config.js';
import { AdminConfig, ServerConfig } from './server.config.js';
import { UpstreamConfig } from './upstream.config.js';

/**
 * A whole document as the loader hands it on, frozen: references replaced, groups flattened, global values
 * that routes and upstreams inherit already in them, upstreams written inside routes among `upstreams`.
 */
export class GatewayConfig {
  @Key(nested(ServerConfig), 'The data port.')
  server: ServerConfig = new ServerConfig();

  @Key(nested(AdminConfig), 'The admin port, and who may read metrics on the data port.')
  admin: AdminConfig = new AdminConfig();

  @Key(nested(LoggingConfig), 'Logs.')
  logging: LoggingConfig = new LoggingConfig();

  @Key(nested(MetricsConfig), 'Prometheus metrics.')
  metrics: MetricsConfig = new MetricsConfig();

  @Key(nested(TracingConfig), 'OpenTelemetry traces.')
  tracing: TracingConfig = new TracingConfig();

  @Key(nested(HistoryConfig), 'Metric samples for the dashboard.')
  history: HistoryConfig = new HistoryConfig();

  @Key(nested(RequestIdConfig), 'The id of each request.')
  request_id: RequestIdConfig = new RequestIdConfig();

  @Key(orNull(nested(RedisConfig)), 'A Redis server for limits and cache entries shared between gateways.')
  redis: RedisConfig | null = null;

  @Key(orNull(nested(TotalRateLimitConfig)), 'A limit over everything together.')
  rate_limit_global: RateLimitConfig | null = null;

  @Key(orNull(nested(UserRateLimitConfig)), 'A limit for each authenticated identity.')
  rate_limit_per_user: RateLimitConfig | null = null;

  @Key(nested(AuthConfig), 'How clients authenticate.')
  auth: AuthConfig = new AuthConfig();

  @Key(nested(CacheStoreConfig), 'The store behind all routes that cache.')
  cache: CacheStoreConfig = new CacheStoreConfig();

  @Key(either(...securityHeaders), 'Security headers on answers: true, false, or a map of header: value.')
  security_headers: SecurityHeaders = true;

  @Key(
    listOf(text()),
    "Modules with the team's guards and interceptors: paths beside this file, or packages.",
  )
  extensions: string[] = [];

  @Key(recordOf(nested(UpstreamConfig), { keys: upstreamName() }), 'Named pools of backends.')
  upstreams: Record<string, UpstreamConfig> = {};

  @Key(listOf(nested(RouteConfig, UpstreamConfig)), 'What is served, and from where.')
  routes: RouteConfig[] = [];
}
