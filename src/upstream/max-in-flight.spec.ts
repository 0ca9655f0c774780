import { describe, expect, it } from 'vitest';

import { systemClock } from '../common/clock.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { MaxInFlightConfig, UpstreamConfig } from '../config/upstream.config.js';
import type { WaitingExchange } from '../exchange/upstream.js';
import { exchangeFrom } from './balancing/balancer.contract.js';
import type { CompiledUpstream } from './compiled-upstream.js';
import { setBackendState } from './draining.js';
import { silentEvents } from './upstream-events.fixture.js';
import { UpstreamRegistry } from './upstream-registry.js';

const anybody = exchangeFrom('127.0.0.1');
const bound = (limit: number, queue = 1): MaxInFlightConfig =>
  Object.assign(new MaxInFlightConfig(), { limit, queue });

function stage() {
  const registry = new UpstreamRegistry(systemClock, silentEvents);
  const compile = (max_in_flight: MaxInFlightConfig | null, weights = [1, 1]) => {
    const backends = weights.map((weight, at) => ({ id: `${at}`, url: `http://h:${at + 1}`, weight }));
    const upstream = Object.assign(new UpstreamConfig(), { backends, max_in_flight });
    return registry.compile(Object.assign(new GatewayConfig(), { upstreams: { u: upstream } }));
  };
  const apply = (...args: Parameters<typeof compile>): CompiledUpstream => {
    const set = compile(...args);
    set.commit();
    return set.upstreams.get('u') as CompiledUpstream;
  };
  return { compile, apply };
}

/** One who takes whatever it is offered. */
function waitingOn(upstream: CompiledUpstream) {
  const waiting: WaitingExchange & { got: string | null } = {
    upstream,
    got: null,
    offered: () => {
      const backend = upstream.pick(anybody, null);
      if (backend === null) return false;
      backend.begin();
      waiting.got = backend.id;
      return true;
    },
  };
  expect(upstream.join(waiting)).toBe(true);
  return waiting;
}

const fill = (upstream: CompiledUpstream, times = 1): void => {
  for (let at = 0; at < times; at++) for (const backend of upstream.backends) backend.begin();
};

describe('max_in_flight', () => {
  it('has places in the line for the backends in rotation', () => {
    for (const [weights, places] of [
      [[1, 1, 1], 6],
      [[1, 0, 5], 4],
      [[0, 1], 2],
    ] as const) {
      const u = stage().apply(bound(1, 2), [...weights]);
      const joined = Array.from({ length: 9 }, () => u.join({ upstream: u, offered: () => false })).filter(
        Boolean,
      );
      expect(joined).toHaveLength(places);
    }
  });

  it('is full only while a backend that is fit has no place', () => {
    const u = stage().apply(bound(1));
    const [a, b] = u.backends as [(typeof u.backends)[0], (typeof u.backends)[0]];
    fill(u);
    expect([u.pick(anybody, null), u.isFull(null), u.hasRoom()]).toEqual([null, true, false]);
    expect([u.isFull(new Set([a])), u.isFull(new Set([a, b]))]).toEqual([true, false]);
    expect(u.refusal().reason).toBe('overloaded');
    a.state.draining = true;
    b.state.healthy = false;
    expect([u.isFull(null), u.refusal().reason]).toEqual([false, 'no_healthy_backend']);
    expect(stage().apply(null).isFull(null)).toBe(false);
  });

  it('of the snapshot in force holds for exchanges of older ones, once it is committed', () => {
    const { apply, compile } = stage();
    const first = apply(bound(1));
    fill(first);
    const [early, late] = [waitingOn(first), waitingOn(first)];
    const next = compile(bound(2));
    expect([first.hasRoom(), early.got]).toEqual([false, null]);
    next.commit();
    expect(new Set([early.got, late.got])).toEqual(new Set(['0', '1']));
    expect(first.hasRoom()).toBe(false);
    const third = apply(null);
    expect([first.hasRoom(), third.hasRoom()]).toEqual([true, true]);
    const fourth = apply(bound(2));
    expect([first.hasRoom(), third.hasRoom(), fourth.hasRoom()]).toEqual([false, false, false]);
  });

  it('is not touched by a document that is discarded', () => {
    const { apply, compile } = stage();
    const first = apply(bound(1));
    fill(first);
    const waiting = waitingOn(first);
    compile(bound(9)).discard();
    first.line.advance();
    expect([first.hasRoom(), waiting.got]).toEqual([false, null]);
  });

  it('counts one place for whoever began on either snapshot', () => {
    const { apply } = stage();
    const first = apply(bound(1), [1]);
    first.backends[0]!.begin();
    const second = apply(bound(1), [3]);
    expect(second.pick(anybody, null)).toBe(null);
    const waiting = waitingOn(second);
    first.backends[0]!.end(null, 'success');
    expect([waiting.got, second.backends[0]!.state.inFlight]).toEqual(['0', 1]);
  });
});

describe('the state of a backend', () => {
  it('is changed once, offers places when it is back, and lets slow start begin', () => {
    const u = stage().apply(bound(1));
    const [a, b] = u.backends as [(typeof u.backends)[0], (typeof u.backends)[0]];
    const clock = { now: () => 5_000, wall: () => 0 };
    const set = (state: 'active' | 'draining') =>
      setBackendState([u], { upstream: 'u', backend: a.id, state }, clock);
    expect(set('active')).toMatchObject({ backend: { id: '0', state: 'active' } });
    expect(a.state.servingSince).toBe(0);
    expect(set('draining')).toMatchObject({ backend: { state: 'draining' } });
    b.begin();
    const waiting = waitingOn(u);
    set('draining');
    expect(waiting.got).toBe(null);
    expect(set('active')).toMatchObject({ backend: { state: 'active', in_flight: 1 } });
    expect([waiting.got, a.state.servingSince]).toEqual(['0', 5_000]);
  });

  it('of what is not there is plain data', () => {
    const u = stage().apply(null);
    const set = (upstream: string, backend: string) =>
      setBackendState([u], { upstream, backend, state: 'draining' }, systemClock);
    expect(set('v', '0')).toEqual({ unknown: 'upstream', known: ['u'] });
    expect(set('u', '2')).toEqual({ unknown: 'backend', known: ['0', '1'] });
  });
});
