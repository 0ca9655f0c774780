import { describe, expect, it } from 'vitest';

import { chooseCoding } from './accept-encoding.js';

describe('chooseCoding', () => {
  it.each<[accept: string | null, coding: string | null, identityRefused?: boolean]>([
    [null, null],
    ['', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['gzip,\tbr', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['X-GZip;q=0.5, br;q=0.1', 'gzip'],
    ['deflate', null],
    ['zstd, gzip', 'gzip'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['gzip ; q=0.5 , br ;Q=0.501', 'br'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0', null],
    ['gzip, x-gzip;q=0', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip, *;q=0.1', 'gzip'],
    ['gzip, *;q=0', 'gzip', true],
    ['*;q=0', null, true],
    ['identity', null],
    ['identity, gzip', 'gzip'],
    ['identity, gzip;q=0.9', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0', null, true],
    ['identity;q=0, gzip;q=0.1', 'gzip', true],
    ['identity;q=0.1, gzip, *;q=0', 'gzip'],
    ['gzip;q=2', null],
    ['gzip;q=0.1234', null],
    ['gzip;q=', null],
    ['gzip;level=9', null],
    ['gz ip, br', 'br'],
    [',,gzip,,', 'gzip'],
  ])('%j: %s', (accept, coding, identityRefused = false) => {
    expect(chooseCoding(accept, ['br', 'gzip'])).toEqual({ coding, identityRefused });
  });

  it('prefers what is offered first where the client does not care', () => {
    expect(chooseCoding('br, gzip', ['gzip', 'br']).coding).toBe('gzip');
    expect(chooseCoding('*', ['gzip']).coding).toBe('gzip');
    expect(chooseCoding('br', ['gzip']).coding).toBeNull();
  });
});
