import type { Duration } from '../common/duration.js';

export class LoggingConfig {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' = 'info';
  format: 'json' | 'pretty' = 'json';
  access_log = true;
  redact_headers: string[] = ['authorization', 'cookie', 'set-cookie', 'x-api-key', 'proxy-authorization'];
  redact_query: string[] = ['token', 'access_token', 'api_key'];
}

export class MetricsConfig {
  enabled = true;
  path = '/metrics';
  /** Upper bounds in seconds, ascending. */
  buckets: number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
}

export class TracingConfig {
  enabled = false;
  otlp_endpoint: string | null = null;
  service_name = 'nexus-gateway';
  sample_ratio = 1;
}

export class HistoryConfig {
  enabled = true;
  file: string | null = null;
  resolution: Duration = '10s';
  retention: Duration = '24h';
}

export class RequestIdConfig {
  header = 'x-request-id';
  trust = true;
}

export class RedisConfig {
  url!: string;
  key_prefix = 'nexus:';
  command_timeout: Duration = '50ms';
}
