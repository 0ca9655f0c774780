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
    expect(new Set(keys)).toEqual(new Set(['2001:db8:0:1::/64']));
    expect(addressKey('2001:db8:0:2::1')).toBe('2001:db8:0:2::/64');
  });

  it('finds the /64 wherever the zeros are cut', () => {
    expect(addressKey(normaliseIp('1:0:0:2:3:4:5:6')!)).toBe('1:0:0:2::/64');
    expect(addressKey('::1')).toBe('0:0:0:0::/64');
  });
});

describe('limitKey', () => {
  it('stops the start on a key that nobody judges', () => {
    expect(() => limitKey('user')).toThrow('no such limit key: user');
  });
});
