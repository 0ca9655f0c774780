import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type Echo,
  echoedHeader,
  type EchoOptions,
  echoUpstream,
  freePort,
  rawUpstream,
  type RequestOptions,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

const NOTHING = Buffer.alloc(0);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

interface Parts {
  readonly main: object;
  readonly shadow: object;
  readonly mirror?: object;
  readonly route?: object;
  readonly document?: object;
}

function documentOf({ main, shadow, mirror, route, document }: Parts): object {
  return {
    logging: { level: 'debug' },
    ...document,
    upstreams: { main, shadow },
    routes: [{ id: 'r', path: '/r', upstream: 'main', mirror: { upstream: 'shadow', ...mirror }, ...route }],
  };
}

async function scene(more: Partial<Parts> = {}, options: EchoOptions = {}) {
  const main = await echoUpstream();
  const shadow = await echoUpstream(options);
  const parts = { main: { backends: [main.backend] }, shadow: { backends: [shadow.backend] }, ...more };
  const gateway = await startTestGateway(documentOf(parts));
  return { main, shadow, gateway, parts };
}

const RESULTS = ['sent', 'failed', 'dropped'] as const;
type Counts = Partial<Record<(typeof RESULTS)[number], number>>;

/** Waits until the copies have come to these ends, and no others. */
async function ends(gateway: TestGateway, wanted: Counts): Promise<void> {
  let seen: (number | undefined)[] = [];
  const counted = async (): Promise<boolean> => {
    const of = (result: string) => gateway.metric('gateway_mirror_requests_total', { path: '/r', result });
    seen = await Promise.all(RESULTS.map(of));
    return RESULTS.every((result, at) => (seen[at] ?? 0) === (wanted[result] ?? 0));
  };
  await waitFor(counted, () => `${JSON.stringify(wanted)}; counted: ${String(seen)}`);
}

const inFlight = (gateway: TestGateway): Promise<number | undefined> =>
  gateway.metric('gateway_backend_in_flight', { upstream: 'shadow' });

/** Nothing of a copy's failure looks like one of its exchange's. */
async function unharmed(gateway: TestGateway, requests: number): Promise<void> {
  await untilAtRest(gateway);
  const completed = gateway.logsWith('request completed');
  expect(completed).toHaveLength(requests);
  for (const line of completed)
    expect(line).toMatchObject({ status: 200, reason: null, attempts: 1, upstream: 'main' });
  expect(gateway.logsWith('upstream request failed')).toEqual([]);
  expect(gateway.logsWith('internal error')).toEqual([]);
}

