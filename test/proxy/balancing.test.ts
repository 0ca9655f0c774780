import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type EchoUpstream,
  echoUpstream,
  freePort,
  open,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

const echoes = (count: number) => Promise.all(Array.from({ length: count }, () => echoUpstream()));
const counts = (upstreams: readonly EchoUpstream[]) => upstreams.map(({ requests }) => requests.length);

/** A gateway with one upstream `u` behind every path. */
function balanced(upstream: object, document: object = {}): Promise<TestGateway> {
  return startTestGateway({ ...documentOf(upstream), ...document });
}

function documentOf(upstream: object): object {
  return { upstreams: { u: upstream }, routes: [{ path: '/', upstream: 'u' }] };
}

/** One after the other; each must be answered 200. */
async function send(gateway: TestGateway, count: number, headers: Record<string, string> = {}) {
  for (let sent = 0; sent < count; sent++)
    expect((await gateway.get(`/${sent}`, { headers })).status).toBe(200);
}

describe('weights', () => {
  it.each(['weighted_round_robin', 'least_connections', 'random'])('are shares of %s', async (balancing) => {
    const [light, heavy, none] = (await echoes(3)) as [EchoUpstream, EchoUpstream, EchoUpstream];
    const backends = [
      { ...light.backend, weight: 1 },
      { ...heavy.backend, weight: 3 },
      { ...none.backend, weight: 0 },
    ];
    const gateway = await balanced({ backends, balancing });
    await send(gateway, 200);
    expect(none.requests).toHaveLength(0);
    // By chance a share strays; six standard deviations are 37 requests.
    const allowed = balancing === 'weighted_round_robin' ? 0 : 37;
    expect(Math.abs(heavy.requests.length - 150)).toBeLessThanOrEqual(allowed);
    await untilAtRest(gateway);
  });

  it('that a reload changes hold from then on', async () => {
    const pair = (await echoes(2)) as [EchoUpstream, EchoUpstream];
    const weighted = (...weights: number[]) => ({
      backends: pair.map(({ backend }, index) => ({ ...backend, weight: weights[index] })),
      balancing: 'weighted_round_robin',
    });
    const gateway = await balanced(weighted(1, 1));
    await send(gateway, 10);
    expect(counts(pair)).toEqual([5, 5]);
    expect(await gateway.reload(documentOf(weighted(9, 1)))).toBe(true);
    await send(gateway, 20);
    expect(counts(pair)).toEqual([23, 7]);
  });
});

describe('least connections', () => {
  /** A backend whose answers begin and do not end until the test says so. */
  async function withHeld() {
    const held: ServerResponse[] = [];
    const slow = await echoUpstream({
      intercept: (_, response) => {
        held.push(response);
        response.writeHead(200).write('begun');
        return true;
      },
    });
    const fast = await echoUpstream();
    const backends = [slow.backend, fast.backend];
    const gateway = await balanced({ backends, balancing: 'least_connections' });
    const inFlight = () => gateway.metric('gateway_backend_in_flight', { backend: slow.url });
    /** Sends until the slow one has got one, and returns that answer, of which the head was read. */
    const reachSlow = async () => {
      for (let sent = 0; sent < 64; sent++) {
        const before = held.length;
        const answer = await open(`${gateway.url}/a`, { agent: false });
        if (held.length > before) return answer;
        for await (const _ of answer);
      }
      throw new Error('64 requests, and none of them went to the backend that is as idle as the other');
    };
    return { gateway, slow, fast, held, inFlight, reachSlow };
  }

  it('count an exchange until its response has ended', async () => {
    const { gateway, fast, held, inFlight, reachSlow } = await withHeld();
    const answer = await reachSlow();
    const before = fast.requests.length;
    await send(gateway, 20);
    expect(fast.requests.length - before).toBe(20);
    held[0]!.end();
    for await (const _ of answer);
    expect(await inFlight()).toBe(0);
    (await reachSlow()).destroy();
  });

  it('count it no more when its client has gone', async () => {
    const { gateway, fast, inFlight, reachSlow } = await withHeld();
    const answer = await reachSlow();
    expect(await inFlight()).toBe(1);
    answer.destroy();
    await waitFor(async () => (await inFlight()) === 0, 'the exchange is over');
    (await reachSlow()).destroy();
    await untilAtRest(gateway);
    expect(fast.aborted).toBe(0);
  });

  it('leave a slow backend what it can bear while the others work', async () => {
    const { gateway, slow, fast, held } = await withHeld();
    const answers = Array.from({ length: 60 }, () => gateway.get('/a'));
    await waitFor(() => fast.requests.length + held.length === 60, 'all 60 arrive');
    // It holds what it has, so only those that were in flight beside each other are shared with it.
    expect(slow.started).toBeLessThanOrEqual(31);
    await send(gateway, 30);
    expect(held).toHaveLength(slow.started);
    for (const response of held) response.end();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(60).fill(200));
    await untilAtRest(gateway);
  });
});

