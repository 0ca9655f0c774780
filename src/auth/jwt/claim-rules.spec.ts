import { describe, expect, it } from 'vitest';

import { JwtConfig } from '../../config/auth.config.js';
import { ClaimRules } from './claim-rules.js';

const NOW = 1_800_000_000;

function holds(config: Partial<JwtConfig>, claims: object, seconds = NOW): boolean {
  const rules = new ClaimRules(Object.assign(new JwtConfig(), { required_claims: [] }, config));
  return rules.hold(claims as Record<string, unknown>, seconds * 1_000);
}

describe('claims hold', () => {
  it.each([
    ['before exp', { exp: NOW + 1 }, true],
    ['within the tolerance after it', { exp: NOW - 29 }, true],
    ['not at its end', { exp: NOW - 30 }, false],
    ['with parts of a second', { exp: NOW - 29.999 }, true],
    ['from nbf on', { nbf: NOW }, true],
    ['within the tolerance before it', { nbf: NOW + 30 }, true],
    ['not before that', { nbf: NOW + 31 }, false],
    ['not with exp as a text', { exp: String(NOW + 100) }, false],
    ['not with exp as null', { exp: null }, false],
    ['not with exp in a list', { exp: [NOW + 100] }, false],
    ['not with exp as true', { exp: true }, false],
    ['not with an endless exp', { exp: Infinity }, false],
    ['not with nbf as a text', { nbf: '0' }, false],
    ['not with nbf as null', { nbf: null }, false],
    ['without exp where none is asked for', {}, true],
  ])('%s', (_, claims, expected) => {
    expect(holds({ clock_tolerance: '30s' }, claims)).toBe(expected);
  });

  it.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', ['b', 'a'], true],
    ['a', [], false],
    ['a', undefined, false],
    ['a', null, false],
    ['a', { a: 1 }, false],
    [['a', 'b'], 'b', true],
    [['a', 'b'], ['c', 'b'], true],
    [['a', 'b'], 'ab', false],
    [null, 'whatever', true],
  ])('for the audience %j with aud %j: %s', (audience, aud, expected) => {
    expect(holds({ audience }, { aud })).toBe(expected);
  });

  it.each([
    ['https://a', true],
    ['https://a/', false],
    [['https://a'], false],
    [undefined, false],
  ])('for the issuer with iss %j: %s', (iss, expected) => {
    expect(holds({ issuer: 'https://a' }, { iss })).toBe(expected);
  });

  it('with all claims that are asked for', () => {
    const config = { required_claims: ['exp', 'tenant'] };
    expect(holds(config, { exp: NOW + 1, tenant: 0 })).toBe(true);
    expect(holds(config, { exp: NOW + 1 })).toBe(false);
    expect(holds(config, { exp: NOW + 1, tenant: null })).toBe(false);
    expect(holds({ required_claims: ['toString'] }, {})).toBe(false);
  });

  it('until exp and the tolerance', () => {
    const rules = new ClaimRules(Object.assign(new JwtConfig(), { clock_tolerance: '10s' }));
    expect(rules.expiry({ exp: 5.5 })).toBe(15_500);
    expect(rules.expiry({})).toBe(Infinity);
  });
});
