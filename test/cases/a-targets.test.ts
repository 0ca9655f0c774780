import { beforeAll, describe, expect, it } from 'vitest';

import { type EchoUpstream, echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { echoScene, rawGet } from './scene.js';

let echo: EchoUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  echo = await echoUpstream();
  const { backend, url } = echo;
  gateway = await startTestGateway({
    routes: [
      { id: 'kept', path: '/kept', backends: [backend] },
      { id: 'gl', path: '/gl', strip_prefix: true, backends: [backend] },
      { id: 'deep', path: '/deep/er', strip_prefix: true, backends: [backend] },
      { id: 'doc', path: '/doc/:name', backends: [backend] },
      { id: 'based', path: '/svc', strip_prefix: true, backends: [{ url: `${url}/base/` }] },
      { id: 'based-kept', path: '/sub', backends: [{ url: `${url}/base` }] },
    ],
  });
});

/** The target that the ECHO got for one sent as it stands. */
async function arriving(target: string): Promise<string> {
  const before = echo.requests.length;
  const { responses } = await gateway.raw(rawGet(target));
  expect([target, responses[0]?.status, echo.requests.length - before]).toEqual([target, 200, 1]);
  return echo.last!.url;
}

async function refused(target: string): Promise<number> {
  const before = echo.started;
  const { responses } = await gateway.raw(rawGet(target));
  expect(echo.started - before, `${target} reached the upstream`).toBe(0);
  return responses[0]!.status;
}

describe('cases 1 and 2: escapes in the path', () => {
  it.each([
    '/api/v4/projects/grp%2Fsvc/files/a%2Eb?ref=x%2Fy',
    '/a%2520b',
    '/@types%2fcors',
    '/100%25',
    "/%E2%82%AC;v=1/a=b,c:d@e!$&'()*+",
    '/%e9',
    '/a//b',
    '/%252e%252e/x',
  ])('reach the upstream byte for byte behind a stripped prefix, and with it: %s', async (rest) => {
    expect(await arriving(`/gl${rest}`)).toBe(rest);
    expect(await arriving(`/kept${rest}`)).toBe(`/kept${rest}`);
  });

  it('count as what they stand for when the route is looked up, and still pass as they came', async () => {
    expect(await arriving('/%6bept/%7Ex')).toBe('/%6bept/%7Ex');
    expect(await arriving('/%67l/%7Ex')).toBe('/%7Ex');
    expect(await arriving('/deep/%65r/%65r')).toBe('/%65r');
  });
});

describe('cases 3 and 10: the query is data', () => {
  it.each([
    '?redirect_uri=//shop.example/a//b&u=http://x/?y=1',
    '?q=a+b%20c&e=%E2%82%AC&arr[]=1&arr[]=2&empty=&flag&x=%26%3D&d=1&d=2',
    '?',
    '??&&==',
    '?a=/../b&c=%2e%2e%2f&d=%zz&e=%00&f=%',
    '?a=\\..\\{}|^`"<>',
  ])('%s', async (query) => {
    expect(await arriving(`/kept/x${query}`)).toBe(`/kept/x${query}`);
    expect(await arriving(`/gl${query}`)).toBe(`/${query}`);
    expect(await arriving(`/gl/${query}`)).toBe(`/${query}`);
  });
});

describe('case 5: a prefix ends at a segment border', () => {
  it.each([
    ['/gl', '/'],
    ['/gl/', '/'],
    ['/gl?x=1', '/?x=1'],
    ['/gl/?x=1', '/?x=1'],
    ['/gl/x/', '/x/'],
    ['/deep/er', '/'],
    ['/deep/er/x', '/x'],
  ])('%s arrives as %s', async (sent, received) => {
    expect(await arriving(sent)).toBe(received);
  });

  it.each([
    '/glory',
    '/gl%2e/admin',
    '/GL',
    '/gl;v=1',
    '/gl%2Fx',
    '//gl',
    '/gl%20',
    '/deep',
    '/deep/',
    '/deep//er',
  ])('%s is 404', async (target) => {
    expect(await refused(target)).toBe(404);
  });

  it('is never stripped to what reads as a host', async () => {
    expect(await refused('/gl//evil.example/x')).toBe(400);
    expect(await refused('/gl//')).toBe(400);
  });
});

