import { expect, it } from 'vitest';

import { before, rawGet } from '../cases/scene.js';
import { closeAtEnd, listen, type TestGateway } from '../support/index.js';
import { createServer } from 'node:net';

const FORGED = '{"level":"INFO","msg":"forged"}';
const KEY = 'sk-live_0a1b2c3d4e';

/** An upstream that writes what would forge a line, wherever the gateway might put it in its log. */
async function hostileUpstream(): Promise<{ backend: { url: string } }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`HTTP/1.1 200 \x1b[31m\r\n${FORGED}\n${FORGED}\r\n\r\n`));
  });
  closeAtEnd(() => server.close());
  return { backend: { url: `http://127.0.0.1:${await listen(server)}` } };
}

function setUp(upstream: { backend: object }, route: object): Promise<TestGateway> {
  const document = {
    logging: { level: 'debug' },
    auth: { api_keys: { keys: [{ id: 'alice', key: KEY }], query: 'api_key' } },
    upstreams: { shadow: { backends: [upstream.backend] } },
  };
  return before(upstream, { mirror: { upstream: 'shadow' }, ...route }, document);
}

it.each([
  ['a limit', { rate_limit: { requests: 1, per: '1h' } }],
  ['a key that is not one', { auth: 'api_key' }],
  ['a retry', { retry: { attempts: 2, backoff: '1ms' } }],
  ['a breaker', { circuit_breaker: { failures: 1 } }],
  ['a cache', { cache: {} }],
])('no line of the log is forged by a client or an upstream, with %s', async (_, route) => {
  const gateway = await setUp(await hostileUpstream(), route);
  const agent = `User-Agent: "}\\u000a${FORGED}\x1b[2J\xff\r\n`;
  const key = `X-Api-Key: ${KEY}x\r\nAuthorization: Bearer ${KEY}y\r\nCookie: s=${KEY}\r\n`;
  const targets = [
    `/p/%22%7D${encodeURIComponent(FORGED)}`,
    `/p?api_key=${KEY}z&x=${'"'.repeat(3_000)}`,
    '/p/%0a',
  ];
  for (const target of [...targets, ...targets]) {
    // oxlint-disable-next-line no-await-in-loop -- the second one meets what the first left.
    await gateway.raw(rawGet(target, agent + key), { until: 'close' }).catch(() => {});
  }
  const requests = await gateway.logged('request completed');
  expect(requests['msg']).toBe('request completed');
  for (const line of gateway.rawLogs) {
    expect(JSON.parse(line)).toBeTypeOf('object');
    // oxlint-disable-next-line no-control-regex -- that is what must not be there.
    expect(line.trimEnd()).not.toMatch(/[\x00-\x1f\x7f]/);
    expect(line.length).toBeLessThan(8_192);
  }
  expect(gateway.logsWith('forged')).toEqual([]);
  expect(gateway.rawLogs.join('\n')).not.toContain(KEY);
});
