import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  echoUpstream,
  type EchoUpstream,
  freePort,
  type RawConnection,
  rawUpstream,
  waitFor,
} from '../support/index.js';
import { handshake, refused, SWITCHED } from '../websocket/support.js';
import {
  BREAKER,
  type BreakerTest,
  breakerTest,
  documentOf,
  expectCircuitOpen,
  LONG,
} from './breaker-scene.js';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n';
const EVENTS = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Fails at once, as a backend that answers 503; `status = 200` heals it. */
async function failing(settings: object = BREAKER, route: object = {}): Promise<[BreakerTest, EchoUpstream]> {
  const upstream = await echoUpstream();
  upstream.status = 503;
  return [await breakerTest([upstream], settings, route), upstream];
}

/** The same, its circuit half-open and the backend well again. */
async function halfOpen(settings: object = {}, route: object = {}): Promise<[BreakerTest, EchoUpstream]> {
  const [test, upstream] = await failing({ ...BREAKER, ...settings }, route);
  await test.statuses(3);
  upstream.status = 200;
  await test.untilHalfOpen();
  return [test, upstream];
}

/** A backend of raw sockets that answers 503 until it is told to do something else with a request. */
async function scripted(settings: object = BREAKER, route: object = {}) {
  const script: { next: ((connection: RawConnection) => unknown) | null } = { next: null };
  const upstream = await rawUpstream(async (connection) => {
    await connection.head();
    if (script.next) return script.next(connection);
    await connection.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    connection.end();
  });
  const test = await breakerTest([upstream], settings, route);
  return { test, upstream, script };
}

async function scriptedHalfOpen(settings: object = {}, route: object = {}) {
  const scene = await scripted({ ...BREAKER, ...settings }, route);
  await scene.test.statuses(3);
  await scene.test.untilHalfOpen();
  return scene;
}

describe('a circuit opens after failures in a row', () => {
  it('by status: then nothing reaches the backend, and the client is told when to come back', async () => {
    const [test, upstream] = await failing(LONG);
    expect(await test.statuses(2)).toEqual([503, 503]);
    expect(await test.circuit()).toBe('closed');
    expect((await test.ask()).json()).toHaveProperty('connId');
    expect(await test.circuit()).toBe('open');
    for (let n = 0; n < 3; n++) expect([19, 20]).toContain(expectCircuitOpen(await test.ask()));
    expect(upstream.requests).toHaveLength(3);
    expect(test.changes).toEqual(['opened']);
    const line = test.gateway.logsWith('request completed').at(-1);
    expect(line).toMatchObject({ status: 503, reason: 'circuit_open', attempts: 0, backend: null });
  });

  it('but not when a good answer, or a 404, stands between them', async () => {
    const [test, upstream] = await failing();
    for (const status of [503, 500, 200, 599, 503, 404, 503, 503]) {
      upstream.status = status;
      expect((await test.ask()).status).toBe(status);
    }
    expect([await test.circuit(), test.changes]).toEqual(['closed', []]);
  });

  it('by the configured statuses alone', async () => {
    const [test, upstream] = await failing({ ...LONG, statuses: [429] });
    expect(await test.statuses(4)).toEqual([503, 503, 503, 503]);
    upstream.status = 429;
    expect(await test.statuses(4)).toEqual([429, 429, 429, 503]);
    expect(await test.circuit()).toBe('open');
  });

  it('by refused connections', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const test = await breakerTest([{ url }], LONG);
    expect(await test.statuses(3)).toEqual([502, 502, 502]);
    expectCircuitOpen(await test.ask());
  });

  it.each<[string, number, (connection: RawConnection) => unknown]>([
    ['resets', 502, (connection) => connection.reset()],
    ['closes without an answer', 502, (connection) => connection.end()],
    ['unreadable answers', 502, (connection) => connection.write('nonsense\r\n\r\n')],
    [
      'unknown transfer codings',
      502,
      (connection) => connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n'),
    ],
    ['silence', 504, () => {}],
  ])('by %s', async (_, status, how) => {
    const { test, script } = await scripted(LONG, { timeout: '200ms' });
    script.next = how;
    expect(await test.statuses(3)).toEqual([status, status, status]);
    expectCircuitOpen(await test.ask());
    expect(test.changes).toEqual(['opened']);
  });

  it.each<[string, (connection: RawConnection) => unknown]>([
    ['are cut', (connection) => connection.reset()],
    ['end early', (connection) => connection.end()],
    ['fall silent', () => {}],
  ])('by bodies that %s', async (_, how) => {
    const { test, script } = await scripted(LONG, { timeouts: { idle: '200ms' } });
    script.next = async (connection) => {
      await connection.write(`${HEAD}01234`);
      await how(connection);
    };
    for (let n = 0; n < 3; n++) await expect(test.ask()).rejects.toThrow('aborted');
    expectCircuitOpen(await test.ask());
  });

  it('by bad statuses whose clients do not wait for the body', async () => {
    const { test, upstream, script } = await scripted(LONG);
    script.next = (connection) => connection.write('HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n');
    for (let n = 0; n < 3; n++) {
      const client = await test.gateway.connect();
      await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      await client.until(() => client.text.includes('503'), 'the head');
      client.destroy();
    }
    expectCircuitOpen(await test.ask());
    expect(upstream.connections).toHaveLength(3);
  });

  it('for one backend of two: the other takes all, and no client sees it', async () => {
    const [bad, good] = [await echoUpstream(), await echoUpstream()];
    bad.status = 503;
    const test = await breakerTest([bad, good], LONG);
    expect((await test.statuses(6)).filter((status) => status === 503)).toHaveLength(3);
    expect(await test.statuses(10)).toEqual(Array.from({ length: 10 }, () => 200));
    expect([bad.requests.length, good.requests.length]).toEqual([3, 13]);
  });

  it('not below min_requests', async () => {
    const [test] = await failing({ ...LONG, min_requests: 5 });
    await test.statuses(4);
    expect(await test.circuit()).toBe('closed');
    await test.statuses(1);
    expect(await test.circuit()).toBe('open');
  });
});

