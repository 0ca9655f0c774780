import { describe, expect, it } from 'vitest';

import { type AnswerReason, REASONS } from '../../src/exchange/reasons.js';
import {
  echoUpstream,
  freePort,
  type ParsedResponse,
  rawUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

/** How a reason is reached: a document, and the bytes of a request on route `p`. */
interface Way {
  readonly reason: AnswerReason;
  /** Keys of the route, beside its path. */
  readonly route?: object;
  readonly document?: object;
  /** Default: `GET /p`. `HEAD` is sent in the place of its method where it may be. */
  readonly bytes?: string;
  readonly headToo?: boolean;
  /** Brings the gateway into the state in which the request is refused. */
  readonly prepare?: (gateway: TestGateway) => Promise<unknown>;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** The parser refused it: nothing is known of the request. */
  readonly unread?: boolean;
  /** The connection ends with it. */
  readonly ends?: boolean;
}

const GET = 'GET /p HTTP/1.1\r\nHost: h\r\n\r\n';
const silent = async () => (await rawUpstream(() => {})).backend;
const closing = async () => (await rawUpstream((connection) => connection.end())).backend;
const nobody = async () => ({ url: `http://127.0.0.1:${await freePort()}` });

async function unhealthy(): Promise<object> {
  const upstream = await echoUpstream();
  upstream.healthStatus = 500;
  return upstream.backend;
}

const PROBES = { interval: '60ms', timeout: '50ms', unhealthy_threshold: 1 };
const turned = (gateway: TestGateway) => gateway.logged('backend became unhealthy');

/** One connection, which the first request keeps; one request may wait, which the second does. */
const NARROW = { connection: { max_connections: 1, max_pending: 1 } };

async function occupy(gateway: TestGateway): Promise<void> {
  for (let count = 1; count <= 2; count++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other.
    await (await gateway.connect()).write(GET);
    // oxlint-disable-next-line no-await-in-loop
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === count, `${count} active`);
  }
}

