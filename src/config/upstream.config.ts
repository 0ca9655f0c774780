import type { Duration } from '../common/duration.js';
import { HealthCheckConfig } from './health-check.config.js';
import type { RateLimitConfig } from './rate-limit.config.js';

export class BackendConfig {
  /** null = the normalised url. */
  id: string | null = null;
  url!: string;
  weight = 1;
}

export const BALANCING = ['round_robin', 'weighted_round_robin', 'least_connections', 'random', 'ip_hash'] as const;
export type BalancingType = (typeof BALANCING)[number];

export class BalancingConfig {
  type!: BalancingType;
}

export class StickyConfig {
  cookie = 'nexus_affinity';
  ttl: Duration = '1h';
  secret: string | null = null;
}

export class CircuitBreakerConfig {
  failures = 5;
  window: Duration = '10s';
  min_requests = 0;
  cooldown: Duration = '30s';
  half_open_requests = 3;
  successes = 3;
  statuses: (number | string)[] = ['500-599'];
}

export class MaxInFlightConfig {
  limit = 100;
  queue = 50;
  queue_timeout: Duration = '1s';
}

export class UpstreamTlsConfig {
  ca_file: string | null = null;
  cert_file: string | null = null;
  key_file: string | null = null;
  server_name: string | null = null;
  insecure = false;
}

export class ConnectionConfig {
  connect_timeout: Duration = '5s';
  keep_alive: Duration = '60s';
  max_connections = 1024;
  max_pending = 1024;
  tcp_no_delay = true;
  /** null, `environment`, or an http url. */
  proxy: string | null = null;
  tls: UpstreamTlsConfig | null = null;
}

export class DiscoveryConfig {
  type: 'dns' = 'dns';
  interval: Duration = '30s';
}

/** The keys of an upstream; a route that lists backends itself may use any of them beside `backends`. */
export class UpstreamConfig {
  backends: BackendConfig[] = [];
  balancing: BalancingType | BalancingConfig = 'round_robin';
  sticky: StickyConfig | null = null;
  /** Merged over the global one by the loader; null = no active probes. */
  health_check: HealthCheckConfig | null = null;
  critical = false;
  circuit_breaker: CircuitBreakerConfig | null = null;
  max_in_flight: MaxInFlightConfig | null = null;
  slow_start: Duration = '0s';
  panic_threshold = 0;
  connection: ConnectionConfig = new ConnectionConfig();
  /** backend, preserve, or a literal. */
  host_header = 'backend';
  discovery: DiscoveryConfig | null = null;
  /** `rate_limit_per_upstream` of the document, put here by the loader. */
  rate_limit: RateLimitConfig | null = null;
}