describe('case 6: a base path of the backend is joined with one slash', () => {
  it.each([
    ['/svc/x', '/base/x'],
    ['/svc', '/base/'],
    ['/svc/', '/base/'],
    ['/svc?a=//b', '/base/?a=//b'],
    ['/sub/x', '/base/sub/x'],
    ['/sub', '/base/sub'],
  ])('%s arrives as %s', async (sent, received) => {
    expect(await arriving(sent)).toBe(received);
  });

  it('takes an explicit default port', async () => {
    await expect(
      startTestGateway({ routes: [{ path: '/x', backends: [{ url: 'http://127.0.0.1:80/base' }] }] }),
    ).resolves.toBeDefined();
  });
});

describe('cases 7 and 9: malformed and ambiguous targets', () => {
  it.each([
    '/kept/%zz',
    '/kept/%',
    '/kept/%4',
    '/kept/%c0%af',
    '/kept/%e0%80%af',
    '/kept/%00',
    '/kept/%0d%0aX:y',
    '/kept/%7f',
    '/kept#/../admin',
    '/kept?a#b',
    '/kept/..',
    '/kept/.',
    '/./kept',
    '/kept/%2E%2e/x',
    '/kept/a%2f..%2fb',
    '/kept/..%5Cx',
    '/kept/..;x/y',
    '*',
    'kept',
    '',
    'ftp://127.0.0.1/kept',
    'http://u:p@127.0.0.1/kept',
    'http:///kept',
    'http://h:99999/kept',
    'http://[::1/kept',
    'http://h/kept/../x',
    '/kept/\xe9',
    '/kept/\tx',
    '/kept/a b',
  ])('%j is 400 and reaches nobody', async (target) => {
    expect(await refused(target)).toBe(400);
  });

  it('leaves the gateway as it was', async () => {
    expect((await gateway.get('/kept/after')).status).toBe(200);
    expect(gateway.logsWith('internal error')).toEqual([]);
  });
});

it('case 8: a parameter of 600 characters routes, one of 4,000 too', async () => {
  for (const length of [600, 4_000]) {
    const name = 'a'.repeat(length);
    expect(await arriving(`/doc/${name}`)).toBe(`/doc/${name}`);
  }
});

describe('case 13: other forms of the target', () => {
  it('serves an absolute target by its path, as origin form', async () => {
    for (const target of ['http://other.example/kept/x?y', 'HTTPS://other.example:8443/kept/x?y']) {
      expect(await arriving(target)).toBe('/kept/x?y');
    }
    expect(await arriving('http://other.example/gl')).toBe('/');
  });

  it('takes an absolute target without a path for /', async () => {
    const { responses } = await gateway.raw(rawGet('http://other.example?x=1'));
    expect(responses[0]!.text).toBe('Gateway is running...');
  });

  it('routes by the authority of an absolute target, not by the Host beside it', async () => {
    const { upstream, gateway: byHost } = await echoScene({ hosts: ['inner.example'] });
    const both = (target: string, host: string): string => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const taken = await byHost.raw(both('http://inner.example/p', 'other.example'));
    const missed = await byHost.raw(both('http://other.example/p', 'inner.example'));
    expect([taken.responses[0]!.status, missed.responses[0]!.status]).toEqual([200, 404]);
    expect(upstream.last!.rawHeaders).toContain('inner.example');
    expect(upstream.last!.rawHeaders).not.toContain('other.example');
  });

  it('answers OPTIONS * and keeps the connection', async () => {
    const { responses } = await gateway.raw(rawGet('*', '', 'OPTIONS') + rawGet('/kept'), { until: 2 });
    expect(responses.map(({ status }) => status)).toEqual([400, 200]);
  });

  it.each(['10.0.0.1:443', '/kept', 'http://127.0.0.1/kept', '*'])(
    'opens no tunnel for CONNECT %s, and ends the connection',
    async (target) => {
      const before = echo.started;
      const { responses, closed } = await gateway.raw(
        rawGet(target, '', 'CONNECT') + rawGet('/kept/tunnelled'),
        { until: 'close', methods: ['GET'] },
      );
      expect(closed).toBe(true);
      expect(responses).toHaveLength(1);
      expect([400, 501]).toContain(responses[0]!.status);
      expect(echo.started).toBe(before);
    },
  );
});
