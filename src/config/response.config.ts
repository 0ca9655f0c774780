import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';
import { anyMap, either, listOf, nested, orNull, recordOf } from './keys/composites.js';
import {
  FINAL,
  headerName,
  headerValue,
  identifier,
  method,
  readableFile,
  regex,
  status,
  urlFault,
} from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, flag, freeText, oneOf, text, textOf } from './keys/scalars.js';
import { size } from './keys/sizes.js';

const origin = textOf('* or an origin such as https://app.example.com', (value) => {
  if (value === '*') return undefined;
  if (value.includes('*')) return 'is a pattern, and patterns match nothing';
  const fault = urlFault(value, ['http', 'https']);
  if (fault !== undefined) return fault;
  return new URL(value).origin === value.toLowerCase()
    ? undefined
    : 'is no origin (scheme, host and port alone)';
});

export class CorsConfig {
  @Key(listOf(origin, { min: 1 }), 'Origins that may read answers; * = all.')
  origins: string[] = ['*'];

  @Key(listOf(method()), 'Methods that a preflight allows.')
  methods: string[] = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'];

  @Key(listOf(headerName()), 'Request headers that a preflight allows; empty = those it asks for.')
  headers: string[] = [];

  @Key(listOf(headerName()), 'Response headers that scripts may read.')
  expose: string[] = [];

  @Key(flag(), 'Whether cookies may be sent; needs origins by name.')
  credentials = false;

  @Key(duration({ zero: true }), 'How long a preflight may be remembered.')
  max_age: Duration = '10m';
}

