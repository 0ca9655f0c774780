import { describe, expect, it } from 'vitest';

import { APP, preflight } from '../cors/support.js';
import {
  type ClientResponse,
  type EchoUpstream,
  echoUpstream,
  rawUpstream,
  request,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';

const STANDARD = {
  'x-content-type-options': ['nosniff'],
  'x-frame-options': ['DENY'],
  'referrer-policy': ['no-referrer'],
};
const OWN = { ...STANDARD, 'content-security-policy': ["default-src 'self'"] };
const NAMES = [...Object.keys(OWN), 'strict-transport-security', 'x-extra'];

type Answer = Pick<ClientResponse, 'headerAll'>;

function shown(answer: Answer): Record<string, string[]> {
  return Object.fromEntries(
    NAMES.map((name) => [name, answer.headerAll(name)] as const).filter(([, values]) => values.length > 0),
  );
}

async function scene(
  document: object = {},
  route: object = {},
  options: object = {},
): Promise<{ gateway: TestGateway; upstream: EchoUpstream }> {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway(
    { ...document, routes: [{ path: '/p', backends: [upstream.backend], ...route }] },
    options,
  );
  return { gateway, upstream };
}

describe('by default', () => {
  it("an upstream's answer carries them, without a policy for pages", async () => {
    const { gateway } = await scene();
    expect(shown(await gateway.get('/p'))).toEqual(STANDARD);
    expect(shown(await gateway.request('/p', { method: 'HEAD' }))).toEqual(STANDARD);
  });

  it("the upstream's own values win, however their names are written", async () => {
    const { gateway, upstream } = await scene();
    upstream.headers = {
      'X-FRAME-OPTIONS': 'SAMEORIGIN',
      'referrer-policy': ['origin', 'same-origin'],
      'content-security-policy': "default-src 'none'",
      'x-response-time1': 'as long as others',
    };
    expect(shown(await gateway.get('/p'))).toEqual({
      'x-content-type-options': ['nosniff'],
      'x-frame-options': ['SAMEORIGIN'],
      'referrer-policy': ['origin', 'same-origin'],
      'content-security-policy': ["default-src 'none'"],
    });
  });

  it("the gateway's own answers carry all of them", async () => {
    const { gateway } = await scene({ cors: { origins: [APP] } }, { ip: { deny: ['203.0.113.1'] } });
    for (const path of [
      '/',
      '/health',
      '/health/live',
      '/metrics',
      '/_gateway/upstreams',
      '/_gateway/none',
      '/none',
    ])
      expect([path, shown(await gateway.get(path))]).toEqual([path, OWN]);
    expect(shown(await preflight(gateway))).toEqual(STANDARD);
  });

  it('so do its errors', async () => {
    const broken = await rawUpstream((connection) => connection.reset());
    const gateway = await startTestGateway({
      routes: [
        { path: '/p', backends: [broken.backend] },
        { path: '/denied', ip: { deny: ['0.0.0.0/0'] }, backends: [broken.backend] },
      ],
    });
    for (const [path, status] of [
      ['/p', 502],
      ['/denied', 403],
      ['/%00', 400],
    ] as const) {
      const answer = await gateway.get(path);
      expect([answer.status, shown(answer)]).toEqual([status, OWN]);
    }
  });

  it.each([
    ['what is no request', '\x16\x03\x01', 400],
    ['a head that is too large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: h\r\n\r\n', 501],
  ])('so does the answer to %s', async (_, bytes, status) => {
    const { gateway } = await scene({ security_headers: { 'X-Extra': 'é' } });
    const { responses } = await gateway.raw(bytes);
    const [answer] = responses;
    expect(answer!.status).toBe(status);
    const extra = Buffer.from('é').toString('latin1');
    expect(shown(answer!)).toEqual({ ...OWN, 'x-extra': [extra] });
    expect(answer!.header('content-length')).toBe(String(answer!.body.length));
  });

  it('and the admin port', async () => {
    const { gateway } = await scene({}, {}, { admin: true });
    for (const path of ['/api/upstreams', '/nowhere'])
      expect([path, shown(await request(gateway.adminUrl + path))]).toEqual([path, OWN]);
  });
});

describe('a map', () => {
  const map = {
    'x-frame-options': 'SAMEORIGIN',
    'Referrer-Policy': false,
    'X-Extra': 'ü',
    'Content-Security-Policy': "frame-ancestors 'none'",
    'Strict-Transport-Security': 'max-age=5',
  };

  it('changes values, adds others, switches some off; a policy that it names is for all answers', async () => {
    const { gateway } = await scene({ security_headers: map });
    const expected = {
      'x-content-type-options': ['nosniff'],
      'x-frame-options': ['SAMEORIGIN'],
      'content-security-policy': ["frame-ancestors 'none'"],
      'x-extra': [Buffer.from('ü').toString('latin1')],
    };
    expect(shown(await gateway.get('/p'))).toEqual(expected);
    expect(shown(await gateway.get('/none'))).toEqual(expected);
  });

  it('on a route stands beside the standard, not beside the one of the document', async () => {
    const { gateway } = await scene({ security_headers: map }, { security_headers: { 'X-Extra': 'a' } });
    expect(shown(await gateway.get('/p'))).toEqual({ ...STANDARD, 'x-extra': ['a'] });
  });

  it('gives way to the upstream too', async () => {
    const { gateway, upstream } = await scene({ security_headers: map });
    upstream.headers = { 'x-extra': 'mine' };
    expect(shown(await gateway.get('/p'))['x-extra']).toEqual(['mine']);
  });
});

it('false switches all of them off: for a route, or for everything', async () => {
  const route = await scene({}, { security_headers: false });
  expect(shown(await route.gateway.get('/p'))).toEqual({});
  expect(shown(await route.gateway.get('/none'))).toEqual(OWN);
  const all = await scene({ security_headers: false }, {}, { admin: true });
  expect(shown(await all.gateway.get('/p'))).toEqual({});
  expect(shown(await all.gateway.get('/none'))).toEqual({});
  expect(shown(await all.gateway.get('/health'))).toEqual({});
});

it('a reload changes them', async () => {
  const { gateway, upstream } = await scene();
  const routes = [{ path: '/p', backends: [upstream.backend] }];
  expect(await gateway.reload({ security_headers: { 'x-frame-options': false }, routes })).toBe(true);
  expect(shown(await gateway.get('/p'))['x-frame-options']).toBeUndefined();
  expect(shown(await gateway.get('/none'))['x-frame-options']).toBeUndefined();
  expect(shown(await gateway.get('/health'))['x-frame-options']).toBeUndefined();
});
