import { brotliCompressSync, gzipSync } from 'node:zlib';

import { expect, it } from 'vitest';

import { echoScene } from '../cases/scene.js';
import { echoUpstream, startTestGateway } from '../support/index.js';

/** 64 MB of zeros: what a gateway that looked inside would have to hold. */
const ZEROS = Buffer.alloc(64 * 1024 * 1024);
const BOMBS = [
  ['gzip', gzipSync(ZEROS)],
  ['br', brotliCompressSync(ZEROS)],
] as const;

it.each(BOMBS)('a compressed request passes as it came: %s', async (coding, bomb) => {
  const { gateway, upstream } = await echoScene({ compression: {}, max_body_size: '1mb' });
  const headers = { 'content-encoding': coding, 'content-type': 'application/json' };
  const response = await gateway.request('/p', { body: bomb, headers });
  expect(response.status).toBe(200);
  expect(upstream.requests[0]?.bodyBytes).toBe(bomb.length);
});

it.each(BOMBS)('where its content would be checked it is refused unread: %s', async (coding, bomb) => {
  const { gateway, upstream } = await echoScene({ validate: { body: { schema: { type: 'object' } } } });
  const headers = { 'content-encoding': coding, 'content-type': 'application/json' };
  const response = await gateway.request('/p', { body: bomb, headers });
  expect([response.status, upstream.requests.length]).toEqual([415, 0]);
});

it.each(BOMBS)('a compressed answer passes as it came, also into the cache: %s', async (coding, bomb) => {
  const upstream = await echoUpstream({
    respond: (_, response) =>
      void response
        .writeHead(200, {
          'content-encoding': coding,
          'content-type': 'text/plain',
          'cache-control': 'max-age=60',
        })
        .end(bomb),
  });
  const gateway = await startTestGateway({
    compression: { min_size: '1b' },
    routes: [{ path: '/p', backends: [upstream.backend], cache: {} }],
  });
  const headers = { 'accept-encoding': 'gzip, br' };
  const first = await gateway.get('/p', { headers });
  const second = await gateway.get('/p', { headers });
  expect([first.header('x-cache'), second.header('x-cache')]).toEqual(['MISS', 'HIT']);
  for (const answer of [first, second]) {
    expect(answer.header('content-encoding')).toBe(coding);
    expect(answer.body.equals(bomb)).toBe(true);
  }
});
