import type { Duration } from '../common/duration.js';
import { either, listOf, nested, orNull, recordOf } from './keys/composites.js';
import { headerName, identifier, network, readableFile, url } from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, flag, oneOf, text, textLike, textOf } from './keys/scalars.js';
import { KeyRateLimitConfig, type RateLimitConfig } from './rate-limit.config.js';

export type AuthKind = 'jwt' | 'api_key';
/** How a route authenticates: nobody, one kind, or any of several. */
export type AuthPolicy = 'none' | AuthKind | AuthKind[];

/** What `auth` may hold, on a route and as the default. */
export const authPolicy = either(
  oneOf('none', 'jwt', 'api_key'),
  listOf(oneOf('jwt', 'api_key'), { min: 1, unique: true }),
);

/** RFC 7518 §3.1 and RFC 8037; `none` is not among them. */
export const JWT_ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export class JwksConfig {
  @Key(duration({ zero: true }), 'Shortest time between two fetches because of an unknown key id.')
  cooldown: Duration = '30s';

  @Key(duration(), 'How long a fetched key set is used.')
  max_age: Duration = '10m';

  @Key(duration(), 'Longest time for a fetch.')
  timeout: Duration = '5s';
}

export class JwtConfig {
  @Key(
    listOf(oneOf(...JWT_ALGORITHMS), { min: 1, unique: true }),
    "Algorithms that are accepted; the token's own header never decides.",
  )
  algorithms: string[] = ['RS256'];

  @Key(
    orNull(
      textOf('a secret of at least 32 bytes', (value) =>
        Buffer.byteLength(value) < 32 ? 'is too short' : undefined,
      ),
    ),
    'Secret of the HS algorithms, at least 32 bytes.',
    { secret: true },
  )
  secret: string | null = null;

  @Key(orNull(readableFile()), 'PEM file of the public key.')
  public_key_file: string | null = null;

  @Key(orNull(url('https', 'http')), 'Address of the key set.')
  jwks_uri: string | null = null;

  @Key(orNull(text()), 'Issuer that tokens must name; without a key, its OpenID discovery gives one.')
  issuer: string | null = null;

  @Key(
    orNull(either(text(), listOf(text(), { min: 1 }))),
    'Audience that tokens must name, or a list of which one suffices.',
  )
  audience: string | string[] | null = null;

  @Key(duration({ zero: true }), 'How far clocks may differ.')
  clock_tolerance: Duration = '30s';

  @Key(listOf(text()), 'Claims that a token must have.')
  required_claims: string[] = ['exp'];

  @Key(text(), 'Claim of the roles; a dotted path is allowed.')
  roles_claim = 'roles';

  @Key(nested(JwksConfig), 'How key sets are fetched.')
  jwks: JwksConfig = new JwksConfig();

  /** Claim to request header. */
  @Key(recordOf(headerName()), 'Claims that are sent to the upstream, each with its header.')
  forward: Record<string, string> = {
    sub: 'x-user-id',
    uid: 'x-user-id',
    username: 'x-username',
    roles: 'x-user-roles',
  };
}

const day = textOf('a day such as 2027-01-01 or a time such as 2027-01-01T12:00:00Z', (value) => {
  const written = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d)?(Z|[-+]\d\d:\d\d))?$/.exec(value);
  if (written === null || Number.isNaN(Date.parse(value))) return 'is no day or time';
  // The parser takes 31 February for 3 March.
  return new Date(`${written[1]}T00:00:00Z`).toISOString().startsWith(written[1]!)
    ? undefined
    : 'is a day that no calendar has';
});

export class ApiKeyConfig {
  @Key(identifier(), 'Name of the key in logs and limits.', { required: true })
  id!: string;

  @Key(
    orNull(textLike(/^sha256:[0-9a-fA-F]{64}$/, 'sha256: and 64 hex digits')),
    'SHA-256 of the key; this or `key`.',
    { secret: true },
  )
  hash: string | null = null;

  @Key(orNull(text()), 'The key itself, best as a reference; this or `hash`.', { secret: true })
  key: string | null = null;

  @Key(listOf(text()), 'Roles of whoever holds the key.')
  roles: string[] = [];

  @Key(orNull(day), 'From when on the key is refused.')
  expires: string | null = null;

  @Key(orNull(nested(KeyRateLimitConfig)), 'A limit of this key alone.')
  rate_limit: RateLimitConfig | null = null;
}

export class ApiKeysConfig {
  @Key(headerName(), 'Header that keys come in.')
  header = 'x-api-key';

  @Key(orNull(text()), 'Query parameter that keys may come in; null = none.')
  query: string | null = null;

  @Key(flag(), 'Whether the upstream gets to see the key.')
  forward = false;

  @Key(listOf(nested(ApiKeyConfig)), 'The keys.')
  keys: ApiKeyConfig[] = [];
}

export class AuthConfig {
  @Key(authPolicy, 'What a route without `auth` gets.')
  default: AuthPolicy = 'none';

  @Key(orNull(nested(JwtConfig)), 'How tokens are verified; null = no tokens anywhere.')
  jwt: JwtConfig | null = null;

  @Key(orNull(nested(ApiKeysConfig)), 'The API keys; null = none.')
  api_keys: ApiKeysConfig | null = null;
}

export class IpListConfig {
  @Key(listOf(network()), 'Clients that may pass; empty = all.')
  allow: string[] = [];

  @Key(listOf(network()), 'Clients that may not; wins over `allow`.')
  deny: string[] = [];
}
