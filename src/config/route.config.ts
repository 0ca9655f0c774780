import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';
import type { AuthPolicy, IpListConfig } from './auth.config.js';
import type { RateLimitConfig } from './rate-limit.config.js';
import {
  type CacheConfig,
  type CompressionConfig,
  type CorsConfig,
  type SecurityHeaders,
  TransformConfig,
  type ValidateConfig,
} from './response.config.js';

export class RewriteConfig {
  path: string | null = null;
  pattern: string | null = null;
  replacement: string | null = null;
}

export class SplitConfig {
  upstream!: string;
  weight = 1;
  headers: Record<string, string> = {};
}

export class MirrorConfig {
  upstream!: string;
  percent = 100;
  max_body: Size = '256kb';
}

export class RouteTimeoutsConfig {
  response: Duration | null = null;
  idle: Duration = '60s';
  total: Duration | null = null;
}

export class RetryConfig {
  attempts = 3;
  backoff: Duration = '100ms';
  max_backoff: Duration = '5s';
  multiplier = 2;
  jitter = true;
  statuses: (number | string)[] = [502, 503, 504];
  methods: string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];
  max_body: Size = '64kb';
  budget = '20%';
}

export class WebSocketConfig {
  enabled = true;
  idle_timeout: Duration = '10m';
  handshake_timeout: Duration = '10s';
  max_connections: number | null = null;
}

/** A guard or interceptor of the team's own: its name, or its name and options. */
export interface ExtensionUse {
  name: string;
  options: Record<string, unknown>;
}

/**
 * A route as the loader hands it on: groups applied, `backends` written in the route moved to an upstream
 * named like the route's id, defaults filled in, single values where lists are allowed made lists.
 */
export class RouteConfig {
  id!: string;
  path!: string;
  exact = false;
  hosts: string[] = [];
  headers: Record<string, string> = {};
  query: Record<string, string> = {};
  /** null = all. */
  methods: string[] | null = null;
  strip_prefix = false;
  rewrite: RewriteConfig | null = null;
  upstream!: string;
  split: SplitConfig[] | null = null;
  mirror: MirrorConfig | null = null;
  timeout: Duration = '30s';
  timeouts: RouteTimeoutsConfig = new RouteTimeoutsConfig();
  max_body_size: Size | 0 = '10mb';
  retry: RetryConfig | null = null;
  rate_limit: RateLimitConfig[] = [];
  auth: AuthPolicy = 'none';
  roles: string[] = [];
  ip: IpListConfig | null = null;
  /** The global value when the route inherits; null = off. */
  cors: CorsConfig | null = null;
  cache: CacheConfig | null = null;
  validate: ValidateConfig | null = null;
  transform: TransformConfig = new TransformConfig();
  compression: CompressionConfig | null = null;
  security_headers: SecurityHeaders = true;
  guards: ExtensionUse[] = [];
  interceptors: ExtensionUse[] = [];
  websocket: WebSocketConfig = new WebSocketConfig();
  ai: null = null;
  metadata: Record<string, unknown> = {};
}
