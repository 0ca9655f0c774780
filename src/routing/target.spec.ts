import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RouteConfig, type RewriteConfig } from '../config/route.config.js';
import { canonicalTarget } from './canonical-path.js';
import { compileTarget, type RewriteContext, type TargetRewrite } from './target.js';

type Fields = Partial<Omit<RouteConfig, 'rewrite'>> & { rewrite?: Partial<RewriteConfig> };

const identity = (id: string, claims = {}): RewriteContext['identity'] => ({
  kind: 'jwt',
  id,
  roles: [],
  claims,
});

function compiled({ rewrite, ...fields }: Fields): TargetRewrite {
  const whole = rewrite ? { path: null, pattern: null, replacement: null, ...rewrite } : null;
  return compileTarget(Object.assign(new RouteConfig(), fields, { rewrite: whole }));
}

function rewritten(fields: Fields, target: string, context: Partial<RewriteContext> = {}): string | null {
  const read = canonicalTarget(target)!;
  return compiled(fields)(read, { id: 'req-1', clientIp: '::1', identity: null, ...context });
}

describe('without a rewrite', () => {
  it.each(['/', '/gl/grp%2Fsvc/a%2Eb?ref=x%2Fy', '/gl//x', '//x', '/gl/\u00e9?\u00e9', '/gl?'])(
    '%s passes as it came',
    (target) => {
      expect(rewritten({ path: '/' }, target)).toBe(target);
    },
  );

  it('an absolute target becomes one in origin form', () => {
    expect(rewritten({ path: '/' }, 'http://other.example/p/x?y')).toBe('/p/x?y');
    expect(rewritten({ path: '/' }, 'http://other.example?y')).toBe('/?y');
  });

  it('the query of a login passes', () => {
    const target = '/api/login?redirect_uri=//shop.example/a//b&u=http://x/?y=1';
    expect(rewritten({ path: '/api', strip_prefix: true }, target)).toBe(target.slice(4));
  });
});

describe('strip_prefix', () => {
  it.each([
    [
      '/gl/api/v4/projects/grp%2Fsvc/files/a%2Eb?ref=x%2Fy',
      '/api/v4/projects/grp%2Fsvc/files/a%2Eb?ref=x%2Fy',
    ],
    ['/gl/a%2520b', '/a%2520b'],
    ['/gl/@types%2fcors', '/@types%2fcors'],
    ['/gl/100%25', '/100%25'],
    ['/gl', '/'],
    ['/gl/', '/'],
    ['/gl?x=1', '/?x=1'],
    ['/gl/?x=1', '/?x=1'],
    ['/gl?', '/?'],
    ['/gl/x//y/', '/x//y/'],
    ['/%67l/x', '/x'],
    ['/gl/\u00e9', '/\u00e9'],
  ])('%s becomes %s', (target, result) => {
    expect(rewritten({ path: '/gl', strip_prefix: true }, target)).toBe(result);
    expect(rewritten({ path: '/gl/', strip_prefix: true }, target)).toBe(result);
  });

  it('counts parameters as segments', () => {
    expect(rewritten({ path: '/t/{tenant}/api', strip_prefix: true }, '/t/a%2Fb/api/x')).toBe('/x');
  });

  it('of / takes nothing away', () => {
    expect(rewritten({ path: '/', strip_prefix: true }, '//x?y')).toBe('//x?y');
  });

  it.each(['/gl//', '/gl//evil.example/x', '/gl///x'])('refuses to make a host of %s', (target) => {
    expect(rewritten({ path: '/gl', strip_prefix: true }, target)).toBeNull();
  });
});

describe('rewrite.path', () => {
  const users = { path: '/users/{id}', rewrite: { path: '/v1/users/{id}' } };

  it.each([
    ['/users/42', '/v1/users/42'],
    ['/users/42?x=%20', '/v1/users/42?x=%20'],
    ['/users/42/', '/v1/users/42/'],
    ['/users/42/orders//x%2Ey', '/v1/users/42/orders//x%2Ey'],
    ['/users/@a%2fb%2520', '/v1/users/@a%2fb%2520'],
    ['/users/%E9', '/v1/users/%E9'],
  ])('%s becomes %s', (target, result) => {
    expect(rewritten(users, target)).toBe(result);
    expect(rewritten({ ...users, strip_prefix: true }, target)).toBe(result);
  });

  it('of an exact route is the whole path', () => {
    expect(rewritten({ path: '/a/', exact: true, rewrite: { path: '/b' } }, '/a/?x')).toBe('/b?x');
  });

  it.each([
    ['/', '/x', '/x'],
    ['/', '/', '/'],
    ['/v1/', '/x', '/v1/x'],
    ['/v1', '/x', '/v1/x'],
    ['/v1', '/', '/v1/'],
    ['/größe/{{x}}', '/', '/gr%C3%B6%C3%9Fe/{x}/'],
  ])('%s before %s joins to %s', (template, target, result) => {
    expect(rewritten({ path: '/', rewrite: { path: template } }, target)).toBe(result);
  });

  it('refuses to make a host of what is below the prefix', () => {
    expect(rewritten({ path: '/gl', rewrite: { path: '/' } }, '/gl//evil/x')).toBeNull();
  });

  it('knows the exchange', () => {
    const path = '/{client_ip}/{request_id}/{identity.sub}';
    const context = { clientIp: '10.0.0.1', id: 'r/1', identity: identity('key', { sub: 'ä/../b?c#d' }) };
    expect(rewritten({ path: '/', exact: true, rewrite: { path } }, '/', context)).toBe(null);
    const plain = { ...context, identity: identity('key', { sub: 'ä/b?c#d' }) };
    expect(rewritten({ path: '/', exact: true, rewrite: { path } }, '/', plain)).toBe(
      '/10.0.0.1/r%2F1/%C3%A4%2Fb%3Fc%23d',
    );
    const byKey = { ...context, identity: identity('key-7') };
    expect(rewritten({ path: '/', exact: true, rewrite: { path } }, '/', byKey)).toBe(
      '/10.0.0.1/r%2F1/key-7',
    );
  });

  it.each(['..', '.', '../x', '\u0000', ''])('refuses the identity %j as a segment', (sub) => {
    const fields = { path: '/', exact: true, rewrite: { path: '/u/{identity.sub}' } };
    expect(rewritten(fields, '/', { identity: identity('i', { sub }) })).toBeNull();
  });

  it('refuses a route without identity, and takes half a character', () => {
    const fields = { path: '/', exact: true, rewrite: { path: '/u/{identity.sub}' } };
    expect(rewritten(fields, '/')).toBeNull();
    expect(rewritten(fields, '/', { identity: identity('\ud800') })).toBe('/u/%EF%BF%BD');
  });

  it.each(['v1', '/v1?x', '/v1#x', '/{nobody}', '/{id', '/{id}'])('%s is refused when compiled', (path) => {
    expect(() => compiled({ path: '/users/{user}', rewrite: { path } })).toThrow(RangeError);
  });
});

