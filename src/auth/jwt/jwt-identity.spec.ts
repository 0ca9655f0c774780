import { describe, expect, it } from 'vitest';

import { freezeClaims } from './claims.js';
import { ForwardedClaims } from './forwarded-claims.js';
import { identityOf } from './jwt-identity.js';

const identity = (claims: object, rolesClaim = 'roles') =>
  identityOf(freezeClaims(claims), rolesClaim, 'fallback');

describe('the identity of a token', () => {
  it.each([
    [{ uid: 'u', sub: 's' }, 'u'],
    [{ sub: 's' }, 's'],
    [{ uid: 7, sub: 's' }, '7'],
    [{ uid: '', sub: 's' }, 's'],
    [{ uid: null, sub: 's' }, 's'],
    [{ uid: ['u'], sub: 's' }, 's'],
    [{}, 'fallback'],
  ])('%j is named %s', (claims, id) => expect(identity(claims).id).toBe(id));

  it.each([
    [{ roles: ['a', 'b'] }, 'roles', ['a', 'b']],
    [{ roles: 'a b' }, 'roles', ['a b']],
    [{ roles: ['a b', 1, null, '', { x: 1 }] }, 'roles', ['a b']],
    [{ roles: {} }, 'roles', []],
    [{}, 'roles', []],
    [{ scope: 'read write' }, 'scope', ['read', 'write']],
    [{ scp: ['read all'] }, 'scp', ['read all']],
    [{ microscope: 'a b' }, 'microscope', ['a b']],
    [{ realm: { roles: ['x'] } }, 'realm.roles', ['x']],
    [{ 'https://a.example/roles': ['x'] }, 'https://a.example/roles', ['x']],
  ])('%j has by %s the roles %j', (claims, path, roles) => {
    expect(identity(claims, path).roles).toEqual(roles);
  });

  it('is frozen', () => {
    const made = identity({ sub: 'a', roles: ['x'] });
    expect([made, made.roles, made.claims].every((part) => Object.isFrozen(part))).toBe(true);
  });
});

describe('forwarded claims', () => {
  const DEFAULT = { sub: 'x-user-id', uid: 'X-User-Id', username: 'x-username', roles: 'x-user-roles' };
  const told = (claims: object, forward: Record<string, string> = DEFAULT, rolesClaim?: string) =>
    new ForwardedClaims({ forward }).headersOf(identity(claims, rolesClaim));

  it('say uid before sub, once', () => {
    expect(told({ sub: 's', uid: 'u' })).toEqual(['X-User-Id', 'u']);
    expect(told({ sub: 's' })).toEqual(['X-User-Id', 's']);
    expect(told({ uid: 'u', sub: 's' }, { uid: 'x-uid', sub: 'x-sub' })).toEqual([
      'x-uid',
      'u',
      'x-sub',
      's',
    ]);
  });

  it('join lists and escape the commas within', () => {
    expect(told({ roles: ['a', 'b,c', 'd e'] })).toEqual(['x-user-roles', 'a,b%2Cc,d%20e']);
    expect(told({ username: 'a,b' })).toEqual(['x-username', 'a,b']);
  });

  it.each([
    ['\r\nX: y', '%0D%0AX:%20y'],
    ['z\u00fcrich', 'z%C3%BCrich'],
    ['\u{1f600}', '%F0%9F%98%80'],
    ['\ud800', '%EF%BF%BD'],
    ['\u0000\u007f\t', '%00%7F%09'],
    ['a%20~!', 'a%20~!'],
  ])('write %j as visible ASCII', (username, value) => {
    expect(told({ username })).toEqual(['x-username', value]);
  });

  it('are numbers and truth values too, but no objects and nothing empty', () => {
    const forward = { n: 'x-n', t: 'x-t', o: 'x-o', e: 'x-e', l: 'x-l', z: 'x-z', p: 'x-p' };
    const claims = { n: 1.5, t: false, o: { a: 1 }, e: '', l: [{ a: 1 }, 2], z: null };
    expect(told(claims, forward)).toEqual(['x-n', '1.5', 'x-t', 'false', 'x-l', '2']);
  });

  it('know paths, and take roles from where they are judged by', () => {
    const claims = { tenant: { id: 7 }, roles: ['fake'], realm: { roles: ['real'] } };
    const forward = { 'tenant.id': 'x-tenant', roles: 'x-roles', constructor: 'x-c' };
    expect(told(claims, forward, 'realm.roles')).toEqual(['x-tenant', '7', 'x-roles', 'real']);
  });
});
