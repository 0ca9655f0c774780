import { BlockList, isIP } from 'node:net';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CidrSet, isCidr, normaliseIp } from './cidr.js';

describe('normaliseIp', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['[::ffff:10.0.0.9]:80', '10.0.0.9'],
    ['::1', '::1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['1::2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::', '::'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s becomes %s', (text, expected) => {
    expect(normaliseIp(text)).toBe(expected);
  });

  it.each([
    ['', 'unknown', '_hidden', 'localhost', '256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4:'],
    [
      '1.2.3.4:x',
      '1.2.3.4%eth0',
      ' 1.2.3.4',
      '1.2.3.-4',
      '0x7f.0.0.1',
      '[1.2.3.4]',
      '[::1',
      '[::1]x',
      '::1]',
    ],
    [
      ':::',
      '1:2',
      '1::2::3',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8',
      '12345::',
      ':1',
      '1:',
      'g::',
      '::1.2.3',
    ],
    ['1:2:3:4:5:6:7:1.2.3.4', `::${'0'.repeat(200)}`, 'fe80::1%'.padEnd(90, 'e'), '1.2.3.4, 5.6.7.8'],
  ])('garbage is null: %s …', (...texts) => {
    expect(texts.map((text) => normaliseIp(text))).toEqual(texts.map(() => null));
  });

  it('agrees with node about what an address is, and is its own fixed point', () => {
    const scraps = fc.string({
      unit: fc.constantFrom('0', '1', 'f', ':', '.', '%', '[', ']'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), scraps), (text) => {
        const normal = normaliseIp(text);
        expect(normal !== null || isIP(text) === 0).toBe(true);
        expect(normal === null || (isIP(normal) !== 0 && normaliseIp(normal) === normal)).toBe(true);
      }),
    );
  });
});

describe('isCidr', () => {
  it('takes CIDRs and single addresses of both families', () => {
    const good = [
      '10.0.0.0/8',
      '10.1.2.3/8',
      '0.0.0.0/0',
      '::/0',
      '::1/128',
      '::ffff:10.0.0.0/104',
      '::1',
      '1.2.3.4',
    ];
    expect(good.filter((text) => !isCidr(text))).toEqual([]);
  });

  it('refuses everything else', () => {
    const bad = ['', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/8/8', '10/8', 'all'];
    expect([...bad, '[::1]/128', '1.2.3.4:80', 'fe80::1%eth0/64'].filter(isCidr)).toEqual([]);
  });
});

describe('CidrSet', () => {
  it('is empty only without blocks', () => {
    expect(CidrSet.EMPTY.isEmpty).toBe(true);
    expect(CidrSet.EMPTY.has('127.0.0.1')).toBe(false);
    expect(new CidrSet(['::1']).isEmpty).toBe(false);
  });

  it('names the text that is no CIDR', () => {
    expect(() => new CidrSet(['10.0.0.0/8', '10.0.0.0/40'])).toThrow('not an address or CIDR: 10.0.0.0/40');
  });

  it('knows the borders of a block', () => {
    const set = new CidrSet(['10.0.0.0/8', '192.0.2.8/29', '2001:db8::/61']);
    const v4 = ['10.0.0.0', '10.255.255.255', '192.0.2.8', '192.0.2.15'];
    const inside = [...v4, '2001:db8::', '2001:db8:0:7:ffff:ffff:ffff:ffff'];
    const outside = [
      '9.255.255.255',
      '11.0.0.0',
      '192.0.2.7',
      '192.0.2.16',
      '2001:db8:0:8::',
      '2001:db7:ffff::',
    ];
    expect([...inside, ...outside, 'x', ''].filter((ip) => set.has(ip))).toEqual(inside);
  });

  it('keeps the families apart, but for IPv4-mapped addresses', () => {
    expect(new CidrSet(['::/0']).has('127.0.0.1')).toBe(false);
    expect(new CidrSet(['0.0.0.0/0']).has('::1')).toBe(false);
    expect(new CidrSet(['127.0.0.0/8']).has('::ffff:127.0.0.1')).toBe(true);
    expect(new CidrSet(['::ffff:127.0.0.0/104']).has('127.9.9.9')).toBe(true);
  });

  // Each family by itself: BlockList finds IPv4 addresses in ::/0 too.
  it.each([
    ['ipv4', fc.ipV4(), 32],
    ['ipv6', fc.ipV6(), 128],
  ] as const)('answers like node:net BlockList: %s', (family, ip, bits) => {
    const blocks = fc.array(fc.tuple(ip, fc.integer({ min: 1, max: bits })), { maxLength: 12 });
    fc.assert(
      fc.property(blocks, fc.array(ip, { maxLength: 12 }), (list, addresses) => {
        const set = new CidrSet(list.map(([base, prefix]) => `${base}/${prefix}`));
        const reference = new BlockList();
        for (const [base, prefix] of list) reference.addSubnet(base, prefix, family);
        const asked = [...addresses, ...list.map(([base]) => base)];
        expect(asked.map((one) => set.has(one))).toEqual(asked.map((one) => reference.check(one, family)));
      }),
    );
  });
});
