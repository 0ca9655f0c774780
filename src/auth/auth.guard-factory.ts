import { Injectable, type CanActivate } from '@nestjs/common';

import type { ApiKeysConfig, AuthKind, AuthPolicy } from '../config/auth.config.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { Refusal } from '../exchange/refusal.js';
import type { GuardFactory } from '../exchange/stage.js';
import { QueryParameter } from './api-keys/query-parameter.js';
import { StripKeyGuard } from './api-keys/strip-key.guard.js';
import { AuthGuard } from './auth.guard.js';
import { Authenticators } from './authenticators.js';
import { invalidApiKey } from './api-keys/invalid-api-key.js';

/** `auth` of a route, where the document's `auth.default` is filled in already. */
@Injectable()
export class AuthGuardFactory implements GuardFactory {
  readonly stage = 'authentication';

  constructor(private readonly authenticators: Authenticators) {}

  /** Throws a RangeError for what the document can't verify. */
  guardFor({ auth: policy }: Readonly<RouteConfig>, { auth }: Readonly<GatewayConfig>): CanActivate[] {
    const guards: CanActivate[] = [];
    if (policy !== 'none') {
      const kinds = kindsOf(policy);
      const asked = kinds.map((kind) => this.authenticators.of(kind, auth));
      guards.push(new AuthGuard(asked, missingCredential(kinds, auth.api_keys)));
    }
    const parameter = strippedParameter(auth.api_keys);
    if (parameter !== null) guards.push(new StripKeyGuard(parameter));
    return guards;
  }
}

function kindsOf(policy: Exclude<AuthPolicy, 'none'>): readonly AuthKind[] {
  return typeof policy === 'string' ? [policy] : policy;
}

function missingCredential(kinds: readonly AuthKind[], keys: Readonly<ApiKeysConfig> | null): () => Refusal {
  if (keys !== null && kinds.every((kind) => kind === 'api_key')) return () => invalidApiKey(keys.header);
  return () => new Refusal('missing_token', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** On open routes too: a client may send its key everywhere. */
function strippedParameter(keys: Readonly<ApiKeysConfig> | null): QueryParameter | null {
  return keys === null || keys.query === null || keys.forward ? null : new QueryParameter(keys.query);
}
