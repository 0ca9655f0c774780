import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type EchoUpstream,
  echoUpstream,
  freePort,
  open,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { open as openWebSocket, wsUpstream } from '../websocket/support.js';

/** A backend that answers when the test says so, and counts what it has at once. */
class HeldBackend {
  readonly held: { readonly path: string; readonly response: ServerResponse }[] = [];
  readonly came: string[] = [];
  now = 0;
  most = 0;
  echo!: EchoUpstream;

  static async start(): Promise<HeldBackend> {
    const backend = new HeldBackend();
    backend.echo = await echoUpstream({
      intercept: ({ url = '' }, response) => {
        backend.most = Math.max(backend.most, ++backend.now);
        response.on('close', () => backend.now--);
        backend.came.push(url);
        return backend.held.push({ path: url, response }) > 0;
      },
    });
    return backend;
  }

  /** Answers the one that came first of those that wait for an answer. */
  answer(status = 200): void {
    this.held.shift()!.response.writeHead(status).end('ok');
  }

  until(count: number): Promise<unknown> {
    return waitFor(
      () => this.came.length >= count,
      () => `${count} requests; came: ${this.came.join(' ')}`,
    );
  }
}

interface Scene {
  readonly bound?: object | null;
  readonly backends?: number;
  readonly route?: object;
  readonly upstream?: object;
}

async function scene({ bound = { limit: 1 }, backends: wanted = 1, route = {}, upstream = {} }: Scene = {}) {
  const backends = await Promise.all(Array.from({ length: wanted }, () => HeldBackend.start()));
  const document = (max_in_flight: object | null, extra: object = {}): object => ({
    upstreams: {
      u: { backends: backends.map(({ echo }) => echo.backend), max_in_flight, ...upstream, ...extra },
    },
    routes: [{ id: 'r', path: '/', upstream: 'u', ...route }],
  });
  const gateway = await startTestGateway(document(bound), { admin: true });
  const active = (count: number): Promise<unknown> =>
    waitFor(
      async () => (await gateway.metric('gateway_active_requests')) === count,
      `${count} active requests`,
    );
  return { gateway, backends, backend: backends[0]!, document, active };
}

const status = (answer: Promise<{ status: number }>): Promise<number> =>
  answer.then((response) => response.status);

