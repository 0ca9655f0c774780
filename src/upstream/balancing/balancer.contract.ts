import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Exchange } from '../../exchange/exchange.js';
import { systemClock } from '../../common/clock.js';
import type { Backend, ConnectionPool } from '../../exchange/upstream.js';
import { UpstreamAdmission } from '../admission.js';
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

/** The usual rules, without slow start and panic. */
export function admission(tried: Iterable<Backend> | null = null): Admission {
  const settings = { slowStartMs: 0, panicThreshold: 0 };
  return new UpstreamAdmission(settings, systemClock).for([], tried === null ? null : new Set(tried));
}

/** As much of an exchange as balancing reads. */
export function exchangeFrom(clientIp: string): Exchange {
  return { clientIp } as Exchange;
}

/** What every algorithm owes, whatever its idea of a good choice. */
export function runBalancerContract(name: string, make: () => Balancer): void {
  describe(`${name} keeps the contract of balancers`, () => {
    const clients = Array.from({ length: 500 }, (_, n) => exchangeFrom(`10.0.${n >> 8}.${n & 255}`));
    const pickAll = (balancer: Balancer, backends: readonly Backend[], tried: Set<Backend> | null = null) =>
      new Set(clients.map((client) => balancer.pick(backends, client, admission(tried))?.id ?? null));

    it('picks nothing of nothing', () => {
      expect(make().pick([], clients[0]!, admission())).toBeNull();
    });

    it('picks nothing when none is healthy', () => {
      const backends = backendsNamed('a', 'b', 'c');
      for (const backend of backends) backend.state.healthy = false;
      expect(pickAll(make(), backends)).toEqual(new Set([null]));
    });

    it('picks nothing when all were tried', () => {
      const backends = backendsNamed('a', 'b', 'c');
      expect(pickAll(make(), backends, new Set(backends))).toEqual(new Set([null]));
    });

    it('uses every healthy backend for many clients', () => {
      expect(pickAll(make(), backendsNamed('a', 'b', 'c', 'd'))).toEqual(new Set(['a', 'b', 'c', 'd']));
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

    it('follows another list, and goes back for exchanges of the older one', () => {
      const balancer = make();
      const before = backendsNamed('a', 'b', 'c');
      const after = [before[2]!, ...backendsNamed('d'), before[0]!];
      expect(pickAll(balancer, before)).toEqual(new Set(['a', 'b', 'c']));
      expect(pickAll(balancer, after)).toEqual(new Set(['a', 'c', 'd']));
      expect(pickAll(balancer, before)).toEqual(new Set(['a', 'b', 'c']));
      expect(pickAll(balancer, [])).toEqual(new Set([null]));
    });

    it('never picks an unhealthy or a tried one, and always one when there is one', () => {
      fc.assert(fc.property(MOMENTS, (moments) => expectAllowedPicks(make(), moments)));
    });
  });
}

/** For one pick after another: which backends there are, healthy or not, tried or not. */
const MOMENTS = fc.array(
  fc.array(fc.record({ healthy: fc.boolean(), tried: fc.boolean() }), { maxLength: 6 }),
  {
    maxLength: 30,
  },
);

function expectAllowedPicks(balancer: Balancer, moments: { healthy: boolean; tried: boolean }[][]): void {
  const backends = backendsNamed('a', 'b', 'c', 'd', 'e', 'f');
  for (const [at, moment] of moments.entries()) {
    const list = backends.slice(0, moment.length);
    for (const [index, backend] of list.entries()) backend.state.healthy = moment[index]!.healthy;
    const tried = new Set(list.filter((_, index) => moment[index]!.tried));
    const allowed: (Backend | null)[] = list.filter(
      (backend) => backend.state.healthy && !tried.has(backend),
    );
    const picked = balancer.pick(list, exchangeFrom(`10.0.0.${at}`), admission(tried));
    expect(allowed.length > 0 ? allowed : [null]).toContain(picked);
  }
}
