import { describe, expect, it } from 'vitest';

import { type Clock, systemClock } from './clock.js';
import { RequestIds } from './request-id.js';

const at = (wall: number): Clock => ({ now: () => 0, wall: () => wall });
const trusting = new RequestIds({ trust: true }, systemClock);
const NEW_ID = /^[0-9a-hjkmnp-tv-z]{26}$/;

describe('the id of a request', () => {
  it.each(['a', 'Ab-9._', 'x'.repeat(128)])('is the client’s where it fits: %s', (id) => {
    expect(trusting.idFor(id)).toBe(id);
  });

  it.each(['', 'a\tb', 'a b', 'a\n', '"', 'ä', 'a,b', 'x'.repeat(129), 'x'.repeat(10_240)])(
    'is a new one where the client’s does not fit: %j',
    (id) => {
      expect(trusting.idFor(id)).toMatch(NEW_ID);
    },
  );

  it('is a new one where there is none or none is trusted', () => {
    expect(trusting.idFor(undefined)).toMatch(NEW_ID);
    expect(new RequestIds({ trust: false }, systemClock).idFor('mine')).toMatch(NEW_ID);
  });

  it('is a ULID: ten digits of milliseconds, sixteen of randomness', () => {
    const zeros = new RequestIds({ trust: true }, at(0x1234_5678_9abc), (into) => into.fill(0));
    const ones = new RequestIds({ trust: true }, at(2 ** 48 - 1), (into) => into.fill(0xffff));
    expect(zeros.newId()).toBe('0j6hb7h6nw' + '0'.repeat(16));
    expect(ones.newId()).toBe('7zzzzzzzzz' + 'z'.repeat(16));
  });

  it('sorts by time', () => {
    let wall = 1_700_000_000_000;
    const ids = new RequestIds({ trust: true }, { now: () => 0, wall: () => wall });
    const made = Array.from({ length: 100 }, () => {
      wall += 1;
      return ids.newId();
    });
    expect(made.toSorted()).toEqual(made);
  });

  it('is never given twice, within a millisecond and over two processes', () => {
    const clock = at(1_700_000_000_000);
    const makers = [new RequestIds({ trust: true }, clock), new RequestIds({ trust: true }, clock)];
    const ids = makers.flatMap((maker) => Array.from({ length: 20_000 }, () => maker.newId()));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('takes fresh randomness for each id, whatever the fill brings', () => {
    let next = 0;
    const counting = new RequestIds({ trust: true }, at(0), (into) =>
      into.forEach((_, i) => (into[i] = next++)),
    );
    const ids = Array.from({ length: 64 }, () => counting.newId());
    expect(new Set(ids).size).toBe(64);
  });
});
