import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, startTestGateway } from '../support/index.js';
import { dial, wsUpstream } from '../websocket/support.js';

const USER = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer' } },
  required: ['name'],
  additionalProperties: false,
};

async function setUp(validate: object, route: object = {}) {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    routes: [{ path: '/u/{id}', backends: [upstream.backend], validate, ...route }],
  });
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    gateway.request('/u/1', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { upstream, gateway, post };
}

const errorsOf = (text: string): unknown => (JSON.parse(text) as { errors: unknown }).errors;

describe('validate: path, query, headers', () => {
  const parts = {
    path: { schema: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } } },
    query: {
      schema: {
        type: 'object',
        properties: {
          page: { type: 'integer' },
          tag: { type: 'array', items: { type: 'string' }, maxItems: 2 },
        },
        additionalProperties: false,
      },
    },
    headers: {
      schema: { type: 'object', required: ['x-tenant'], properties: { 'x-tenant': { type: 'string' } } },
    },
  };
  const headers = { 'x-tenant': 'a' };

  it.each(['', '?page=2', '?tag=a&tag=b%20c', '?tag=a', '?&page=%32'])(
    'passes what fits (%s), in its bytes',
    async (query) => {
      const { upstream, gateway } = await setUp(parts);
      expect((await gateway.get(`/u/7${query}`, { headers })).status).toBe(200);
      expect(upstream.last!.url).toBe(`/u/7${query}`);
    },
  );

  it.each<[string, object]>([
    ['/u/0', { in: 'path', pointer: '/id', message: 'must be >= 1' }],
    ['/u/x', { in: 'path', pointer: '/id', message: 'must be integer' }],
    ['/u/1?page=secret', { in: 'query', pointer: '/page', message: 'must be integer' }],
    ['/u/1?page=1&page=2', { in: 'query', pointer: '/page', message: 'must be integer' }],
    ['/u/1?tag=a&tag=b&tag=c', { in: 'query', pointer: '/tag', message: 'must NOT have more than 2 items' }],
    ['/u/1?%70age=secret', { in: 'query', pointer: '/page', message: 'must be integer' }],
    ['/u/1?__proto__=1', { in: 'query', pointer: '/__proto__', message: 'must not be there' }],
    ['/u/1?page=%ff', { in: 'query', pointer: '', message: 'must be percent-encoded UTF-8' }],
  ])('refuses %s', async (target, problem) => {
    const { upstream, gateway } = await setUp(parts);
    const response = await gateway.get(target, { headers });
    expect([response.status, response.header('content-type')]).toEqual([400, 'application/problem+json']);
    expect(JSON.parse(response.text)).toMatchObject({ code: 'validation_failed', errors: [problem] });
    expect(response.text).not.toContain('secret');
    expect(upstream.started).toBe(0);
    await gateway.logged('request completed', { status: 400, reason: 'validation_failed' });
  });

  it('reads X_Tenant as x-tenant, as upstreams may', async () => {
    const schema = { type: 'object', properties: { 'x-tenant': { type: 'string', enum: ['a'] } } };
    const { gateway } = await setUp({ headers: { schema } });
    const statusOf = async (...lines: [string, string][]): Promise<number> =>
      (await gateway.get('/u/1', { headers: Object.fromEntries(lines) })).status;
    expect(await statusOf(['X_Tenant', 'b'])).toBe(400);
    expect(await statusOf(['x-tenant', 'a'], ['x_tenant', 'a'])).toBe(400);
    expect(await statusOf(['x_tenant', 'a'])).toBe(200);
  });

  it('lists what is wrong in all parts', async () => {
    const { gateway } = await setUp(parts);
    const response = await gateway.get('/u/0?page=x');
    expect(errorsOf(response.text)).toEqual([
      { in: 'path', pointer: '/id', message: 'must be >= 1' },
      { in: 'query', pointer: '/page', message: 'must be integer' },
      { in: 'headers', pointer: '', message: "must have required property 'x-tenant'" },
    ]);
  });

  it('holds for WebSocket handshakes too', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/u/{id}',
          backends: [upstream.backend],
          validate: { path: parts.path, body: { schema: USER } },
        },
      ],
    });
    const [good, bad] = [dial(gateway, '/u/1'), dial(gateway, '/u/0')];
    const opened = new Promise((resolve) => good.socket.once('open', () => resolve('open')));
    const refused = new Promise((resolve) =>
      bad.socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    bad.socket.on('error', () => undefined);
    expect(await Promise.all([opened, refused])).toEqual(['open', 400]);
  });
});