describe('ip hash', () => {
  const CLIENTS = Array.from({ length: 60 }, (_, n) => `203.0.113.${n}`);

  /** Index of the backend that each client came to. */
  async function homes(gateway: TestGateway, upstreams: readonly EchoUpstream[]): Promise<number[]> {
    const found: number[] = [];
    for (const client of CLIENTS) {
      const before = counts(upstreams);
      await send(gateway, 1, { 'x-forwarded-for': client });
      found.push(counts(upstreams).findIndex((count, index) => count > before[index]!));
    }
    return found;
  }

  const backendsOf = (upstreams: readonly EchoUpstream[]) => upstreams.map(({ backend }) => backend);

  it('goes by the client that a trusted proxy names, and moves only who must', async () => {
    const upstreams = await echoes(3);
    const gateway = await balanced(
      { backends: backendsOf(upstreams), balancing: 'ip_hash' },
      { server: { trusted_proxies: ['127.0.0.1/32'] } },
    );
    const first = await homes(gateway, upstreams);
    expect(new Set(first)).toEqual(new Set([0, 1, 2]));
    expect(await homes(gateway, upstreams)).toEqual(first);
    await upstreams[1]!.stop();
    const without = await homes(gateway, upstreams);
    expect(without.filter((home, client) => first[client] !== 1 && home !== first[client])).toEqual([]);
    expect(new Set(without)).toEqual(new Set([0, 2]));
    await upstreams[1]!.start();
    expect(await homes(gateway, upstreams)).toEqual(first);
  });

  it('lets nobody choose a backend by a header that is not believed', async () => {
    const upstreams = await echoes(3);
    const gateway = await balanced({ backends: backendsOf(upstreams), balancing: 'ip_hash' });
    expect(new Set(await homes(gateway, upstreams)).size).toBe(1);
  });
});

describe('a backend that refuses connections', () => {
  it('is not where round robin begins each time', async () => {
    const echo = await echoUpstream();
    const dead = `http://127.0.0.1:${await freePort()}`;
    const gateway = await balanced({ backends: [{ url: dead }, echo.backend] });
    await send(gateway, 10);
    await waitFor(() => gateway.logsWith('request completed').length === 10, 'ten lines');
    expect(gateway.logsWith('request completed', { attempts: 2 })).toHaveLength(5);
  });
});

const PROBES = { interval: '60ms', timeout: '50ms', healthy_threshold: 1, unhealthy_threshold: 1 };

describe('panic_threshold', () => {
  async function withUnhealthy(count: number, panic_threshold: number) {
    const upstreams = await echoes(4);
    for (const echo of upstreams.slice(0, count)) echo.healthStatus = 500;
    const backends = upstreams.map(({ backend }) => backend);
    const gateway = await balanced({ backends, health_check: PROBES, panic_threshold });
    for (const { url } of upstreams.slice(0, count))
      await gateway.logged('backend became unhealthy', { backend: url });
    return { gateway, upstreams };
  }

  it('of 0 tries none that is unhealthy', async () => {
    const { gateway } = await withUnhealthy(4, 0);
    const response = await gateway.get('/');
    expect([response.status, response.json()['code']]).toEqual([503, 'no_healthy_backend']);
  });

  it('has all tried below it', async () => {
    const { gateway, upstreams } = await withUnhealthy(3, 50);
    await send(gateway, 8);
    expect(counts(upstreams)).toEqual([2, 2, 2, 2]);
    for (const echo of upstreams) echo.healthStatus = 200;
    await gateway.logged('backend recovered', { backend: upstreams[0]!.url });
  });

  it('has health asked at it', async () => {
    const { gateway, upstreams } = await withUnhealthy(2, 50);
    await send(gateway, 8);
    expect(counts(upstreams)).toEqual([0, 0, 4, 4]);
  });

  it('serves with none healthy at all', async () => {
    const { gateway, upstreams } = await withUnhealthy(4, 1);
    await send(gateway, 8);
    expect(counts(upstreams)).toEqual([2, 2, 2, 2]);
  });
});

describe('slow_start', () => {
  it('gives a recovered backend a tenth of its share at first', async () => {
    const upstreams = (await echoes(2)) as [EchoUpstream, EchoUpstream];
    upstreams[0].healthStatus = 500;
    const backends = upstreams.map(({ backend }) => backend);
    const gateway = await balanced({ backends, health_check: PROBES, slow_start: '1h' });
    await gateway.logged('backend became unhealthy');
    upstreams[0].healthStatus = 200;
    await gateway.logged('backend recovered');
    await send(gateway, 110);
    expect(counts(upstreams)).toEqual([10, 100]);
  });

  it('is for backends that a reload adds, not for those of the start', async () => {
    const upstreams = (await echoes(3)) as [EchoUpstream, EchoUpstream, EchoUpstream];
    const document = (count: number) => ({
      backends: upstreams.slice(0, count).map(({ backend }) => backend),
      slow_start: '1h',
    });
    const gateway = await balanced(document(2));
    await send(gateway, 10);
    expect(counts(upstreams)).toEqual([5, 5, 0]);
    expect(await gateway.reload(documentOf(document(3)))).toBe(true);
    await send(gateway, 105);
    expect(counts(upstreams)).toEqual([55, 55, 5]);
  });
});
