import { describe, expect, it } from 'vitest';

import { cacheScene } from '../cache/support.js';

/** Who asks, and by which headers: each gets a body of its own. */
const CALLERS: readonly Record<string, string>[] = [
  {},
  { 'x-test-identity': 'jwt alice', authorization: 'Bearer alice' },
  { 'x-test-identity': 'jwt bob', authorization: 'Bearer bob' },
  { 'x-test-identity': 'api_key alice' },
  { 'x-test-identity': 'api_key bob' },
  { 'x-test-identity': 'api_key alice', authorization: 'Basic x' },
  { 'x-test-identity': 'api_key alice', authorization: 'Basic y' },
  { authorization: 'Basic alice' },
  { authorization: 'Basic bob' },
  { cookie: 'session=alice' },
  { cookie: 'session=bob' },
  { 'x-test-identity': 'jwt alice', authorization: 'Bearer alice', cookie: 'session=alice' },
  { 'x-test-identity': 'jwt alice', authorization: 'Bearer alice', cookie: 'session=bob' },
];

/** What the upstream says of its answers; what it marks for everybody is the same for everybody. */
const SAID = [
  '',
  'max-age=60',
  'max-age=0',
  'max-age=60, stale-while-revalidate=60',
  'max-age=0, stale-while-revalidate=60',
  'no-cache',
  'private, max-age=60',
  'public, max-age=60',
  's-maxage=60',
  'max-age=60, must-revalidate',
];
const SHARED = /public|s-maxage|must-revalidate/;

const CACHES: readonly object[] = [
  {},
  { key: { identity: true } },
  { key: { identity: false } },
  { key: { identity: true, headers: ['accept'], query: 'none' }, stale_while_revalidate: '10s' },
  { key: { identity: true }, respect_headers: false, stale_if_error: '10s' },
];

function callerOf(headers: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([headers['x-test-identity'], headers['authorization'], headers['cookie']]);
}

/** mulberry32: the same sequence for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('users of one route', () => {
  it.each(CACHES.flatMap((cache) => [1, 2].map((seed) => [cache, seed] as const)))(
    'never get what another one was answered: %j, seed %i',
    { timeout: 60_000 },
    async (cache, seed) => {
      const random = randomFrom(seed);
      const { gateway } = await cacheScene(
        (request, response) => {
          const said = SAID[Number(/said=(\d+)/.exec(request.url ?? '')?.[1])] ?? '';
          const body = SHARED.test(said) ? 'everybody' : callerOf(request.headers);
          const etag = `"${Buffer.from(body).toString('hex')}"`;
          const headers = { ...(said !== '' && { 'cache-control': said }), etag, vary: 'accept' };
          if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
          else response.writeHead(200, headers).end(body);
        },
        cache,
        { guards: ['test-identity'] },
      );
      let hits = 0;
      for (let round = 0; round < 200; round++) {
        const path = `/said=${random(SAID.length)}?x=${random(2)}`;
        const several = Array.from({ length: 1 + random(6) }, async () => {
          const caller = CALLERS[random(CALLERS.length)]!;
          const method = random(20) === 0 ? 'POST' : 'GET';
          const extra = random(5) === 0 ? { 'cache-control': 'no-cache' } : {};
          const answer = await gateway.request(path, { method, headers: { ...caller, ...extra } });
          expect(answer.status).toBe(200);
          expect(['everybody', callerOf(caller)]).toContain(answer.text);
          if (answer.header('x-cache') !== 'MISS' && method === 'GET') hits++;
        });
        await Promise.all(several);
      }
      expect(hits).toBeGreaterThan(10);
    },
  );
});
