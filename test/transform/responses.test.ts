import { describe, expect, it } from 'vitest';

import { echoUpstream, rawUpstream, startTestGateway } from '../support/index.js';

const EDITS = {
  headers: {
    set: { Server: 'ours', 'X-Item': '{id}' },
    add: { 'Set-Cookie': 'g=1' },
    remove: ['X-Powered-By'],
  },
  status: [
    { from: 404, to: 200 },
    { from: 204, to: 200 },
  ],
};

async function setUp(status: number, headers: Record<string, string>, body = 'body') {
  const upstream = await echoUpstream({
    respond: (_request, response) => void response.writeHead(status, headers).end(status === 204 ? '' : body),
  });
  return startTestGateway({
    routes: [{ path: '/i/{id}', backends: [upstream.backend], transform: { response: EDITS } }],
  });
}

describe('transform.response', () => {
  it('sets, adds and removes headers', async () => {
    const gateway = await setUp(200, {
      server: 'theirs',
      'x-powered-by': 'php',
      'set-cookie': 'u=1',
      etag: '"1"',
    });
    const response = await gateway.get('/i/%C3%BC');
    expect(response.headerAll('server')).toEqual(['ours']);
    expect(response.headerAll('x-item')).toEqual(['%C3%BC']);
    expect(response.headerAll('set-cookie')).toEqual(['u=1', 'g=1']);
    expect(response.headerAll('x-powered-by')).toEqual([]);
    expect([response.header('etag'), response.text]).toEqual(['"1"', 'body']);
  });

  it('maps the status, in log and metrics too', async () => {
    const gateway = await setUp(404, {});
    const response = await gateway.get('/i/1');
    expect([response.status, response.text]).toEqual([200, 'body']);
    await gateway.logged('request completed', { status: 200, reason: null });
    expect(await gateway.metric('gateway_requests_total', { status: '200', path: '/i/{id}' })).toBe(1);
  });

  it('keeps the connection in step where an answer without a body becomes one with', async () => {
    const gateway = await setUp(204, {});
    const get = 'GET /i/1 HTTP/1.1\r\nHost: h\r\n\r\n';
    const { responses } = await gateway.raw(get + get, { until: 2, methods: ['GET', 'GET'] });
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(responses.map((response) => response.header('content-length'))).toEqual(['0', '0']);
  });

  it('leaves the gateway’s own answers alone', async () => {
    const upstream = await rawUpstream((connection) => connection.end());
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/i/{id}',
          backends: [upstream.backend],
          transform: { response: { headers: EDITS.headers, status: [{ from: 502, to: 200 }] } },
        },
      ],
    });
    const response = await gateway.get('/i/1');
    expect([response.status, response.header('server')]).toEqual([502, undefined]);
  });

  it('cuts a body that breaks, as without edits', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\nhalf');
      connection.reset();
    });
    const gateway = await startTestGateway({
      routes: [{ path: '/i/{id}', backends: [upstream.backend], transform: { response: EDITS } }],
    });
    const { responses } = await gateway.raw('GET /i/1 HTTP/1.1\r\nHost: h\r\n\r\n', { until: 'close' });
    expect(responses.map(({ complete }) => complete)).not.toContain(true);
    await gateway.logged('request completed', { reason: 'upstream_aborted' });
  });
});
