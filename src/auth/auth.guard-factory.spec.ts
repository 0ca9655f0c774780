import { describe, expect, it } from 'vitest';

import { systemClock } from '../common/clock.js';
import { ApiKeysConfig, AuthConfig, type AuthPolicy } from '../config/auth.config.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { RouteConfig } from '../config/route.config.js';
import { StripKeyGuard } from './api-keys/strip-key.guard.js';
import { AuthGuard } from './auth.guard.js';
import { AuthGuardFactory } from './auth.guard-factory.js';
import { Authenticators } from './authenticators.js';
import type { JwtAuthenticators } from './jwt/jwt-authenticators.js';

const NO_TOKENS = { authenticatorFor: () => null } as unknown as JwtAuthenticators;

function documentWith(keys: Partial<ApiKeysConfig> | null): GatewayConfig {
  const api_keys = keys && Object.assign(new ApiKeysConfig(), keys);
  return Object.assign(new GatewayConfig(), { auth: Object.assign(new AuthConfig(), { api_keys }) });
}

function guardsFor(auth: AuthPolicy, document: GatewayConfig) {
  const factory = new AuthGuardFactory(new Authenticators(systemClock, NO_TOKENS));
  return factory.guardFor(Object.assign(new RouteConfig(), { auth }), document);
}

describe('guardFor', () => {
  it('is nothing for an open route of a document without keys', () => {
    expect(guardsFor('none', documentWith(null))).toEqual([]);
    expect(guardsFor('none', documentWith({}))).toEqual([]);
  });

  it.each(['jwt', 'api_key', ['jwt', 'api_key']] as AuthPolicy[])(
    'fails for %j where the document can verify none: the route is never open',
    (auth) => {
      expect(() => guardsFor(auth, documentWith(null))).toThrow(RangeError);
    },
  );

  it('fails when one of several kinds cannot be verified', () => {
    expect(() => guardsFor(['api_key', 'jwt'], documentWith({}))).toThrow('auth: jwt');
  });

  it('takes keys out of queries on every route, unless they are forwarded', () => {
    expect(guardsFor('none', documentWith({ query: 'k' }))).toEqual([expect.any(StripKeyGuard)]);
    expect(guardsFor('api_key', documentWith({ query: 'k' }))).toEqual([
      expect.any(AuthGuard),
      expect.any(StripKeyGuard),
    ]);
    expect(guardsFor('none', documentWith({ query: 'k', forward: true }))).toEqual([]);
  });
});

it('the routes of a document share an authenticator, another document has its own', () => {
  const made = new Authenticators(systemClock, NO_TOKENS);
  const [one, other] = [documentWith({}).auth, documentWith({}).auth];
  expect(made.of('api_key', one)).toBe(made.of('api_key', one));
  expect(made.of('api_key', other)).not.toBe(made.of('api_key', one));
});
