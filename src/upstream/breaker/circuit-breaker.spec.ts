import { describe, expect, it } from 'vitest';

import { BreakerScene } from './breaker.fixture.js';

describe('a closed circuit', () => {
  it('opens after `failures` in a row, not before', () => {
    const scene = new BreakerScene({ failures: 3 });
    scene.fail(2);
    scene.succeed();
    scene.fail(2);
    expect([scene.breaker.circuit, scene.breaker.admits()]).toEqual(['closed', true]);
    scene.fail();
    expect([scene.breaker.circuit, scene.breaker.admits()]).toEqual(['open', false]);
    expect(scene.told).toEqual(['open']);
  });

  it('does not count failures older than `window`', () => {
    const scene = new BreakerScene({ failures: 3, window: '10s' });
    scene.fail(2);
    scene.time += 10_001;
    scene.fail(2);
    expect(scene.breaker.circuit).toBe('closed');
    scene.time += 10_000;
    scene.fail();
    expect(scene.breaker.circuit).toBe('open');
  });

  it('stays so below `min_requests` in the window, whatever fails', () => {
    const scene = new BreakerScene({ failures: 2, min_requests: 5, window: '1s' });
    scene.fail(4);
    expect(scene.breaker.circuit).toBe('closed');
    scene.time += 1_001;
    scene.succeed(3);
    scene.fail();
    expect(scene.breaker.circuit).toBe('closed');
    scene.fail();
    expect(scene.breaker.circuit).toBe('open');
  });

  it('counts no exchange twice, and no abandoned one, towards `min_requests`', () => {
    const scene = new BreakerScene({ failures: 1, min_requests: 3 });
    for (let n = 0; n < 10; n++) scene.breaker.begin().settle('abandoned');
    scene.succeed();
    scene.fail();
    expect(scene.breaker.circuit).toBe('closed');
    scene.fail();
    expect(scene.breaker.circuit).toBe('open');
  });

  it('hears nothing of clients that left, who break no row either', () => {
    const scene = new BreakerScene({ failures: 3 });
    for (let n = 0; n < 20; n++) scene.breaker.begin().settle('abandoned');
    scene.fail(2);
    scene.breaker.begin().settle('abandoned');
    expect(scene.breaker.circuit).toBe('closed');
    scene.fail();
    expect(scene.breaker.circuit).toBe('open');
  });

  it('costs one shared permit and no look at the clock while nothing fails', () => {
    const scene = new BreakerScene();
    const permits = new Set(Array.from({ length: 100 }, () => scene.breaker.begin()));
    expect(permits.size).toBe(1);
    scene.breaker.admits();
    for (const permit of permits) permit.uploading(true);
    for (const permit of permits) permit.headed();
    scene.succeed(100);
    expect(scene.clockReads).toBe(0);
  });

  it('judges by the configured statuses', () => {
    const { breaker } = new BreakerScene({ statuses: [429, '502-504'] });
    const outcomes = [200, 404, 429, 500, 501, 502, 504, 505, 999].map((status) => breaker.outcomeOf(status));
    const failure = [false, false, true, false, false, true, true, false, false];
    expect(outcomes).toEqual(failure.map((is) => (is ? 'failure' : 'success')));
  });

  it('judges 500 to 599 as failures by default', () => {
    const { breaker } = new BreakerScene();
    expect([499, 500, 599].map((status) => breaker.outcomeOf(status))).toEqual([
      'success',
      'failure',
      'failure',
    ]);
  });
});

describe('an open circuit', () => {
  it('lets nothing through for `cooldown`, and says how long', () => {
    const scene = new BreakerScene({ failures: 1, cooldown: '30s' });
    expect(scene.breaker.waitMs()).toBe(0);
    scene.fail();
    expect(scene.breaker.waitMs()).toBe(30_000);
    scene.time += 29_999;
    expect([scene.breaker.admits(), scene.breaker.waitMs(), scene.breaker.circuit]).toEqual([
      false,
      1,
      'open',
    ]);
    scene.time += 1;
    expect([scene.breaker.circuit, scene.breaker.waitMs()]).toEqual(['half-open', 0]);
    expect(scene.told).toEqual(['open']);
    expect(scene.breaker.admits()).toBe(true);
    scene.breaker.admits();
    expect(scene.told).toEqual(['open', 'half-open']);
  });

  it('does not hear of exchanges that began before, good or bad', () => {
    const scene = new BreakerScene({ failures: 1, cooldown: '1s', successes: 1 });
    const [good, bad, late] = [scene.breaker.begin(), scene.breaker.begin(), scene.breaker.begin()];
    scene.fail();
    bad.settle('failure');
    good.settle('success');
    scene.time += 1_000;
    scene.breaker.admits();
    late.settle('failure');
    expect(scene.told).toEqual(['open', 'half-open']);
    scene.succeed();
    expect(scene.told).toEqual(['open', 'half-open', 'closed']);
  });
});

