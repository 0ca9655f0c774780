import { describe, expect, it } from 'vitest';

import { fakeDns, type FakeZone, records } from './dns.fixture.js';
import { type DnsMemory, lookUp } from './dns-lookup.js';

const API = { name: 'api.test', port: 8080 };
const SERVICE = { name: '_api._tcp.test', port: 80 };

function ask(zone: FakeZone, sought = API, memory: DnsMemory = new Map()) {
  return lookUp(sought, fakeDns(zone), memory);
}

function server(address: string, port = 8080, weight = 1) {
  return { address, port, weight };
}

describe('a look-up of a name', () => {
  it('finds IPv4 and IPv6, for the shortest TTL', async () => {
    const zone = {
      a: { 'api.test': records(30, '10.0.0.1', '10.0.0.2') },
      aaaa: { 'api.test': records(7, 'fd00::1') },
    };
    expect(await ask(zone)).toEqual({
      servers: [server('10.0.0.1'), server('10.0.0.2'), server('fd00::1')],
      ttlMs: 7_000,
      fault: null,
    });
  });

  it.each(['ENODATA', 'ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT'])('does without IPv6 on %s', async (code) => {
    const zone = { a: { 'api.test': records(5, '10.0.0.1') }, aaaa: { 'api.test': code } };
    expect(await ask(zone)).toEqual({ servers: [server('10.0.0.1')], ttlMs: 5_000, fault: null });
  });

  it.each(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT'])('fails with what DNS says: %s', async (code) => {
    await expect(ask({ a: { 'api.test': code }, aaaa: { 'api.test': code } })).rejects.toMatchObject({
      code,
    });
  });

  it('fails on an answer without addresses', async () => {
    await expect(ask({ a: { 'api.test': [] }, aaaa: { 'api.test': [] } })).rejects.toThrow(
      'no addresses for api.test',
    );
  });

  it('remembers the part that fails, and says so', async () => {
    const memory: DnsMemory = new Map();
    const a = { 'api.test': records(5, '10.0.0.1') };
    await ask({ a, aaaa: { 'api.test': records(5, 'fd00::1') } }, API, memory);
    const partly = await ask(
      { a: { 'api.test': records(5, '10.0.0.2') }, aaaa: { 'api.test': 'ETIMEOUT' } },
      API,
      memory,
    );
    expect(partly.servers).toEqual([server('10.0.0.2'), server('fd00::1')]);
    expect(partly.fault).toMatchObject({ code: 'ETIMEOUT' });
    const gone = await ask({ a, aaaa: { 'api.test': 'ENODATA' } }, API, memory);
    expect(gone).toMatchObject({ servers: [server('10.0.0.1')], fault: null });
    expect((await ask({ a, aaaa: { 'api.test': 'ESERVFAIL' } }, API, memory)).servers).toEqual([
      server('10.0.0.1'),
    ]);
  });

  it('asks the system for what DNS does not know, and only then', async () => {
    const system = { 'api.test': ['192.0.2.1', '2001:db8::1'] };
    const found = { servers: [server('192.0.2.1'), server('2001:db8::1')], ttlMs: Infinity, fault: null };
    expect(await ask({ system })).toEqual(found);
    expect(
      await ask({ system, a: { 'api.test': 'ECONNREFUSED' }, aaaa: { 'api.test': 'ECONNREFUSED' } }),
    ).toEqual(found);
    const known = await ask({ system, a: { 'api.test': records(1, '10.0.0.1') } });
    expect(known.servers).toEqual([server('10.0.0.1')]);
    await expect(ask({ system, a: { 'api.test': 'ESERVFAIL' } })).rejects.toMatchObject({
      code: 'ESERVFAIL',
    });
    await expect(ask({ system: {} })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('never asks DNS for localhost', async () => {
    const zone = { a: { localhost: records(1, '10.6.6.6') } };
    const { servers } = await ask(zone, { name: 'localhost', port: 80 });
    expect(servers.length).toBeGreaterThan(0);
    for (const { address } of servers) expect(['127.0.0.1', '::1']).toContain(address);
  });
});

describe('a look-up of a service', () => {
  const record = (name: string, rest: object = {}) => ({ name, port: 81, priority: 1, weight: 1, ...rest });
  const a = { 'one.test': records(9, '10.0.0.1'), 'two.test': records(4, '10.0.0.2', '10.0.0.3') };

  it('takes ports and weights of the lowest priority', async () => {
    const srv = {
      '_api._tcp.test': [
        record('spare.test', { priority: 2 }),
        record('one.test', { weight: 3, port: 9001 }),
        record('two.test', { weight: 4, port: 9002 }),
      ],
    };
    const zone = { srv, a: { ...a, 'spare.test': records(1, '10.0.0.9') } };
    expect(await ask(zone, SERVICE)).toEqual({
      servers: [server('10.0.0.1', 9001, 3), server('10.0.0.2', 9002, 2), server('10.0.0.3', 9002, 2)],
      ttlMs: 4_000,
      fault: null,
    });
  });

  it('gives weight 0 little beside others, and the same to all where there are none', async () => {
    const weights = async (...given: number[]) => {
      const srv = { '_api._tcp.test': given.map((weight) => record('one.test', { weight })) };
      return (await ask({ srv, a }, SERVICE)).servers.map(({ weight }) => weight);
    };
    expect(await weights(0, 5)).toEqual([0.1, 5]);
    expect(await weights(0, 0)).toEqual([1, 1]);
  });

  it('leaves out targets without addresses, and fails when there are no others', async () => {
    const lost = { '_api._tcp.test': [record('one.test'), record('lost.test')] };
    expect((await ask({ srv: lost, a }, SERVICE)).servers).toEqual([server('10.0.0.1', 81)]);
    await expect(ask({ srv: lost }, SERVICE)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each([
    ['no records', []],
    ['the record that says there is no such service (RFC 2782)', [record('')]],
  ])('fails on %s', async (_, list) => {
    await expect(ask({ srv: { '_api._tcp.test': list } }, SERVICE)).rejects.toThrow('no addresses');
  });

  it('fails when DNS does', async () => {
    await expect(ask({ srv: { '_api._tcp.test': 'ESERVFAIL' } }, SERVICE)).rejects.toMatchObject({
      code: 'ESERVFAIL',
    });
  });
});