describe('max_in_flight', () => {
  it('gives a backend no more than its limit, and who waits the places in order', async () => {
    const { gateway, backend, active } = await scene({
      bound: { limit: 2, queue: 10, queue_timeout: '20s' },
    });
    const answers: Promise<number>[] = [];
    for (let at = 0; at < 8; at++) {
      answers.push(status(gateway.get(`/${at}`)));
      await active(at + 1);
    }
    expect(backend.came).toEqual(['/0', '/1']);
    expect(await gateway.metric('gateway_backend_in_flight')).toBe(2);
    for (let at = 0; at < 8; at++) {
      await backend.until(Math.min(at + 2, 8));
      backend.answer();
    }
    expect(await Promise.all(answers)).toEqual(Array(8).fill(200));
    expect([backend.came, backend.most]).toEqual([Array.from({ length: 8 }, (_, at) => `/${at}`), 2]);
    await untilAtRest(gateway);
  });

  it('counts a response until its last byte', async () => {
    const { gateway, backend } = await scene({ bound: { limit: 1, queue: 1, queue_timeout: '20s' } });
    const first = await Promise.all([
      open(`${gateway.url}/a`),
      backend.until(1).then(() => backend.held[0]!.response.write('x')),
    ]);
    const second = gateway.get('/b');
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === 2, 'both are there');
    expect(backend.came).toEqual(['/a']);
    backend.held.shift()!.response.end();
    first[0].resume();
    await backend.until(2);
    backend.answer();
    expect((await second).status).toBe(200);
    await untilAtRest(gateway);
  });

  it('answers 503 overloaded at once when the line is full', async () => {
    const { gateway, backend, active } = await scene({
      bound: { limit: 1, queue: 2, queue_timeout: '20s' },
      backends: 2,
    });
    const answers = Array.from({ length: 6 }, (_, at) => status(gateway.get(`/${at}`)));
    await active(6);
    const refused = await gateway.request('/7', { method: 'POST', body: 'x' });
    expect([refused.status, refused.header('retry-after')]).toEqual([503, '1']);
    expect(refused.json()).toMatchObject({ code: 'overloaded' });
    await gateway.logged('request completed', {
      status: 503,
      reason: 'overloaded',
      attempts: 0,
      backend: null,
    });
    expect(gateway.logsWith('upstream request failed')).toEqual([]);
    await gateway.kill();
    await Promise.allSettled(answers);
    expect(backend.most).toBe(1);
  });

  it('has no line with queue: 0', async () => {
    const { gateway, backend } = await scene({ bound: { limit: 1, queue: 0 } });
    const first = gateway.get('/1');
    await backend.until(1);
    expect((await gateway.get('/2')).json()).toMatchObject({ code: 'overloaded' });
    backend.answer();
    expect((await first).status).toBe(200);
    await untilAtRest(gateway);
  });

  it.each([
    ['503 overloaded after queue_timeout', '100ms', '20s', { status: 503, code: 'overloaded' }],
    ['504 where the route’s timeout is shorter', '20s', '150ms', { status: 504, code: 'upstream_timeout' }],
  ])('answers %s', async (_, queue_timeout, timeout, expected) => {
    const backend = await HeldBackend.start();
    const gateway = await startTestGateway({
      upstreams: {
        u: { backends: [backend.echo.backend], max_in_flight: { limit: 1, queue: 9, queue_timeout } },
      },
      routes: [
        { id: 'held', path: '/held', upstream: 'u' },
        { id: 'r', path: '/', upstream: 'u', timeout },
      ],
    });
    const held = gateway.get('/held');
    await backend.until(1);
    expect((await gateway.get('/waits')).json()).toMatchObject(expected);
    await gateway.logged('request completed', { route: 'r', attempts: 0, reason: expected.code });
    backend.answer();
    expect((await held).status).toBe(200);
    expect([backend.came, gateway.logsWith('upstream request failed')]).toEqual([['/held'], []]);
    await untilAtRest(gateway);
  });

  it('forgets a client that leaves while it waits', async () => {
    const { gateway, backend, active } = await scene({ bound: { limit: 1, queue: 2, queue_timeout: '20s' } });
    const first = status(gateway.get('/1'));
    await backend.until(1);
    const leaver = await gateway.connect();
    await leaver.write('GET /leaver HTTP/1.1\r\nHost: h\r\n\r\n');
    await active(2);
    const patient = status(gateway.get('/3'));
    await active(3);
    leaver.destroy();
    await active(2);
    await gateway.logged('request completed', { path: '/leaver', status: 499, reason: 'client_closed' });
    // Its place in the line is another one's now.
    const late = status(gateway.get('/4'));
    await active(3);
    for (const count of [1, 2, 3]) {
      await backend.until(count);
      backend.answer();
    }
    expect(await Promise.all([first, patient, late])).toEqual([200, 200, 200]);
    expect(backend.came).toEqual(['/1', '/3', '/4']);
    await untilAtRest(gateway);
  });

  it('leaves an upload with its client until it has a place', async () => {
    const { gateway, backend, active } = await scene({ bound: { limit: 1, queue: 2, queue_timeout: '20s' } });
    const first = status(gateway.get('/1'));
    await backend.until(1);
    const client = await gateway.connect();
    await client.write('POST /up HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n');
    await active(2);
    expect(client.text).toBe('');
    backend.answer();
    await client.until(() => client.text.includes('100 Continue'), '100 Continue');
    await client.write('abcdef');
    await backend.until(2);
    const { response } = backend.held[0]!;
    const body: Buffer[] = [];
    for await (const chunk of response.req) body.push(chunk as Buffer);
    expect(Buffer.concat(body).toString()).toBe('abcdef');
    backend.answer();
    await client.until(() => client.text.includes('200 OK'), '200');
    expect(await first).toBe(200);
    await untilAtRest(gateway);
  });

  it('passes the place of a broken exchange on, and each failure to its own client', async () => {
    const { gateway, backend, active } = await scene({ bound: { limit: 1, queue: 5, queue_timeout: '20s' } });
    const answers: Promise<number>[] = [];
    for (let at = 0; at < 4; at++) {
      answers.push(status(gateway.request(`/${at}`, { method: 'POST', body: 'x' })));
      await active(at + 1);
    }
    for (const count of [1, 2, 3]) {
      await backend.until(count);
      backend.held.shift()!.response.destroy();
    }
    await backend.until(4);
    backend.answer();
    expect(await Promise.all(answers)).toEqual([502, 502, 502, 200]);
    expect(backend.most).toBe(1);
    await untilAtRest(gateway);
  });

  it('lets all that wait hear it when their backend is gone', async () => {
    const { gateway, backend, active } = await scene({ bound: { limit: 1, queue: 9, queue_timeout: '20s' } });
    const answers = Array.from({ length: 10 }, (_, at) => status(gateway.get(`/${at}`, { agent: false })));
    await active(10);
    await backend.echo.stop();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([502]));
    await untilAtRest(gateway);
  });

  it('tries who waited for one backend at the next when that one refuses the connection', async () => {
    const { gateway, backend, document, active } = await scene({
      bound: { limit: 1, queue: 9, queue_timeout: '20s' },
    });
    const dead = { url: `http://127.0.0.1:${await freePort()}` };
    await gateway.reload(
      document({ limit: 1, queue: 9, queue_timeout: '20s' }, { backends: [backend.echo.backend, dead] }),
    );
    const answers: Promise<number>[] = [];
    for (let at = 0; at < 6; at++) {
      answers.push(status(gateway.get(`/${at}`)));
      await active(at + 1);
    }
    for (let count = 1; count <= 6; count++) {
      await backend.until(count);
      backend.answer();
    }
    expect(await Promise.all(answers)).toEqual(Array(6).fill(200));
    expect(backend.most).toBe(1);
    await untilAtRest(gateway);
  });

  it('hands on the connection with the place: as many connections as places are enough', async () => {
    const { gateway, backend } = await scene({
      bound: { limit: 2, queue: 100, queue_timeout: '20s' },
      upstream: { connection: { max_connections: 2, max_pending: 0 } },
    });
    const answers = Array.from({ length: 60 }, (_, at) => status(gateway.get(`/${at}`)));
    for (let count = 1; count <= 60; count++) {
      await backend.until(count);
      backend.answer();
    }
    expect(await Promise.all(answers)).toEqual(Array(60).fill(200));
    expect([backend.most, backend.echo.connectionCount]).toEqual([2, 2]);
    await untilAtRest(gateway);
  });

  it('lets a retry wait like anybody else, behind those that came before it', async () => {
    const { gateway, backend, active } = await scene({
      bound: { limit: 1, queue: 5, queue_timeout: '20s' },
      route: { retry: { attempts: 2, backoff: '1ms', jitter: false, statuses: [503] } },
    });
    const first = status(gateway.get('/1'));
    await backend.until(1);
    const second = status(gateway.get('/2'));
    await active(2);
    backend.answer(503);
    await backend.until(2);
    expect(backend.came).toEqual(['/1', '/2']);
    await waitFor(async () => (await gateway.metric('gateway_retries_total')) === 1, 'a retry');
    backend.answer();
    await backend.until(3);
    backend.answer();
    expect(await Promise.all([first, second])).toEqual([200, 200]);
    expect([backend.came, backend.most]).toEqual([['/1', '/2', '/1'], 1]);
    await untilAtRest(gateway);
  });

  it('counts a WebSocket until it ends, and lets a handshake wait', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      upstreams: {
        u: { backends: [upstream.backend], max_in_flight: { limit: 1, queue: 1, queue_timeout: '20s' } },
      },
      routes: [{ path: '/', upstream: 'u' }],
    });
    const first = await openWebSocket(gateway);
    first.send('a');
    expect(await first.message()).toBe('a');
    const second = openWebSocket(gateway);
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === 2, 'the second waits');
    expect((await gateway.get('/')).json()).toMatchObject({ code: 'overloaded' });
    expect(upstream.requests).toHaveLength(1);
    first.socket.close();
    const peer = await second;
    peer.send('b');
    expect(await peer.message()).toBe('b');
    peer.socket.close();
    await peer.untilClosed();
    await untilAtRest(gateway);
  });
});

