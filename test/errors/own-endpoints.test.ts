import { describe, expect, it } from 'vitest';

import {
  connectRaw,
  echoUpstream,
  type ParsedResponse,
  rawRequest,
  request,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';

const TOKEN = 'a-token-of-the-tests';
const BEARER = `Authorization: Bearer ${TOKEN}\r\n`;
const HOST = 'Host: localhost\r\n';
const PUT = '/api/upstreams/a/backends/x';

async function setUp(document: object = {}): Promise<TestGateway> {
  const upstream = await echoUpstream();
  return startTestGateway(
    {
      admin: { token: TOKEN },
      server: { header_timeout: '300ms', body_timeout: '300ms' },
      routes: [{ id: 'a', path: '/a', backends: [upstream.backend] }],
      ...document,
    },
    { admin: true },
  );
}

/** A gateway with one port of the two, as raw requests reach it. */
async function port(name: 'data' | 'admin'): Promise<{ gateway: TestGateway; port: number }> {
  const gateway = await setUp();
  return { gateway, port: name === 'data' ? gateway.port : Number(new URL(gateway.adminUrl).port) };
}

function expectProblem(response: ParsedResponse | undefined, status: number, code: string): void {
  expect(response?.status).toBe(status);
  expect(response!.header('content-type')).toBe('application/problem+json');
  expect(response!.header('cache-control')).toBe('no-store');
  const body = JSON.parse(response!.body.toString()) as Record<string, unknown>;
  expect(body).toMatchObject({ code, status, instance: response!.header('x-request-id') });
  expect(JSON.stringify(body)).not.toMatch(/node_modules|FST_|stack/);
}

interface Bad {
  readonly what: string;
  readonly bytes: string;
  readonly status: number;
  readonly code: string;
  /** The connection ends with it. */
  readonly ends?: boolean;
}

const HEAD = `GET /health HTTP/1.1\r\n`;
const BAD: readonly Bad[] = [
  { what: 'a broken escape', bytes: `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, status: 400, code: 'bad_request' },
  { what: 'no Host', bytes: `${HEAD}\r\n`, status: 400, code: 'bad_request' },
  { what: 'two Hosts', bytes: `${HEAD}${HOST}${HOST}\r\n`, status: 400, code: 'bad_request' },
  {
    what: 'length and chunks',
    bytes: `POST /health HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    code: 'bad_request',
    ends: true,
  },
  {
    what: 'an odd coding',
    bytes: `POST /health HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    code: 'bad_request',
    ends: true,
  },
  {
    what: 'an odd expectation',
    bytes: `${HEAD}${HOST}Expect: x\r\n\r\n`,
    status: 417,
    code: 'expectation_failed',
    ends: true,
  },
  {
    what: 'a long target',
    bytes: `GET /${'x'.repeat(8_200)} HTTP/1.1\r\n${HOST}\r\n`,
    status: 414,
    code: 'uri_too_long',
  },
  {
    what: 'a large head',
    bytes: `${HEAD}${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`,
    status: 431,
    code: 'header_too_large',
    ends: true,
  },
  {
    what: 'a tunnel',
    bytes: `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`,
    status: 501,
    code: 'not_implemented',
    ends: true,
  },
  {
    what: 'an unknown method',
    bytes: `BREW /health HTTP/1.1\r\n${HOST}\r\n`,
    status: 501,
    code: 'not_implemented',
    ends: true,
  },
  {
    what: 'no HTTP',
    bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    status: 400,
    code: 'bad_request',
    ends: true,
  },
  { what: 'a slow head', bytes: HEAD, status: 408, code: 'request_timeout', ends: true },
];

describe.each(['data', 'admin'] as const)('on the %s port', (name) => {
  it.each(BAD)(
    '$what is answered with a problem document: $status',
    async ({ bytes, status, code, ends }) => {
      const at = await port(name);
      const { responses } = await rawRequest(at.port, bytes, ends ? { until: 'close' } : {});
      expect(responses).toHaveLength(1);
      expectProblem(responses[0], status, code);
      expect(at.gateway.logsWith('internal error')).toEqual([]);
    },
  );

  it('a method that an endpoint does not take is told the others', async () => {
    const at = await port(name);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'QUERY']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      const { responses } = await rawRequest(at.port, `${method} /health HTTP/1.1\r\n${HOST}${BEARER}\r\n`);
      expectProblem(responses[0], 405, 'method_not_allowed');
      expect(responses[0]!.header('allow')).toBe('GET, HEAD');
    }
  });

  it('the connection goes on after a refusal that leaves no doubt', async () => {
    const at = await port(name);
    const client = await connectRaw(at.port);
    await client.write(`DELETE /health HTTP/1.1\r\n${HOST}\r\n${HEAD}${HOST}\r\n`);
    expectProblem(await client.response(0), 405, 'method_not_allowed');
    expect((await client.response(1)).status).toBe(200);
  });

  it('a body that nobody asked for may not hold the connection', async () => {
    const at = await port(name);
    const client = await connectRaw(at.port);
    await client.write(`${HEAD}${HOST}Content-Length: 100\r\n\r\nhalf`);
    expect((await client.response()).status).toBe(200);
    await client.untilClosed();
    expect(client.responses).toHaveLength(1);
  });
});

describe('the data port’s own endpoints', () => {
  const OWN = ['/metrics', '/_gateway/health', '/_gateway/upstreams', '/_gateway/metrics'];

  it.each([...OWN, '/', '/health/live', '/health/ready'])('%s takes GET and HEAD', async (path) => {
    const gateway = await setUp();
    expect((await gateway.get(path)).status).toBe(200);
    expect((await gateway.request(path, { method: 'HEAD' })).status).toBe(200);
    const refused = await gateway.request(path, { method: 'POST', body: 'x'.repeat(100_000) });
    // At `/` a route may stand, and says so itself.
    expect(refused.status).toBe(path === '/' ? 404 : 405);
  });

  it.each(OWN)('%s is not told of to those who may not read it', async (path) => {
    const gateway = await setUp({ admin: { token: TOKEN, allow_from: ['10.0.0.0/8'] } });
    const refused = await gateway.request(path, { method: 'POST' });
    expect([refused.status, refused.header('allow'), refused.json()['code']]).toEqual([
      404,
      undefined,
      'route_not_found',
    ]);
  });
});

describe('the admin port', () => {
  const send = async (gateway: TestGateway, bytes: string, until?: 'close') =>
    rawRequest(Number(new URL(gateway.adminUrl).port), bytes, until === undefined ? {} : { until });

  const put = (headers: string, body: string): string =>
    `PUT ${PUT} HTTP/1.1\r\n${HOST}${BEARER}${headers}\r\n${body}`;

  it.each([
    ['no JSON', 'Content-Type: application/json\r\nContent-Length: 1\r\n', '{', 400, 'validation_failed'],
    ['an empty one', 'Content-Type: application/json\r\nContent-Length: 0\r\n', '', 400, 'validation_failed'],
    ['another type', 'Content-Type: text/xml\r\nContent-Length: 1\r\n', 'x', 415, 'unsupported_media_type'],
    [
      'one of more than a megabyte',
      'Content-Type: application/json\r\nContent-Length: 1048577\r\n',
      '',
      413,
      'payload_too_large',
    ],
    [
      'a poisoned one',
      'Content-Type: application/json\r\nContent-Length: 16\r\n',
      '{"__proto__": 1}',
      400,
      'validation_failed',
    ],
  ])('refuses a body: %s', async (_what, headers, body, status, code) => {
    const { responses } = await send(await setUp(), put(headers, body));
    expectProblem(responses[0], status, code);
  });

  it('answers a body that breaks its framing, or never comes', async () => {
    const gateway = await setUp();
    const json = 'Content-Type: application/json\r\n';
    const broken = await send(gateway, put(`${json}Transfer-Encoding: chunked\r\n`, 'zz\r\n'), 'close');
    expectProblem(broken.responses[0], 400, 'bad_request');
    const slow = await send(gateway, put(`${json}Content-Length: 10\r\n`, '{'), 'close');
    expectProblem(slow.responses[0], 408, 'request_timeout');
    expect((await request(`${gateway.adminUrl}/health`)).status).toBe(200);
  });

  it('asks for the body of whoever waits to be asked', async () => {
    const bytes = put('Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n', '');
    const gateway = await setUp();
    const client = await connectRaw(Number(new URL(gateway.adminUrl).port));
    await client.write(bytes);
    await client.until(() => client.text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'), '100');
    await client.write('{}');
    const answered = await client.until(() => client.text.includes('validation_failed'), 'the answer');
    expect(answered).toBe(true);
  });

  it('lists the methods of a path with parameters', async () => {
    const gateway = await setUp();
    const { responses } = await send(gateway, `DELETE ${PUT} HTTP/1.1\r\n${HOST}${BEARER}\r\n`);
    expectProblem(responses[0], 405, 'method_not_allowed');
    expect(responses[0]!.header('allow')).toBe('PUT');
  });

  it('answers nothing that stands behind the last request of a connection', async () => {
    const gateway = await setUp();
    const bytes = `${HEAD}${HOST}Connection: close\r\n\r\n${HEAD}${HOST}\r\n`;
    const { responses } = await send(gateway, bytes, 'close');
    expect(responses.map(({ status }) => status)).toEqual([200]);
  });
});
