import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { normaliseIp } from '../common/cidr.js';
import { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';
import { requestHead } from '../exchange/request-head.fixture.js';
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

function exchangeWith(rawHeaders: string[], identity: Identity | null = null): Exchange {
  const head = requestHead({ rawHeaders });
  return Object.assign(new Exchange('1', 0, head), { clientIp: '192.0.2.1', identity });
}

function known(kind: Identity['kind'], id: string): Identity {
  return { kind, id, roles: [], claims: {} };
}

describe('limitKey', () => {
  it('by ip is the client’s network, by route the same for all', () => {
    expect(limitKey('ip')(exchangeWith([]))).toBe('192.0.2.1');
    expect(limitKey('route')(exchangeWith([]))).toBe('');
  });

  it('by user tells a token’s subject from an API key of the same name', () => {
    const key = limitKey('user');
    const keys = [known('jwt', 'a'), known('api_key', 'a'), known('jwt', 'b')].map((each) =>
      key(exchangeWith([], each)),
    );
    expect(new Set(keys).size).toBe(3);
    expect(key(exchangeWith([], null))).toBeNull();
  });

  it('by api_key concerns those alone who came with one', () => {
    const key = limitKey('api_key');
    expect(key(exchangeWith([], known('api_key', 'k1')))).toBe('k1');
    expect(key(exchangeWith([], known('jwt', 'k1')))).toBeNull();
    expect(key(exchangeWith([]))).toBeNull();
  });

  it('by header is one key for all who send none, which no value can be', () => {
    const key = limitKey('header:X-Tenant');
    const without = [[], ['X-Other', 'a'], ['X-Tenants', 'a']].map((raw) => key(exchangeWith(raw)));
    expect(new Set(without).size).toBe(1);
    expect(key(exchangeWith(['X-Tenant', '']))).not.toBe(without[0]);
    expect(key(exchangeWith(['x-tenant', 'a']))).toBe(key(exchangeWith(['X-TENANT', 'a'])));
    expect(key(exchangeWith(['X-Tenant', 'a']))).not.toBe(key(exchangeWith(['X-Tenant', 'b'])));
  });

  it('by header takes several lines for one value', () => {
    const key = limitKey('header:x-tenant');
    const two = key(exchangeWith(['X-Tenant', 'a', 'Other', 'x', 'x-tenant', 'b']));
    expect(two).toBe(key(exchangeWith(['X-Tenant', 'a, b'])));
    expect(two).not.toBe(key(exchangeWith(['X-Tenant', 'a'])));
  });

  it('never grows with what a client sends', () => {
    const long = 'x'.repeat(16_000);
    const header = limitKey('header:x-tenant');
    expect(header(exchangeWith(['X-Tenant', long]))!.length).toBeLessThan(80);
    expect(header(exchangeWith(['X-Tenant', `${long}1`]))).not.toBe(
      header(exchangeWith(['X-Tenant', `${long}2`])),
    );
    const user = limitKey('user');
    expect(user(exchangeWith([], known('jwt', long)))!.length).toBeLessThan(80);
    expect(user(exchangeWith([], known('jwt', `${long}1`)))).not.toBe(
      user(exchangeWith([], known('jwt', long))),
    );
  });

  it('stops the start on a key that nobody judges', () => {
    expect(() => limitKey('cookie')).toThrow('no such limit key: cookie');
  });
});