describe('a half-open circuit', () => {
  const SETTINGS = { failures: 1, cooldown: '1s', half_open_requests: 2, successes: 3 } as const;
  function halfOpen(more: object = {}): BreakerScene {
    const scene = new BreakerScene({ ...SETTINGS, ...more });
    scene.toHalfOpen(1, 1_000);
    return scene;
  }

  it('has so many in flight at once, and closes after `successes`', () => {
    const scene = halfOpen();
    const [one, two] = [scene.breaker.begin(), scene.breaker.begin()];
    expect([scene.breaker.admits(), scene.breaker.waitMs() > 0]).toEqual([false, true]);
    one.settle('success');
    expect([scene.breaker.admits(), scene.breaker.waitMs()]).toEqual([true, 0]);
    two.settle('success');
    expect(scene.breaker.circuit).toBe('half-open');
    scene.succeed();
    expect([scene.breaker.circuit, scene.breaker.admits()]).toEqual(['closed', true]);
    expect(scene.told).toEqual(['open', 'half-open', 'closed']);
  });

  it('opens again at one failure, for a whole cooldown', () => {
    const scene = halfOpen();
    scene.succeed(2);
    scene.time += 400;
    scene.fail();
    expect([scene.breaker.circuit, scene.breaker.waitMs()]).toEqual(['open', 1_000]);
    scene.time += 1_000;
    scene.breaker.admits();
    scene.succeed(2);
    expect(scene.breaker.circuit).toBe('half-open');
    expect(scene.told).toEqual(['open', 'half-open', 'open', 'half-open']);
  });

  it('does not hear of probes of an earlier half-open time', () => {
    const scene = halfOpen({ successes: 1 });
    const old = [scene.breaker.begin(), scene.breaker.begin()] as const;
    old[0].settle('failure');
    scene.time += 1_000;
    expect(scene.breaker.admits()).toBe(true);
    scene.breaker.begin();
    scene.breaker.begin();
    old[1].settle('success');
    expect([scene.breaker.circuit, scene.breaker.admits()]).toEqual(['half-open', false]);
  });

  it('gets the place of a client that left back, and learns nothing', () => {
    const scene = halfOpen({ successes: 1 });
    const [one, two] = [scene.breaker.begin(), scene.breaker.begin()];
    one.settle('abandoned');
    two.settle('abandoned');
    expect([scene.breaker.circuit, scene.breaker.admits()]).toEqual(['half-open', true]);
  });

  it('neither counts nor frees the place of a probe that hangs before its head', () => {
    const scene = halfOpen({ half_open_requests: 1, successes: 1 });
    const probe = scene.breaker.begin();
    scene.time += 60_000;
    expect([scene.breaker.admits(), scene.breaker.circuit]).toEqual([false, 'half-open']);
    probe.settle('failure');
    expect(scene.breaker.circuit).toBe('open');
  });

  it('takes a good head for a success after one cooldown, though the body goes on', () => {
    const scene = halfOpen({ half_open_requests: 1, successes: 2 });
    const probe = scene.breaker.begin();
    scene.time += 5_000;
    probe.headed();
    scene.time += 999;
    expect(scene.breaker.admits()).toBe(false);
    scene.time += 1;
    expect(scene.breaker.admits()).toBe(true);
    probe.settle('failure');
    expect(scene.breaker.circuit).toBe('half-open');
    scene.succeed();
    expect(scene.breaker.circuit).toBe('closed');
  });

  it('closes by a long body alone where one success is enough', () => {
    const scene = halfOpen({ half_open_requests: 1, successes: 1 });
    scene.breaker.begin().headed();
    scene.time += 1_000;
    expect([scene.breaker.admits(), scene.breaker.circuit]).toEqual([true, 'closed']);
  });

  it('does not let slow uploads hold its places for longer than a cooldown', () => {
    const scene = halfOpen({ half_open_requests: 2, successes: 1 });
    const [slow, quick] = [scene.breaker.begin(), scene.breaker.begin()];
    slow.uploading(true);
    quick.uploading(true);
    quick.uploading(false);
    scene.time += 1_000;
    expect([scene.breaker.admits(), scene.breaker.circuit]).toEqual([true, 'half-open']);
    scene.breaker.begin();
    expect(scene.breaker.admits()).toBe(false);
    slow.settle('success');
    expect(scene.breaker.circuit).toBe('half-open');
    quick.settle('success');
    expect(scene.breaker.circuit).toBe('closed');
  });
});

describe('over a reload', () => {
  it('goes on where it was, by the new settings', () => {
    const scene = new BreakerScene({ failures: 5 });
    scene.fail(3);
    scene.reload({ failures: 4, cooldown: '2s' });
    scene.fail();
    expect(scene.breaker.waitMs()).toBe(2_000);
    scene.reload({ cooldown: '1s', half_open_requests: 1, successes: 1 });
    scene.time += 1_000;
    expect(scene.breaker.admits()).toBe(true);
    const probe = scene.breaker.begin();
    scene.reload({ half_open_requests: 2, successes: 2 });
    expect(scene.breaker.admits()).toBe(true);
    scene.breaker.begin();
    expect(scene.breaker.admits()).toBe(false);
    probe.settle('failure');
    expect(scene.breaker.circuit).toBe('open');
    expect(scene.told).toEqual(['open', 'half-open', 'open']);
  });

  it('hears of exchanges that began on the snapshot before', () => {
    const scene = new BreakerScene({ failures: 1 });
    const old = scene.breaker.begin();
    scene.reload({ failures: 2 });
    old.settle('failure');
    expect(scene.breaker.circuit).toBe('open');
  });

  it('is closed and forgotten once it was taken out', () => {
    const scene = new BreakerScene({ failures: 1 });
    scene.fail();
    expect(scene.compile(null, scene.breaker)).toBeNull();
    expect(scene.compile({}, null)!.circuit).toBe('closed');
  });

  it('is not changed by a snapshot that was only compiled', () => {
    const scene = new BreakerScene({ failures: 2 });
    scene.fail();
    scene.compile({ failures: 1 }, scene.breaker);
    expect(scene.breaker.circuit).toBe('closed');
    scene.fail();
    expect(scene.breaker.circuit).toBe('open');
  });
});
