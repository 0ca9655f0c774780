import { describe, expect, it } from 'vitest';

import { parseCacheControl } from './cache-control.js';

describe('Cache-Control (RFC 9111 §5.2)', () => {
  it.each([
    ['max-age=60', 60],
    ['MaX-aGe=60', 60],
    ['max-age="60"', 60],
    ['max-age=003600', 3600],
    ['public,max-age=60 , no-transform', 60],
    ['x="max-age=3600", max-age=1', 1],
    ['x="a\\"b, max-age=3600", max-age=1', 1],
    ['max-age=1, x="max-age=3600"', 1],
    ['max-age=99999999999', 2 ** 31],
    ['max-age', 0],
    ['max-age=', 0],
    ['max-age=-1', 0],
    ['max-age=1.5', 0],
    ["max-age='60'", 0],
    ['max-age=60s', 0],
    ['max-age=60, max-age=1', 1],
    ['max-age=60, max-age=x', 0],
    ['max-age =60', 60],
    ['x="max-age=60', null],
    ['xmax-age=60', null],
    ['', null],
    [',,=,', null],
  ])('%j has max-age %s', (text, seconds) => {
    expect(parseCacheControl(text).seconds('max-age')).toBe(seconds);
  });

  it.each([
    ['no-cache', true, []],
    ['no-cache="Set-Cookie, x-a"', false, ['set-cookie', 'x-a']],
    ['no-cache="X-A", no-cache', true, ['x-a']],
    ['no-cache=x-a', false, ['x-a']],
    ['no-cachex', false, []],
  ])('%j is plain: %s, and names %j', (text, plain, fields) => {
    const directives = parseCacheControl(text);
    expect([directives.isPlain('no-cache'), directives.fieldsOf('no-cache')]).toEqual([plain, fields]);
  });
});
