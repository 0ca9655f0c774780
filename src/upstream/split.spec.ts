import { describe, expect, it } from 'vitest';

import type { SplitConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Upstream } from '../exchange/upstream.js';
import { Split } from './split.js';

const CLIENTS = 100_000;
const upstreams = new Map(['a', 'b', 'c', 'd'].map((name) => [name, { name } as Upstream]));

function split(weights: Record<string, number>, routeId = 'route'): Split {
  const entries = Object.entries(weights).map(([upstream, weight]) => ({ upstream, weight, headers: {} }));
  return new Split(routeId, entries, upstreams);
}

/** Addresses one after the other: the least different clients there are. */
function address(at: number): string {
  return `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
}

function from(client: Partial<Exchange>, headers: Record<string, string> = {}): Exchange {
  return { clientIp: '', identity: null, raw: { headers }, ...client } as Exchange;
}

function choices(of: Split, name: (at: number) => string = address): string[] {
  return Array.from({ length: CLIENTS }, (_, at) => of.choose(from({ clientIp: name(at) })).name);
}

function shares(chosen: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of chosen) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / chosen.length]));
}

/** From where to where clients went, as shares of all. */
function moves(before: readonly string[], after: readonly string[]): Record<string, number> {
  const moved = before.flatMap((name, at) => (after[at] === name ? [] : [`${name} to ${after[at]}`]));
  const counted = shares(moved);
  const scale = moved.length / before.length;
  return Object.fromEntries(Object.entries(counted).map(([move, share]) => [move, share * scale]));
}

describe('weights', () => {
  it.each<Record<string, number>>([
    { a: 95, b: 5 },
    { a: 1, b: 1 },
    { a: 50, b: 30, c: 20 },
    { a: 1, b: 2, c: 3, d: 4 },
    { a: 999_999, b: 1_000_000 },
  ])('%o are met within 1 % of the clients', (weights) => {
    const total = Object.values(weights).reduce((sum, weight) => sum + weight);
    const kinds = [address, (at: number) => `user-${at}`, (at: number) => `2001:db8::${at.toString(16)}`];
    for (const name of kinds) {
      const met = shares(choices(split(weights), name));
      for (const [upstream, weight] of Object.entries(weights))
        expect(Math.abs(met[upstream]! - weight / total)).toBeLessThan(0.01);
    }
  });

  it('of 0 get nobody', () => {
    expect(shares(choices(split({ a: 1, b: 0 })))).toEqual({ a: 1 });
  });

  it('of one upstream in several entries add up', () => {
    const entries = ['a', 'b', 'b'].map((upstream) => ({ upstream, weight: 1, headers: {} }));
    const met = shares(choices(new Split('route', entries, upstreams)));
    expect(met['b']).toBeCloseTo(2 / 3, 2);
  });
});

describe('a change of weights', () => {
  it('95/5 to 90/10 moves 5 % of the clients, none of them back', () => {
    const moved = moves(choices(split({ a: 95, b: 5 })), choices(split({ a: 90, b: 10 })));
    expect(Object.keys(moved)).toEqual(['a to b']);
    expect(moved['a to b']).toBeCloseTo(0.05, 2);
  });

  it('in small steps up to all keeps everybody who has moved', () => {
    let before = choices(split({ a: 100, b: 0 }));
    for (let weight = 5; weight <= 100; weight += 5) {
      const after = choices(split({ a: 100 - weight, b: weight }));
      expect(Object.keys(moves(before, after))).toEqual(['a to b']);
      before = after;
    }
    expect(shares(before)).toEqual({ b: 1 });
  });

  it('of one upstream moves nobody among the others', () => {
    const moved = moves(choices(split({ a: 50, b: 30, c: 20 })), choices(split({ a: 50, b: 30, c: 40 })));
    expect(Object.keys(moved).toSorted()).toEqual(['a to c', 'b to c']);
    // 20 of 100 become 40 of 120, from the others in proportion.
    expect(moved['a to c']).toBeCloseTo(50 / 100 - 50 / 120, 2);
    expect(moved['b to c']).toBeCloseTo(30 / 100 - 30 / 120, 2);
  });

  it('another order or another scale moves nobody', () => {
    const before = choices(split({ a: 95, b: 5 }));
    expect(moves(before, choices(split({ b: 10, a: 190 })))).toEqual({});
  });
});

describe('a client', () => {
  it('is where it was after a restart and an upgrade of the gateway', () => {
    const weights = { a: 1, b: 1, c: 1 };
    const chosen = (routeId: string): string =>
      ['198.51.100.7', '198.51.100.8', '::1', 'ada', 'grace', 'linus']
        .map((clientIp) => split(weights, routeId).choose(from({ clientIp })).name)
        .join('');
    expect([chosen('route'), chosen('other')]).toEqual(['acbbaa', 'aaccba']);
  });

  it('draws anew on each route', () => {
    const weights = { a: 1, b: 1 };
    const first = choices(split(weights, 'first'));
    const second = choices(split(weights, 'second'));
    expect(first.filter((name, at) => name === second[at]).length / CLIENTS).toBeCloseTo(0.5, 2);
  });

  it('is known by its identity before its address', () => {
    const of = split({ a: 1, b: 1 });
    const identity = { kind: 'jwt', id: 'ada', roles: [], claims: {} } as const;
    const seen = Array.from({ length: 100 }, (_, at) => of.choose(from({ clientIp: address(at), identity })));
    expect(new Set(seen)).toEqual(new Set([of.choose(from({ clientIp: 'ada' }))]));
  });
});

describe('headers', () => {
  const entries: SplitConfig[] = [
    { upstream: 'a', weight: 1, headers: {} },
    { upstream: 'b', weight: 0, headers: { 'X-Canary': '1', 'X-Team': '/^core/' } },
    { upstream: 'c', weight: 0, headers: { 'X-Canary': '1' } },
  ];
  const chosen = (headers: Record<string, string>): string =>
    new Split('route', entries, upstreams).choose(from({ clientIp: '::1' }, headers)).name;

  it('decide before the weights, when all of an entry are there; the first entry wins', () => {
    expect(chosen({})).toBe('a');
    expect(chosen({ 'x-canary': '2' })).toBe('a');
    expect(chosen({ 'x-team': 'core-1' })).toBe('a');
    expect(chosen({ 'x-canary': '1' })).toBe('c');
    expect(chosen({ 'x-canary': '1', 'x-team': 'edge' })).toBe('c');
    expect(chosen({ 'x-canary': '1', 'x-team': 'core-1' })).toBe('b');
  });

  it('leave an entry its share of the others', () => {
    const both = [entries[0]!, { upstream: 'b', weight: 1, headers: { 'x-canary': '1' } }];
    expect(shares(choices(new Split('route', both, upstreams)))['b']).toBeCloseTo(0.5, 2);
  });

  it('are not read where no entry asks for any', () => {
    const unread = { clientIp: '::1', identity: null, raw: null } as Exchange;
    expect(split({ a: 1 }).choose(unread).name).toBe('a');
  });

  it('refuse a bad expression when compiled', () => {
    const bad = [{ upstream: 'a', weight: 1, headers: { a: '/(/' } }];
    expect(() => new Split('route', bad, upstreams)).toThrow(SyntaxError);
  });
});
