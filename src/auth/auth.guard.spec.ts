import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from 'vitest';

import type { AuthKind } from '../config/auth.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';
import { Refusal } from '../exchange/refusal.js';
import { AuthGuard } from './auth.guard.js';
import type { Authenticator } from './authenticator.js';

type Credential = 'absent' | 'bad' | 'good';
type Pace = 'at once' | 'later';

const OF_KIND = { jwt: 'invalid_token', api_key: 'invalid_api_key' } as const;
const MISSING = new Refusal('missing_token');

function authenticator(kind: AuthKind, credential: Credential, pace: Pace): Authenticator {
  const judge = (): Identity | null => {
    if (credential === 'absent') return null;
    if (credential === 'bad') throw new Refusal(OF_KIND[kind]);
    return { kind, id: kind, roles: [], claims: {} };
  };
  return { kind, authenticate: () => (pace === 'at once' ? judge() : (async () => judge())()) };
}

function contextOf(exchange: Partial<Exchange>): ExecutionContext {
  return { switchToHttp: () => ({ getRequest: () => ({ exchange }) }) } as unknown as ExecutionContext;
}

/** Who was let in, or why nobody was. */
async function outcome(authenticators: Authenticator[]): Promise<string | undefined> {
  const exchange: Partial<Exchange> = { identity: null };
  try {
    const passed = await new AuthGuard(authenticators, () => MISSING).canActivate(contextOf(exchange));
    return passed ? exchange.identity?.id : 'not passed';
  } catch (error) {
    return exchange.identity === null ? (error as Refusal).reason : 'refused with an identity';
  }
}

/** What comes of the first and the second authenticator's credential, whatever their kinds are. */
const TABLE: readonly [first: Credential, second: Credential, outcome: 'first' | 'second' | 'missing'][] = [
  ['absent', 'absent', 'missing'],
  ['absent', 'bad', 'second'],
  ['absent', 'good', 'second'],
  ['bad', 'absent', 'first'],
  ['bad', 'bad', 'first'],
  ['bad', 'good', 'second'],
  ['good', 'absent', 'first'],
  ['good', 'bad', 'first'],
  ['good', 'good', 'first'],
];
const ORDERS: readonly (readonly [AuthKind, AuthKind])[] = [
  ['jwt', 'api_key'],
  ['api_key', 'jwt'],
];
const PACES: readonly (readonly [Pace, Pace])[] = [
  ['at once', 'at once'],
  ['at once', 'later'],
  ['later', 'at once'],
  ['later', 'later'],
];

describe.each(ORDERS)('%s, then %s', (...kinds) => {
  describe.each(PACES)('decided %s and %s', (...paces) => {
    it.each(TABLE)('%s, %s: as the %s one', async (first, second, decides) => {
      const credentials = [first, second];
      const made = kinds.map((kind, at) => authenticator(kind, credentials[at]!, paces[at]!));
      const at = decides === 'first' ? 0 : 1;
      const decided = credentials[at] === 'good' ? kinds[at] : OF_KIND[kinds[at]];
      expect(await outcome(made)).toBe(decides === 'missing' ? 'missing_token' : decided);
    });
  });
});

it('waits for nothing where nothing must be waited for', () => {
  const guard = new AuthGuard([authenticator('api_key', 'good', 'at once')], () => MISSING);
  expect(guard.canActivate(contextOf({ identity: null }))).toBe(true);
});

it('asks nobody behind the one that knew', async () => {
  const asked: AuthKind[] = [];
  const watched = (kind: AuthKind): Authenticator => ({
    kind,
    authenticate: () => {
      asked.push(kind);
      return { kind, id: 'x', roles: [], claims: {} };
    },
  });
  await outcome([watched('jwt'), watched('api_key')]);
  expect(asked).toEqual(['jwt']);
});

describe('a fault', () => {
  const broken = (fail: () => never): Authenticator => ({ kind: 'jwt', authenticate: fail });
  const good = authenticator('api_key', 'good', 'at once');

  it('lets nobody through, whoever comes next', () => {
    const fault = new TypeError('broken');
    const guard = new AuthGuard(
      [
        broken(() => {
          throw fault;
        }),
        good,
      ],
      () => MISSING,
    );
    expect(() => guard.canActivate(contextOf({}))).toThrow(fault);
  });

  it('does neither when it comes later', async () => {
    const fault = new TypeError('broken');
    const later: Authenticator = { kind: 'jwt', authenticate: () => Promise.reject(fault) };
    const guard = new AuthGuard([later, good], () => MISSING);
    await expect(guard.canActivate(contextOf({}))).rejects.toBe(fault);
  });
});

it('lets nobody through without any authenticator', () => {
  expect(() => new AuthGuard([], () => MISSING).canActivate(contextOf({}))).toThrow(MISSING);
});
