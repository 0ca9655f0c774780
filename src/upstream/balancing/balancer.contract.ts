import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Exchange } from '../../exchange/exchange.js';
import { systemClock } from '../../common/clock.js';
import type { Backend, Breaker, ConnectionPool } from '../../exchange/upstream.js';
import { type AdmissionSettings, UpstreamAdmission } from '../admission.js';
import { type BackendParts, CompiledBackend } from '../backend.js';
import { WaitingLine } from '../waiting-line.js';
import type { Admission, Balancer } from './balancer.js';

/** Backends `a`, `b`, … of one upstream, all healthy. */
export function backendsNamed(...ids: string[]): CompiledBackend[] {
  return ids.map((id) => backendWith({ id }));
}

/** A backend of weight 1 that has served from the start. */
export function backendWith(parts: Partial<BackendParts> & { id: string }): CompiledBackend {
  return new CompiledBackend({
    url: `http://${parts.id}`,
    upstream: 'test',
    weight: 1,
    origin: new URL(`http://${parts.id}`),
    basePath: '',
    state: { healthy: true, inFlight: 0, draining: false, servingSince: 0 },
    pool: null as unknown as ConnectionPool,
    poolKey: '',
    breaker: null,
    maxInFlight: 0,
    line: new WaitingLine(),
    ...parts,
  });
}

/** A breaker that lets nothing through. */
export const OPEN = { circuit: 'open', admits: () => false } as unknown as Breaker;

/** The usual rules, without slow start and panic. */
export function admission(tried: Iterable<Backend> | null = null): Admission {
  return admissionOf({}).for([], tried === null ? null : new Set(tried));
}

/** @param now what the clock says, in milliseconds */
export function admissionOf(settings: Partial<AdmissionSettings>, now?: () => number): UpstreamAdmission {
  const clock = now === undefined ? systemClock : { now, wall: now };
  return new UpstreamAdmission({ slowStartMs: 0, panicThreshold: 0, ...settings }, clock);
}

/** As much of an exchange as balancing reads. */
export function exchangeFrom(clientIp: string): Exchange {
  return { clientIp } as Exchange;
}

/** Chance that is the same at each run (mulberry32). */
export function seededRandom(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks for so many different clients, none of which stays in flight: how many each backend got, by id. */
export function countPicks(
  balancer: Balancer,
  backends: readonly Backend[],
  count: number,
  rules: Admission = admission(),
): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(backends.map(({ id }) => [id, 0]));
  for (let client = 0; client < count; client++)
    counts[balancer.pick(backends, clientNumber(client), rules)!.id]!++;
  return counts;
}

/** One of 16 million clients. */
export function clientNumber(number: number): Exchange {
  return exchangeFrom(`10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`);
}

/** What an algorithm does not owe, each with its reason. */
export interface ContractSkips {
  readonly weights?: string;
  readonly warmth?: string;
}

/** What every algorithm owes, whatever its idea of a good choice. */
export function runBalancerContract(name: string, make: () => Balancer, skip: ContractSkips = {}): void {
  describe(`${name} keeps the contract of balancers`, () => {
    availability(make);
    listsOfReloads(make);
    describe.skipIf(skip.weights)(`weights ${reason(skip.weights)}`, () => {
      weightedShares(make);
    });
    describe.skipIf(skip.warmth)(`slow start ${reason(skip.warmth)}`, () => {
      warmShares(make);
    });
  });
}

function reason(skipped: string | undefined): string {
  return skipped === undefined ? '' : `(not owed: ${skipped})`;
}

function pickAll(balancer: Balancer, backends: readonly Backend[], tried: Set<Backend> | null = null) {
  const rules = admission(tried);
  return new Set(
    Array.from({ length: 500 }, (_, n) => balancer.pick(backends, clientNumber(n), rules)?.id ?? null),
  );
}

