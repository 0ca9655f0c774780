import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, startTestGateway } from '../support/index.js';

async function setUp(schema: object | boolean) {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    routes: [{ path: '/', backends: [upstream.backend], validate: { body: { schema } } }],
  });
  const post = (body: string, type = 'application/json') =>
    gateway.request('/', { method: 'POST', body, headers: { 'content-type': type } });
  return { upstream, post };
}

describe('case 25: what was checked is what is sent', () => {
  const CHEAP = { type: 'object', properties: { model: { const: 'cheap' } }, required: ['model'] };

  it.each(['application/json ;charset=utf-8', 'APPLICATION/JSON', 'application/json;'])(
    'the rule holds for %s',
    async (type) => {
      const { upstream, post } = await setUp(CHEAP);
      expect((await post('{"model":"costly"}', type)).status).toBe(400);
      expect(upstream.started).toBe(0);
      expect((await post('{"model":"cheap"}', type)).status).toBe(200);
      expect(upstream.last!.sha256).toBe(sha256('{"model":"cheap"}'));
    },
  );

  it.each([
    '{"model":"cheap","model":"costly"}',
    '{"model":"costly","model":"cheap"}',
    '{"model":"costly","mod\\u0065l":"cheap"}',
  ])('nobody can read %s in two ways', async (body) => {
    const { upstream, post } = await setUp(CHEAP);
    expect((await post(body)).status).toBe(400);
    expect(upstream.started).toBe(0);
  });
});

describe('case 26: a checked body is still forwarded', () => {
  it.each([
    ['{}', '{}'],
    ['[]', '[]'],
    ['""', '""'],
    ['1 MiB', JSON.stringify('x'.repeat(1024 * 1024 - 2))],
  ])('%s', async (_, body) => {
    const { upstream, post } = await setUp(true);
    expect((await post(body)).status).toBe(200);
    const { bodyBytes, sha256: hash } = upstream.last!;
    expect([bodyBytes, hash]).toEqual([body.length, sha256(body)]);
    expect(echoedHeader(upstream.last!, 'content-length')).toEqual([String(body.length)]);
  });

  it('0 bytes are no JSON', async () => {
    const { post } = await setUp(true);
    expect((await post('')).status).toBe(400);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
