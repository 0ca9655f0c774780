import { randomBytes } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { echoedHeader, echoUpstream, rawUpstream, startTestGateway } from '../support/index.js';

const TEXT = JSON.stringify({ items: Array.from({ length: 2_000 }, (_, id) => ({ id })) });

/** An upstream that sends this body with these headers, behind a gateway that compresses everything it may. */
async function answering(body: Buffer | string, headers: Record<string, string>, status = 200) {
  const upstream = await echoUpstream({
    respond: (_request, response) => void response.writeHead(status, headers).end(body),
  });
  const gateway = await startTestGateway({
    compression: { min_size: 0 },
    routes: [{ path: '/', backends: [upstream.backend] }],
  });
  const get = (sent: Record<string, string> = {}) =>
    gateway.get('/a', { headers: { 'accept-encoding': 'gzip, br', ...sent } });
  return { upstream, get };
}

it('case 31: partial content is not compressed', async () => {
  const part = Buffer.alloc(10_000, 'part ');
  const { upstream, get } = await answering(
    part,
    { 'content-range': 'bytes 0-9999/50000', 'content-type': 'text/plain', 'content-length': '10000' },
    206,
  );
  const response = await get({ range: 'bytes=0-9999', 'if-range': '"v1"' });
  expect([response.status, response.header('content-length')]).toEqual([206, '10000']);
  expect(response.header('content-encoding')).toBeUndefined();
  expect(response.body.equals(part)).toBe(true);
  // As the whole says: another client gets it in another coding.
  expect(response.headerAll('vary')).toEqual(['Accept-Encoding']);
  expect(echoedHeader(upstream.last!, 'range')).toEqual(['bytes=0-9999']);
  expect(echoedHeader(upstream.last!, 'if-range')).toEqual(['"v1"']);
});

describe('case 32: no double compression, one Vary', () => {
  it('leaves gzip as it is', async () => {
    const { get } = await answering(gzipSync(TEXT), {
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      etag: '"strong"',
      'content-type': 'application/json',
    });
    const response = await get();
    expect(gunzipSync(response.body).toString()).toBe(TEXT);
    expect(response.headerAll('vary')).toEqual(['Accept-Encoding']);
    expect([response.headerAll('content-encoding'), response.header('etag')]).toEqual([['gzip'], '"strong"']);
  });

  it('keeps one Vary where it compresses, with a weak ETag and no length', async () => {
    const { get } = await answering(TEXT, {
      vary: 'Origin, accept-encoding',
      etag: '"strong"',
      'content-type': 'application/json',
      'content-length': String(TEXT.length),
    });
    const response = await get();
    expect(brotliDecompressSync(response.body).toString()).toBe(TEXT);
    expect(response.headerAll('vary')).toEqual(['Origin, accept-encoding']);
    expect([response.header('etag'), response.header('content-length')]).toEqual(['W/"strong"', undefined]);
  });

  it.each([
    ['an image', { 'content-type': 'image/png' }],
    ['no-transform', { 'content-type': 'text/plain', 'cache-control': 'no-transform' }],
  ])('does not touch %s', async (_, headers) => {
    const body = randomBytes(5_000);
    const { get } = await answering(body, headers);
    const response = await get();
    expect(response.body.equals(body)).toBe(true);
    expect([response.header('content-encoding'), response.header('vary')]).toEqual([undefined, undefined]);
  });
});

describe('case 33: Content-Encoding tells the truth', () => {
  it.each([200, 429, 500])('about what is brotli already (%i)', async (status) => {
    const body = brotliCompressSync(TEXT);
    const { get } = await answering(
      body,
      { 'content-encoding': 'br', 'content-type': 'application/json' },
      status,
    );
    const response = await get();
    expect([response.status, response.headerAll('content-encoding')]).toEqual([status, ['br']]);
    expect(brotliDecompressSync(response.body).toString()).toBe(TEXT);
  });

  it.each([200, 429, 500])('about what the gateway makes brotli (%i)', async (status) => {
    const { get } = await answering(TEXT, { 'content-type': 'application/json' }, status);
    const response = await get();
    expect([response.status, response.headerAll('content-encoding')]).toEqual([status, ['br']]);
    expect(brotliDecompressSync(response.body).toString()).toBe(TEXT);
  });

  it('about the gateway’s own answers', async () => {
    const gateway = await startTestGateway({
      compression: { min_size: 0 },
      routes: [{ path: '/', backends: [{ url: 'http://127.0.0.1:1' }] }],
    });
    const response = await gateway.get('/', { headers: { 'accept-encoding': 'gzip' } });
    expect([response.status, response.header('content-encoding')]).toEqual([502, undefined]);
    expect(JSON.parse(response.text)).toMatchObject({ status: 502 });
  });
});

it('case 34: SSE is neither compressed nor held back', async () => {
  const upstream = await rawUpstream(async (connection) => {
    await connection.request();
    await connection.write(
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
  });
  const gateway = await startTestGateway({
    compression: { min_size: 0, types: ['text/*', 'text/event-stream'] },
    routes: [{ path: '/', backends: [upstream.backend] }],
  });
  const client = await gateway.connect();
  await client.write('GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, br\r\n\r\n');
  await client.until(() => client.responses.length > 0, 'the head, before any event');
  for (let event = 1; event <= 5; event++) {
    const text = `data: ${event}\n\n`;
    await upstream.connections[0]!.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    await client.until(() => client.responses[0]!.text.endsWith(text), `event ${event}`);
  }
  const [response] = client.responses;
  expect([response!.header('content-encoding'), response!.header('vary')]).toEqual([undefined, undefined]);
  await upstream.connections[0]!.write('0\r\n\r\n');
  await client.response();
  await gateway.logged('request completed', { status: 200, bytes_written: 45 });
  await untilAtRest(gateway);
});