describe('nobody counts against a backend', () => {
  const STRICT = { ...LONG, failures: 1 };

  it('a body of the client that is too large, or never comes', async () => {
    const { test } = await scripted(STRICT, { max_body_size: '1kb' });
    const big = await test.gateway.raw(
      'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n' + 'x'.repeat(2_048),
    );
    expect(big.text).toContain('413');
    const client = await test.gateway.connect();
    await client.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc');
    client.reset();
    await test.gateway.logged('request completed', { status: 499 });
    await untilAtRest(test.gateway);
    expect([await test.circuit(), test.changes]).toEqual(['closed', []]);
  });

  it('the keep-alive race, after which the request goes out again', async () => {
    const upstream = await rawUpstream(async (connection) => {
      for (let index = 0; ; index++) {
        await connection.until(() => connection.requests[index], 'a request', { timeoutMs: 20_000 });
        if (connection.index === 0 && index === 1) return connection.reset();
        await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      }
    });
    const test = await breakerTest([upstream], STRICT);
    expect(await test.statuses(2)).toEqual([200, 200]);
    expect(upstream.connections).toHaveLength(2);
    expect([await test.circuit(), test.changes]).toEqual(['closed', []]);
  });

  it('but a silent one does, also over a used connection, and gets the request once', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const test = await breakerTest([upstream], STRICT, { timeouts: { response: '200ms' } });
    expect(await test.statuses(2)).toEqual([200, 504]);
    expect(upstream.requests).toHaveLength(2);
    expect(await test.circuit()).toBe('open');
  });
});

