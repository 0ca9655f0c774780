import { describe, expect, it } from 'vitest';

import { echoUpstream, freePort, request, type RequestOptions, startTestGateway } from '../support/index.js';

const TOKEN = 'a-token-of-the-tests';
const JSON_TYPE = { 'content-type': 'application/json' };

async function setUp(admin: object = {}, backends: object[] = []) {
  const echo = await echoUpstream();
  const upstreams = { u: { backends: [echo.backend, ...backends] }, v: { backends: [echo.backend] } };
  const gateway = await startTestGateway(
    { admin, upstreams, routes: [{ path: '/', upstream: 'u' }] },
    { admin: true },
  );
  const place = `/api/upstreams/u/backends/${encodeURIComponent(echo.url)}`;
  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    request(gateway.adminUrl + path, { method: 'PUT', body, headers: { ...JSON_TYPE, ...headers } });
  return { gateway, echo, place, put };
}

const DRAIN = '{"state":"draining"}';

describe('PUT /api/upstreams/:name/backends/:id', () => {
  it('changes the backend and shows it as it is now', async () => {
    const { gateway, echo, place, put } = await setUp();
    for (const state of ['draining', 'draining', 'active', 'active']) {
      const answer = await put(place, JSON.stringify({ state }));
      expect(answer.status).toBe(200);
      expect(answer.json()).toEqual({
        id: echo.url,
        url: echo.url,
        weight: 1,
        healthy: true,
        state,
        in_flight: 0,
        circuit: 'closed',
      });
      const shown = (await request(`${gateway.adminUrl}/api/upstreams`)).json<
        { backends: { state: string }[] }[]
      >();
      expect(shown.map(({ backends }) => backends[0]!.state)).toEqual([state, 'active']);
      expect((await gateway.get('/_gateway/upstreams')).json()).toEqual(shown);
    }
  });

  it('finds ids that are long, have slashes, a #, other than ASCII', async () => {
    const ids = [`http://h/${'a/'.repeat(1_000)}b`, 'http://127.0.0.1:1#2', 'blau/grün %2F', 'a?b=c&d'];
    const { gateway, put } = await setUp(
      {},
      ids.map((id) => ({ id, url: 'http://127.0.0.1:1' })),
    );
    for (const id of ids) {
      const answer = await put(`/api/upstreams/u/backends/${encodeURIComponent(id)}`, DRAIN);
      expect([answer.status, answer.json()['id']]).toEqual([200, id]);
    }
    expect((await gateway.get('/a')).status).toBe(200);
  });

  it('says 404 with the names there are', async () => {
    const { gateway, echo, put } = await setUp();
    const upstream = await put('/api/upstreams/w/backends/x', DRAIN);
    expect(upstream.status).toBe(404);
    expect(upstream.header('content-type')).toBe('application/problem+json');
    expect(upstream.json()).toMatchObject({
      detail: 'no upstream has this name, expected one of those in known',
      known: ['u', 'v'],
    });
    const backend = await put('/api/upstreams/u/backends/x', DRAIN);
    expect(backend.json()).toMatchObject({
      status: 404,
      detail: 'no backend has this id, expected one of those in known',
      known: [echo.url],
    });
    const route = await request(`${gateway.adminUrl}/api/routes/nope`);
    expect(route.json()).toMatchObject({
      status: 404,
      detail: 'no route has this id, expected one of those in known',
      known: ['any'],
    });
  });

  it.each([
    ['{}', '/state', 'must be active or draining'],
    ['{"state":"off"}', '/state', 'must be active or draining'],
    ['{"state":["draining"]}', '/state', 'must be active or draining'],
    ['{"state":null}', '/state', 'must be active or draining'],
    ['{"state":"draining","a/b~":1}', '/a~1b~0', 'is unknown'],
    ['{"constructor":1,"state":"draining"}', '/constructor', 'is unknown'],
    ['{"toString":1,"state":"draining"}', '/toString', 'is unknown'],
    ['{"__proto__":{"a":1},"state":"draining"}', '/__proto__', 'is unknown'],
    ['{"state":"draining","state":"active"}', '', 'must not have a key twice in one object'],
    ['{"state":"active","st\\u0061te":"draining"}', '', 'must not have a key twice in one object'],
  ])('refuses the body %s', async (body, pointer, message) => {
    const { gateway, place, put } = await setUp();
    const answer = await put(place, body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ in: 'body', pointer, message }],
    });
    expect((await gateway.get('/a')).status).toBe(200);
  });

  it.each(['[]', '[{"state":"draining"}]', '"draining"', 'null', '7', '{"state":', ''])(
    'refuses what is no object: %j',
    async (body) => {
      const { gateway, place, put } = await setUp();
      const answer = await put(place, body);
      expect(answer.status).toBe(400);
      expect(answer.header('content-type')).toBe('application/problem+json');
      expect((await gateway.get('/a')).status).toBe(200);
    },
  );

  it('asks for the token, where there is one, before it reads anything', async () => {
    const { gateway, place, put } = await setUp({ token: TOKEN });
    expect((await put(place, DRAIN)).status).toBe(401);
    expect((await put('/api/upstreams/w/backends/x', '{}')).status).toBe(401);
    expect((await gateway.get('/a')).status).toBe(200);
    const allowed = await put(place, DRAIN, { authorization: `Bearer ${TOKEN}` });
    expect(allowed.json()).toMatchObject({ state: 'draining' });
    expect((await gateway.get('/a')).json()).toMatchObject({ code: 'no_healthy_backend', status: 503 });
  });
});

