import { describe, expect, it } from 'vitest';

import { systemClock } from '../common/clock.js';
import { countProbe } from './threshold.js';

/** Feeds probes, `+` passed and `-` failed, and tells the state after each: `U`p or `d`own, `!` where it turned. */
function course(healthy: boolean, probes: string, healthy_threshold = 2, unhealthy_threshold = 3): string {
  const state = { healthy, inFlight: 0, draining: false, servingSince: 0 };
  const streak = { length: 0 };
  const after = Array.from(probes, (probe) => {
    const thresholds = { healthy_threshold, unhealthy_threshold };
    const turned = countProbe(state, streak, probe === '+', thresholds, systemClock);
    return (state.healthy ? 'U' : 'd') + (turned ? '!' : '');
  });
  return after.join('');
}

describe('thresholds', () => {
  it('turn after as many probes in a row as written, once', () => {
    expect(course(true, '----')).toBe('UUd!d');
    expect(course(false, '+++')).toBe('dU!U');
  });

  it('begin to count anew after a probe that agrees with the state', () => {
    expect(course(true, '--+--+---')).toBe('UUUUUUUUd!');
    expect(course(false, '+-+-++')).toBe('dddddU!');
  });

  it('never flap while answers alternate', () => {
    expect(course(true, '-+-+-+-+', 2, 2)).toBe('UUUUUUUU');
    expect(course(false, '+-+-+-+-', 2, 2)).toBe('dddddddd');
  });

  it('turn at the first probe when they are 1', () => {
    expect(course(true, '-+-', 1, 1)).toBe('d!U!d!');
  });

  it('note when a backend recovered, and nothing else', () => {
    let time = 1_000;
    const clock = { now: () => time, wall: () => 0 };
    const state = { healthy: true, inFlight: 0, draining: false, servingSince: 0 };
    const streak = { length: 0 };
    const since = Array.from('--++', (probe) => {
      time++;
      countProbe(state, streak, probe === '+', { healthy_threshold: 2, unhealthy_threshold: 2 }, clock);
      return state.servingSince;
    });
    expect(since).toEqual([0, 0, 0, 1_004]);
  });

  it('do not carry failures over a recovery', () => {
    expect(course(true, '---++--')).toBe('UUd!dU!UU');
  });
});
