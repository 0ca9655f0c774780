import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, rawUpstream, startTestGateway } from '../support/index.js';

const TEXT = JSON.stringify(Array.from({ length: 3_000 }, (_, id) => ({ id, name: `item ${id}` })));

async function setUp(
  headers: Record<string, string>,
  compression: object = {},
  body: string = TEXT,
  route: object = {},
) {
  const upstream = await echoUpstream({
    respond: (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body),
  });
  const gateway = await startTestGateway({
    compression,
    routes: [{ path: '/', backends: [upstream.backend], ...route }],
  });
  const get = (accept: string, more: Record<string, string> = {}) =>
    gateway.get('/', { headers: { 'accept-encoding': accept, ...more } });
  return { upstream, gateway, get };
}

describe('compression', () => {
  it.each([
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.2', 'gzip'],
  ])('answers %s with %s', async (accept, coding) => {
    for (const length of [{ 'content-length': String(TEXT.length) }, {}]) {
      // oxlint-disable-next-line no-await-in-loop -- one gateway after the other.
      const { gateway, get } = await setUp({ etag: '"a"', 'accept-ranges': 'bytes', ...length });
      // oxlint-disable-next-line no-await-in-loop
      const response = await get(accept);
      expect(response.header('content-encoding')).toBe(coding);
      expect(response.header('content-length')).toBeUndefined();
      expect([response.header('etag'), response.header('vary')]).toEqual(['W/"a"', 'Accept-Encoding']);
      expect(response.header('accept-ranges')).toBeUndefined();
      expect(response.body.length).toBeLessThan(TEXT.length / 3);
      const decoded = coding === 'br' ? brotliDecompressSync(response.body) : gunzipSync(response.body);
      expect(decoded.toString()).toBe(TEXT);
      // oxlint-disable-next-line no-await-in-loop
      await gateway.logged('request completed', { status: 200, bytes_written: response.body.length });
    }
  });

  it.each(['', 'identity', 'deflate', 'gzip;q=0, br;q=0', 'identity, gzip;q=0.5'])(
    'answers %j with the body as it is, and says that it varies',
    async (accept) => {
      const { get } = await setUp({ etag: '"a"', 'content-length': String(TEXT.length) });
      const response = await get(accept);
      expect(response.text).toBe(TEXT);
      expect(response.header('content-encoding')).toBeUndefined();
      expect([response.header('etag'), response.header('vary')]).toEqual(['"a"', 'Accept-Encoding']);
      expect(response.header('content-length')).toBe(String(TEXT.length));
    },
  );

  it('follows the order of the config', async () => {
    const { get } = await setUp({}, { encodings: ['gzip', 'br'] });
    expect((await get('br, gzip')).header('content-encoding')).toBe('gzip');
    const { get: gzipAlone } = await setUp({}, { encodings: ['gzip'] });
    expect((await gzipAlone('br')).header('content-encoding')).toBeUndefined();
  });

  it.each([
    ['its type', { 'content-type': 'image/png' }, {}],
    ['its size', { 'content-length': String(TEXT.length) }, { min_size: '1mb' }],
    ['a size that shows at the end', {}, { min_size: '1mb' }],
    ['types of the config', {}, { types: ['text/*'] }],
  ])('leaves an answer alone for %s', async (_, headers, compression) => {
    const { get } = await setUp(headers, compression);
    const response = await get('gzip');
    expect([response.header('content-encoding'), response.text]).toEqual([undefined, TEXT]);
  });

  it('is off on routes that say so, and tells the upstream what the client takes', async () => {
    const upstream = await echoUpstream({
      respond: (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/plain' }).end(TEXT),
    });
    const { backend } = upstream;
    const gateway = await startTestGateway({
      compression: {},
      routes: [
        { path: '/off', backends: [backend], compression: false },
        { path: '/on', backends: [backend] },
      ],
    });
    const headers = { 'accept-encoding': 'gzip' };
    const [off, on] = [await gateway.get('/off', { headers }), await gateway.get('/on', { headers })];
    expect([off.header('content-encoding'), off.header('vary')]).toEqual([undefined, undefined]);
    expect(on.header('content-encoding')).toBe('gzip');
    expect(echoedHeader(upstream.last!, 'accept-encoding')).toEqual(['gzip']);
  });

  it('answers HEAD with the headers of GET', async () => {
    const { gateway } = await setUp({ 'content-length': String(TEXT.length), etag: '"a"' });
    const response = await gateway.request('/', { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    expect(response.header('content-encoding')).toBe('gzip');
    expect([response.header('etag'), response.header('content-length')]).toEqual(['W/"a"', undefined]);
    expect(response.body).toHaveLength(0);
  });

  it('revalidates with the tag that it gave', async () => {
    const upstream = await echoUpstream({
      respond: (request, response) => {
        const known = /"a"/.test(request.headers['if-none-match'] ?? '');
        response
          .writeHead(known ? 304 : 200, { 'content-type': 'text/plain', etag: '"a"' })
          .end(known ? '' : TEXT);
      },
    });
    const gateway = await startTestGateway({
      compression: {},
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const headers = { 'accept-encoding': 'gzip' };
    const etag = (await gateway.get('/', { headers })).header('etag')!;
    const second = await gateway.get('/', { headers: { ...headers, 'if-none-match': etag } });
    expect([second.status, second.header('etag'), second.header('content-encoding')]).toEqual([
      304,
      etag,
      undefined,
    ]);
  });

  it.each([
    ['text/plain', TEXT, 'Accept-Encoding'],
    ['image/png', TEXT, undefined],
    ['text/plain', 'short', undefined],
  ])(
    'says of a part of %s what it says of the whole, from the upstream and from the cache',
    async (...of) => {
      const [type, body, vary] = of;
      const upstream = await echoUpstream({
        respond: ({ headers: { range } }, response) => {
          const headers = { 'content-type': type, etag: '"a"', 'content-length': String(body.length) };
          if (range === undefined) return void response.writeHead(200, headers).end(body);
          const part = { ...headers, 'content-length': '2', 'content-range': `bytes 0-1/${body.length}` };
          response.writeHead(206, part).end(body.slice(0, 2));
        },
      });
      const gateway = await startTestGateway({
        compression: {},
        routes: [{ path: '/', backends: [upstream.backend], cache: {} }],
      });
      const told = async (headers: Record<string, string>): Promise<unknown[]> => {
        const answer = await gateway.get('/', { headers: { 'accept-encoding': 'identity', ...headers } });
        return [answer.status, answer.header('x-cache'), answer.header('vary')];
      };
      expect(await told({ range: 'bytes=0-1' })).toEqual([206, 'MISS', vary]);
      expect(await told({})).toEqual([200, 'MISS', vary]);
      expect(await told({ range: 'bytes=0-1' })).toEqual([206, 'HIT', vary]);
    },
  );

  it('says of a 304 from the cache what it says of the whole', async () => {
    const { gateway } = await setUp({ etag: '"a"' }, {}, TEXT, { cache: {} });
    await gateway.get('/');
    const answer = await gateway.get('/', { headers: { 'if-none-match': '"a"' } });
    expect([answer.status, answer.header('x-cache'), answer.headerAll('vary')]).toEqual([
      304,
      'HIT',
      ['Accept-Encoding'],
    ]);
  });

  it('serves HTTP/1.0 clients, whose body ends with the connection', async () => {
    const { gateway } = await setUp({});
    const { responses, bytes } = await gateway.raw(
      'GET / HTTP/1.0\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n',
      {
        until: 'close',
      },
    );
    expect(responses[0]!.header('content-encoding')).toBe('gzip');
    expect(gunzipSync(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)).toString()).toBe(TEXT);
  });

  it('passes trailers on, but for digests of the bytes as they were', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Sum, Content-Digest\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${TEXT.length.toString(16)}\r\n${TEXT}\r\n0\r\nX-Sum: 1\r\nContent-Digest: sha-256=:a:\r\n\r\n`,
      );
    });
    const gateway = await startTestGateway({
      compression: {},
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const response = await gateway.get('/', { headers: { 'accept-encoding': 'br' } });
    expect(brotliDecompressSync(response.body).toString()).toBe(TEXT);
    expect(response.trailers).toEqual({ 'x-sum': '1' });
  });
});