const mediaType = textOf('a media type such as application/json or text/*', (value) =>
  /^[!#$&^_.+\-A-Za-z0-9]+\/([!#$&^_.+\-A-Za-z0-9]+|\*)$/.test(value) ? undefined : 'is no media type',
);

export class CompressionConfig {
  @Key(listOf(oneOf('br', 'gzip'), { min: 1, unique: true }), 'Encodings, the preferred one first.')
  encodings: ('br' | 'gzip')[] = ['br', 'gzip'];

  @Key(size({ zero: true }), 'Smaller bodies stay as they are.')
  min_size: Size | 0 = '1kb';

  @Key(listOf(mediaType, { min: 1 }), 'Media types that are compressed.')
  types: string[] = [
    'text/*',
    'application/json',
    'application/javascript',
    'application/xml',
    'image/svg+xml',
  ];
}

/** true, false, or a map of header: value (false switches one off). */
export type SecurityHeaders = boolean | Record<string, string | false>;

/** What `security_headers` may hold but for `inherit`. */
export const securityHeaders = [
  oneOf(true, false),
  recordOf(either(headerValue(), oneOf(false)), { keys: headerName() }),
] as const;

export class CacheStoreConfig {
  @Key(size(), 'Size of all entries together.')
  max_size: Size = '64mb';

  @Key(size(), 'Size of one entry.')
  max_entry_size: Size = '1mb';

  @Key(oneOf('memory', 'redis'), 'Where entries are kept.')
  store: 'memory' | 'redis' = 'memory';
}

export class CacheKeyConfig {
  @Key(listOf(headerName()), 'Request headers that belong to the key beside those that Vary names.')
  headers: string[] = [];

  @Key(either(oneOf('all', 'none'), listOf(text(), { min: 1 })), 'Query parameters that belong to the key.')
  query: 'all' | 'none' | string[] = 'all';

  /** null = not said, which a route with auth refuses. */
  @Key(orNull(flag()), 'Whether entries belong to one identity; must be said on a route with auth.')
  identity: boolean | null = null;
}

export class CacheConfig {
  @Key(duration({ zero: true }), 'Freshness of answers that say nothing of it themselves.')
  ttl: Duration = '60s';

  @Key(listOf(status(FINAL)), 'Statuses that `ttl` is for.')
  statuses: number[] = [200];

  @Key(listOf(oneOf('GET', 'HEAD'), { min: 1, unique: true }), 'Methods that are answered from the cache.')
  methods: string[] = ['GET', 'HEAD'];

  @Key(flag(), "Whether the upstream's max-age, s-maxage and Expires count; false = ttl instead.")
  respect_headers = true;

  @Key(nested(CacheKeyConfig), 'What tells entries apart.')
  key: CacheKeyConfig = new CacheKeyConfig();

  @Key(oneOf('private', 'ignore'), 'Whether a request with cookies is treated like one with credentials.')
  cookies: 'private' | 'ignore' = 'private';

  @Key(duration({ zero: true }), 'How long a stale entry may be served while a new one is fetched.')
  stale_while_revalidate: Duration = '0s';

  @Key(duration({ zero: true }), 'How long a stale entry may be served when the upstream fails.')
  stale_if_error: Duration = '0s';

  @Key(duration(), 'Longest wait of concurrent misses for the one upstream request.')
  wait: Duration = '5s';

  @Key(listOf(identifier()), 'Routes whose entries a successful unsafe request here removes.')
  invalidates: string[] = [];
}

export class ReplaceConfig {
  @Key(text(), 'Header or parameter to change.', { required: true })
  name!: string;

  @Key(regex(), 'What is replaced.', { required: true })
  pattern!: string;

  @Key(freeText(), 'What stands there then; $1 is the first group.', { required: true })
  replacement!: string;
}

const values = recordOf(headerValue(), { keys: text() });
const names = listOf(text());

export class EditsConfig {
  @Key(values, 'Sets values; templates are allowed.')
  set: Record<string, string> = {};

  @Key(values, 'Adds values beside those that are there.')
  add: Record<string, string> = {};

  @Key(names, 'Removes.')
  remove: string[] = [];

  @Key(listOf(nested(ReplaceConfig)), 'Replaces parts of values.')
  replace: ReplaceConfig[] = [];
}

export class ResponseEditsConfig {
  @Key(values, 'Sets values; templates are allowed.')
  set: Record<string, string> = {};

  @Key(values, 'Adds values beside those that are there.')
  add: Record<string, string> = {};

  @Key(names, 'Removes.')
  remove: string[] = [];
}

export class StatusEditConfig {
  @Key(status(FINAL), 'Status of the upstream.', { required: true })
  from!: number;

  @Key(status(FINAL), 'Status for the client.', { required: true })
  to!: number;
}

export class RequestTransformConfig {
  @Key(nested(EditsConfig), 'Headers of the request.')
  headers: EditsConfig = new EditsConfig();

  @Key(nested(EditsConfig), 'Query parameters of the request.')
  query: EditsConfig = new EditsConfig();
}

export class ResponseTransformConfig {
  @Key(nested(ResponseEditsConfig), 'Headers of the response.')
  headers: ResponseEditsConfig = new ResponseEditsConfig();

  @Key(listOf(nested(StatusEditConfig)), 'Statuses that are changed.')
  status: StatusEditConfig[] = [];
}

export class TransformConfig {
  @Key(nested(RequestTransformConfig), 'Changes on the way to the upstream.')
  request: RequestTransformConfig = new RequestTransformConfig();

  @Key(nested(ResponseTransformConfig), 'Changes on the way to the client.')
  response: ResponseTransformConfig = new ResponseTransformConfig();
}

/** A JSON Schema 2020-12, here or in a file. */
export class SchemaConfig {
  @Key(orNull(either(oneOf(true, false), anyMap())), 'The schema itself.')
  schema: Record<string, unknown> | boolean | null = null;

  @Key(orNull(readableFile()), 'JSON file of the schema.')
  schema_file: string | null = null;
}

export class ValidateConfig {
  @Key(orNull(nested(SchemaConfig)), 'Schema of the path parameters.')
  path: SchemaConfig | null = null;

  @Key(orNull(nested(SchemaConfig)), 'Schema of the query parameters.')
  query: SchemaConfig | null = null;

  @Key(orNull(nested(SchemaConfig)), 'Schema of the headers.')
  headers: SchemaConfig | null = null;

  @Key(orNull(nested(SchemaConfig)), 'Schema of the JSON body.')
  body: SchemaConfig | null = null;
}