describe('rewrite.pattern', () => {
  const old = { path: '/old', rewrite: { pattern: '^/old/(.*)$', replacement: '/new/$1' } };

  it.each([
    ['/old/a/b?x=1', '/new/a/b?x=1'],
    ['/%6fld/a', '/new/a'],
    ['/old/grp%2fx', '/new/grp%2Fx'],
    ['/old/a%2520b', '/new/a%2520b'],
    ['/old', '/old'],
    ['/%6Fld', '/%6Fld'],
    ['/old/', '/new/'],
  ])('%s becomes %s', (target, result) => {
    expect(rewritten(old, target)).toBe(result);
  });

  it('replaces once, with named groups too', () => {
    expect(rewritten({ path: '/', rewrite: { pattern: 'a', replacement: 'b' } }, '/aa')).toBe('/ba');
    const year = { pattern: '^/(?<y>\\d{4})-(?<m>\\d\\d)', replacement: '/$<m>/$<y>' };
    expect(rewritten({ path: '/', rewrite: year }, '/2026-11/x')).toBe('/11/2026/x');
  });

  it('sees the path behind a stripped prefix', () => {
    const fields = {
      path: '/api',
      strip_prefix: true,
      rewrite: { pattern: '^/v(\\d)', replacement: '/version/$1' },
    };
    expect(rewritten(fields, '/api/v2/x')).toBe('/version/2/x');
    expect(rewritten(fields, '/api/w%2e?y')).toBe('/w%2e?y');
    expect(rewritten(fields, '/api//x')).toBeNull();
  });

  it('joins a query of its own with the one that came', () => {
    const search = { path: '/find', rewrite: { pattern: '^/find/(.*)$', replacement: '/search?q=$1' } };
    expect(rewritten(search, '/find/x?page=2')).toBe('/search?q=x&page=2');
    expect(rewritten(search, '/find/x')).toBe('/search?q=x');
  });

  it.each([
    ['^/x/(.*)$', '/$1', '/x//evil.example/'],
    ['^/x/', '', '/x/y'],
    ['^/x(.*)$', '/.$1', '/x./admin'],
    ['^/x(.*)$', '/a#$1', '/x'],
    ['^/x/(.)', '/%$1', '/x/zz'],
  ])('%s to %s refuses %s', (pattern, replacement, target) => {
    expect(rewritten({ path: '/', rewrite: { pattern, replacement } }, target)).toBeNull();
  });

  it('refuses an expression that does not compile', () => {
    expect(() => compiled({ path: '/', rewrite: { pattern: '(', replacement: '' } })).toThrow(SyntaxError);
  });
});

describe('any rewrite of any target', () => {
  const pieces = ['/', '/x', '.', '..', '%2e', '%2f', '%5c', '\\', ';', 'a', '%25', '?', '\u00e9', '=', '&'];
  const targets = fc
    .array(fc.constantFrom(...pieces), { maxLength: 10 })
    .map((parts) => `/p/${parts.join('')}`);
  const rewrites: Fields[] = [
    { path: '/p', strip_prefix: true },
    { path: '/p/{a}', rewrite: { path: '/q/.{a}' } },
    { path: '/p/{a}', rewrite: { path: '/{a}{a}/' } },
    { path: '/p', rewrite: { pattern: '^/p/(.*?)(x)?$', replacement: '/$2.$1' } },
  ];

  it('is refused or stays a target that the gateway would take itself', () => {
    fc.assert(
      fc.property(fc.constantFrom(...rewrites), targets, (fields, target) => {
        if (canonicalTarget(target) === null) return;
        const result = rewritten(fields, target);
        if (result === null) return;
        expect(result).toMatch(/^\/(?!\/)/);
        expect(canonicalTarget(result)).not.toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});
