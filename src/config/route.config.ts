import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';
import { type AuthPolicy, authPolicy, IpListConfig } from './auth.config.js';
import { anyMap, anything, either, listOf, nested, orNull, orOff, recordOf } from './keys/composites.js';
import {
  condition,
  FINAL,
  headerName,
  hostPattern,
  identifier,
  method,
  percentage,
  regex,
  routePath,
  statuses,
  upstreamName,
} from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, flag, freeText, integer, number, oneOf, text } from './keys/scalars.js';
import { size } from './keys/sizes.js';
import { RateLimitConfig } from './rate-limit.config.js';
import {
  CacheConfig,
  CompressionConfig,
  CorsConfig,
  type SecurityHeaders,
  securityHeaders,
  TransformConfig,
  ValidateConfig,
} from './response.config.js';

export class RewriteConfig {
  @Key(
    orNull(text('a path such as /v1/users/{id}')),
    'Template that stands for what the path of the route matched.',
  )
  path: string | null = null;

  @Key(orNull(regex()), 'What of the path is replaced; with `replacement`.')
  pattern: string | null = null;

  @Key(orNull(freeText()), 'What stands there then; $1 is the first group.')
  replacement: string | null = null;
}

export class SplitConfig {
  @Key(upstreamName(), 'Where this share goes.', { required: true })
  upstream!: string;

  @Key(integer({ min: 0, max: 1_000_000 }), 'Share beside the others; 0 = only by headers.')
  weight = 1;

  @Key(
    recordOf(condition(), { keys: headerName() }),
    'Headers that send a request here whatever the weights.',
  )
  headers: Record<string, string> = {};
}

export class MirrorConfig {
  @Key(upstreamName(), 'Where the copies go.', { required: true })
  upstream!: string;

  @Key(number({ min: 0, max: 100 }), 'Percent of the requests that are copied.')
  percent = 100;

  @Key(
    size({ none: true, max: '16mb' }),
    'Requests with larger bodies are not copied; 0b = none that has one.',
  )
  max_body: Size = '256kb';
}

export class RouteTimeoutsConfig {
  @Key(orNull(duration()), 'The same as `timeout` for one attempt; null = `timeout`.')
  response: Duration | null = null;

  @Key(duration(), 'Longest silence of the upstream in a response body.')
  idle: Duration = '60s';

  @Key(orNull(duration()), 'The whole exchange, cut when it is over; null = no bound.')
  total: Duration | null = null;
}

export class RetryConfig {
  @Key(integer({ min: 1, max: 100 }), 'Tries in all.')
  attempts = 3;

  @Key(duration(), 'Wait before the second try.')
  backoff: Duration = '100ms';

  @Key(duration(), 'Longest wait between two tries.')
  max_backoff: Duration = '5s';

  @Key(number({ min: 1, max: 100 }), 'By how much the wait grows each time.')
  multiplier = 2;

  @Key(flag(), 'Whether waits are shortened at random.')
  jitter = true;

  @Key(listOf(statuses(FINAL)), 'Statuses that are tried again.')
  statuses: (number | string)[] = [502, 503, 504];

  @Key(listOf(method(), { min: 1, unique: true }), 'Methods that may be tried again.')
  methods: string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

  @Key(size(), 'Requests with larger bodies are not tried again.')
  max_body: Size = '64kb';

  @Key(percentage(), 'Largest share of retries among the requests of the last 10 s.')
  budget = '20%';
}

export class WebSocketConfig {
  @Key(flag(), 'Whether upgrades to WebSocket pass.')
  enabled = true;

  @Key(duration({ zero: true }), 'Silence after which a WebSocket is closed; 0s = never.')
  idle_timeout: Duration = '10m';

  @Key(duration(), 'Longest time for the handshake.')
  handshake_timeout: Duration = '10s';

  @Key(orNull(integer({ min: 1 })), 'WebSockets open at once; null = no bound.')
  max_connections: number | null = null;
}

/** A guard or interceptor of the team's own: its name, or its name and options. */
export interface ExtensionUse {
  name: string;
  options: Record<string, unknown>;
}

export class ExtensionUseConfig implements ExtensionUse {
  @Key(text(), 'The name it was registered under.', { required: true })
  name!: string;

  @Key(anyMap(), 'Options of this use.')
  options: Record<string, unknown> = {};
}

const inherit = oneOf('inherit');
const off = oneOf(false);
const extensions = orOff(listOf(either(text('a name'), nested(ExtensionUseConfig))));

/**
 * A route as the loader hands it on: groups applied, `backends` written in the route moved to an upstream
 * named like the route's id, defaults filled in, single values where lists are allowed made lists.
 */
export class RouteConfig {
  /** The loader puts the default where the document gives none. */
  @Key(identifier(), 'Name of the route; default: methods and path joined by dashes.')
  id!: string;

  @Key(routePath(), 'A prefix on segment borders; `{name}` or `:name` is one segment.', { required: true })
  path!: string;

