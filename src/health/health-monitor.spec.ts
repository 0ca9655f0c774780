import { SchedulerRegistry } from '@nestjs/schedule';
import { beforeEach, describe, expect, it } from 'vitest';

import { silentEvents } from '../upstream/upstream-events.fixture.js';
import { systemClock } from '../common/clock.js';
import { closeAtEnd } from '../../test/support/cleanup.js';
import { type EchoUpstream, echoUpstream } from '../../test/support/echo-upstream.js';
import { type RawUpstream, rawUpstream } from '../../test/support/raw-upstream.js';
import { waitFor } from '../../test/support/wait.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { HealthCheckConfig } from '../config/health-check.config.js';
import { UpstreamConfig } from '../config/upstream.config.js';
import type { Upstream } from '../exchange/upstream.js';
import { UpstreamRegistry } from '../upstream/upstream-registry.js';
import type { CheckerStarted, HealthEvents } from './health-events.js';
import { HealthMonitor } from './health-monitor.js';

type Check = Partial<HealthCheckConfig> | null;
type Target = Pick<EchoUpstream | RawUpstream, 'url'>;

/** Rounds by hand: no interval of a test ever falls due. */
const CHECK: Partial<HealthCheckConfig> = { interval: '1h', healthy_threshold: 2, unhealthy_threshold: 2 };

class Heard implements HealthEvents {
  readonly lines: string[] = [];
  readonly starts: CheckerStarted[] = [];

  unhealthy(upstream: string, backend: string, err: string): void {
    this.lines.push(`${upstream} ${backend} unhealthy: ${err}`);
  }

  recovered(upstream: string, backend: string): void {
    this.lines.push(`${upstream} ${backend} recovered`);
  }

  started(checker: CheckerStarted): void {
    this.starts.push(checker);
  }
}

