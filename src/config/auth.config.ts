import type { Duration } from '../common/duration.js';
import type { RateLimitConfig } from './rate-limit.config.js';

export type AuthKind = 'jwt' | 'api_key';
/** How a route authenticates: nobody, one kind, or any of several. */
export type AuthPolicy = 'none' | AuthKind | AuthKind[];

export class JwksConfig {
  cooldown: Duration = '30s';
  max_age: Duration = '10m';
  timeout: Duration = '5s';
}

export class JwtConfig {
  algorithms: string[] = ['RS256'];
  secret: string | null = null;
  public_key_file: string | null = null;
  jwks_uri: string | null = null;
  issuer: string | null = null;
  audience: string | string[] | null = null;
  clock_tolerance: Duration = '30s';
  required_claims: string[] = ['exp'];
  roles_claim = 'roles';
  jwks: JwksConfig = new JwksConfig();
  /** Claim to request header. */
  forward: Record<string, string> = {
    sub: 'x-user-id',
    uid: 'x-user-id',
    username: 'x-username',
    roles: 'x-user-roles',
  };
}

export class ApiKeyConfig {
  id!: string;
  hash: string | null = null;
  key: string | null = null;
  roles: string[] = [];
  expires: string | null = null;
  rate_limit: RateLimitConfig | null = null;
}

export class ApiKeysConfig {
  header = 'x-api-key';
  query: string | null = null;
  forward = false;
  keys: ApiKeyConfig[] = [];
}

export class AuthConfig {
  default: AuthPolicy = 'none';
  jwt: JwtConfig | null = null;
  api_keys: ApiKeysConfig | null = null;
}

export class IpListConfig {
  allow: string[] = [];
  deny: string[] = [];
}
