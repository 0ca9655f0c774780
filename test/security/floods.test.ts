import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { closeAtEnd, listen, startTestGateway, type TestGateway, waitFor } from '../support/index.js';

/**
 * How many different addresses, tokens, keys and targets come. Fewer would not show a leak above the noise, and a
 * million takes minutes: `NEXUS_FLOOD=1000000 vitest run test/security/floods.test.ts`.
 */
const COUNT = Number(process.env['NEXUS_FLOOD'] ?? 0);
const WARM_UP = 2_000;
const IN_ONE_WRITE = 200;
const MARGIN_BYTES = 20 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of heap and buffers in use; the smallest of a few, as garbage of the run itself goes late. */
function inUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** An ECHO keeps what it was asked. */
async function forgetfulUpstream(): Promise<number> {
  const server = createServer((_, response) => response.end('x'.repeat(500)));
  closeAtEnd(() => server.close());
  return listen(server);
}

async function scene(): Promise<TestGateway> {
  const backends = [{ url: `http://127.0.0.1:${await forgetfulUpstream()}` }];
  const rate_limit = { requests: 1, per: '1s' };
  return startTestGateway({
    logging: { level: 'error' },
    server: { trusted_proxies: ['127.0.0.1/32'] },
    auth: {
      jwt: { algorithms: ['HS256'], secret: 'a-secret-of-thirty-two-bytes-and-more' },
      api_keys: { keys: [{ id: 'alice', key: 'the-only-key' }] },
    },
    cache: { max_size: '1mb' },
    routes: [
      { id: 'tokens', path: '/tokens', backends, rate_limit, auth: ['jwt', 'api_key'] },
      { id: 'cached', path: '/cached', backends, cache: {} },
    ],
  });
}

function addressOf(at: number): string {
  return `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = part({ alg: 'HS256' });
const FLOODS: [what: string, status: string, bytes: (at: number) => string][] = [
  ['addresses with nothing to show', '401', (at) => get('/tokens', at, '')],
  [
    'wrong tokens',
    '401',
    (at) => get('/tokens', at, `Authorization: Bearer ${HEADER}.${part({ sub: `u${at}` })}.AAAA${at}\r\n`),
  ],
  ['wrong API keys', '401', (at) => get('/tokens', at, `X-Api-Key: no-key-${at}\r\n`)],
  ['one address that is refused', '429', () => get('/tokens', 1, '')],
  ['targets that are stored', '200', (at) => get(`/cached/${at}`, at, '')],
];

function get(path: string, at: number, lines: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: ${addressOf(at)}\r\n${lines}\r\n`;
}

/** Sends them on one connection, a batch at a time; how many answers had each status. */
async function flood(
  port: number,
  count: number,
  bytes: (at: number) => string,
): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const socket = connect(port, '127.0.0.1');
  let answers = 0;
  let rest = '';
  socket.on('data', (chunk) => {
    const text = rest + chunk.toString('latin1');
    for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      answers++;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    rest = /(?:HTTP\/1\.1 \d{0,3}|HTTP\/1\.?|HTTP\/?|HTT?|H)$/.exec(text)?.[0] ?? '';
  });
  for (let at = 0; at < count; at += IN_ONE_WRITE) {
    let batch = '';
    for (let next = at; next < at + IN_ONE_WRITE; next++) batch += bytes(next);
    socket.write(batch);
    // oxlint-disable-next-line no-await-in-loop -- one batch after the other.
    await waitFor(() => answers >= at + IN_ONE_WRITE, 'the batch is answered', {
      intervalMs: 1,
      timeoutMs: 60_000,
    });
  }
  socket.destroy();
  return statuses;
}

it.skipIf(COUNT === 0).each(FLOODS)(
  'nothing is kept of many %s',
  { timeout: 3_600_000 },
  async (what, status, bytes) => {
    const gateway = await scene();
    // What is loaded and compiled at first use is no leak.
    const warm = await flood(gateway.port, WARM_UP, bytes);
    expect(warm.get(status)).toBeGreaterThan(0);
    const before = inUse();
    const statuses = await flood(gateway.port, COUNT, (at) => bytes(at + WARM_UP));
    const peak = inUse();
    const isBack = (): boolean => inUse() - before < MARGIN_BYTES;
    await waitFor(isBack, `memory is back after ${what}`, { timeoutMs: 60_000, intervalMs: 1_000 });
    const mb = (size: number): string => ((size - before) / 1024 / 1024).toFixed(1);
    console.info(`${COUNT} ${what}: ${mb(peak)} MB more at the end, ${mb(inUse())} MB later`, statuses);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(COUNT);
  },
);
