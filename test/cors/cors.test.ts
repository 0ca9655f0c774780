import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { KEYS, SECRET } from '../auth/support.js';
import { echoUpstream, rawUpstream, startTestGateway } from '../support/index.js';
import { APP, corsHeaders, corsScene, EVIL, preflight } from './support.js';

const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';

describe('a preflight', () => {
  it('is answered by the gateway with what the document allows', async () => {
    const { gateway, upstream } = await corsScene();
    const headers = { 'access-control-request-headers': 'authorization,x-a' };
    const answer = await preflight(gateway, { headers });
    expect([answer.status, answer.text, answer.header('content-length')]).toEqual([204, '', undefined]);
    expect(corsHeaders(answer)).toEqual({
      vary: PREFLIGHT_VARY,
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD, PUT, PATCH, POST, DELETE',
      'access-control-allow-headers': 'authorization,x-a',
      'access-control-max-age': '600',
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('with settings of its own', async () => {
    const { gateway } = await corsScene({
      origins: [APP, 'http://localhost:3000'],
      methods: ['GET'],
      headers: ['X-A', 'X-B'],
      expose: ['X-Total'],
      credentials: true,
      max_age: '0s',
    });
    const answer = await preflight(gateway, {
      origin: 'http://localhost:3000',
      headers: { 'access-control-request-headers': 'x-c' },
    });
    expect(corsHeaders(answer)).toEqual({
      vary: PREFLIGHT_VARY,
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'X-A, X-B',
      'access-control-max-age': '0',
    });
  });

  it.each([
    EVIL,
    'null',
    `${APP}.evil.example`,
    `${APP}:444`,
    'http://app.example.com',
    APP.toUpperCase(),
    `${APP}/`,
    '',
  ])('of the origin %j: no leave', async (origin) => {
    const { gateway } = await corsScene();
    const answer = await preflight(gateway, { origin });
    expect([answer.status, corsHeaders(answer)]).toEqual([204, { vary: PREFLIGHT_VARY }]);
  });

  it('to any origin says so, without naming it', async () => {
    const { gateway } = await corsScene({});
    for (const origin of [EVIL, 'null']) {
      const answer = await preflight(gateway, { origin });
      expect(answer.header('access-control-allow-origin')).toBe('*');
    }
  });

  it.each(['x-a, , x-b', 'x a', 'x-a;x-b', 'a\u00e9', ','])('sends no %j back', async (asked) => {
    const { gateway } = await corsScene();
    const headers = { 'access-control-request-headers': asked };
    const answer = await preflight(gateway, { headers });
    expect(answer.header('access-control-allow-headers')).toBeUndefined();
    expect(answer.header('access-control-allow-origin')).toBe(APP);
  });

  it('gives no leave to private networks', async () => {
    const { gateway } = await corsScene();
    const headers = { 'access-control-request-private-network': 'true' };
    const answer = await preflight(gateway, { headers });
    expect(answer.header('access-control-allow-private-network')).toBeUndefined();
  });

  it('is for the route that takes the method it asks for', async () => {
    const upstream = await echoUpstream();
    const route = { path: '/p', backends: [upstream.backend] };
    const gateway = await startTestGateway({
      routes: [
        { ...route, methods: ['GET'], cors: { origins: ['https://get.example'] } },
        { ...route, methods: ['PUT'], cors: { origins: ['https://put.example'] } },
      ],
    });
    const allowed = async (origin: string, method: string): Promise<string | undefined> =>
      (await preflight(gateway, { origin, method })).header('access-control-allow-origin');
    expect(await allowed('https://get.example', 'GET')).toBe('https://get.example');
    expect(await allowed('https://get.example', 'PUT')).toBeUndefined();
    expect(await allowed('https://put.example', 'PUT')).toBe('https://put.example');
  });

  it('for a path or method that no route takes: 404 and 405 without CORS headers', async () => {
    const { gateway } = await corsScene({ origins: [APP] }, { methods: ['GET'] });
    const unknown = await preflight(gateway, { path: '/nowhere' });
    expect([unknown.status, corsHeaders(unknown)]).toEqual([404, {}]);
    const method = await preflight(gateway, { method: 'DELETE' });
    expect([method.status, method.header('allow'), corsHeaders(method)]).toEqual([405, 'GET, HEAD', {}]);
  });

  it('on a route without cors is a request like any other', async () => {
    const { gateway, upstream } = await corsScene(false);
    upstream.headers = { 'access-control-allow-origin': 'https://upstream.example' };
    const answer = await preflight(gateway);
    expect(corsHeaders(answer)).toEqual({ 'access-control-allow-origin': 'https://upstream.example' });
    expect(upstream.last!.method).toBe('OPTIONS');
  });

  it('comes before address lists', async () => {
    const { gateway } = await corsScene({ origins: [APP] }, { ip: { deny: ['0.0.0.0/0'] } });
    expect((await preflight(gateway)).status).toBe(204);
    const refused = await gateway.get('/p', { headers: { origin: APP } });
    expect([refused.status, refused.header('access-control-allow-origin')]).toEqual([403, APP]);
  });

  it('is logged and counted once, without a reason', async () => {
    const { gateway } = await corsScene();
    await preflight(gateway);
    await gateway.logged('request completed', { method: 'OPTIONS', status: 204, reason: null, attempts: 0 });
    expect(await gateway.metric('gateway_requests_total', { path: '/p', status: '204' })).toBe(1);
  });

  it('keeps the connection, also when it brings a body', async () => {
    const { gateway } = await corsScene();
    const head = `OPTIONS /p HTTP/1.1\r\nHost: h\r\nOrigin: ${APP}\r\nAccess-Control-Request-Method: PUT\r\n`;
    const bytes = `${head}Content-Length: 5\r\n\r\nhello${head}\r\n`;
    const { responses } = await gateway.raw(bytes, { until: 2, methods: ['OPTIONS', 'OPTIONS'] });
    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
  });
});

describe('any other request', () => {
  it('of an allowed origin', async () => {
    const { gateway, upstream } = await corsScene({ origins: [APP], expose: ['X-Total'], credentials: true });
    const answer = await gateway.get('/p', { headers: { origin: APP } });
    expect(corsHeaders(answer)).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'X-Total',
    });
    expect(upstream.last!.rawHeaders).toContain(APP);
  });

  it.each([
    ['none', {}],
    ['another', { origin: EVIL }],
    ['null', { origin: 'null' }],
    ['two', { origin: [APP, APP] }],
  ])('with %s: passes, and gives no leave', async (_, headers) => {
    const { gateway, upstream } = await corsScene();
    const answer = await gateway.get('/p', { headers });
    expect([answer.status, corsHeaders(answer)]).toEqual([200, { vary: 'Origin' }]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('with any origin allowed the answer does not depend on it', async () => {
    const { gateway } = await corsScene({ expose: ['X-A', 'X-B'] });
    const expected = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'X-A, X-B' };
    expect(corsHeaders(await gateway.get('/p'))).toEqual(expected);
    expect(corsHeaders(await gateway.get('/p', { headers: { origin: EVIL } }))).toEqual(expected);
  });

  it("the upstream's own CORS headers are dropped, and nothing else", async () => {
    const { gateway, upstream } = await corsScene();
    upstream.headers = {
      'Access-Control-Allow-Origin': '*',
      'access-control-allow-credentials': 'true',
      'ACCESS-CONTROL-EXPOSE-HEADERS': 'x',
      'Access-Control-Allow-Private-Network': 'true',
      'Access-Control': 'kept',
      Vary: ['Accept', 'origin'],
      'x-a': 'b',
    };
    const answer = await gateway.get('/p', { headers: { origin: APP } });
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': APP,
      'access-control': 'kept',
      vary: 'Accept | Origin',
    });
    expect(answer.header('x-a')).toBe('b');
  });

  it('inherits cors from the document, and can switch it off', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway({
      cors: { origins: [APP] },
      routes: [
        { path: '/on', backends: [upstream.backend] },
        { path: '/off', cors: false, backends: [upstream.backend] },
      ],
    });
    const headers = { origin: APP };
    expect(corsHeaders(await gateway.get('/on', { headers }))['access-control-allow-origin']).toBe(APP);
    expect(corsHeaders(await gateway.get('/off', { headers }))).toEqual({});
  });
});

describe("the gateway's own errors", () => {
  const headers = { origin: APP };

  it.each([
    ['401', { auth: 'api_key' }, 401],
    ['403', { auth: 'api_key', roles: ['admin'] }, 403],
    ['413', { max_body_size: '1b', auth: 'none' }, 413],
    ['504', { timeout: '20ms', auth: 'none' }, 504],
  ])('%s carry the headers', async (_, route, status) => {
    const document = { auth: { api_keys: { keys: KEYS } } };
    const { gateway, upstream } = await corsScene({ origins: [APP] }, route, document);
    if (status === 504) upstream.delayMs = 10_000;
    const key = status === 403 ? { 'x-api-key': SECRET } : {};
    const body = status === 413 ? { body: 'too long' } : {};
    const answer = await gateway.request('/p', { headers: { ...headers, ...key }, ...body });
    expect([answer.status, corsHeaders(answer)]).toEqual([
      status,
      { vary: 'Origin', 'access-control-allow-origin': APP },
    ]);
  });

  it('502 too', async () => {
    const broken = await rawUpstream((connection) => connection.reset());
    const gateway = await startTestGateway({
      cors: { origins: [APP] },
      routes: [{ path: '/p', backends: [broken.backend] }],
    });
    const answer = await gateway.get('/p', { headers });
    expect([answer.status, answer.header('access-control-allow-origin')]).toEqual([502, APP]);
  });
});

it('whatever an origin looks like: echoed as listed, or not at all', async () => {
  const { gateway } = await corsScene();
  const text = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,38}[\x21-\x7e])?$/);
  const near = fc.tuple(fc.constantFrom(APP, 'null', 'https://', ''), text).map(([a, b]) => (a + b).trim());
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, near, fc.constant(APP)), async (origin) => {
      for (const answer of [
        await gateway.get('/p', { headers: { origin } }),
        await preflight(gateway, { origin }),
      ]) {
        expect(answer.headerAll('access-control-allow-origin')).toEqual(origin === APP ? [APP] : []);
        expect(answer.status).toBeLessThan(300);
      }
    }),
    { numRuns: 200 },
  );
});