describe('those who wait', () => {
  const PATIENT = { limit: 1, queue: 9, queue_timeout: '20s' };

  async function waiting(): Promise<Awaited<ReturnType<typeof scene>> & { answers: Promise<number>[] }> {
    const set = await scene({ bound: PATIENT });
    const answers: Promise<number>[] = [];
    for (let at = 0; at < 4; at++) {
      answers.push(status(set.gateway.get(`/${at}`)));
      await set.active(at + 1);
    }
    await set.backend.until(1);
    return { ...set, answers };
  }

  it.each([
    ['raises the limit', { ...PATIENT, limit: 4 }],
    ['takes the bound away', null],
  ])('get their chance by a reload that %s', async (_, bound) => {
    const { gateway, backend, document, answers } = await waiting();
    expect(await gateway.reload(document(bound))).toBe(true);
    await backend.until(4);
    expect(backend.came).toEqual(['/0', '/1', '/2', '/3']);
    for (let at = 0; at < 4; at++) backend.answer();
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
    await untilAtRest(gateway);
  });

  it('keep to a lower limit too, and to the line’s order, over reloads', async () => {
    const { gateway, backend, document, answers } = await waiting();
    await gateway.reload(document({ ...PATIENT, limit: 2 }));
    await backend.until(2);
    await gateway.reload(document({ ...PATIENT, limit: 1, queue: 1 }));
    backend.answer();
    expect((await gateway.get('/full')).json()).toMatchObject({ code: 'overloaded' });
    expect(backend.came).toEqual(['/0', '/1']);
    for (const count of [2, 3, 4]) {
      await backend.until(count);
      backend.answer();
    }
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
    expect(backend.came).toEqual(['/0', '/1', '/2', '/3']);
    await untilAtRest(gateway);
  });

  it('are served where their upstream is not there any more', async () => {
    const { gateway, backend, answers } = await waiting();
    const { backend: other } = await echoUpstream();
    await gateway.reload({ routes: [{ id: 'other', path: '/', backends: [other] }] });
    expect((await gateway.get('/new')).status).toBe(200);
    for (let count = 1; count <= 4; count++) {
      await backend.until(count);
      backend.answer();
    }
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
    await untilAtRest(gateway);
  });

  it('try once more at the end of their wait: the cooldown of a circuit is over by time alone', async () => {
    const { gateway, backends } = await scene({
      bound: { limit: 1, queue: 9, queue_timeout: '300ms' },
      backends: 2,
      upstream: { circuit_breaker: { failures: 1, cooldown: '100ms' } },
    });
    const [held, failing] = [backends[0]!, backends[1]!];
    const first = status(gateway.get('/0'));
    await held.until(1);
    const failed = status(gateway.get('/1'));
    await failing.until(1);
    failing.answer(500);
    expect(await failed).toBe(500);
    const waits = status(gateway.get('/2'));
    await failing.until(2);
    failing.answer();
    expect(await waits).toBe(200);
    held.answer();
    expect(await first).toBe(200);
    await untilAtRest(gateway);
  });

  it('get a backend that has recovered', async () => {
    const { gateway, backends } = await scene({
      bound: PATIENT,
      backends: 2,
      upstream: {
        health_check: { interval: '50ms', timeout: '40ms', healthy_threshold: 1, unhealthy_threshold: 1 },
      },
    });
    const [well, sick] = [backends[0]!, backends[1]!];
    sick.echo.healthStatus = 500;
    await gateway.logged('backend became unhealthy');
    const answers = [status(gateway.get('/1')), status(gateway.get('/2'))];
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === 2, 'one waits');
    sick.echo.healthStatus = 200;
    await sick.until(1);
    for (const backend of [well, sick]) backend.answer();
    expect(await Promise.all(answers)).toEqual([200, 200]);
    await untilAtRest(gateway);
  });
});

