import { createHash } from 'node:crypto';

import { expect, it } from 'vitest';

import {
  connectRaw,
  echoedHeader,
  echoUpstream,
  freePort,
  get,
  rawRequest,
  rawUpstream,
  request,
  waitFor,
} from './index.js';

it('ECHO answers with what it received and keeps it', async () => {
  const echo = await echoUpstream();
  const response = await request(`${echo.url}/a%2Fb/../c?x=//y`, {
    method: 'PUT',
    headers: { 'X-A': ['1', '2'] },
    body: 'hello',
  });
  expect(response.status).toBe(200);
  expect(response.json()).toEqual(echo.last);
  expect(echo.last).toMatchObject({ method: 'PUT', url: '/a%2Fb/../c?x=//y', bodyBytes: 5, connId: 1 });
  expect(echo.last!.sha256).toBe(createHash('sha256').update('hello').digest('hex'));
  expect(echoedHeader(echo.last!, 'x-a')).toEqual(['1', '2']);
});

it('ECHO numbers connections and the requests on them, and counts probes apart', async () => {
  const echo = await echoUpstream();
  await rawRequest(echo.port, 'GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n', {
    until: 2,
  });
  await get(`${echo.url}/3`, { agent: false });
  await get(`${echo.url}/health`, { agent: false });
  expect(echo.requests.map((echoed) => [echoed.connId, echoed.reqNo])).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
  ]);
  expect(echo.probes).toBe(1);
});

it('ECHO stops, refuses, and comes back on the same port', async () => {
  const echo = await echoUpstream();
  await echo.stop();
  await expect(get(`${echo.url}/`, { agent: false })).rejects.toThrow(/ECONNREFUSED/);
  await echo.start();
  expect((await get(`${echo.url}/`, { agent: false })).status).toBe(200);
});

it('ECHO counts clients that went before their answer', async () => {
  const echo = await echoUpstream();
  echo.delayMs = 60_000;
  const client = await connectRaw(echo.port);
  await client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await waitFor(() => echo.started, 'the request started');
  client.reset();
  expect(await waitFor(() => echo.aborted, 'the abort was seen')).toBe(1);
});

it('RAWUP sends scripted replies in order over all connections', async () => {
  const upstream = await rawUpstream([
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na',
    'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n',
  ]);
  const first = await rawRequest(upstream.port, 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi');
  const second = await rawRequest(upstream.port, 'GET /y HTTP/1.1\r\nHost: h\r\n\r\n');
  expect([first.responses[0]!.text, second.responses[0]!.status]).toEqual(['a', 503]);
  expect(
    upstream.requests.map(({ method, target, body }) => `${method} ${target} ${body.toString()}`),
  ).toEqual(['POST /x hi', 'GET /y ']);
  await expect(rawRequest(upstream.port, 'GET /z HTTP/1.1\r\nHost: h\r\n\r\n')).rejects.toThrow(
    /closed before/,
  );
});

it('RAWUP hands each connection to a handler', async () => {
  const upstream = await rawUpstream(async (connection) => {
    const { target } = await connection.head();
    await connection.write(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${target}`);
    connection.end();
  });
  const result = await rawRequest(upstream.port, 'GET /cut HTTP/1.1\r\nHost: h\r\n\r\n', { until: 'close' });
  expect(result.responses[0]).toMatchObject({ text: '/cut', complete: false });
  expect(result.closed).toBe(true);
  expect(upstream.failures).toEqual([]);
});

it('rawRequest collects until a text, a pattern, or for a time', async () => {
  const upstream = await rawUpstream(async (connection) => {
    await connection.head();
    await connection.write('HTTP/1.1 200 OK\r\n\r\none two');
  });
  const bytes = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
  expect((await rawRequest(upstream.port, bytes, { until: { text: 'two' } })).closed).toBe(false);
  expect((await rawRequest(upstream.port, bytes, { until: /t.o$/ })).text).toMatch(/one two$/);
  expect((await rawRequest(upstream.port, bytes, { until: { ms: 50 } })).text).toMatch(/one two$/);
});

it('rawRequest shows what came when it gives up', async () => {
  const upstream = await rawUpstream((connection) =>
    connection.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
  );
  await expect(rawRequest(upstream.port, 'GET / HTTP/1.1\r\n\r\n', { timeoutMs: 50 })).rejects.toThrow(
    /not within 50 ms: response 1; received .* bytes: .*half/,
  );
});

it('waitFor returns what the predicate gave, and gives up with the message', async () => {
  let looks = 0;
  expect(await waitFor(() => (++looks === 3 ? 'third' : null), 'the third look')).toBe('third');
  await expect(waitFor(() => false, 'never', { timeoutMs: 20 })).rejects.toThrow('not within 20 ms: never');
});

it('freePort gives a port that can be listened on', async () => {
  const port = await freePort();
  const echo = await echoUpstream({ port });
  expect(echo.port).toBe(port);
});