describe('a half-open circuit', () => {
  it('closes after the configured successes; each change is told once, by log, metric and status', async () => {
    const [test] = await halfOpen({ successes: 3 });
    expect(test.changes).toEqual(['opened']);
    expect(await test.statuses(2)).toEqual([200, 200]);
    expect([await test.circuit(), test.changes]).toEqual(['half-open', ['opened', 'half-open']]);
    expect(await test.statuses(2)).toEqual([200, 200]);
    expect([await test.circuit(), test.changes]).toEqual(['closed', ['opened', 'half-open', 'closed']]);
    const levels = ['opened', 'half-open', 'closed'].map((change) =>
      test.gateway.logsWith(`circuit ${change}`),
    );
    expect(levels.map((lines) => lines.map(({ level }) => level))).toEqual([['WARN'], ['INFO'], ['INFO']]);
  });

  it('opens again at one failure', async () => {
    const [test, upstream] = await halfOpen({ cooldown: '1s', successes: 3 });
    await test.statuses(2);
    upstream.status = 500;
    expect((await test.ask()).status).toBe(500);
    expectCircuitOpen(await test.ask());
    expect(test.changes).toEqual(['opened', 'half-open', 'opened']);
  });

  it('lets no more than its bound through, of 50 at once', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const upstream = await echoUpstream({
      respond: (_request, response, { url }) =>
        url === '/held' ? held.then(() => void response.end('late')) : false,
    });
    upstream.status = 503;
    const test = await breakerTest([upstream], { ...BREAKER, half_open_requests: 3, successes: 3 });
    await test.statuses(3);
    upstream.status = 200;
    await test.untilHalfOpen();
    const before = upstream.started;
    const turned: number[] = [];
    const all = Array.from({ length: 50 }, async () => {
      const answer = await test.ask('/held');
      if (answer.status === 503) turned.push(expectCircuitOpen(answer));
      return answer.status;
    });
    await waitFor(
      () => turned.length === 47,
      () => `47 turned away: ${turned.length}`,
    );
    expect([upstream.started - before, new Set(turned)]).toEqual([3, new Set([1])]);
    expect(await test.circuit()).toBe('half-open');
    release();
    expect((await Promise.all(all)).filter((status) => status === 200)).toHaveLength(3);
    expect(await test.circuit()).toBe('closed');
    const after = await Promise.all(Array.from({ length: 50 }, () => test.ask()));
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
    expect(test.changes).toEqual(['opened', 'half-open', 'closed']);
  });

  it('neither sticks at a probe that hangs nor closes by it', async () => {
    const { test, script } = await scriptedHalfOpen({}, { timeout: '800ms' });
    script.next = () => {};
    const hanging = test.ask();
    await waitFor(() => test.changes.at(-1) === 'half-open', 'the probe is on its way');
    expectCircuitOpen(await test.ask());
    expect((await hanging).status).toBe(504);
    expect(test.changes).toEqual(['opened', 'half-open', 'opened']);
    script.next = (connection) => connection.write(`${HEAD}0123456789`);
    await waitFor(async () => (await test.ask()).status === 200, 'well again');
    expect(test.changes).toEqual(['opened', 'half-open', 'opened', 'half-open', 'closed']);
  });

  it('gets the place of a client that left back, and stays half-open', async () => {
    const { test, upstream, script } = await scriptedHalfOpen({ cooldown: '500ms' });
    script.next = () => {};
    const client = await test.gateway.connect();
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    const connection = await waitFor(() => upstream.connections[3], 'the probe');
    await connection.head();
    expectCircuitOpen(await test.ask());
    client.destroy();
    await connection.untilClosed();
    expect([await test.circuit(), test.changes]).toEqual(['half-open', ['opened', 'half-open']]);
    script.next = (next) => next.write(`${HEAD}0123456789`);
    expect((await test.ask()).status).toBe(200);
    expect(test.changes).toEqual(['opened', 'half-open', 'closed']);
  });

  it('takes a good head whose body goes on for longer than a cooldown for a success', async () => {
    const { test, script } = await scriptedHalfOpen();
    script.next = (connection) => connection.write(`${HEAD}0`);
    const client = await test.gateway.connect();
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(() => client.text.endsWith('0'), 'the head and some of the body');
    script.next = (connection) => connection.write(`${HEAD}0123456789`);
    await waitFor(async () => (await test.ask()).status === 200, 'closed');
    expect(test.changes).toEqual(['opened', 'half-open', 'closed']);
    expect(client.closed).toBe(false);
  });

  it('does not keep its only place for a client that is slow to send its body', async () => {
    const [test, upstream] = await halfOpen({ cooldown: '1s' });
    const client = await test.gateway.connect();
    await client.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc');
    await waitFor(() => upstream.started === 4, 'the slow one has the place');
    expectCircuitOpen(await test.ask());
    await waitFor(async () => (await test.ask()).status === 200, 'the place is free again');
    expect(await test.circuit()).toBe('closed');
    await client.write('defghi');
    expect((await client.response()).status).toBe(200);
  });

  it('judges streams of events by their head', async () => {
    const { test, script } = await scriptedHalfOpen();
    script.next = (connection) => connection.write(`${EVENTS}7\r\ndata: 1\r\n`);
    const client = await test.gateway.connect();
    await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(() => client.text.includes('data: 1'), 'an event');
    expect(test.changes).toEqual(['opened', 'half-open', 'closed']);
    expect(await test.circuit()).toBe('closed');
  });
});

