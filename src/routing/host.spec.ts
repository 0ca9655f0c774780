import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostOf } from './host.js';

describe('hostOf', () => {
  it.each([
    ['example.com', 'example.com'],
    ['example.com:8443', 'example.com'],
    ['example.com:', 'example.com'],
    ['Example.COM.', 'example.com'],
    ['example.com.:80', 'example.com'],
    ['localhost', 'localhost'],
    ['a_b-c.d', 'a_b-c.d'],
    ['127.0.0.1:1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[::FFFF:127.0.0.1]:9002', '[::ffff:127.0.0.1]'],
    [`${'a'.repeat(253)}:80`, 'a'.repeat(253)],
  ])('%s is %s', (value, host) => {
    expect(hostOf(value)).toBe(host);
  });

  it.each([
    '',
    '.',
    ':80',
    '..',
    '.a',
    'a..b',
    'a..',
    'a:b',
    'a:65536',
    'a:800000',
    'a:80:80',
    'a:8 0',
    'user@a',
    'user:pw@a',
    'a/b',
    'a\\b',
    'a?b',
    'a#b',
    'a b',
    'a,b/c',
    'é.example',
    'a\u0000',
    '::1',
    '[::1',
    '[]',
    '[::1]x',
    '[::1]:x',
    '[fe80::1%25eth0]',
    '[::g]',
    'a'.repeat(254),
  ])('%j is malformed', (value) => {
    expect(hostOf(value)).toBeNull();
  });

  it('is its own host, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.string({ unit: 'binary' })), (value) => {
        const host = hostOf(value) ?? 'a';
        expect(hostOf(host)).toBe(host);
      }),
    );
  });
});
