import { expect, it } from 'vitest';

import { connectRaw, echoUpstream, get, startTestGateway } from './index.js';

it('runs a document given as an object on a free port, with its log', async () => {
  const echo = await echoUpstream();
  const gateway = await startTestGateway({ port: 8080, routes: [{ path: '/a', backends: [echo.backend] }] });
  expect(gateway.port).not.toBe(8080);
  expect((await gateway.get('/a/b%2Fc?x=//y')).json()).toMatchObject({
    method: 'GET',
    url: '/a/b%2Fc?x=//y',
  });
  expect(await gateway.logged('request completed', { status: 200 })).toMatchObject({
    path: '/a/b%2Fc?x=//y',
  });
  expect(gateway.logsWith('server listening')).toHaveLength(1);
  expect(gateway.logs.length).toBe(gateway.rawLogs.length);
});

it('runs a document given as YAML, with an environment', async () => {
  const echo = await echoUpstream();
  const document = 'routes:\n  - path: /a\n    strip_prefix: true\n    backends: [{url: "${BACKEND}"}]\n';
  const gateway = await startTestGateway(document, { env: { BACKEND: echo.url } });
  const { responses } = await gateway.raw('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
  expect(responses[0]).toMatchObject({ status: 200 });
  expect(echo.last!.url).toBe('/');
});

it('refuses a document that does not hold with everything that is wrong', async () => {
  await expect(startTestGateway({ routes: [{ path: 'a', backends: [], timeout: 30 }] })).rejects.toThrow(
    /timeout.*\n?.*backends|backends.*\n?.*timeout/s,
  );
});

it('reads metrics', async () => {
  const echo = await echoUpstream();
  const gateway = await startTestGateway({ routes: [{ path: '/a', backends: [echo.backend] }] });
  await gateway.get('/a');
  await gateway.get('/a');
  expect(await gateway.metric('gateway_requests_total', { path: '/a', status: '200' })).toBe(2);
  expect(await gateway.metric('gateway_requests_total', { path: '/b' })).toBeUndefined();
});

it('starts the admin application when asked, on a port of its own', async () => {
  const echo = await echoUpstream();
  const document = { routes: [{ path: '/a', backends: [echo.backend] }] };
  const gateway = await startTestGateway(document, { admin: true });
  expect((await get(`${gateway.adminUrl}/health`)).status).toBe(200);
  expect(gateway.adminUrl).not.toBe(gateway.url);
});

it('stops, and then refuses connections', async () => {
  const gateway = await startTestGateway({
    routes: [{ path: '/a', backends: [{ url: 'http://127.0.0.1:9' }] }],
  });
  await gateway.stop();
  await expect(connectRaw(gateway.port)).rejects.toThrow(/ECONNREFUSED/);
  expect(gateway.logsWith('shutdown complete')).toHaveLength(1);
});