describe('under pressure', () => {
  /** The same run for the same seed. */
  function randomOf(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  it.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])(
    'nothing is over the limit or left over (seed %i, share of clients that leave %d)',
    async (seed, leaving) => {
      const random = randomOf(seed);
      const { gateway, backends } = await scene({
        bound: { limit: 3, queue: 5, queue_timeout: '50ms' },
        backends: 3,
        route: { timeout: '2s' },
      });
      const seen = new Map<number | string, number>();
      const one = (path: string): Promise<void> => {
        const signal = random() < leaving ? AbortSignal.timeout(1 + Math.floor(random() * 60)) : undefined;
        return gateway
          .request(path, {
            agent: false,
            ...(random() < 0.3 && { body: 'x'.repeat(5_000) }),
            ...(signal && { signal }),
          })
          .then(
            (answer) => void seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1),
            () => void seen.set('left', (seen.get('left') ?? 0) + 1),
          );
      };
      let over = false;
      const serving = Promise.all(backends.map((backend) => serve(backend, random, () => over)));
      const wave = (at: number): Promise<unknown> =>
        Promise.all(Array.from({ length: 40 }, (_, client) => one(`/${at}/${client}`)));
      for (let at = 0; at < 6; at++) await wave(at);
      await untilAtRest(gateway);
      over = true;
      await serving;
      // A client that leaves frees its place before its backend sees that.
      const most = Math.max(...backends.map((backend) => backend.most));
      expect(leaving === 0 ? most : 3).toBe(3);
      expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(240);
      expect([...seen.keys()].filter((end) => ![200, 502, 503, 504, 'left'].includes(end))).toEqual([]);
      expect(seen.get(200)).toBeGreaterThan(0);
    },
  );

  /** Answers, breaks off or resets what comes, one after the other. */
  async function serve(backend: HeldBackend, random: () => number, over: () => boolean): Promise<void> {
    while (!over()) {
      await new Promise((resolve) => setImmediate(resolve));
      if (backend.held.length === 0 || (backend.held.length < 3 && random() < 0.95)) continue;
      const next = backend.held.shift()!;
      if (random() < 0.1) next.response.destroy();
      else next.response.end('ok');
    }
  }
});
