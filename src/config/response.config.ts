import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';

export class CorsConfig {
  origins: string[] = ['*'];
  methods: string[] = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'];
  headers: string[] = [];
  expose: string[] = [];
  credentials = false;
  max_age: Duration = '10m';
}

export class CompressionConfig {
  encodings: ('br' | 'gzip')[] = ['br', 'gzip'];
  min_size: Size | 0 = '1kb';
  types: string[] = ['text/*', 'application/json', 'application/javascript', 'application/xml', 'image/svg+xml'];
}

/** true, false, or a map of header: value (false switches one off). */
export type SecurityHeaders = boolean | Record<string, string | false>;

export class CacheStoreConfig {
  max_size: Size = '64mb';
  max_entry_size: Size = '1mb';
  store: 'memory' | 'redis' = 'memory';
}

export class CacheKeyConfig {
  headers: string[] = [];
  query: 'all' | 'none' | string[] = 'all';
  /** null = not said, which a route with auth refuses. */
  identity: boolean | null = null;
}

export class CacheConfig {
  ttl: Duration = '60s';
  statuses: number[] = [200];
  methods: string[] = ['GET', 'HEAD'];
  respect_headers = true;
  key: CacheKeyConfig = new CacheKeyConfig();
  cookies: 'private' | 'ignore' = 'private';
  stale_while_revalidate: Duration = '0s';
  stale_if_error: Duration = '0s';
  wait: Duration = '5s';
  invalidates: string[] = [];
}

export class ReplaceConfig {
  name!: string;
  pattern!: string;
  replacement!: string;
}

export class EditsConfig {
  set: Record<string, string> = {};
  add: Record<string, string> = {};
  remove: string[] = [];
  replace: ReplaceConfig[] = [];
}

export class ResponseEditsConfig {
  set: Record<string, string> = {};
  add: Record<string, string> = {};
  remove: string[] = [];
}

export class StatusEditConfig {
  from!: number;
  to!: number;
}

export class RequestTransformConfig {
  headers: EditsConfig = new EditsConfig();
  query: EditsConfig = new EditsConfig();
}

export class ResponseTransformConfig {
  headers: ResponseEditsConfig = new ResponseEditsConfig();
  status: StatusEditConfig[] = [];
}

export class TransformConfig {
  request: RequestTransformConfig = new RequestTransformConfig();
  response: ResponseTransformConfig = new ResponseTransformConfig();
}

/** A JSON Schema 2020-12, here or in a file. */
export class SchemaConfig {
  schema: Record<string, unknown> | boolean | null = null;
  schema_file: string | null = null;
}

export class ValidateConfig {
  path: SchemaConfig | null = null;
  query: SchemaConfig | null = null;
  headers: SchemaConfig | null = null;
  body: SchemaConfig | null = null;
}
