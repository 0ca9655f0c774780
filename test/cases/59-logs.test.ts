import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, freePort, startTestGateway } from '../support/index.js';
import { readExposition } from '../support/exposition.js';

async function setUp(document: object = {}) {
  const upstream = await echoUpstream();
  const closed = await freePort();
  const gateway = await startTestGateway({
    ...document,
    routes: [
      { id: 'all', path: '/', backends: [{ url: upstream.url }] },
      { id: 'dead', path: '/dead', backends: [{ url: `http://127.0.0.1:${closed}` }] },
    ],
  });
  return { upstream, gateway };
}

describe('case 59: logs without secrets and forged lines', () => {
  it('keeps each line one JSON object, whatever the client sends', async () => {
    const { gateway } = await setUp();
    const agent = `a"b\\c\u001b[31m${'x'.repeat(8_192)}`;
    await gateway.raw(
      `GET /%0d%0aFAKE HTTP/1.1\r\nHost: h\r\nUser-Agent: x"y\\z\u009b\r\nConnection: close\r\n\r\n`,
    );
    await gateway.get('/long', { headers: { 'user-agent': agent.replace('\u001b', '') } });
    await gateway.logged('request completed', { path: '/%0d%0aFAKE' });
    const long = await gateway.logged('request completed', { path: '/long' });
    expect(String(long['user_agent'])).toHaveLength(1_024);
    expect(gateway.rawLogs).toHaveLength(gateway.logs.length);
  });

  it('writes no secret down', async () => {
    const { gateway, upstream } = await setUp();
    upstream.headers = { 'set-cookie': 'session=S3CRET' };
    const headers = { authorization: 'Bearer S3CRET', cookie: 'a=S3CRET', 'x-api-key': 'S3CRET' };
    await gateway.get('/a?token=S3CRET&x=1&api%5fkey=S3CRET', { headers });
    await gateway.get('/dead?access_token=S3CRET', { headers });
    await gateway.logged('request completed', { path: '/a?token=[redacted]&x=1&api%5fkey=[redacted]' });
    await gateway.logged('upstream request failed', { path: '/dead?access_token=[redacted]' });
    await gateway.logged('request completed', { path: '/dead?access_token=[redacted]' });
    expect(gateway.rawLogs.join('\n')).not.toContain('S3CRET');
  });

  it.each(['a\tb', 'x'.repeat(10_240), 'a b', 'a"b'])(
    'replaces a request id that does not fit: %j, the same new one everywhere',
    async (id) => {
      const { gateway, upstream } = await setUp();
      const response = await gateway.get('/a', { headers: { 'x-request-id': id } });
      const line = await gateway.logged('request completed');
      expect(line['request_id']).toMatch(/^[0-9a-z]{26}$/);
      expect(response.headers['x-request-id']).toBe(line['request_id']);
      expect(echoedHeader(upstream.requests[0]!, 'x-request-id')).toEqual([line['request_id']]);
    },
  );

  it('keeps one that fits', async () => {
    const { gateway, upstream } = await setUp();
    const response = await gateway.get('/a', { headers: { 'x-request-id': 'My-id_1.2' } });
    expect(response.headers['x-request-id']).toBe('My-id_1.2');
    expect(echoedHeader(upstream.requests[0]!, 'x-request-id')).toEqual(['My-id_1.2']);
    expect((await gateway.logged('request completed'))['request_id']).toBe('My-id_1.2');
  });

  it('keeps none where they are not trusted', async () => {
    const { gateway } = await setUp({ request_id: { trust: false } });
    const response = await gateway.get('/a', { headers: { 'x-request-id': 'mine' } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-z]{26}$/);
  });
});

describe('logs and metrics of one traffic', () => {
  it('agree: a line and a count for each request, however it ended', async () => {
    const { gateway } = await setUp({ server: { max_uri_length: '1kb' } });
    await gateway.get('/a');
    await gateway.get('/dead');
    await gateway.get('/a/../b');
    await gateway.raw('GET / HTTP/1.1\r\nHost: h\r\nBad Header\r\n\r\n');
    await gateway.get(`/${'y'.repeat(2_000)}`);
    const rejected = ['upstream_unavailable', 'bad_request', 'bad_request', 'uri_too_long'];
    await gateway.logged('request completed', { reason: 'uri_too_long' });
    const reasons = gateway.logsWith('request completed').map((line) => line['reason']);
    expect(reasons).toEqual([null, ...rejected]);
    const counted = async (path: string, status: string) =>
      gateway.metric('gateway_requests_total', { path, status });
    expect(await counted('/', '200')).toBe(1);
    expect(await counted('/dead', '502')).toBe(1);
    expect(
      await gateway.metric('gateway_rejections_total', { path: 'unmatched', reason: 'bad_request' }),
    ).toBe(2);
    expect(await gateway.metric('gateway_active_requests')).toBe(0);
    expect(readExposition((await gateway.get('/metrics')).text).problems).toEqual([]);
  });

  it('are not written about the gateway’s own endpoints', async () => {
    const { gateway } = await setUp();
    const paths = ['/health', '/health/live', '/metrics', '/_gateway/metrics'];
    const answers = await Promise.all(paths.map((path) => gateway.get(path)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(gateway.logsWith('request completed')).toEqual([]);
    expect(await gateway.metric('gateway_requests_total')).toBeUndefined();
  });

  it('are off where the document says so', async () => {
    const { gateway } = await setUp({ logging: { access_log: false }, metrics: { enabled: false } });
    expect((await gateway.get('/a')).status).toBe(200);
    expect(gateway.logsWith('request completed')).toEqual([]);
    expect((await gateway.get('/_gateway/metrics')).status).toBe(404);
  });
});