describe('validate: body', () => {
  it('passes what fits, byte for byte', async () => {
    const { upstream, post } = await setUp({ body: { schema: USER } });
    const body = ' {"age" : 1e0,\n "name":"gr\\u00fc\u00dfe" } ';
    expect((await post(body)).status).toBe(200);
    expect(upstream.last!.bodyBytes).toBe(Buffer.byteLength(body));
    expect(echoedHeader(upstream.last!, 'content-length')).toEqual([String(Buffer.byteLength(body))]);
  });

  it('refuses what does not, with at most 20 problems', async () => {
    const { upstream, post } = await setUp({ body: { schema: { type: 'array', items: USER } } });
    const response = await post(
      JSON.stringify(Array.from({ length: 50 }, () => ({ name: '', secret: 'secret value' }))),
    );
    const errors = errorsOf(response.text) as object[];
    expect([response.status, errors.length, upstream.started]).toEqual([400, 20, 0]);
    expect(errors.slice(0, 2)).toEqual([
      { in: 'body', pointer: '/0/secret', message: 'must not be there' },
      { in: 'body', pointer: '/0/name', message: 'must NOT have fewer than 1 characters' },
    ]);
    expect(response.text).not.toContain('secret value');
  });

  it('stops at the first problem of a large one', async () => {
    const { post } = await setUp({ body: { schema: { type: 'array', items: { type: 'string' } } } });
    const response = await post(JSON.stringify(Array.from({ length: 50_000 }, (_, id) => id)));
    expect(errorsOf(response.text)).toEqual([{ in: 'body', pointer: '/0', message: 'must be string' }]);
  });

  it.each([
    ['another type', { 'content-type': 'text/plain' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a content coding', { 'content-encoding': 'gzip' }],
  ])('answers 415 for %s, without reading it', async (_, headers) => {
    const { upstream, post } = await setUp({ body: { schema: USER } });
    const response = await post('{"name":"a"}', headers);
    expect([response.status, upstream.started]).toEqual([415, 0]);
    expect(JSON.parse(response.text)).toMatchObject({ code: 'unsupported_media_type' });
  });

  it('wants a body where there usually is one, and only there', async () => {
    const { upstream, gateway } = await setUp({ body: { schema: USER } });
    const empty = await gateway.request('/u/1', { method: 'POST' });
    expect([empty.status, errorsOf(empty.text)]).toEqual([
      400,
      [{ in: 'body', pointer: '', message: 'must be there' }],
    ]);
    const chunked = await gateway.raw(
      'POST /u/1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(chunked.responses[0]!.status).toBe(400);
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      expect((await gateway.request('/u/1', { method })).status).toBe(200);
    expect(upstream.requests).toHaveLength(4);
    const json = { 'content-type': 'application/json' };
    expect((await gateway.request('/u/1', { method: 'DELETE', body: '{}', headers: json })).status).toBe(400);
  });

  it('keeps max_body_size and the time of the client', async () => {
    const { gateway, post } = await setUp({ body: { schema: USER } }, { max_body_size: '1kb' });
    expect((await post(JSON.stringify({ name: 'a'.repeat(2_000) }))).status).toBe(413);
    const client = await gateway.connect();
    await client.write(
      'POST /u/1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n',
    );
    await client.until(() => client.text.startsWith('HTTP/1.1 100'), 'the 100');
    await client.write('{"name":"a"}');
    await client.until(() => client.text.includes('HTTP/1.1 200'), 'the answer');
  });

  it('takes the next request on the connection after a refusal', async () => {
    const { gateway } = await setUp({ body: { schema: USER } });
    const request = (body: string): string =>
      `POST /u/1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { responses } = await gateway.raw(request('{"x":1}') + request('{"name":"a"}'), {
      until: 2,
      methods: ['POST', 'POST'],
    });
    expect(responses.map(({ status }) => status)).toEqual([400, 200]);
  });

  it('is sent again by retries, the same bytes', async () => {
    const { upstream, post } = await setUp(
      { body: { schema: USER } },
      { retry: { attempts: 2, backoff: '1ms', statuses: [500], methods: ['POST'] } },
    );
    upstream.status = 500;
    await post('{"name":"a"}');
    expect(upstream.requests.map(({ bodyBytes }) => bodyBytes)).toEqual([12, 12]);
  });
});

describe('validate: bodies that cost much', () => {
  const tooMany = [{ in: 'body', pointer: '', message: 'must not hold more than 100000 values and keys' }];

  it.each([
    ['items', `[${'{},'.repeat(3_000_000)}{}]`],
    ['keys', `{${Array.from({ length: 500_000 }, (_, at) => `"\\u006b${at}":1`).join()}}`],
  ])('refuses one of too many %s', async (_, body) => {
    const { upstream, post } = await setUp({ body: { schema: true } });
    const response = await post(body);
    expect([response.status, errorsOf(response.text)]).toEqual([400, tooMany]);
    expect(upstream.started).toBe(0);
  });

  it('passes one of a single long string', async () => {
    const { upstream, post } = await setUp({ body: { schema: USER } });
    expect((await post(`{"name":"${'a'.repeat(9_500_000)}"}`)).status).toBe(200);
    expect(upstream.started).toBe(1);
  });

  it('refuses what takes too many steps, also where a match is refused', async () => {
    const schema = { type: 'string', not: { type: 'string', pattern: 'x*y' } };
    const { upstream, post } = await setUp({ body: { schema } });
    const response = await post(JSON.stringify(`${'x'.repeat(10_000)}zxy`));
    const costly = [{ in: 'body', pointer: '', message: 'too costly to check' }];
    expect([response.status, errorsOf(response.text)]).toEqual([400, costly]);
    expect(upstream.started).toBe(0);
  });
});