describe('WebSocket handshakes', () => {
  it('that are refused or answered with a bad status open the circuit, for all requests', async () => {
    const { test } = await scripted(LONG);
    for (let n = 0; n < 3; n++) expect((await refused(test.gateway, '/ws')).status).toBe(503);
    const answer = await refused(test.gateway, '/ws');
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'circuit_open' });
    expect(answer.headers['retry-after']).toMatch(/^(19|20)$/);
    expectCircuitOpen(await test.ask());
    expect(test.changes).toEqual(['opened']);
  });

  it('that are refused connections count', async () => {
    const test = await breakerTest([{ url: `http://127.0.0.1:${await freePort()}` }], LONG);
    for (let n = 0; n < 3; n++) expect((await refused(test.gateway, '/ws')).status).toBe(502);
    expect(JSON.parse((await refused(test.gateway, '/ws')).body)).toMatchObject({ code: 'circuit_open' });
  });

  it('that are given up by their clients, or asked of something else, do not', async () => {
    const { test, upstream, script } = await scripted({ ...LONG, failures: 1 });
    script.next = () => {};
    const client = await test.gateway.connect();
    await client.write(handshake('/ws'));
    const connection = await waitFor(() => upstream.connections[0], 'the handshake');
    await connection.head();
    client.destroy();
    await connection.untilClosed();
    script.next = (next) => next.write('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n');
    expect((await refused(test.gateway, '/ws')).status).toBe(426);
    expect([await test.circuit(), test.changes]).toEqual(['closed', []]);
  });

  it('that succeed are judged by the 101 and hold no place while they are open', async () => {
    const { test, script } = await scriptedHalfOpen({ successes: 2 });
    script.next = (connection) => connection.write(SWITCHED);
    for (const [at, circuit] of (['half-open', 'closed'] as const).entries()) {
      const client = await test.gateway.connect();
      await client.write(handshake('/ws'));
      await client.until(() => client.text.includes('101'), `WebSocket ${at + 1}`);
      expect(await test.circuit()).toBe(circuit);
    }
  });
});

describe('over a reload', () => {
  it('the circuit stays as it is; the new settings judge it; without a breaker it is closed and forgotten', async () => {
    const [test, upstream] = await failing(LONG);
    await test.statuses(3);
    const reload = (breaker: object | null): Promise<boolean> =>
      test.gateway.reload(documentOf([upstream], breaker));
    expect(await reload({ ...LONG, cooldown: '10m' })).toBe(true);
    expect(expectCircuitOpen(await test.ask())).toBeGreaterThan(500);
    expect(await test.gateway.reload({ routes: [] })).toBe(false);
    expect([await test.circuit(), test.changes]).toEqual(['open', ['opened']]);
    expect(await reload(null)).toBe(true);
    expect(await test.circuit()).toBe('closed');
    expect((await test.ask()).json()).toHaveProperty('connId');
    expect(await reload(LONG)).toBe(true);
    expect(await test.circuit()).toBe('closed');
  });

  it('failures in a row go on to be counted', async () => {
    const [test, upstream] = await failing(LONG);
    await test.statuses(2);
    await test.gateway.reload(documentOf([upstream], { ...LONG, failures: 4 }));
    await test.statuses(1);
    expect(await test.circuit()).toBe('closed');
    await test.statuses(1);
    expect([await test.circuit(), test.changes]).toEqual(['open', ['opened']]);
  });
});