const ways: readonly [string, Way & { readonly backend?: () => Promise<object> }][] = [
  ['a malformed target', { reason: 'bad_request', bytes: GET.replace('/p', '/p/%zz'), headToo: true }],
  [
    'no HTTP',
    {
      reason: 'bad_request',
      bytes: 'GET /p HTTP/1.1\r\nHost: h\r\nX A: b\r\n\r\n',
      unread: true,
      ends: true,
    },
  ],
  ['no Host', { reason: 'bad_request', bytes: 'GET /p HTTP/1.1\r\n\r\n', headToo: true }],
  ['no route', { reason: 'route_not_found', bytes: GET.replace('/p', '/nowhere'), headToo: true }],
  [
    'no such method',
    {
      reason: 'method_not_allowed',
      route: { methods: ['PUT', 'GET'] },
      bytes: GET.replace('GET', 'DELETE'),
      headers: { allow: 'GET, HEAD, PUT' },
    },
  ],
  [
    'a slow head',
    {
      reason: 'request_timeout',
      document: { server: { header_timeout: '200ms' } },
      bytes: 'GET /p HT',
      unread: true,
      ends: true,
    },
  ],
  [
    'a slow body',
    {
      reason: 'request_timeout',
      document: { server: { body_timeout: '200ms' } },
      bytes: 'POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nx',
      ends: true,
    },
  ],
  [
    'an odd expectation',
    {
      reason: 'expectation_failed',
      bytes: GET.replace('\r\n\r\n', '\r\nExpect: x\r\n\r\n'),
      headToo: true,
      ends: true,
    },
  ],
  [
    'an announced large body',
    {
      reason: 'payload_too_large',
      route: { max_body_size: '1kb' },
      bytes: 'POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 1025\r\n\r\n',
    },
  ],
  [
    'a large body in chunks',
    {
      reason: 'payload_too_large',
      route: { max_body_size: '1kb' },
      bytes: `POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n${'x'.repeat(0x401)}\r\n`,
      ends: true,
    },
  ],
  [
    'a long target',
    { reason: 'uri_too_long', bytes: GET.replace('/p', `/p/${'x'.repeat(8_190)}`), headToo: true },
  ],
  [
    'a used-up limit',
    {
      reason: 'rate_limited',
      route: { rate_limit: { requests: 1, per: '1m' } },
      prepare: (gateway) => gateway.get('/p'),
      headToo: true,
      headers: {
        'retry-after': '60',
        ratelimit: '"default";r=0;t=60',
        'ratelimit-policy': '"default";q=1;w=60',
      },
    },
  ],
  [
    'a large head',
    {
      reason: 'header_too_large',
      bytes: GET.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`),
      unread: true,
      ends: true,
    },
  ],
  [
    'an unknown method',
    { reason: 'not_implemented', bytes: GET.replace('GET', 'FROB'), unread: true, ends: true },
  ],
  [
    'CONNECT',
    { reason: 'not_implemented', bytes: 'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n', unread: true, ends: true },
  ],
  ['a backend that is off', { reason: 'upstream_unavailable', backend: nobody, headToo: true }],
  ['a backend that hangs up', { reason: 'upstream_unavailable', backend: closing, headToo: true }],
  [
    'only unhealthy backends',
    {
      reason: 'no_healthy_backend',
      backend: unhealthy,
      document: { health_check: PROBES },
      prepare: turned,
      headToo: true,
    },
  ],
  [
    'a full queue',
    {
      reason: 'overloaded',
      backend: silent,
      route: NARROW,
      prepare: occupy,
      headToo: true,
      headers: { 'retry-after': '1' },
    },
  ],
  [
    'a silent backend',
    { reason: 'upstream_timeout', backend: silent, route: { timeout: '200ms' }, headToo: true },
  ],
];

/** Reasons of features that have their own tests, or that are not built yet. */
const ELSEWHERE: readonly AnswerReason[] = [
  'validation_failed',
  'missing_token',
  'invalid_token',
  'invalid_api_key',
  'forbidden',
  'insufficient_privileges',
  'unsupported_media_type',
  'internal_error',
  'circuit_open',
  'rate_limit_store_unavailable',
];

async function reach(way: Way & { readonly backend?: () => Promise<object> }) {
  const backend = await (way.backend ?? (async () => (await echoUpstream()).backend))();
  const gateway = await startTestGateway({
    ...way.document,
    routes: [{ id: 'p', path: '/p', backends: [backend], ...way.route }],
  });
  await way.prepare?.(gateway);
  const ended = gateway.logsWith('request completed').length;
  const answer = await answerTo(gateway, way.bytes ?? GET, way.ends ?? false);
  return { gateway, ended, answer };
}

async function answerTo(gateway: TestGateway, bytes: string, ends: boolean): Promise<ParsedResponse> {
  const method = bytes.split(' ', 1)[0]!;
  const methods = [method === 'HEAD' ? 'HEAD' : 'GET'];
  const { responses, rest } = await gateway.raw(bytes, { methods, until: ends ? 'close' : 1 });
  expect([responses.length, rest.length]).toEqual([1, 0]);
  return responses[0]!;
}

describe('every reason has its answer, log line and count', () => {
  it.each(ways)('%s', async (_, way) => {
    const { status, error } = REASONS[way.reason];
    const { gateway, ended, answer } = await reach(way);
    const id = answer.header('x-request-id');
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ title: error, status, instance: id, code: way.reason, error });
    expect(answer.json()['type']).toBe(`urn:nexus-gateway:error:${way.reason}`);
    expect(answer.json()['detail']).toMatch(/^[a-z][^\n]{3,80}$/i);
    expect(answer.text).not.toMatch(/127\.0\.0\.1|node_modules|\.js|Error:/);
    expect(answer.header('content-type')).toBe('application/problem+json');
    expect(answer.header('content-length')).toBe(String(answer.body.length));
    expect(answer.header('cache-control')).toBe('no-store');
    expect(answer.header('x-gateway-proxy')).toBe('nexus-gateway');
    expect(
      Object.fromEntries(Object.keys(way.headers ?? {}).map((name) => [name, answer.header(name)])),
    ).toEqual(way.headers ?? {});
    const line = await gateway.logged('request completed', { request_id: id });
    const matched = ![
      'bad_request',
      'route_not_found',
      'method_not_allowed',
      'uri_too_long',
      'expectation_failed',
    ].includes(way.reason);
    const route = matched && !way.unread ? 'p' : null;
    expect(line).toMatchObject({ status, reason: way.reason, route, bytes_written: answer.body.length });
    expect(line['method'] === null).toBe(way.unread ?? false);
    expect(gateway.logsWith('request completed')).toHaveLength(ended + 1);
    const labels = { path: route === null ? 'unmatched' : '/p', reason: way.reason };
    expect(await gateway.metric('gateway_rejections_total', labels)).toBe(1);
  });

  it('none is left out', () => {
    const covered = new Set([...ways.map(([, { reason }]) => reason), ...ELSEWHERE]);
    expect(Object.keys(REASONS).filter((reason) => !covered.has(reason as AnswerReason))).toEqual([]);
  });
});

describe('to HEAD the same head is sent, without a body', () => {
  it.each(ways.filter(([, { headToo }]) => headToo))('%s', async (_, way) => {
    const bytes = (way.bytes ?? GET).replace(/^GET/, 'HEAD');
    const { answer, gateway } = await reach({ ...way, bytes });
    expect([answer.status, answer.body.length]).toEqual([REASONS[way.reason].status, 0]);
    expect(answer.header('content-type')).toBe('application/problem+json');
    expect(Number(answer.header('content-length'))).toBeGreaterThan(100);
    const id = answer.header('x-request-id');
    expect(await gateway.logged('request completed', { request_id: id })).toMatchObject({ bytes_written: 0 });
  });
});

it('an absolute target’s own fault, and a request for an own endpoint, are refused as any other', async () => {
  const { gateway } = await reach({
    reason: 'bad_request',
    bytes: 'GET http:// HTTP/1.1\r\nHost: h\r\n\r\n',
  });
  for (const bytes of [
    'GET /health HTTP/1.1\r\n\r\n',
    'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'GET /health/%zz HTTP/1.1\r\nHost: h\r\n\r\n',
    'GET /health/../p HTTP/1.1\r\nHost: h\r\n\r\n',
    'GET * HTTP/1.1\r\nHost: h\r\n\r\n',
    'POST /health HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n',
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other.
    const answer = await answerTo(gateway, bytes, false);
    expect([answer.status, answer.json()['code']]).toEqual([400, 'bad_request']);
  }
});

it('a target beyond the head’s limit is 431, one beyond its own is 414, one at it passes', async () => {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({ routes: [{ path: '/p', backends: [upstream.backend] }] });
  const statuses = [];
  for (const length of [8_192, 8_193, 17_000]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other.
    const { responses } = await gateway.raw(`GET /p/${'x'.repeat(length - 3)} HTTP/1.1\r\nHost: h\r\n\r\n`);
    statuses.push(responses[0]!.status);
  }
  expect(statuses).toEqual([200, 414, 431]);
});
