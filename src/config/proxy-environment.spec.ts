import { describe, expect, it } from 'vitest';

import { environmentProxy } from './proxy-environment.js';

const valueFor = (url: string, env: Record<string, string>): string | null =>
  environmentProxy(new URL(url), env)?.value ?? null;

describe('the proxy of the environment', () => {
  it.each([
    ['http://a', { http_proxy: 'p1', https_proxy: 'p2' }, 'p1'],
    ['https://a', { http_proxy: 'p1', https_proxy: 'p2' }, 'p2'],
    ['https://a', { http_proxy: 'p1' }, null],
    ['http://a', { HTTP_PROXY: 'p1' }, 'p1'],
    ['http://a', { HTTP_PROXY: 'p1', http_proxy: 'p2' }, 'p2'],
    ['http://a', { HTTP_PROXY: 'p1', http_proxy: '' }, 'p1'],
    ['http://a', { HTTP_PROXY: '  ' }, null],
    ['http://a', {}, null],
  ])('for %s with %j is %s', (url, env, expected) => {
    expect(valueFor(url, env)).toBe(expected);
  });

  it('tells which variable it came from', () => {
    expect(environmentProxy(new URL('https://a'), { HTTPS_PROXY: 'p' })?.variable).toBe('HTTPS_PROXY');
  });

  it.each([
    ['*', 'http://anything', true],
    ['users.internal', 'http://users.internal:8080', true],
    ['users.internal', 'http://USERS.internal', true],
    ['internal', 'http://users.internal', true],
    ['.internal', 'http://users.internal', true],
    ['*.internal', 'http://users.internal', true],
    ['.internal', 'http://internal', true],
    ['internal', 'http://usersinternal', false],
    ['users.internal', 'http://internal', false],
    ['a, users.internal', 'http://users.internal', true],
    ['a users.internal', 'http://users.internal', true],
    ['users.internal:8081', 'http://users.internal:8081', true],
    ['users.internal:8081', 'http://users.internal', false],
    ['users.internal:80', 'http://users.internal', true],
    ['users.internal:443', 'https://users.internal', true],
    ['10.0.0.0/8', 'http://10.1.2.3', true],
    ['10.0.0.0/8', 'http://11.1.2.3', false],
    ['10.0.0.0/8', 'http://users.internal', false],
    ['10.1.2.3', 'http://10.1.2.3:81', true],
    ['10.1.2.3:81', 'http://10.1.2.3:81', true],
    ['10.1.2.3:82', 'http://10.1.2.3:81', false],
    ['::1', 'http://[::1]:81', true],
    ['[::1]', 'http://[::1]:81', true],
    ['[0:0:0:0:0:0:0:1]:81', 'http://[::1]:81', true],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['10.0.0.0/99', 'http://10.1.2.3', false],
    ['', 'http://a', false],
    [', ,', 'http://a', false],
    ['.', 'http://a', false],
  ])('no_proxy "%s" excepts %s: %s', (list, url, excepted) => {
    const env = { http_proxy: 'p', https_proxy: 'p' };
    expect(valueFor(url, { ...env, no_proxy: list }) === null).toBe(excepted);
    expect(valueFor(url, { ...env, NO_PROXY: list }) === null).toBe(excepted);
  });
});
