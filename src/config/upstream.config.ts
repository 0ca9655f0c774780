import type { Duration } from '../common/duration.js';
import { HealthCheckConfig } from './health-check.config.js';
import { either, listOf, nested, orNull } from './keys/composites.js';
import {
  backendUrl,
  dnsServer,
  FINAL,
  hostHeader,
  listenHost,
  readableFile,
  statuses,
} from './keys/formats.js';
import { Key } from './keys/key.js';
import { proxyFault } from './keys/proxy-url.js';
import { duration, flag, integer, number, oneOf, text, textLike, textOf } from './keys/scalars.js';
import type { RateLimitConfig } from './rate-limit.config.js';

export class BackendConfig {
  /** The loader puts the normalised url where the document gives none. */
  @Key(orNull(text()), 'Name of the backend in logs and metrics; default: the normalised url.')
  id: string | null = null;

  @Key(backendUrl(), 'Where the backend is: http or https, host, perhaps a base path.', { required: true })
  url!: string;

  @Key(integer({ min: 0, max: 1_000_000 }), 'Share of the requests beside the other backends; 0 = none.')
  weight = 1;

  /** Url of the proxy on the way to it, put here by the loader; absent for none. */
  proxy?: string;
}

export const BALANCING = [
  'round_robin',
  'weighted_round_robin',
  'least_connections',
  'random',
  'ip_hash',
] as const;
export type BalancingType = (typeof BALANCING)[number];

export class BalancingConfig {
  @Key(oneOf(...BALANCING), 'How the backend is chosen.', { required: true })
  type!: BalancingType;
}

const stickySecret = textOf('a secret of at least 16 bytes, better 32', (value) =>
  Buffer.byteLength(value) < 16 ? 'is too short' : undefined,
);

export class StickyConfig {
  @Key(textLike(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a cookie'), 'Name of the cookie.')
  cookie = 'nexus_affinity';

  @Key(duration(), 'How long a client stays with its backend.')
  ttl: Duration = '1h';

  @Key(
    orNull(stickySecret),
    'Secret that signs the cookie, at least 16 bytes; null = made at start, not shared between processes.',
    { secret: true },
  )
  secret: string | null = null;
}

export class CircuitBreakerConfig {
  @Key(integer({ min: 1 }), 'Failures in a row that open the circuit.')
  failures = 5;

  @Key(duration(), 'Failures older than this do not count.')
  window: Duration = '10s';

  @Key(integer(), 'Requests in the window below which it stays closed.')
  min_requests = 0;

  @Key(duration(), 'How long the circuit stays open.')
  cooldown: Duration = '30s';

  @Key(integer({ min: 1 }), 'Requests let through at once while half-open.')
  half_open_requests = 3;

  @Key(integer({ min: 1 }), 'Successes that close the circuit again.')
  successes = 3;

  @Key(listOf(statuses(FINAL)), 'Statuses that count as failures.')
  statuses: (number | string)[] = ['500-599'];
}

export class MaxInFlightConfig {
  @Key(integer({ min: 1 }), 'Exchanges that a backend may have at once.')
  limit = 100;

  @Key(integer(), 'Exchanges that may wait for a place.')
  queue = 50;

  @Key(duration(), 'How long they wait (503).')
  queue_timeout: Duration = '1s';
}

export class UpstreamTlsConfig {
  @Key(orNull(readableFile()), "PEM file of the authorities to trust; null = the system's.")
  ca_file: string | null = null;

  @Key(orNull(readableFile()), "PEM file of the gateway's own certificate.")
  cert_file: string | null = null;

  @Key(orNull(readableFile()), 'PEM file of its key.')
  key_file: string | null = null;

  @Key(orNull(listenHost()), 'Name that the certificate must have; null = the host of the url.')
  server_name: string | null = null;

  @Key(flag(), 'Trust any certificate at all.')
  insecure = false;
}

const proxy = textOf('environment, or an http url such as http://proxy:3128', (value) =>
  value === 'environment' ? undefined : proxyFault(value),
);

export class ConnectionConfig {
  @Key(duration(), 'Longest time until a connection stands.')
  connect_timeout: Duration = '5s';

  @Key(duration(), 'How long an idle connection is kept.')
  keep_alive: Duration = '60s';

  @Key(integer({ min: 1 }), 'Connections to one backend.')
  max_connections = 1024;

  @Key(integer(), 'Exchanges that may wait for a connection; more are answered 503.')
  max_pending = 1024;

  @Key(flag(), 'Whether small pieces are sent at once (TCP_NODELAY).')
  tcp_no_delay = true;

  /** null, `environment`, or an http url. */
  @Key(orNull(proxy), 'Proxy on the way to the backends; `environment` reads HTTP_PROXY and its like.', {
    secret: true,
  })
  proxy: string | null = null;

  @Key(orNull(nested(UpstreamTlsConfig)), 'TLS towards https backends beyond the defaults.')
  tls: UpstreamTlsConfig | null = null;
}

export class DiscoveryConfig {
  @Key(oneOf('dns'), 'Where addresses come from.')
  type = 'dns' as const;

  @Key(duration(), 'Longest time between two look-ups.')
  interval: Duration = '30s';

  @Key(listOf(dnsServer()), "DNS servers to ask; empty = the system's.")
  servers: string[] = [];
}

/** The keys of an upstream; a route that lists backends itself may use any of them beside `backends`. */
export class UpstreamConfig {
  @Key(listOf(nested(BackendConfig), { min: 1 }), 'The servers that answer.', { required: true })
  backends: BackendConfig[] = [];

  @Key(either(oneOf(...BALANCING), nested(BalancingConfig)), 'How the backend of a request is chosen.')
  balancing: BalancingType | BalancingConfig = 'round_robin';

  @Key(orNull(nested(StickyConfig)), 'Keeps clients at one backend by a signed cookie; null = off.')
  sticky: StickyConfig | null = null;

  /** Merged over the global one by the loader; null = no active probes. */
  @Key(
    orNull(either(oneOf(false), nested(HealthCheckConfig))),
    'Active probes, merged over the global ones; false = none.',
    { absent: null },
  )
  health_check: HealthCheckConfig | null = null;

  @Key(flag(), 'Whether /health answers 503 while no backend is healthy.')
  critical = false;

  @Key(orNull(nested(CircuitBreakerConfig)), 'A circuit breaker for each backend; null = off.')
  circuit_breaker: CircuitBreakerConfig | null = null;

  @Key(orNull(nested(MaxInFlightConfig)), 'Bound of the exchanges of each backend; null = none.')
  max_in_flight: MaxInFlightConfig | null = null;

  @Key(duration({ zero: true }), 'Time in which a new or recovered backend gets its full share.')
  slow_start: Duration = '0s';

  @Key(number({ min: 0, max: 100 }), 'Percent of healthy backends below which all are tried; 0 = answer 503.')
  panic_threshold = 0;

  @Key(nested(ConnectionConfig), 'Connections to each backend.')
  connection: ConnectionConfig = new ConnectionConfig();

  /** backend, preserve, or a literal. */
  @Key(
    hostHeader('backend, preserve, or a host to send'),
    "Host header of requests: the backend's, the client's (preserve), or a literal.",
  )
  host_header = 'backend';

  @Key(orNull(nested(DiscoveryConfig)), 'Finds addresses of the backends again and again; null = off.')
  discovery: DiscoveryConfig | null = null;

  /** `rate_limit_per_upstream` of the document, put here by the loader. */
  rate_limit: RateLimitConfig | null = null;
}
