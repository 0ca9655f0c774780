import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import {
  echoUpstream,
  open,
  rawUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';
import { watched } from './fixtures/interceptors.js';

const EXTENSIONS = [fileURLToPath(new URL('fixtures/interceptors.ts', import.meta.url))];

const act = (name: string): object => ({ name: 'act', options: { act: name } });

function gatewayTo(
  backend: { url: string },
  interceptors: unknown[],
  rest: object = {},
): Promise<TestGateway> {
  return startTestGateway({
    extensions: EXTENSIONS,
    routes: [{ id: 'r', path: '/', backends: [backend], interceptors, ...rest }],
  });
}

/** A gateway whose one route has the interceptor, in front of an upstream that sends these bytes. */
async function answering(name: string, ...replies: string[]): Promise<TestGateway> {
  const { backend } = await rawUpstream(replies);
  return gatewayTo(backend, [act(name)]);
}

const OK = 'HTTP/1.1 200 Fine\r\nX-One: 1\r\nx-secret: s\r\nX-One: 2\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n';
const get = (path = '/', method = 'GET'): string => `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('an interceptor', () => {
  it('that does nothing changes nothing', async () => {
    const gateway = await answering('nothing', OK, CHUNKED);
    const { responses } = await gateway.raw(get() + get(), { until: 2 });
    const [first, second] = responses;
    expect([first!.status, first!.statusText, first!.text]).toEqual([200, 'Fine', 'hello']);
    expect(first!.rawHeaders.slice(0, 4)).toEqual([
      ['X-One', '1'],
      ['x-secret', 's'],
      ['X-One', '2'],
      ['Content-Length', '5'],
    ]);
    expect([second!.text, second!.trailers]).toEqual(['hello', [['X-T', '1']]]);
    await gateway.logged('request completed', { status: 200, reason: null, bytes_written: 5, attempts: 1 });
  });

  it('changes status and headers, keeping order and repetition', async () => {
    const gateway = await answering('status and headers', OK);
    const [response] = (await gateway.raw(get())).responses;
    expect([response!.status, response!.statusText]).toEqual([203, 'Non-Authoritative Information']);
    expect(response!.rawHeaders.slice(0, 4)).toEqual([
      ['X-One', 'changed'],
      ['Content-Length', '5'],
      ['X-Two', 'a'],
      ['X-Two', 'b'],
    ]);
    expect(response!.text).toBe('hello');
  });

  it.each([
    ['an answer of its own', 418, '{"mine":true}', '13'],
    ['no body', 204, '', undefined],
  ])('gives %s without asking the upstream', async (name, status, text, length) => {
    const echo = await echoUpstream();
    const gateway = await gatewayTo(echo.backend, [act(name)]);
    const answer = await gateway.request('/', { method: 'POST', body: 'unread' });
    expect([answer.status, answer.text, answer.header('content-length')]).toEqual([status, text, length]);
    expect(echo.started).toBe(0);
    await gateway.logged('request completed', { status, reason: null, attempts: 0, backend: null });
    expect((await gateway.get('/')).status).toBe(status);
  });

  it.each(['GET', 'HEAD'])('wraps the body in a transform for %s, and the length goes', async (method) => {
    const gateway = await answering('transform', OK.replace(method === 'HEAD' ? /hello$/ : /$/, ''));
    const [response] = (await gateway.raw(get('/', method))).responses;
    expect(response!.text).toBe(method === 'HEAD' ? '' : 'HELLO');
    expect(response!.header('content-length')).toBeUndefined();
    expect(response!.complete).toBe(true);
  });

  it('collects the body and answers with another', async () => {
    const gateway = await answering('envelope', 'HTTP/1.1 201 Created\r\nContent-Length: 7\r\n\r\n{"a":1}');
    const answer = await gateway.get('/');
    expect([answer.status, answer.json(), answer.header('content-length')]).toEqual([
      201,
      { data: { a: 1 } },
      '16',
    ]);
  });

  it('counts a text in bytes, whatever length and connection it writes', async () => {
    const gateway = await answering('text in place', OK, CHUNKED);
    const { responses, closed } = await gateway.raw(get() + get(), { until: 2 });
    expect(responses.map((response) => [response.text, response.header('content-length')])).toEqual([
      ['grüße', '7'],
      ['grüße', '7'],
    ]);
    expect(responses[1]!.header('trailer')).toBeUndefined();
    expect(closed).toBe(false);
  });

  it('hands the body over to a response of its own', async () => {
    const gateway = await answering('hand the body over', OK);
    const answer = await gateway.get('/');
    expect([
      answer.text,
      answer.header('x-new'),
      answer.header('x-one'),
      answer.header('content-length'),
    ]).toEqual(['hello', '1', undefined, '5']);
  });

  it.each(['204 No Content\r\n', '304 Not Modified\r\nContent-Length: 5\r\n'])(
    'makes a whole 200 of a %s',
    async (head) => {
      const gateway = await answering('give a 204 a body', `HTTP/1.1 ${head}\r\n`);
      const answer = await gateway.get('/');
      expect([answer.status, answer.text]).toEqual([200, '']);
    },
  );

  it('watches a body that goes on to the client', async () => {
    const gateway = await answering('watch the body', OK);
    expect((await gateway.get('/')).text).toBe('hello');
    expect(watched).toEqual([5]);
  });

  it.each(['nothing', 'status and headers'])('leaves the length of a HEAD alone (%s)', async (name) => {
    const gateway = await answering(name, OK.replace(/hello$/, ''));
    const [response] = (await gateway.raw(get('/', 'HEAD'))).responses;
    expect([response!.header('content-length'), response!.text]).toEqual(['5', '']);
  });

  it('stands around the next one of the list', async () => {
    const { backend } = await echoUpstream();
    const gateway = await gatewayTo(backend, ['mark', 'mark', 'mark']);
    const marks = (await gateway.get('/')).headerAll('x-mark').map(Number);
    expect(marks).toHaveLength(3);
    expect(marks).toEqual(marks.toSorted((a, b) => b - a));
  });

  it('emits one response; the first counts', async () => {
    const gateway = await answering('two responses');
    expect((await gateway.get('/')).text).toBe('first');
  });

  it('lets go of a body it drops', async () => {
    const endless = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegin');
    });
    const gateway = await gatewayTo(endless.backend, [act('drop the body')]);
    expect((await gateway.get('/')).text).toBe('dropped');
    await waitFor(() => endless.connections[0]!.closed, 'the connection to be ended');
  });
});

describe('refusals of the gateway', () => {
  const nobody = { url: 'http://127.0.0.1:1' };

  it('can be caught and answered', async () => {
    const gateway = await gatewayTo(nobody, [act('catch refusals')]);
    expect((await gateway.get('/')).json()).toEqual({ fallback: 'upstream_unavailable' });
    await gateway.logged('upstream request failed', { reason: 'upstream_unavailable' });
    await gateway.logged('request completed', { status: 200, reason: null });
  });

  it('can be mapped to an exception of Nest', async () => {
    const gateway = await gatewayTo(nobody, [act('map to an exception')]);
    expect((await gateway.get('/')).json()).toMatchObject({ status: 403, detail: 'not today' });
  });

  it('go through interceptors that do not care', async () => {
    const gateway = await gatewayTo(nobody, [act('nothing')]);
    expect((await gateway.get('/')).json()).toMatchObject({ status: 502, code: 'upstream_unavailable' });
    expect(gateway.logsWith('internal error')).toEqual([]);
  });

  it('come as errors for a request that is too large, and too slow an upstream', async () => {
    const echo = await echoUpstream();
    echo.delayMs = 1_000;
    const gateway = await gatewayTo(echo.backend, [act('catch refusals')], {
      max_body_size: '4b',
      timeout: '100ms',
    });
    const large = await gateway.request('/', { body: 'too long', agent: false });
    expect(large.json()).toEqual({ fallback: 'payload_too_large' });
    expect((await gateway.get('/')).json()).toEqual({ fallback: 'upstream_timeout' });
  });

  it('can be met with another try, but not with a body that is spent', async () => {
    const { backend } = await rawUpstream(async (connection) => {
      await connection.request();
      if (connection.index < 2) connection.reset();
      else await connection.write(OK);
    });
    const gateway = await gatewayTo(backend, [act('retry refusals')]);
    expect((await gateway.get('/', { method: 'PATCH' })).text).toBe('hello');
    const again = await gatewayTo({ url: 'http://127.0.0.1:1' }, [act('retry refusals')]);
    expect((await again.request('/', { body: 'once', agent: false })).status).toBe(500);
    await again.logged('internal error', {
      err: 'handle() was subscribed to twice, but the request has a body',
    });
  });
});

describe('faults', () => {
  it.each([
    ['fault', 'interceptor fault'],
    ['fault in a map', 'fault in a map'],
    ['no response', 'the interceptors emitted no response'],
    ['something else', 'an interceptor must emit an UpstreamResponse'],
    ['a bad status', 'no status of a response: 99'],
    ['a bad header', 'Invalid character in header content ["X-Bad"]'],
    ['a bad header of the exchange', 'Invalid character in header content ["X-Bad"]'],
    ['nothing at all', expect.stringContaining('undefined')],
  ])('as %s are a 500 with a log line', async (name, err) => {
    const gateway = await answering(name, OK);
    const answer = await gateway.get('/');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal_error', detail: 'internal error' });
    const line = await gateway.logged('internal error');
    expect(line).toMatchObject({ err, route: 'r', stack: expect.stringContaining('\n') });
    await gateway.logged('request completed', { status: 500, reason: 'internal_error' });
    expect((await gateway.get('/health')).status).toBe(200);
  });

  it.each([
    ['take bytes away', /^the body has 3 bytes where the head announced 5$/],
    ['a broken transform', /^transform fault$/],
    ['objects', /^a body must be a stream of bytes or text$/],
    ['fault after the answer', /^too late$/],
  ])('after the head (%s) cut the transfer', async (name, err) => {
    const { backend } = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe');
      await delay(50);
      await connection.write('llo');
    });
    const gateway = await gatewayTo(backend, [act(name)]);
    const result = await gateway.raw(get(), { until: 'close' });
    expect(result.responses.some(({ complete }) => complete)).toBe(false);
    expect((await gateway.logged('internal error'))['err']).toMatch(err);
    await gateway.logged('request completed', { reason: 'internal_error' });
  });
});

describe('bodies', () => {
  it.each([['nothing'], ['transform']])(
    'that break off are cut through an interceptor (%s)',
    async (name) => {
      const { backend } = await rawUpstream(async (connection) => {
        await connection.head();
        await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello');
        await delay(30);
        connection.reset();
      });
      const gateway = await gatewayTo(backend, [act(name)]);
      const result = await gateway.raw(get(), { until: 'close' });
      expect(result.text).toContain(name === 'nothing' ? 'hello' : 'HELLO');
      expect(result.responses[0]!.complete).toBe(false);
      await gateway.logged('request completed', { reason: 'upstream_aborted', status: 200 });
      expect(gateway.logsWith('internal error')).toEqual([]);
    },
  );

  it('that break off before the interceptor has collected them are a 502', async () => {
    const gateway = await answering('envelope', 'HTTP/1.1 200 OK\r\n\r\n{"a":');
    const { backend } = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a":');
      await delay(30);
      connection.reset();
    });
    await gateway.kill();
    const broken = await gatewayTo(backend, [act('envelope')]);
    expect((await broken.get('/')).json()).toMatchObject({ status: 502, code: 'upstream_unavailable' });
  });

  it.each([['nothing'], ['transform']])('wait for a slow client (%s)', async (name) => {
    let sent = 0;
    const echo = await echoUpstream({
      respond: async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const chunk = Buffer.alloc(64 * 1024, 'a');
        while (sent < 64 * 1024 * 1024) {
          sent += chunk.length;
          if (!response.write(chunk)) await once(response, 'drain');
        }
        response.end();
      },
    });
    const gateway = await gatewayTo(echo.backend, [act(name)]);
    const response = await open(`${gateway.url}/`, { agent: false });
    response.pause();
    await once(response, 'readable');
    let before = -1;
    await waitFor(
      () => {
        const still = before === sent;
        before = sent;
        return still;
      },
      'the upstream to be held back',
      { intervalMs: 200 },
    );
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBe(64 * 1024 * 1024);
  });

  it.each([
    ['nothing', 'before'],
    ['envelope', 'before'],
    ['never', 'without'],
    ['nothing', 'after'],
    ['transform', 'after'],
    ['envelope', 'after'],
  ])('end at once when the client leaves (%s, %s the head)', async (name, when) => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      if (when === 'after') await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":');
    });
    const gateway = await gatewayTo(upstream.backend, [act(name)]);
    const client = await gateway.connect();
    await client.write(get());
    if (when !== 'without') await waitFor(() => upstream.requests.length === 1, 'the request upstream');
    if (when === 'after' && name !== 'envelope')
      await client.until(() => client.text.includes('200 OK'), 'head');
    client.destroy();
    if (when !== 'without') await waitFor(() => upstream.connections[0]!.closed, 'the end upstream');
    await gateway.logged('request completed', { reason: 'client_closed' });
    expect(gateway.logsWith('internal error')).toEqual([]);
    expect(gateway.logsWith('upstream request failed')).toEqual([]);
  });

  it('and 100 Continue pass through', async () => {
    const echo = await echoUpstream();
    const gateway = await gatewayTo(echo.backend, [act('nothing')]);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n';
    const client = await gateway.connect();
    await client.write(head);
    await client.until(() => client.text.includes('100 Continue'), '100');
    await client.write('abc');
    expect((await client.response()).json()).toMatchObject({ bodyBytes: 3 });
  });
});
