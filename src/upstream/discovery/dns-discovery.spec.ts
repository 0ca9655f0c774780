import { setImmediate as nextTurn } from 'node:timers/promises';

import { beforeEach, describe, expect, it } from 'vitest';

import { fakeDns, type FakeZone, records } from './dns.fixture.js';
import type { DiscoveryListener, Found } from './discovery.js';
import { DnsDiscovery } from './dns-discovery.js';

/** Timers that a test lets pass. */
class FakeTimers {
  waiting: { ms: number; action: () => void }[] = [];

  readonly after = (ms: number, action: () => void) => {
    const timer = { ms, action };
    this.waiting.push(timer);
    return () => void (this.waiting = this.waiting.filter((one) => one !== timer));
  };

  /** Lets the only one pass, and what it began end. Returns its milliseconds. */
  async pass(): Promise<number> {
    const [timer, ...others] = this.waiting.splice(0);
    if (timer === undefined || others.length > 0) throw new Error(`${others.length + 1} timers`);
    const { ms, action } = timer;
    action();
    await nextTurn();
    return ms;
  }
}

class Heard implements DiscoveryListener {
  readonly lines: string[] = [];

  found(servers: readonly Found[], fault: Error | null): void {
    this.lines.push(servers.map(({ address }) => address).join(' ') + (fault ? ` but ${fault.message}` : ''));
  }

  failed(cause: Error): void {
    this.lines.push(cause.message);
  }
}

describe('discovery by DNS', () => {
  let timers: FakeTimers;
  let heard: Heard;
  let zone: FakeZone;
  let cancelled: number;

  beforeEach(() => {
    timers = new FakeTimers();
    heard = new Heard();
    cancelled = 0;
  });

  async function follow(intervalMs = 30_000) {
    const dns = () => ({ ...fakeDns(zone), cancel: () => void cancelled++ });
    const discovery = new DnsDiscovery(intervalMs, { dns, after: timers.after });
    const following = discovery.follow({ name: 'api.test', port: 80 }, heard);
    await nextTurn();
    return following;
  }

  const known = (ttl: number, ...addresses: string[]): FakeZone => ({
    a: { 'api.test': records(ttl, ...addresses) },
  });

  it.each([
    ['its TTL', 12, 30_000, 12_000],
    ['at most the interval', 3_600, 30_000, 30_000],
    ['at least a second', 0, 30_000, 1_000],
    ['at least a second, whatever the interval', 5, 10, 1_000],
  ])('asks again after %s', async (_, ttl, interval, wait) => {
    zone = known(ttl, '10.0.0.1');
    await follow(interval);
    zone = known(ttl, '10.0.0.2');
    expect(await timers.pass()).toBe(wait);
    expect(heard.lines).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('asks each interval where nobody tells a TTL', async () => {
    zone = { system: { 'api.test': ['10.0.0.1'] } };
    await follow(20_000);
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([20_000]);
  });

  it('asks soon after a failure, then ever later, and as usual after a success', async () => {
    zone = {};
    await follow(10_000);
    const waits: number[] = [];
    for (let failures = 0; failures < 6; failures++) waits.push(await timers.pass());
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(new Set(heard.lines)).toEqual(new Set(['query ENOTFOUND']));
    zone = known(7, '10.0.0.1');
    await timers.pass();
    zone = {};
    expect(await timers.pass()).toBe(7_000);
    expect(await timers.pass()).toBe(1_000);
  });

  it('counts an answer from memory among the failures', async () => {
    zone = { ...known(9, '10.0.0.1'), aaaa: { 'api.test': records(9, '::1') } };
    await follow();
    zone = { ...known(9, '10.0.0.1'), aaaa: { 'api.test': 'ETIMEOUT' } };
    await timers.pass();
    expect(heard.lines).toEqual(['10.0.0.1 ::1', '10.0.0.1 ::1 but query ETIMEOUT']);
    expect(timers.waiting.map(({ ms }) => ms)).toEqual([1_000]);
  });

  it('is quiet once it is stopped, while it waits or in the middle of a look-up', async () => {
    zone = known(9, '10.0.0.1');
    (await follow()).stop();
    expect(timers.waiting).toEqual([]);
    const following = await follow();
    const looking = timers.pass();
    following.stop();
    await looking;
    expect(heard.lines).toEqual(['10.0.0.1', '10.0.0.1']);
    expect([cancelled, timers.waiting]).toEqual([1, []]);
  });
});
