import { beforeAll, describe, expect, it } from 'vitest';

import { VERSION } from '../../src/common/version.js';
import { echoedHeader } from '../support/index.js';
import { echoScene, rawGet } from './scene.js';

type Scene = Awaited<ReturnType<typeof echoScene>>;

const NAMES = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-real-ip',
  'forwarded',
];

/** What the upstream is told of the client, by name; several lines stay several. */
async function toldOf({ gateway, upstream }: Scene, lines: string): Promise<Record<string, string[]>> {
  const { responses } = await gateway.raw(rawGet('/p', lines));
  expect(responses[0]?.status).toBe(200);
  return Object.fromEntries(NAMES.map((name) => [name, echoedHeader(upstream.last!, name)]));
}

const CLAIMS =
  'X-Forwarded-For: 203.0.113.7, 198.51.100.2\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n' +
  'X-Forwarded-Port: 443\r\nX-Real-IP: 203.0.113.9\r\nForwarded: for=203.0.113.8\r\nX-Gateway-Version: fake\r\n';

describe('case 19: nobody is trusted', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await echoScene();
  });

  it('replaces everything that a client claims', async () => {
    expect(await toldOf(scene, CLAIMS)).toEqual({
      'x-forwarded-for': ['127.0.0.1'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-host': ['gw.test'],
      'x-forwarded-port': [String(scene.gateway.port)],
      'x-real-ip': ['127.0.0.1'],
      forwarded: [],
    });
    expect(echoedHeader(scene.upstream.last!, 'x-gateway-version')).toEqual([`nexus-gateway/${VERSION}`]);
    expect(await scene.gateway.logged('request completed')).toMatchObject({ remote_ip: '127.0.0.1' });
  });

  it('replaces repeated and misspelt lines too', async () => {
    const told = await toldOf(
      scene,
      'X-FORWARDED-FOR: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2\r\nX-Forwarded-For:\r\nX-Real-Ip: 3.3.3.3\r\n',
    );
    expect([told['x-forwarded-for'], told['x-real-ip']]).toEqual([['127.0.0.1'], ['127.0.0.1']]);
  });
});

describe('other spellings and unknown members of the family', () => {
  const SPELT = [
    'X_Forwarded_For',
    'X-Forwarded_Proto',
    'X_Real_IP',
    'X_Request_Id',
    'X-Client-Cert-Subject',
  ];
  const UNKNOWN = ['X-Forwarded-Prefix', 'x_forwarded_ssl', 'X-Forwarded-User'];
  const lines = [...SPELT, ...UNKNOWN, 'X-Mine'].map((name) => `${name}: 1\r\n`).join('');

  async function passed(trusted: string[]): Promise<string[]> {
    const { gateway, upstream } = await echoScene({}, { server: { trusted_proxies: trusted } });
    await gateway.raw(rawGet('/p', lines));
    return [...SPELT, ...UNKNOWN, 'X-Mine'].filter(
      (name) => echoedHeader(upstream.last!, name.toLowerCase()).length > 0,
    );
  }

  it('come from no client', async () => {
    expect(await passed([])).toEqual(['X-Mine']);
  });

  it('come from a trusted peer where the gateway does not say the same itself', async () => {
    expect(await passed(['127.0.0.1/32'])).toEqual([...UNKNOWN, 'X-Mine']);
  });
});

