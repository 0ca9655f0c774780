import { describe, expect, it } from 'vitest';

import type { Backend } from '../../exchange/upstream.js';
import {
  admission,
  backendsNamed,
  backendWith,
  clientNumber,
  exchangeFrom,
  expectShares,
} from './balancer.contract.js';
import type { Balancer } from './balancer.js';
import { ipHash } from './ip-hash.js';

const CLIENTS = 10_000;
const make = (): Balancer => ipHash.create({ type: 'ip_hash' }, Math.random);
const TEN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** The backend of each client, by id. */
function homes(backends: readonly Backend[], balancer = make()): string[] {
  const rules = admission();
  return Array.from({ length: CLIENTS }, (_, n) => balancer.pick(backends, clientNumber(n), rules)!.id);
}

/** From where to where clients moved, and how many. */
function moves(before: readonly string[], after: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [client, from] of before.entries()) {
    const to = after[client]!;
    if (from !== to) counts[`${from}${to}`] = (counts[`${from}${to}`] ?? 0) + 1;
  }
  return counts;
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, one) => total + one, 0);

describe('ip hash', () => {
  it('keeps each client at its backend, in every gateway and over a restart', () => {
    const backends = backendsNamed(...TEN);
    const balancer = make();
    expect(homes(backends, balancer)).toEqual(homes(backends, balancer));
    expect(homes(backendsNamed(...TEN), make())).toEqual(homes(backends, balancer));
  });

  it('does not ask for the order of the backends', () => {
    expect(homes(backendsNamed(...TEN.toReversed()))).toEqual(homes(backendsNamed(...TEN)));
  });

  it('moves the clients of a removed backend alone, to all the others', () => {
    const before = homes(backendsNamed(...TEN));
    const moved = moves(before, homes(backendsNamed(...TEN.filter((id) => id !== 'd'))));
    expect(sum(moved)).toBe(before.filter((id) => id === 'd').length);
    expect(Object.keys(moved).toSorted()).toEqual(TEN.filter((id) => id !== 'd').map((id) => `d${id}`));
    expect(Math.abs(sum(moved) / CLIENTS - 1 / 10)).toBeLessThan(0.01);
    // A ninth of a tenth each: no neighbour inherits it all.
    for (const count of Object.values(moved)) expect(Math.abs(count / CLIENTS - 1 / 90)).toBeLessThan(0.005);
  });

  it('moves the share of an added backend alone, and to nowhere else', () => {
    const moved = moves(homes(backendsNamed(...TEN)), homes(backendsNamed(...TEN, 'k')));
    expect(Object.keys(moved).every((move) => move.endsWith('k'))).toBe(true);
    expect(Math.abs(sum(moved) / CLIENTS - 1 / 11)).toBeLessThan(0.01);
  });

  it('moves clients of another weight to or from its backend alone', () => {
    const heavier = backendsNamed(...TEN.slice(1)).concat(backendWith({ id: 'a', weight: 2 }));
    const moved = moves(homes(backendsNamed(...TEN)), homes(heavier));
    expect(Object.keys(moved).every((move) => move.endsWith('a'))).toBe(true);
    expect(Math.abs(sum(moved) / CLIENTS - (2 / 11 - 1 / 10))).toBeLessThan(0.01);
  });

  it('spreads the clients of an unavailable backend by weight, and takes them back', () => {
    const backends = [1, 2, 3, 4].map((weight, index) => backendWith({ id: 'abcd'[index]!, weight }));
    const balancer = make();
    const before = homes(backends, balancer);
    backends[3]!.state.healthy = false;
    const moved = moves(before, homes(backends, balancer));
    expect(sum(moved)).toBe(before.filter((id) => id === 'd').length);
    const { da = 0, db = 0, dc = 0 } = moved;
    expectShares({ a: da, b: db, c: dc }, { a: 1, b: 2, c: 3 });
    backends[3]!.state.healthy = true;
    expect(homes(backends, balancer)).toEqual(before);
  });

  it('tells addresses apart that differ in one character, IPv6 too', () => {
    const backends = backendsNamed(...TEN);
    const balancer = make();
    const counts: Record<string, number> = Object.fromEntries(TEN.map((id) => [id, 0]));
    for (let n = 0; n < CLIENTS; n++)
      counts[balancer.pick(backends, exchangeFrom(`2001:db8::${n.toString(16)}`), admission())!.id]!++;
    expectShares(counts, Object.fromEntries(TEN.map((id) => [id, 1])));
  });
});
