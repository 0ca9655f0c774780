import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { rawUpstream, startTestGateway, waitFor } from '../support/index.js';
import { cacheScene, inFlight, send } from './support.js';

const FRESH = { 'cache-control': 'max-age=60' };

/** An upstream that keeps its answers until told. */
function held(): { open: ServerResponse[]; answer: (_: unknown, response: ServerResponse) => void } {
  const open: ServerResponse[] = [];
  return { open, answer: (_request, response) => void open.push(response) };
}

describe('concurrent misses of one key', () => {
  it('make one upstream request for 1,000 of them', { timeout: 60_000 }, async () => {
    const { open, answer } = held();
    const { gateway, upstream } = await cacheScene(
      (request, response) => {
        if (request.url === '/a') answer(request, response);
        else send(response, 'other');
      },
      { wait: '50s' },
    );
    const all = Array.from({ length: 1000 }, () => gateway.get('/a', { timeoutMs: 50_000 }));
    await waitFor(() => open.length === 1, 'the one request');
    await inFlight(gateway, 1000);
    send(open[0]!, 'one', FRESH);
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['one']));
    expect(answers.filter((one) => one.header('x-cache') === 'MISS')).toHaveLength(1);
    expect(answers.filter((one) => one.header('cache-status')?.endsWith('; collapsed'))).toHaveLength(999);
    expect(upstream.started).toBe(1);
  });

  it('go on with another one when the client of the first leaves', async () => {
    const { open, answer } = held();
    const { gateway, upstream } = await cacheScene(answer);
    const first = await gateway.connect();
    await first.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitFor(() => open.length === 1, '1 upstream requests');
    const others = [1, 2, 3].map(() => gateway.get('/a', { headers: { host: 'x' } }));
    await inFlight(gateway, 4);
    first.destroy();
    await waitFor(() => open.length === 2, '2 upstream requests');
    send(open[1]!, 'two', FRESH);
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(['two', 'two', 'two']);
    expect(upstream.started).toBe(2);
  });

  it('go on with another one when the upstream breaks off, and what broke is not stored', async () => {
    const { open, answer } = held();
    const { gateway } = await cacheScene(answer);
    const broken = gateway.get('/a').catch(() => 'broken');
    await waitFor(() => open.length === 1, '1 upstream requests');
    const other = gateway.get('/a');
    await inFlight(gateway, 2);
    open[0]!.writeHead(200, { ...FRESH, 'content-length': '10' }).write('half');
    await waitFor(() => open[0]!.writableLength === 0, 'the half is sent');
    open[0]!.socket!.resetAndDestroy();
    expect(await broken).toBe('broken');
    await waitFor(() => open.length === 2, '2 upstream requests');
    send(open[1]!, 'whole', FRESH);
    expect((await other).text).toBe('whole');
    expect((await gateway.get('/a')).text).toBe('whole');
  });

  it('all go when the answer is for nobody else, as soon as its head is there, and do not wait again', async () => {
    const { open, answer } = held();
    const { gateway } = await cacheScene(answer);
    const all = [1, 2, 3].map(() => gateway.get('/a'));
    await waitFor(() => open.length === 1, '1 upstream requests');
    await inFlight(gateway, 3);
    open[0]!.writeHead(200, { 'cache-control': 'no-store' }).write('part');
    await waitFor(() => open.length === 3, '3 upstream requests');
    open[0]!.end();
    send(open[1]!, 'b', { 'cache-control': 'no-store' });
    send(open[2]!, 'c', { 'cache-control': 'no-store' });
    const texts = (await Promise.all(all)).map(({ text }) => text);
    expect(texts.toSorted()).toEqual(['b', 'c', 'part']);
    const again = [gateway.get('/a'), gateway.get('/a')];
    await waitFor(() => open.length === 5, '5 upstream requests');
    for (const response of open.slice(3)) send(response, 'd', FRESH);
    await Promise.all(again);
  });

  it('go themselves after `wait`', async () => {
    const { open, answer } = held();
    const { gateway } = await cacheScene(answer, { wait: '20ms' });
    const first = gateway.get('/a');
    await waitFor(() => open.length === 1, '1 upstream requests');
    const second = gateway.get('/a');
    await waitFor(() => open.length === 2, '2 upstream requests');
    send(open[1]!, 'second', FRESH);
    expect((await second).text).toBe('second');
    send(open[0]!, 'first', FRESH);
    expect((await first).text).toBe('first');
  });

  it('are all told that the upstream failed', async () => {
    const { open, answer } = held();
    const { gateway, upstream } = await cacheScene(answer);
    const all = [1, 2, 3].map(() => gateway.get('/a'));
    await waitFor(() => open.length === 1, '1 upstream requests');
    await inFlight(gateway, 3);
    upstream.resetConnections();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([502, 502, 502]);
    expect(upstream.started).toBe(1);
  });

  it('each get the variant that they asked for', async () => {
    const { gateway } = await cacheScene((request, response) =>
      send(response, String(request.headers['accept-language']), { ...FRESH, vary: 'Accept-Language' }),
    );
    const languages = ['de', 'en', 'fr', 'de', 'en', 'fr'];
    const answers = await Promise.all(
      languages.map((language) => gateway.get('/a', { headers: { 'accept-language': language } })),
    );
    expect(answers.map(({ text }) => text)).toEqual(languages);
    const again = await gateway.get('/a', { headers: { 'accept-language': 'de' } });
    expect([again.text, again.header('x-cache')]).toEqual(['de', 'HIT']);
  });
});

describe('a transfer that breaks off', () => {
  it.each(['Content-Length: 10\r\n\r\nhalf', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'])(
    'is never stored: %j',
    async (rest) => {
      const upstream = await rawUpstream(async (connection) => {
        await connection.head();
        await connection.write(`HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n${rest}`);
        connection.destroy();
      });
      const gateway = await startTestGateway({
        routes: [{ id: 'r', path: '/', backends: [upstream.backend], cache: {} }],
      });
      for (let count = 1; count <= 2; count++) {
        const result = await gateway.raw('GET /a HTTP/1.1\r\nHost: x\r\n\r\n', { until: 'close' });
        expect(result.text).not.toContain('HIT');
        expect(upstream.connections).toHaveLength(count);
      }
    },
  );

  it('leaves bodies above max_entry_size as they are, and stores none of them', async () => {
    const body = 'x'.repeat(5000);
    let count = 0;
    const upstream = await rawUpstream(async (connection) => {
      for (;;) {
        await connection.head(count++);
        await connection.write(
          `HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n${body}\r\n0\r\n\r\n`,
        );
      }
    });
    const gateway = await startTestGateway({
      cache: { max_entry_size: '4kb' },
      routes: [{ id: 'r', path: '/', backends: [upstream.backend], cache: {} }],
    });
    for (let round = 0; round < 2; round++) {
      const answer = await gateway.get('/a');
      expect([answer.text, answer.header('x-cache')]).toEqual([body, 'MISS']);
    }
  });
});