  @Key(flag(), 'Match this path alone, nothing below it; a trailing slash is significant then.')
  exact = false;

  @Key(orOff(listOf(hostPattern())), 'Hosts, exact or *.example.com; empty = all.')
  hosts: string[] = [];

  @Key(recordOf(condition(), { keys: headerName() }), 'Headers that must be there: a value or /regex/.')
  headers: Record<string, string> = {};

  @Key(recordOf(condition()), 'Query parameters that must be there: a value or /regex/.')
  query: Record<string, string> = {};

  /** null = all. */
  @Key(orNull(listOf(method(), { min: 1, unique: true })), 'Methods; GET implies HEAD; leave out = all.')
  methods: string[] | null = null;

  @Key(flag(), 'Take the path of the route off: /api/users/profile arrives as /profile.')
  strip_prefix = false;

  @Key(orOff(nested(RewriteConfig)), 'Another path for the upstream: `path`, or `pattern` and `replacement`.')
  rewrite: RewriteConfig | null = null;

  @Key(upstreamName(), 'Where requests go; or `backends` here.')
  upstream!: string;

  @Key(
    orOff(listOf(nested(SplitConfig), { min: 1 })),
    'Shares of the requests for several upstreams; null = off.',
  )
  split: SplitConfig[] | null = null;

  @Key(orOff(nested(MirrorConfig)), 'Copies of requests for another upstream; null = off.')
  mirror: MirrorConfig | null = null;

  @Key(duration(), 'Longest time to the end of the response head, all attempts together (504).')
  timeout: Duration = '30s';

  @Key(orOff(nested(RouteTimeoutsConfig)), 'Further timeouts.')
  timeouts: RouteTimeoutsConfig = new RouteTimeoutsConfig();

  @Key(size({ zero: true }), 'Largest request body (413); 0 = no limit; default: that of `server`.', {
    absent: undefined,
  })
  max_body_size: Size | 0 = '10mb';

  @Key(orOff(nested(RetryConfig)), 'When a request is tried again; null = never.')
  retry: RetryConfig | null = null;

  @Key(orOff(listOf(nested(RateLimitConfig), { single: true })), 'One limit, or a list of which all hold.')
  rate_limit: RateLimitConfig[] = [];

  @Key(orOff(authPolicy), 'none, jwt, api_key, or a list of which one suffices; default: auth.default.', {
    absent: undefined,
  })
  auth: AuthPolicy = 'none';

  @Key(orOff(listOf(text())), 'Roles of which one is needed; empty = none.')
  roles: string[] = [];

  @Key(orOff(nested(IpListConfig)), 'Clients that may or may not pass; null = all may.')
  ip: IpListConfig | null = null;

  /** The global value when the route inherits; null = off. */
  @Key(orOff(either(inherit, off, nested(CorsConfig))), 'inherit, false, or settings of its own.', {
    absent: 'inherit',
  })
  cors: CorsConfig | null = null;

  @Key(orOff(nested(CacheConfig)), 'Answers are stored and used again; null = off.')
  cache: CacheConfig | null = null;

  @Key(orOff(nested(ValidateConfig)), 'Requests are checked against JSON Schemas; null = off.')
  validate: ValidateConfig | null = null;

  @Key(orOff(nested(TransformConfig)), 'Changes to requests and responses.')
  transform: TransformConfig = new TransformConfig();

  @Key(orOff(either(inherit, off, nested(CompressionConfig))), 'inherit, false, or settings of its own.', {
    absent: 'inherit',
  })
  compression: CompressionConfig | null = null;

  @Key(either(inherit, ...securityHeaders), 'inherit, true, false, or a map of header: value.', {
    absent: 'inherit',
  })
  security_headers: SecurityHeaders = true;

  @Key(extensions, "The team's own guards, by name or {name, options}.")
  guards: ExtensionUse[] = [];

  @Key(extensions, "The team's own interceptors, by name or {name, options}.")
  interceptors: ExtensionUse[] = [];

  @Key(orOff(nested(WebSocketConfig)), 'Upgrades to WebSocket.')
  websocket: WebSocketConfig = new WebSocketConfig();

  @Key(orNull(anything()), 'AI policy; null = off.')
  ai: null = null;

  @Key(orOff(anyMap()), "Free; shown in the dashboard, readable by the team's guards.")
  metadata: Record<string, unknown> = {};
}

/** The keys of a route that may stand on a group: all but those that tell its routes apart. */
export const GROUP_KEYS = [
  'hosts',
  'strip_prefix',
  'rewrite',
  'upstream',
  'split',
  'mirror',
  'timeout',
  'timeouts',
  'max_body_size',
  'retry',
  'rate_limit',
  'auth',
  'roles',
  'ip',
  'cors',
  'cache',
  'validate',
  'transform',
  'compression',
  'security_headers',
  'guards',
  'interceptors',
  'websocket',
  'ai',
  'metadata',
] as const satisfies readonly (keyof RouteConfig)[];