describe('an admin port without a token', () => {
  const LOCAL = ['localhost', 'LocalHost:9090', '127.0.0.1', '127.255.1.2:1', '[::1]', '[::1]:65535'];
  const FOREIGN = [
    'evil.example',
    'evil.example:9090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    '128.0.0.1',
    '10.0.0.1:9090',
    '[::2]',
    '[::ffff:10.0.0.1]',
    '0.0.0.0',
    'localhost:9090, evil.example',
  ];

  it.each(LOCAL)('answers to Host: %s', async (host) => {
    const { gateway } = await setUp();
    expect((await request(`${gateway.adminUrl}/api/routes`, { headers: { host } })).status).toBe(200);
  });

  it.each(FOREIGN)('refuses Host: %s (DNS rebinding)', async (host) => {
    const { gateway, place, put } = await setUp();
    for (const path of ['/api/routes', '/api/upstreams', '/health']) {
      const answer = await request(gateway.adminUrl + path, { headers: { host } });
      expect([answer.status, answer.json()['code']]).toEqual([403, 'forbidden']);
    }
    expect((await put(place, DRAIN, { host })).status).toBe(403);
    expect((await gateway.get('/a')).status).toBe(200);
  });

  /** What nothing there can read never gets as far as the question where it comes from. */
  const UNREADABLE = [415, 'unsupported_media_type'];

  it.each<[string, object, (string | number)[]?]>([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['text that looks like JSON', { 'content-type': 'text/plain; application/json' }],
    ['JSON’s cousin', { 'content-type': 'application/jsonp' }, UNREADABLE],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }, UNREADABLE],
    ['another origin', { origin: 'http://evil.example' }],
    ['an origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['an origin of nobody', { origin: 'null' }],
    ['an origin with more behind it', { origin: 'http://127.0.0.1.evil.example' }],
  ])('takes no changes from %s', async (_, headers, refused = [403, 'forbidden']) => {
    const { gateway, place, put } = await setUp();
    const answer = await put(place, DRAIN, headers as Record<string, string>);
    expect([answer.status, answer.json()['code']]).toEqual(refused);
    expect((await gateway.get('/a')).status).toBe(200);
  });

  it('takes changes of its own origin, and none without a media type', async () => {
    const { gateway, place, put } = await setUp();
    const { origin } = new URL(gateway.adminUrl);
    expect((await put(place, DRAIN, { origin, ...JSON_TYPE })).status).toBe(200);
    const options: RequestOptions = { method: 'PUT', body: '{"state":"active"}' };
    expect((await request(gateway.adminUrl + place, options)).status).toBe(415);
    expect((await request(gateway.adminUrl + place, { method: 'PUT' })).status).toBe(403);
    const tls = origin.replace('http:', 'https:');
    expect((await put(place, DRAIN, { origin: tls })).status).toBe(403);
  });

  it('with a token takes any Host and Origin: no page has the token', async () => {
    const { gateway, place, put } = await setUp({ token: TOKEN, port: await freePort() });
    const headers = { host: 'admin.example', authorization: `Bearer ${TOKEN}` };
    expect((await request(`${gateway.adminUrl}/api/routes`, { headers })).status).toBe(200);
    expect((await put(place, DRAIN, { ...headers, origin: 'https://admin.example' })).status).toBe(200);
  });
});