describe('case 19: the peer is trusted', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await echoScene({}, { server: { trusted_proxies: ['127.0.0.1/32', '10.0.0.0/8'] } });
  });

  it('appends the peer, passes on what it said, and takes the right-most untrusted address', async () => {
    expect(await toldOf(scene, CLAIMS)).toEqual({
      'x-forwarded-for': ['203.0.113.7, 198.51.100.2, 127.0.0.1'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['evil.example'],
      'x-forwarded-port': ['443'],
      'x-real-ip': ['198.51.100.2'],
      forwarded: [],
    });
    expect(await scene.gateway.logged('request completed')).toMatchObject({ remote_ip: '198.51.100.2' });
  });

  it.each([
    [
      'several lines',
      'X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 198.51.100.2, 10.1.1.1\r\n',
      '198.51.100.2',
      '203.0.113.7, 198.51.100.2, 10.1.1.1, 127.0.0.1',
    ],
    ['nothing', '', '127.0.0.1', '127.0.0.1'],
    ['an empty list', 'X-Forwarded-For:\r\n', '127.0.0.1', '127.0.0.1'],
    [
      'garbage',
      'X-Forwarded-For: 203.0.113.7, <script>\r\n',
      '127.0.0.1',
      '203.0.113.7, <script>, 127.0.0.1',
    ],
    [
      'garbage behind a trusted hop',
      'X-Forwarded-For: unknown, 10.1.1.1\r\n',
      '10.1.1.1',
      'unknown, 10.1.1.1, 127.0.0.1',
    ],
    [
      'an address with a port',
      'X-Forwarded-For: 203.0.113.7:4711\r\n',
      '203.0.113.7',
      '203.0.113.7:4711, 127.0.0.1',
    ],
    [
      'IPv6 with brackets',
      'X-Forwarded-For: [2001:DB8::1]:80\r\n',
      '2001:db8::1',
      '[2001:DB8::1]:80, 127.0.0.1',
    ],
    [
      'mapped IPv4',
      'X-Forwarded-For: ::ffff:203.0.113.7\r\n',
      '203.0.113.7',
      '::ffff:203.0.113.7, 127.0.0.1',
    ],
    [
      'Forwarded alone',
      'Forwarded: for=203.0.113.8;proto=https\r\n',
      '203.0.113.8',
      '203.0.113.8, 127.0.0.1',
    ],
  ])('makes of %s the client that it names', async (_, lines, client, chain) => {
    const told = await toldOf(scene, lines);
    expect(told['x-real-ip']).toEqual([client]);
    expect(told['x-forwarded-for']).toEqual([chain]);
  });

  it('puts its own in the place of what has not the shape of scheme, host and port', async () => {
    const lines = 'X-Forwarded-Proto: gopher\r\nX-Forwarded-Host: a"><b\r\nX-Forwarded-Port: 99999\r\n';
    expect(await toldOf(scene, lines)).toMatchObject({
      'x-forwarded-proto': ['http'],
      'x-forwarded-host': ['gw.test'],
      'x-forwarded-port': [String(scene.gateway.port)],
    });
  });

  it('believes no one behind an address that is not trusted', async () => {
    const other = await echoScene({}, { server: { trusted_proxies: ['10.0.0.0/8'] } });
    expect((await toldOf(other, CLAIMS))['x-real-ip']).toEqual(['127.0.0.1']);
  });
});

describe('request ids', () => {
  it('are the same to client, upstream and log, and the client’s where it fits', async () => {
    const { gateway, upstream } = await echoScene();
    for (const id of ['a', 'Ab.c_d-9', 'x'.repeat(128)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      const { responses } = await gateway.raw(rawGet('/p', `x-REQUEST-id: ${id}\r\n`));
      expect(responses[0]!.headerAll('x-request-id')).toEqual([id]);
      expect(echoedHeader(upstream.last!, 'x-request-id')).toEqual([id]);
    }
  });

  it.each(['', 'a b', 'x'.repeat(129), 'é', 'a/b', 'a,b', '"a"'])(
    'replace what does not fit: %j',
    async (id) => {
      const { gateway, upstream } = await echoScene();
      const { responses } = await gateway.raw(rawGet('/p', `X-Request-Id: ${id}\r\n`));
      const [made = ''] = responses[0]!.headerAll('x-request-id');
      expect(made).toMatch(/^[0-9a-z]{26}$/);
      expect(echoedHeader(upstream.last!, 'x-request-id')).toEqual([made]);
    },
  );

  it('make one of repeated lines', async () => {
    const { gateway, upstream } = await echoScene();
    await gateway.raw(rawGet('/p', 'X-Request-Id: one\r\nX-Request-Id: two\r\n'));
    expect(echoedHeader(upstream.last!, 'x-request-id')).toHaveLength(1);
  });

  it('are read from the header that the document names, and from no other', async () => {
    const { gateway, upstream } = await echoScene({}, { request_id: { header: 'X-Correlation' } });
    const lines = 'x-correlation: mine\r\nX-Request-Id: other\r\n';
    const { responses } = await gateway.raw(rawGet('/p', lines));
    expect(responses[0]!.header('x-request-id')).toBe('mine');
    expect(echoedHeader(upstream.last!, 'x-request-id')).toEqual(['mine']);
  });

  it('stand in problem documents, also of the gateway’s own endpoints', async () => {
    const { gateway } = await echoScene();
    for (const path of ['/nope', '/health/nope', '/p/%zz']) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await gateway.get(path, { headers: { 'x-request-id': 'mine' } });
      expect([answer.header('x-request-id'), answer.json()['instance']]).toEqual(['mine', 'mine']);
    }
  });
});
