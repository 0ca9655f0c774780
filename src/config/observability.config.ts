import type { Duration } from '../common/duration.js';
import { listOf, orNull } from './keys/composites.js';
import { headerName, requestPath, url, writtenFile } from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, flag, freeText, number, oneOf, text } from './keys/scalars.js';

export class LoggingConfig {
  @Key(oneOf('trace', 'debug', 'info', 'warn', 'error'), 'The least important level that is written.')
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' = 'info';

  @Key(oneOf('json', 'pretty'), 'One JSON object a line, or lines for people.')
  format: 'json' | 'pretty' = 'json';

  @Key(flag(), 'Whether each exchange gets its line `request completed`.')
  access_log = true;

  @Key(listOf(headerName()), 'Headers whose values never appear in logs.')
  redact_headers: string[] = ['authorization', 'cookie', 'set-cookie', 'x-api-key', 'proxy-authorization'];

  @Key(listOf(text()), 'Query parameters whose values never appear in logs.')
  redact_query: string[] = ['token', 'access_token', 'api_key'];
}

export class MetricsConfig {
  @Key(flag(), 'Whether metrics are counted and shown.')
  enabled = true;

  @Key(requestPath(), 'Path of the metrics on the data port.')
  path = '/metrics';

  /** Upper bounds in seconds, ascending. */
  @Key(
    listOf(number({ min: 0.000_001, max: 3600 }), { min: 1, unique: true }),
    'Upper bounds of the duration histograms in seconds, ascending.',
  )
  buckets: number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
}

export class TracingConfig {
  @Key(flag(), 'Whether spans are recorded and sent.')
  enabled = false;

  @Key(orNull(url('http', 'https')), 'OTLP/HTTP endpoint that spans are sent to.')
  otlp_endpoint: string | null = null;

  @Key(text(), 'Name of the gateway in traces.')
  service_name = 'nexus-gateway';

  @Key(number({ min: 0, max: 1 }), 'Share of the traces begun here that are recorded.')
  sample_ratio = 1;
}

export class HistoryConfig {
  @Key(flag(), 'Whether metric samples are kept for the dashboard.')
  enabled = true;

  @Key(orNull(writtenFile()), 'SQLite file of the samples; null = in memory.')
  file: string | null = null;

  @Key(duration(), 'Time between two samples.')
  resolution: Duration = '10s';

  @Key(duration(), 'How long samples are kept.')
  retention: Duration = '24h';
}

export class RequestIdConfig {
  @Key(headerName(), 'Header of the request id.')
  header = 'x-request-id';

  @Key(flag(), "Whether a client's own well-formed id is kept.")
  trust = true;
}

export class RedisConfig {
  @Key(url('redis', 'rediss'), 'Address of the Redis server.', { required: true, secret: true })
  url!: string;

  @Key(freeText(), 'Put in front of every key.')
  key_prefix = 'nexus:';

  @Key(duration(), 'Longest time for one command.')
  command_timeout: Duration = '50ms';
}
