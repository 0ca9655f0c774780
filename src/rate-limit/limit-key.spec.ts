import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { normaliseIp } from '../common/cidr.js';
import { addressKey, limitKey } from './limit-key.js';

describe('addressKey', () => {
  it('is an IPv4 address as it is', () => {
    expect(addressKey('192.0.2.1')).toBe('192.0.2.1');
    expect(addressKey('192.0.2.10')).not.toBe(addressKey('192.0.2.1'));
  });

  it('is the same for all addresses of an IPv6 /64, and another for the next /64', () => {
    const keys = ['2001:db8:0:1::', '2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'].map(addressKey);
    expect(new Set(keys)).toEqual(new Set(['2001:db8:0:1']));
    expect(addressKey('2001:db8:0:2::1')).toBe('2001:db8:0:2');
  });

  it('finds the /64 wherever the zeros are cut', () => {
    expect(addressKey(normaliseIp('1:0:0:2:3:4:5:6')!)).toBe('1:0:0:2');
    expect(addressKey('::1')).toBe('0:0:0:0');
    expect(addressKey('1:2::')).toBe('1:2:0:0');
    expect(addressKey('1:2:3::')).toBe('1:2:3:0');
    expect(addressKey('1:2:3:4::')).toBe('1:2:3:4');
  });

  it('is one for two addresses exactly when their first 64 bits are', () => {
    const group = fc.constantFrom(0, 0, 1, 0xfe80);
    const address = fc.array(group, { minLength: 8, maxLength: 8 });
    const key = (groups: number[]) =>
      addressKey(normaliseIp(groups.map((one) => one.toString(16)).join(':'))!);
    fc.assert(
      fc.property(address, address, (a, b) => {
        const sameNetwork = a.slice(0, 4).join(':') === b.slice(0, 4).join(':');
        fc.pre(normaliseIp(a.map((one) => one.toString(16)).join(':'))!.includes(':'));
        expect(key(a) === key(b)).toBe(sameNetwork);
      }),
    );
  });
});

describe('limitKey', () => {
  it('stops the start on a key that nobody judges', () => {
    expect(() => limitKey('user')).toThrow('no such limit key: user');
  });
});