describe('health monitor', () => {
  let registry: UpstreamRegistry;
  let scheduler: SchedulerRegistry;
  let heard: Heard;
  let monitor: HealthMonitor;

  beforeEach(() => {
    registry = new UpstreamRegistry(systemClock, silentEvents);
    scheduler = new SchedulerRegistry();
    heard = new Heard();
    monitor = new HealthMonitor(scheduler, heard, systemClock);
    closeAtEnd(() => monitor.stop());
  });

  /** Loads a document of these upstreams, like a start or a reload. */
  function load(upstreams: Record<string, [Check, ...Target[]]>): (name: string) => Upstream {
    const config = new GatewayConfig();
    for (const [name, [check, ...targets]] of Object.entries(upstreams)) {
      config.upstreams[name] = Object.assign(new UpstreamConfig(), {
        backends: targets.map(({ url }) => ({ id: null, url, weight: 1 })),
        health_check: check && Object.assign(new HealthCheckConfig(), check),
      });
    }
    const compiled = registry.compile(config);
    compiled.commit();
    monitor.applied({ upstreams: compiled.upstreams, config });
    return (name) => compiled.upstreams.get(name)!;
  }

  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++) await monitor.probeRound();
  };
  const health = (upstream: Upstream) => upstream.backends.map(({ state }) => state.healthy);
  const pick = (upstream: Upstream) => upstream.pick(null as never, null);

  it('probes at once', async () => {
    const target = await echoUpstream();
    load({ u: [CHECK, target] });
    expect(await waitFor(() => target.probes, 'the first probe')).toBe(1);
  });

  it('probes again at each interval', async () => {
    const target = await echoUpstream();
    load({ u: [{ ...CHECK, interval: '30ms', timeout: '20ms' }, target] });
    expect(await waitFor(() => target.probes >= 3, 'the third probe')).toBe(true);
  });

  it('turns a backend down and up again by the thresholds, telling it once', async () => {
    const [bad, good] = [await echoUpstream(), await echoUpstream()];
    const u = load({ u: [CHECK, bad, good] })('u');
    bad.healthStatus = 500;
    await rounds(3);
    expect(health(u)).toEqual([false, true]);
    expect(new Set([pick(u)!.url, pick(u)!.url])).toEqual(new Set([good.url]));
    bad.healthStatus = 200;
    await rounds(1);
    expect(health(u)).toEqual([false, true]);
    const before = systemClock.now();
    await rounds(2);
    expect(health(u)).toEqual([true, true]);
    expect(u.backends[0]!.state.servingSince).toBeGreaterThanOrEqual(before);
    expect(u.backends[1]!.state.servingSince).toBe(0);
    expect(heard.lines).toEqual([`u ${bad.url} unhealthy: unhealthy status: 500`, `u ${bad.url} recovered`]);
  });

  it('does not flap while answers alternate', async () => {
    const target = await echoUpstream();
    const u = load({ u: [CHECK, target] })('u');
    for (let round = 0; round < 10; round++) {
      target.healthStatus = round % 2 ? 200 : 500;
      await rounds(1);
      expect(health(u)).toEqual([true]);
    }
    expect(heard.lines).toEqual([]);
  });

  it('leaves nothing to pick when all are down, and comes back without a restart', async () => {
    const targets = [await echoUpstream(), await echoUpstream()] as const;
    const u = load({ u: [CHECK, ...targets] })('u');
    for (const target of targets) await target.stop();
    await rounds(2);
    expect(pick(u)).toBeNull();
    await targets[1].start();
    await rounds(2);
    expect(pick(u)!.url).toBe(targets[1].url);
    expect(heard.lines).toHaveLength(3);
  });

  it('ends a hanging probe by its own timeout while the others are judged', async () => {
    const [hanging, good] = [await rawUpstream(() => {}), await echoUpstream()];
    const u = load({ u: [{ ...CHECK, timeout: '40ms', unhealthy_threshold: 1 }, hanging, good] })('u');
    const begun = performance.now();
    await rounds(1);
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(health(u)).toEqual([false, true]);
    expect(heard.lines).toEqual([`u ${hanging.url} unhealthy: timeout after 40ms`]);
    await waitFor(() => hanging.connections[0]!.closed, 'the socket closes');
  });

  it('does not double a probe that still runs when the next is due', async () => {
    const slow = await rawUpstream(() => {});
    load({ u: [{ ...CHECK, timeout: '80ms', unhealthy_threshold: 1 }, slow] });
    await Promise.all([rounds(1), rounds(1), rounds(1)]);
    expect(slow.connections).toHaveLength(1);
    expect(heard.lines).toHaveLength(1);
  });

  it('tells a transition once when many slow probes run in parallel', async () => {
    const slow = await Promise.all(Array.from({ length: 40 }, () => rawUpstream(() => {})));
    const u = load({ u: [{ ...CHECK, timeout: '50ms', unhealthy_threshold: 1 }, ...slow] })('u');
    const begun = performance.now();
    await Promise.all([rounds(2), rounds(2)]);
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(health(u)).not.toContain(true);
    expect(new Set(heard.lines).size).toBe(40);
    expect(heard.lines).toHaveLength(40);
  });

  it('keeps the same url of two upstreams apart', async () => {
    const target = await echoUpstream();
    target.healthStatus = 204;
    const upstream = load({
      strict: [CHECK, target],
      lenient: [{ ...CHECK, expected_status: '200-299' }, target],
    });
    await rounds(2);
    expect(health(upstream('strict'))).toEqual([false]);
    expect(health(upstream('lenient'))).toEqual([true]);
  });

  it('tells what it began, once for each way of probing', async () => {
    const target = await echoUpstream();
    const http = { ...CHECK, interval: '5s', timeout: '2s' };
    load({
      u: [http, target],
      v: [http, target, target],
      w: [{ ...http, type: 'tcp' }, target],
      x: [null, target],
    });
    expect(heard.starts).toEqual([
      { backends: 3, path: '/health', interval: '5s', timeout: '2s' },
      { backends: 1, path: null, interval: '5s', timeout: '2s' },
    ]);
    load({ u: [http, target], v: [{ ...http, path: '/up' }, target] });
    expect(heard.starts.slice(2)).toEqual([{ backends: 1, path: '/up', interval: '5s', timeout: '2s' }]);
  });

  describe('over a reload', () => {
    it('keeps the interval of an upstream whose check did not change, and probes only what is new', async () => {
      const [old, added] = [await echoUpstream(), await echoUpstream()];
      load({ u: [CHECK, old] });
      await rounds(1);
      const interval: unknown = scheduler.getInterval('health check of u');
      load({ u: [CHECK, old, added] });
      await waitFor(() => added.probes === 1, 'the first probe of the new backend');
      expect(scheduler.getInterval('health check of u')).toBe(interval);
      expect(old.probes).toBe(1);
    });

    it('goes on counting where it was', async () => {
      const target = await echoUpstream();
      target.healthStatus = 500;
      load({ u: [{ ...CHECK, unhealthy_threshold: 3 }, target] });
      await rounds(2);
      const u = load({ u: [{ ...CHECK, unhealthy_threshold: 3, timeout: '3s' }, target] })('u');
      await waitFor(() => !u.backends[0]!.state.healthy, 'the third failure');
      expect(target.probes).toBe(3);
    });

    it('lets go of what was removed: no timer, no late verdict', async () => {
      const hanging = await rawUpstream(() => {});
      const u = load({ u: [{ ...CHECK, timeout: '1h', unhealthy_threshold: 1 }, hanging] })('u');
      await waitFor(() => hanging.connections.length, 'the probe');
      load({});
      await waitFor(() => hanging.connections[0]!.closed, 'the socket closes');
      expect(scheduler.getIntervals()).toEqual([]);
      expect(health(u)).toEqual([true]);
      expect(heard.lines).toEqual([]);
    });

    it('lets go of one backend of an upstream that stays', async () => {
      const [hanging, good] = [await rawUpstream(() => {}), await echoUpstream()];
      const check = { ...CHECK, timeout: '1h', unhealthy_threshold: 1 };
      load({ u: [check, hanging, good] });
      await waitFor(() => hanging.connections.length, 'the probe');
      load({ u: [check, good] });
      await waitFor(() => hanging.connections[0]!.closed, 'the socket closes');
      await rounds(1);
      expect(hanging.connections).toHaveLength(1);
      expect(heard.lines).toEqual([]);
    });

    it('takes a backend for healthy that is not probed any more', async () => {
      const target = await echoUpstream();
      target.healthStatus = 500;
      load({ u: [CHECK, target] });
      await rounds(2);
      const u = load({ u: [null, target] })('u');
      expect(health(u)).toEqual([true]);
      expect(u.backends[0]!.state.servingSince).toBeGreaterThan(0);
      expect(heard.lines.at(-1)).toBe(`u ${target.url} recovered`);
      expect(scheduler.getIntervals()).toEqual([]);
    });
  });

  describe('stop', () => {
    it('during a probe leaves no timer, no socket and no verdict', async () => {
      const hanging = await rawUpstream(() => {});
      const u = load({ u: [{ ...CHECK, timeout: '1h', unhealthy_threshold: 1 }, hanging] })('u');
      const round = monitor.probeRound();
      await waitFor(() => hanging.connections.length, 'the probe');
      const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      const before = timers();
      monitor.stop();
      await round;
      await waitFor(() => hanging.connections[0]!.closed, 'the socket closes');
      // The interval of the rounds and the time limit of the probe.
      expect(before - timers()).toBe(2);
      expect(scheduler.getIntervals()).toEqual([]);
      expect(health(u)).toEqual([true]);
      expect(heard.lines).toEqual([]);
    });

    it('before the first probe began sends none', async () => {
      const target = await echoUpstream();
      load({ u: [CHECK, target] });
      const round = monitor.probeRound();
      monitor.stop();
      await round;
      expect(target.connectionCount).toBe(0);
    });

    it('is for good, and may come twice', async () => {
      const target = await echoUpstream();
      monitor.stop();
      monitor.onApplicationShutdown();
      load({ u: [CHECK, target] });
      await rounds(1);
      expect(scheduler.getIntervals()).toEqual([]);
      expect(target.connectionCount).toBe(0);
    });
  });
});