/** A latch for upstreams that wait for the test. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('a copy', () => {
  const body = randomBytes(200_000);

  const whole = Buffer.concat([body, Buffer.from('!')]);
  it.each<[string, Buffer, () => RequestOptions]>([
    ['without a body', NOTHING, () => ({})],
    ['with an empty body', NOTHING, () => ({ method: 'POST', headers: { 'content-length': '0' } })],
    ['with a body', body, () => ({ body })],
    ['with a body in chunks', whole, () => ({ method: 'PUT', body: Readable.from([body, '!']) })],
  ])('%s is the request as the upstream gets it, marked', async (_, expected, options) => {
    const { main, shadow, gateway } = await scene({ route: { strip_prefix: true } });
    const { headers, ...rest } = options();
    const own = { 'x-own': 'a b', cookie: 'a=1', ...headers };
    const answer = await gateway.request('/r/a%20b?c=1', { ...rest, headers: own });
    expect(answer.status).toBe(200);
    await ends(gateway, { sent: 1 });
    const [original, copy] = [main.last!, shadow.last!];
    expect([copy.method, copy.url]).toEqual([original.method, '/a%20b?c=1']);
    expect(copy.sha256).toBe(sha256(expected));
    expect(copy.sha256).toBe(original.sha256);
    const named = (echo: Echo, name: string): string[] => echoedHeader(echo, name);
    for (const name of ['x-own', 'cookie', 'x-request-id', 'x-forwarded-for', 'x-forwarded-proto'])
      expect([name, named(copy, name)]).toEqual([name, named(original, name)]);
    expect(named(copy, 'x-gateway-mirror')).toEqual(['1']);
    expect(named(original, 'x-gateway-mirror')).toEqual([]);
    expect(named(copy, 'host')).toEqual([new URL(shadow.url).host]);
    expect(named(copy, 'transfer-encoding')).toEqual([]);
    await unharmed(gateway, 1);
  });

  it('goes to the mirror’s upstream with its base path and its settings', async () => {
    const shadow = await echoUpstream();
    const upstream = { backends: [{ url: `${shadow.url}/base` }], host_header: 'shadow.internal' };
    const { gateway } = await scene({ shadow: upstream });
    await gateway.get('/r/x');
    await ends(gateway, { sent: 1 });
    expect(shadow.last!.url).toBe('/base/r/x');
    expect(echoedHeader(shadow.last!, 'host')).toEqual(['shadow.internal']);
  });

  it('is made of percent of the requests: of 0 % of none', async () => {
    const { main, shadow, gateway } = await scene({ mirror: { percent: 0 } });
    for (let at = 0; at < 20; at++) await gateway.get('/r');
    await untilAtRest(gateway);
    expect([main.requests.length, shadow.started]).toEqual([20, 0]);
    await ends(gateway, {});
  });

  it('is one for an exchange, also where a backend refused the connection', async () => {
    const main = await echoUpstream();
    const dead = { url: `http://127.0.0.1:${await freePort()}` };
    const { shadow, gateway } = await scene({ main: { backends: [dead, main.backend] } });
    for (let at = 0; at < 4; at++) expect((await gateway.get('/r')).status).toBe(200);
    await ends(gateway, { sent: 4 });
    expect(gateway.logsWith('upstream request failed').length).toBeGreaterThan(0);
    expect([main.requests.length, shadow.requests.length]).toEqual([4, 4]);
  });

  it('is one for an exchange that is tried again, with its body', async () => {
    const { main, shadow, gateway } = await scene({
      route: { retry: { attempts: 3, backoff: '1ms', methods: ['PUT'] } },
    });
    main.status = 503;
    const content = randomBytes(10_000);
    expect((await gateway.request('/r', { method: 'PUT', body: content })).status).toBe(503);
    await ends(gateway, { sent: 1 });
    expect(main.requests).toHaveLength(3);
    expect(shadow.requests.map((echo) => echo.sha256)).toEqual([sha256(content)]);
  });

  it.each(['announced', 'chunked'])(
    'has the body of a request that was validated first (%s)',
    async (framing) => {
      const { main, shadow, gateway } = await scene({
        route: { validate: { body: { schema: { type: 'object' } } } },
      });
      const content = Buffer.from('{"a": "b"}');
      const sent = framing === 'chunked' ? Readable.from([content]) : content;
      const headers = { 'content-type': 'application/json' };
      const answer = await gateway.request('/r', { method: 'POST', headers, body: sent });
      expect(answer.status).toBe(200);
      await ends(gateway, { sent: 1 });
      expect([main.last!.sha256, shadow.last!.sha256]).toEqual([sha256(content), sha256(content)]);
      await unharmed(gateway, 1);
    },
  );
});

describe('no copy', () => {
  it('of bodies above max_body, announced or not', async () => {
    const { main, shadow, gateway } = await scene({ mirror: { max_body: '1kb' } });
    const post = async (bytes: number, chunked: boolean): Promise<void> => {
      const content = Buffer.alloc(bytes, 'a');
      const body = chunked ? Readable.from([content.subarray(0, 1_000), content.subarray(1_000)]) : content;
      expect((await gateway.request('/r', { body })).json()['bodyBytes']).toBe(bytes);
    };
    for (const chunked of [false, true]) for (const bytes of [1_025, 1_024]) await post(bytes, chunked);
    await ends(gateway, { sent: 2 });
    expect(shadow.requests.map(({ bodyBytes }) => bodyBytes)).toEqual([1_024, 1_024]);
    expect(main.requests).toHaveLength(4);
    await unharmed(gateway, 4);
  });

  it('of any body where max_body is 0b', async () => {
    const { main, shadow, gateway } = await scene({ mirror: { max_body: '0b' } });
    await gateway.request('/r/long', { body: 'a' });
    await gateway.request('/r/chunked', { body: Readable.from([Buffer.from('a')]) });
    await gateway.get('/r/none');
    await ends(gateway, { sent: 1 });
    expect(shadow.requests.map(({ url }) => url)).toEqual(['/r/none']);
    expect(main.requests).toHaveLength(3);
  });

  it('of an upload that the client breaks off', async () => {
    const { main, shadow, gateway } = await scene();
    const client = await gateway.connect();
    await client.write('POST /r HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc');
    await waitFor(() => main.started, 'the upload has begun');
    client.destroy();
    await gateway.logged('request completed', { status: 499 });
    await gateway.get('/r');
    await ends(gateway, { sent: 1 });
    expect(shadow.requests.map(({ method }) => method)).toEqual(['GET']);
    await untilAtRest(gateway);
  });

  it('of what a limit refuses, what no backend took, and what asks for a WebSocket', async () => {
    const limited = await scene({ route: { rate_limit: { requests: 1, per: '24h' } } });
    const statuses = [await limited.gateway.get('/r'), await limited.gateway.get('/r')];
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
    await ends(limited.gateway, { sent: 1 });

    const dead = { backends: [{ url: `http://127.0.0.1:${await freePort()}` }] };
    const down = await scene({ main: dead });
    expect((await down.gateway.get('/r')).status).toBe(502);
    await untilAtRest(down.gateway);
    expect(down.shadow.started).toBe(0);

    const upgrading = await scene();
    await upgrading.gateway.raw(
      'GET /r HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(upgrading.main.started).toBe(1);
    await untilAtRest(upgrading.gateway);
    expect(upgrading.shadow.started).toBe(0);
  });
});

describe('a mirror that', () => {
  it('is dead harms nobody: counted, and a line for those who debug', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const { gateway } = await scene({ shadow: { backends: [{ url: dead }] } });
    for (let at = 0; at < 5; at++) expect((await gateway.request('/r', { body: 'abc' })).status).toBe(200);
    await ends(gateway, { failed: 5 });
    const fields = { level: 'DEBUG', route: 'r', upstream: 'shadow', backend: dead };
    expect(gateway.logsWith('mirrored request failed', fields)).toHaveLength(5);
    await unharmed(gateway, 5);
  });

  it('is unhealthy is left alone', async () => {
    const health_check = { interval: '100ms', timeout: '90ms', healthy_threshold: 1, unhealthy_threshold: 1 };
    const shadow = await echoUpstream();
    shadow.healthStatus = 500;
    const { gateway } = await scene({ shadow: { backends: [shadow.backend] }, document: { health_check } });
    await gateway.logged('backend became unhealthy', { upstream: 'shadow' });
    expect((await gateway.get('/r')).status).toBe(200);
    await ends(gateway, { dropped: 1 });
    expect(shadow.started).toBe(0);
  });

  it('hangs keeps no client: all have their answers before it gives one', async () => {
    const waiting = gate();
    const { shadow, gateway } = await scene({}, { respond: () => waiting.opened.then(() => false as never) });
    const body = randomBytes(100_000);
    for (let at = 0; at < 10; at++) expect((await gateway.request('/r', { body })).status).toBe(200);
    await waitFor(() => shadow.requests.length === 10, 'the copies have arrived');
    expect(await inFlight(gateway)).toBe(10);
    expect(gateway.logsWith('request completed')).toHaveLength(10);
    await ends(gateway, {});
    waiting.open();
    await ends(gateway, { sent: 10 });
    await unharmed(gateway, 10);
  });

  it('does not even read keeps no client', async () => {
    const deaf = await rawUpstream((connection) => connection.pause());
    const shadow = { backends: [deaf.backend] };
    const { gateway } = await scene({ shadow, mirror: { max_body: '8mb' }, route: { timeout: '500ms' } });
    const body = randomBytes(8_000_000);
    for (let at = 0; at < 2; at++)
      expect((await gateway.request('/r', { body })).json()['sha256']).toBe(sha256(body));
    await ends(gateway, { failed: 2 });
    await unharmed(gateway, 2);
  });

  it('never answers, or never ends, is given up after the route’s timeout', async () => {
    const endless = Buffer.alloc(1_000, 'x');
    const shadow = await rawUpstream(async (connection) => {
      const { target } = await connection.request();
      if (target === '/r/silent') return;
      await connection.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
      await connection.write(endless);
    });
    const parts = { shadow: { backends: [shadow.backend] }, route: { timeout: '300ms' } };
    const { gateway } = await scene(parts);
    expect((await gateway.get('/r/silent')).status).toBe(200);
    expect((await gateway.get('/r/endless')).status).toBe(200);
    await ends(gateway, { failed: 2 });
    await waitFor(() => shadow.connections.every(({ ended }) => ended), 'its sockets are closed');
    await unharmed(gateway, 2);
  });

  it('answers 500 has had its copy', async () => {
    const { shadow, gateway } = await scene();
    shadow.status = 500;
    expect((await gateway.get('/r')).status).toBe(200);
    await ends(gateway, { sent: 1 });
    await unharmed(gateway, 1);
  });

  it('answers at length is read to the end, and serves the next copy on the same socket', async () => {
    const huge = Buffer.alloc(20_000_000, 'x');
    const { shadow, gateway } = await scene({}, { respond: (_request, response) => void response.end(huge) });
    for (let at = 1; at <= 2; at++) {
      expect((await gateway.get('/r')).status).toBe(200);
      await ends(gateway, { sent: at });
    }
    expect([shadow.aborted, shadow.connectionCount]).toEqual([0, 1]);
    await unharmed(gateway, 2);
  });

  it('answers with a stream of events is left after its head', async () => {
    const { shadow, gateway } = await scene(
      {},
      {
        respond: (_request, response) =>
          void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
      },
    );
    expect((await gateway.get('/r')).status).toBe(200);
    await ends(gateway, { sent: 1 });
    await waitFor(() => shadow.aborted === 1, 'the stream is closed');
    await unharmed(gateway, 1);
  });

  it('resets its connections harms nobody', async () => {
    const shadow = await rawUpstream(async (connection) => {
      await connection.head();
      connection.reset();
    });
    const { gateway } = await scene({ shadow: { backends: [shadow.backend] } });
    for (let at = 0; at < 3; at++) expect((await gateway.request('/r', { body: 'abc' })).status).toBe(200);
    await ends(gateway, { failed: 3 });
    await unharmed(gateway, 3);
  });

  it('has no room drops copies', async () => {
    const waiting = gate();
    const main = await echoUpstream();
    const shadow = await echoUpstream({ respond: () => waiting.opened.then(() => false as never) });
    const limits = { max_connections: 1, max_pending: 1 };
    const narrow = { backends: [shadow.backend], connection: limits };
    const gateway = await startTestGateway(
      documentOf({ main: { backends: [main.backend] }, shadow: narrow }),
    );
    for (let at = 0; at < 4; at++) expect((await gateway.get('/r')).status).toBe(200);
    await ends(gateway, { dropped: 2 });
    waiting.open();
    await ends(gateway, { sent: 2, dropped: 2 });
    await unharmed(gateway, 4);
  });
});

describe('a copy that has begun', () => {
  it('goes on when the client leaves', async () => {
    const main = await rawUpstream(() => {});
    const waiting = gate();
    const { shadow, gateway } = await scene(
      { main: { backends: [main.backend] } },
      { respond: () => waiting.opened.then(() => false as never) },
    );
    const client = await gateway.connect();
    await client.write('POST /r HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc');
    await waitFor(() => shadow.requests.length === 1, 'the copy has arrived');
    client.destroy();
    await gateway.logged('request completed', { status: 499 });
    expect(await inFlight(gateway)).toBe(1);
    waiting.open();
    await ends(gateway, { sent: 1 });
    expect(shadow.aborted).toBe(0);
    await untilAtRest(gateway);
  });

  it('ends on the upstream it began with when a reload takes the mirror away', async () => {
    const waiting = gate();
    const { shadow, gateway, parts } = await scene(
      {},
      { respond: () => waiting.opened.then(() => false as never) },
    );
    await gateway.get('/r');
    await waitFor(() => shadow.requests.length === 1, 'the copy has arrived');
    const without = { main: parts.main, shadow: { backends: [{ url: 'http://127.0.0.1:1' }] } };
    expect(await gateway.reload(documentOf({ ...without, route: { mirror: null } }))).toBe(true);
    waiting.open();
    await ends(gateway, { sent: 1 });
    await waitFor(() => shadow.openConnections === 0, 'its socket is closed');
    await gateway.get('/r');
    await ends(gateway, { sent: 1 });
    expect(shadow.aborted).toBe(0);
  });

  it('does not hold a stop up: the clients’ requests end, then it is cut', async () => {
    const { shadow, gateway } = await scene(
      { document: { server: { host: '127.0.0.1', shutdown: { grace_period: '1h' } } } },
      { respond: () => {} },
    );
    expect((await gateway.get('/r', { agent: false })).status).toBe(200);
    await waitFor(() => shadow.requests.length === 1, 'the copy has arrived');
    await gateway.stop();
    await waitFor(() => shadow.aborted === 1, 'it is cut');
    expect(gateway.logsWith('shutdown complete')).toMatchObject([{ cut: 0 }]);
    expect(gateway.logsWith('internal error')).toEqual([]);
  });
});
