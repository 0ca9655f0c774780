import { createSecretKey } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';

import { freezeClaims } from './claims.js';
import { identityOf } from './jwt-identity.js';
import { VerificationKey } from './verification-key.js';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.js';

let tokens: VerifiedTokens;
let key: VerificationKey;
beforeEach(() => {
  tokens = new VerifiedTokens();
  key = new VerificationKey(createSecretKey(Buffer.alloc(32)));
});

function verified(expiresAt = Infinity): VerifiedToken {
  return { identity: identityOf(freezeClaims({}), 'roles', 'x'), headers: [], expiresAt, key };
}

describe('verified tokens', () => {
  it('are known until they expire', () => {
    const one = verified(1_000);
    tokens.remember('a', one, 700);
    expect(tokens.find('a', 999)).toBe(one);
    expect(tokens.find('b', 999)).toBeUndefined();
    expect(tokens.find('a', 1_000)).toBeUndefined();
    expect(tokens.size).toBe(0);
  });

  it('go with their key', () => {
    tokens.remember('a', verified(), 700);
    key.live = false;
    expect(tokens.find('a', 0)).toBeUndefined();
    expect(tokens.size).toBe(0);
  });

  it('are bounded in number, the longest unused first', () => {
    for (let at = 0; at < 10_000; at++) tokens.remember(`t${at}`, verified(), 10);
    tokens.find('t0', 0);
    tokens.remember('one more', verified(), 10);
    expect(tokens.size).toBe(10_000);
    expect([tokens.find('t0', 0), tokens.find('t1', 0)].map(Boolean)).toEqual([true, false]);
  });

  it('are bounded in bytes', () => {
    for (let at = 0; at < 2_000; at++) tokens.remember(`t${at}`, verified(), 16 * 1024);
    expect(tokens.size).toBe(512);
  });
});
