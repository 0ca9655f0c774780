import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CidrSet } from '../common/cidr.js';
import { ClientAddressResolver } from './client-address.js';

const PROXY = '127.0.0.1';
const resolver = new ClientAddressResolver(new CidrSet(['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']));
const xff = (value: string | string[]): string => resolver.resolve(PROXY, { 'x-forwarded-for': value });
const forwarded = (value: string): string => resolver.resolve(PROXY, { forwarded: value });

describe('an untrusted peer', () => {
  it('is the client, whatever it writes', () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    expect(resolver.resolve('198.51.100.1', headers)).toBe('198.51.100.1');
    expect(new ClientAddressResolver(CidrSet.EMPTY).resolve(PROXY, headers)).toBe(PROXY);
  });
});

describe('X-Forwarded-For of a trusted peer', () => {
  it.each([
    ['203.0.113.7, 198.51.100.2', '198.51.100.2'],
    ['203.0.113.7, 198.51.100.2, 10.1.2.3', '198.51.100.2'],
    ['203.0.113.7,198.51.100.2 ,\t10.1.2.3,fd00::1', '198.51.100.2'],
    ['198.51.100.2:4711', '198.51.100.2'],
    ['[2001:DB8::0:1]:443', '2001:db8::1'],
    ['::ffff:198.51.100.2', '198.51.100.2'],
    ['10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['198.51.100.2, , ', '198.51.100.2'],
  ])('%s is %s', (value, client) => {
    expect(xff(value)).toBe(client);
  });

  it.each([
    ['', PROXY],
    [' , ,', PROXY],
    ['198.51.100.2, garbage', PROXY],
    ['unknown', PROXY],
    ['198.51.100.2, _hidden, 10.0.0.9', '10.0.0.9'],
    ['198.51.100.999', PROXY],
  ])('garbage falls back to the last trusted hop: "%s" is %s', (value, client) => {
    expect(xff(value)).toBe(client);
  });

  it('reads repeated lines as one list', () => {
    expect(xff(['203.0.113.7', '198.51.100.2'])).toBe('198.51.100.2');
  });

  it('walks a bounded number of hops', () => {
    expect(xff(`198.51.100.2${', 10.0.0.7'.repeat(1_000)}`)).toBe('10.0.0.7');
  });

  it('never gives an empty key, and never one left of what the proxy appended', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), fc.ipV4(), (byClient, ip) => {
        expect(xff(byClient)).not.toBe('');
        fc.pre(!resolver.trusts(ip));
        expect(xff(`${byClient}, ${ip}`)).toBe(ip);
      }),
    );
  });
});

describe('Forwarded of a trusted peer', () => {
  it.each([
    ['for=198.51.100.2', '198.51.100.2'],
    ['for=203.0.113.7;proto=http;by=10.0.0.1, For="198.51.100.2:80"', '198.51.100.2'],
    ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=198.51.100.2:80;host="a,b;c=\\"d"', '198.51.100.2'],
    ['for=198.51.100.2, for=10.0.0.1', '198.51.100.2'],
  ])('%s is %s', (value, client) => {
    expect(forwarded(value)).toBe(client);
  });

  it.each([
    ['for=unknown', PROXY],
    ['for=198.51.100.2, for=_secret', PROXY],
    ['for=198.51.100.2, proto=https', PROXY],
    ['for=198.51.100.2, proto=https, for=10.0.0.9', '10.0.0.9'],
    ['for=198.51.100.2;', PROXY],
    ['for="198.51.100.2', PROXY],
    ['for=198.51.100.2,', PROXY],
    ['', PROXY],
  ])('garbage falls back to the last trusted hop: "%s" is %s', (value, client) => {
    expect(forwarded(value)).toBe(client);
  });

  it('lets no quote of the client swallow what the proxy appended', () => {
    expect(forwarded('for=203.0.113.7;x=", for="198.51.100.2"')).toBe(PROXY);
    expect(forwarded('for=203.0.113.7;x=", for=198.51.100.2')).toBe(PROXY);
  });

  it('gives way to X-Forwarded-For', () => {
    const headers = { 'x-forwarded-for': '198.51.100.2', forwarded: 'for=203.0.113.7' };
    expect(resolver.resolve(PROXY, headers)).toBe('198.51.100.2');
  });
});
