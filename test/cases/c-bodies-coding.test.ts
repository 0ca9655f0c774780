import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, startTestGateway } from '../support/index.js';

const TEXT = JSON.stringify({ items: Array.from({ length: 2_000 }, (_, id) => ({ id })) });

/** An upstream that sends this body with these headers, behind a gateway. */
async function answering(body: Buffer | string, headers: Record<string, string>, status = 200) {
  const upstream = await echoUpstream({
    respond: (_request, response) => void response.writeHead(status, headers).end(body),
  });
  const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
  const get = (sent: Record<string, string> = {}) =>
    gateway.get('/a', { headers: { 'accept-encoding': 'gzip, br', ...sent } });
  return { upstream, get };
}

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

describe('case 31: partial content', () => {
  it('passes as it is, and so do Range and If-Range', async () => {
    const part = Buffer.alloc(10_000, 'part ');
    const { upstream, get } = await answering(
      part,
      { 'content-range': 'bytes 0-9999/50000', 'content-type': 'text/plain', 'content-length': '10000' },
      206,
    );
    const response = await get({ range: 'bytes=0-9999', 'if-range': '"v1"' });
    expect(response.status).toBe(206);
    expect(response.header('content-range')).toBe('bytes 0-9999/50000');
    expect(response.header('content-length')).toBe('10000');
    expect(response.header('content-encoding')).toBeUndefined();
    expect(response.body.equals(part)).toBe(true);
    expect(echoedHeader(upstream.last!, 'range')).toEqual(['bytes=0-9999']);
    expect(echoedHeader(upstream.last!, 'if-range')).toEqual(['"v1"']);
  });

  it('an answer that no range satisfies passes too', async () => {
    const { get } = await answering('', { 'content-range': 'bytes */50000', 'content-length': '0' }, 416);
    const response = await get({ range: 'bytes=60000-' });
    expect([response.status, response.header('content-range')]).toEqual([416, 'bytes */50000']);
  });
});

describe('case 32: what is encoded stays as it is', () => {
  it('gzip with Vary and a strong ETag', async () => {
    const body = gzipSync(TEXT);
    const { upstream, get } = await answering(body, {
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      etag: '"strong"',
      'content-type': 'application/json',
    });
    const response = await get();
    expect(gunzipSync(response.body).toString()).toBe(TEXT);
    expect(response.headerAll('vary')).toEqual(['Accept-Encoding']);
    expect(response.headerAll('content-encoding')).toEqual(['gzip']);
    expect(response.header('etag')).toBe('"strong"');
    expect(echoedHeader(upstream.last!, 'accept-encoding')).toEqual(['gzip, br']);
  });

  it.each([
    ['an image', { 'content-type': 'image/png' }],
    ['no-transform', { 'content-type': 'text/plain', 'cache-control': 'no-transform' }],
  ])('%s', async (_, headers) => {
    const body = Buffer.from(Array.from({ length: 5_000 }, (__, index) => index % 256));
    const { get } = await answering(body, headers);
    const response = await get();
    expect(sha256(response.body)).toBe(sha256(body));
    expect(response.header('content-encoding')).toBeUndefined();
    expect(response.header('vary')).toBeUndefined();
  });
});

describe('case 33: Content-Encoding tells the truth', () => {
  it.each([200, 429, 500])('brotli with status %i, with a length and in chunks', async (status) => {
    const body = brotliCompressSync(TEXT);
    const headers = { 'content-encoding': 'br', 'content-type': 'application/json' };
    for (const length of [{ 'content-length': String(body.length) }, {}]) {
      const { get } = await answering(body, { ...headers, ...length }, status);
      const response = await get();
      expect(response.status).toBe(status);
      expect(response.header('content-encoding')).toBe('br');
      expect(brotliDecompressSync(response.body).toString()).toBe(TEXT);
      const announced = response.header('content-length');
      expect(announced ?? String(body.length)).toBe(String(response.body.length));
    }
  });

  it('HEAD shows the length of the GET, and sends nothing', async () => {
    const upstream = await echoUpstream({
      respond: (_request, response) => void response.writeHead(200, { 'content-length': '12345' }).end(),
    });
    const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
    const response = await gateway.request('/a', { method: 'HEAD' });
    expect([response.header('content-length'), response.body.length]).toEqual(['12345', 0]);
  });
});
