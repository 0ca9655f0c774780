import { expect, it } from 'vitest';

import { secretToken } from '../auth/tokens.js';
import { echoScene } from '../cases/scene.js';
import { request, startTestGateway } from '../support/index.js';

const POLLUTED = ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'];

function expectClean(): void {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
}

it.each([
  '__proto__: {polluted: true}',
  'constructor: {prototype: {polluted: true}}',
  'server: {__proto__: {polluted: true}}',
  'upstreams: {__proto__: {backends: [{url: "http://127.0.0.1:1"}]}}',
  'auth: {jwt: {__proto__: {polluted: true}}}',
])('a document cannot: %s', async (line) => {
  const routes = 'routes: [{path: /p, backends: [{url: "http://127.0.0.1:1"}]}]';
  const refusal = await startTestGateway(`${line}\n${routes}`).then(
    () => 'none of __proto__',
    (error: unknown) => String(error),
  );
  expect(refusal).toMatch(/__proto__|constructor/);
  expectClean();
});

it.each(POLLUTED)('nor a document of a reload: %s', async (text) => {
  const { gateway, upstream } = await echoScene();
  const route = { id: 'p', path: '/p', backends: [upstream.backend], metadata: JSON.parse(text) };
  await gateway.reload({ routes: [route] });
  expectClean();
  expect((await gateway.get('/p')).status).toBe(200);
});

it.each(POLLUTED)('nor a body that is checked, or the query: %s', async (text) => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const { gateway, upstream } = await echoScene({ validate: { body: { schema }, query: { schema } } });
  const response = await gateway.request('/p?__proto__=1&__proto__[polluted]=1&constructor=x&a=1', {
    body: text,
    headers: { 'content-type': 'application/json', __proto__: 'x', constructor: 'y' },
  });
  expectClean();
  expect([200, 400]).toContain(response.status);
  expect(upstream.requests.map(({ bodyBytes }) => bodyBytes)).toEqual(
    response.status === 200 ? [text.length] : [],
  );
  expect(
    (await gateway.request('/p', { body: '{"a":1}', headers: { 'content-type': 'application/json' } }))
      .status,
  ).toBe(200);
});

it.each(['__proto__', 'constructor.name', '__proto__.polluted', 'toString', 'roles.__proto__'])(
  'nor claims, and nothing inherited is a role: %s',
  async (roles_claim) => {
    const secret = 'a-secret-of-thirty-two-bytes-and-more';
    const jwt = { algorithms: ['HS256'], secret, roles_claim };
    const { gateway } = await echoScene({ auth: 'jwt', roles: ['Object', 'admin'] }, { auth: { jwt } });
    const claims = JSON.parse('{"__proto__":{"polluted":["admin"]},"roles":{"__proto__":["x"]}}') as object;
    const own = { __proto__: null, ...claims };
    const authorization = `Bearer ${await secretToken(secret, own)}`;
    const response = await gateway.get('/p', { headers: { authorization } });
    expectClean();
    expect(response.status).toBe(403);
  },
);

it.each(POLLUTED)('nor a change through the admin port: %s', async (text) => {
  const upstream = { backends: [{ url: 'http://127.0.0.1:1' }] };
  const gateway = await startTestGateway(
    { upstreams: { u: upstream }, routes: [{ path: '/p', upstream: 'u' }] },
    { admin: true },
  );
  const headers = { 'content-type': 'application/json' };
  for (const [method, path] of [
    ['PUT', '/api/upstreams/u/backends/__proto__'],
    ['PUT', '/api/upstreams/__proto__/backends/x'],
    ['POST', '/api/cache/clear'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const response = await request(gateway.adminUrl + path, { method, body: text, headers });
    expect([400, 404]).toContain(response.status);
  }
  expectClean();
});
