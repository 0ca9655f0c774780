import { expect, it } from 'vitest';

import { KEYS, SECRET } from '../auth/support.js';
import { APP, corsHeaders, corsScene, preflight } from '../cors/support.js';

const ASKS = { 'access-control-request-headers': 'authorization' };
const LEAVE = { vary: 'Origin', 'access-control-allow-origin': APP };

/** A route that takes keys, one request an hour, for scripts of one origin. */
function scene() {
  const limit = { requests: 1, per: '1h', by: 'route' };
  return corsScene(
    { origins: [APP] },
    { auth: 'api_key', rate_limit: limit },
    { auth: { api_keys: { keys: KEYS } }, rate_limit_global: { requests: 2, per: '1h' } },
  );
}

it('case 49: preflights pass before auth and limits, and are not counted', async () => {
  const { gateway, upstream } = await scene();
  for (let at = 0; at < 5; at++) {
    const answer = await preflight(gateway, { headers: ASKS });
    expect(answer.status).toBe(204);
    expect(answer.header('access-control-allow-origin')).toBe(APP);
    expect(answer.header('access-control-allow-methods')).toContain('PUT');
    expect(answer.header('access-control-allow-headers')).toBe('authorization');
    expect(answer.header('ratelimit')).toBeUndefined();
  }
  expect(upstream.requests).toHaveLength(0);
  const headers = { origin: APP, 'x-api-key': SECRET };
  expect((await gateway.request('/p', { method: 'PUT', headers })).status).toBe(200);
});

it('case 49: a plain OPTIONS goes to the upstream, with auth', async () => {
  const { gateway, upstream } = await scene();
  const options = (headers: Record<string, string>) => gateway.request('/p', { method: 'OPTIONS', headers });
  expect((await options({ origin: APP })).status).toBe(401);
  expect(upstream.requests).toHaveLength(0);
});

it('case 49: with its key it does', async () => {
  const { gateway, upstream } = await scene();
  const headers = { origin: APP, 'x-api-key': SECRET };
  expect((await gateway.request('/p', { method: 'OPTIONS', headers })).status).toBe(200);
  expect(upstream.last!.method).toBe('OPTIONS');
});

it('case 49: 401 and 429 carry the CORS headers', async () => {
  const { gateway } = await scene();
  const headers = { origin: APP };
  const first = await gateway.get('/p', { headers });
  expect([first.status, first.json()['code'], corsHeaders(first)]).toEqual([401, 'invalid_api_key', LEAVE]);
  const second = await gateway.get('/p', { headers });
  expect([second.status, corsHeaders(second)]).toEqual([429, LEAVE]);
});

it('case 49: 502 does too', async () => {
  const { gateway, upstream } = await scene();
  await upstream.stop();
  const answer = await gateway.get('/p', { headers: { origin: APP, 'x-api-key': SECRET } });
  expect([answer.status, corsHeaders(answer)]).toEqual([502, LEAVE]);
});