function availability(make: () => Balancer): void {
  it('picks nothing of nothing', () => {
    expect(make().pick([], clientNumber(0), admission())).toBeNull();
  });

  it.each<[string, (backend: CompiledBackend) => CompiledBackend]>([
    ['unhealthy', (backend) => setState(backend, { healthy: false })],
    ['draining', (backend) => setState(backend, { draining: true })],
    ['full', ({ id }) => setState(backendWith({ id, maxInFlight: 2 }), { inFlight: 2 })],
    ['behind an open circuit', ({ id }) => backendWith({ id, breaker: OPEN })],
  ])('never picks one that is %s', (_, spoil) => {
    const backends = backendsNamed('a', 'b', 'c');
    const one = [backends[0]!, spoil(backends[1]!), backends[2]!];
    expect(pickAll(make(), one)).toEqual(new Set(['a', 'c']));
    expect(pickAll(make(), backends.map(spoil))).toEqual(new Set([null]));
  });

  it('picks nothing when all were tried', () => {
    const backends = backendsNamed('a', 'b', 'c');
    expect(pickAll(make(), backends, new Set(backends))).toEqual(new Set([null]));
  });

  it('uses every healthy backend for many clients', () => {
    expect(pickAll(make(), backendsNamed('a', 'b', 'c', 'd'))).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('gives equal backends equal shares, within one percent of the requests', () => {
    expectShares(countPicks(make(), backendsNamed('a', 'b', 'c', 'd'), 100_000), { a: 1, b: 1, c: 1, d: 1 });
  });

  it('finds the only one left', () => {
    const backends = backendsNamed('a', 'b', 'c', 'd');
    backends[1]!.state.healthy = false;
    expect(pickAll(make(), backends, new Set([backends[0]!, backends[3]!]))).toEqual(new Set(['c']));
  });

  it('uses a backend again after its recovery', () => {
    const balancer = make();
    const backends = backendsNamed('a', 'b');
    backends[0]!.state.healthy = false;
    expect(pickAll(balancer, backends)).toEqual(new Set(['b']));
    backends[0]!.state.healthy = true;
    expect(pickAll(balancer, backends)).toEqual(new Set(['a', 'b']));
  });

  it('uses unhealthy ones too in a panic, but no draining one and none behind an open circuit', () => {
    const backends = [...backendsNamed('a', 'b', 'c', 'd'), backendWith({ id: 'e', breaker: OPEN })];
    for (const { state } of backends.slice(1)) state.healthy = false;
    backends[2]!.state.draining = true;
    const rules = admissionOf({ panicThreshold: 30 }).for(backends, null);
    const counts = countPicks(make(), backends, 1_000, rules);
    expect(Object.keys(counts).filter((id) => counts[id]! > 0)).toEqual(['a', 'b', 'd']);
  });

  it('never picks one that may not take it, and always one when there is one', () => {
    fc.assert(fc.property(MOMENTS, (moments) => expectAllowedPicks(make(), moments)));
  });
}

function setState(backend: CompiledBackend, state: Partial<CompiledBackend['state']>): CompiledBackend {
  Object.assign(backend.state, state);
  return backend;
}

function listsOfReloads(make: () => Balancer): void {
  it('follows another list, and goes back for exchanges of the older one', () => {
    const balancer = make();
    const before = backendsNamed('a', 'b', 'c');
    const after = [before[2]!, ...backendsNamed('d'), before[0]!];
    expect(pickAll(balancer, before)).toEqual(new Set(['a', 'b', 'c']));
    expect(pickAll(balancer, after)).toEqual(new Set(['a', 'c', 'd']));
    expect(pickAll(balancer, before)).toEqual(new Set(['a', 'b', 'c']));
    expect(pickAll(balancer, [])).toEqual(new Set([null]));
  });
}

function weightedShares(make: () => Balancer): void {
  const heavy = { a: 1, b: 2, c: 5, d: 12 };
  const weighted = (weights: Record<string, number>) =>
    Object.entries(weights).map(([id, weight]) => backendWith({ id, weight }));

  it('are shares, within one percent of the requests', () => {
    expectShares(countPicks(make(), weighted(heavy), 100_000), heavy);
  });

  it('hold among those that are left', () => {
    const backends = weighted(heavy);
    backends[3]!.state.healthy = false;
    expectShares(countPicks(make(), backends, 100_000), { ...heavy, d: 0 });
  });

  it('of a reload hold from then on', () => {
    const balancer = make();
    const before = weighted(heavy);
    countPicks(balancer, before, 1_234);
    const weights = { ...heavy, a: 10, d: 3 };
    const after = before.map((one) =>
      backendWith({ id: one.id, state: one.state, weight: weights[one.id as 'a'] }),
    );
    expectShares(countPicks(balancer, after, 100_000), weights);
  });
}

function warmShares(make: () => Balancer): void {
  const SLOW_START = 10_000;

  it('gives a new backend a part of its share that grows with time', () => {
    const backends = backendsNamed('a', 'b', 'c');
    backends[1]!.state.servingSince = 5_000;
    let time = 0;
    const rules = admissionOf({ slowStartMs: SLOW_START }, () => time).for(backends, null);
    const balancer = make();
    for (const part of [0, 0.1, 0.25, 0.5, 0.75, 1, 5]) {
      time = 5_000 + part * SLOW_START;
      const b = Math.min(1, Math.max(part, 0.1));
      expectShares(countPicks(balancer, backends, 100_000, rules), { a: 1, b, c: 1 });
    }
  });

  it('leaves the shares as they are where all began together', () => {
    const backends = backendsNamed('a', 'b', 'c');
    for (const { state } of backends) state.servingSince = 5_000;
    for (const time of [5_000, 8_000]) {
      const rules = admissionOf({ slowStartMs: SLOW_START }, () => time).for(backends, null);
      expectShares(countPicks(make(), backends, 100_000, rules), { a: 1, b: 1, c: 1 });
    }
  });
}

/** Each count is its part of the sum, within one percent of the sum; nothing is nothing. */
export function expectShares(counts: Record<string, number>, parts: Record<string, number>): void {
  const sum = (of: Record<string, number>) => Object.values(of).reduce((total, one) => total + one, 0);
  const [picks, whole] = [sum(counts), sum(parts)];
  for (const [id, part] of Object.entries(parts)) {
    const allowed = part === 0 ? 0 : 0.01;
    expect(Math.abs(counts[id]! / picks - part / whole), `${id}: ${counts[id]}`).toBeLessThanOrEqual(allowed);
  }
}

/** For one pick after another: which backends there are, and what speaks against each of them. */
const MOMENT = fc.record({
  healthy: fc.boolean(),
  tried: fc.boolean(),
  draining: fc.boolean(),
  inFlight: fc.nat({ max: 3 }),
});
type Moment = typeof MOMENT extends fc.Arbitrary<infer T> ? T : never;
const MOMENTS = fc.array(fc.array(MOMENT, { maxLength: 6 }), { maxLength: 30 });

function expectAllowedPicks(balancer: Balancer, moments: Moment[][]): void {
  const backends = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) =>
    backendWith({ id, weight: index + 1, maxInFlight: 3 }),
  );
  for (const [at, moment] of moments.entries()) {
    const list = backends.slice(0, moment.length);
    for (const [index, { healthy, draining, inFlight }] of moment.entries())
      setState(list[index]!, { healthy, draining, inFlight });
    const tried = new Set(list.filter((_, index) => moment[index]!.tried));
    const allowed: (Backend | null)[] = list.filter(
      ({ state }, index) => state.healthy && !state.draining && state.inFlight < 3 && !moment[index]!.tried,
    );
    const picked = balancer.pick(list, clientNumber(at), admission(tried));
    expect(allowed.length > 0 ? allowed : [null]).toContain(picked);
  }
}
