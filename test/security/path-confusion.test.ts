import { describe, expect, it } from 'vitest';

import { rawGet } from '../cases/scene.js';
import { type EchoUpstream, echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';

const KEY = 'a-key-of-the-tests';

/** Everything is open but what lies under `/admin` and `/office`. */
async function scene(): Promise<{ gateway: TestGateway; upstream: EchoUpstream }> {
  const upstream = await echoUpstream();
  const backends = [upstream.backend];
  const gateway = await startTestGateway({
    auth: { api_keys: { keys: [{ id: 'alice', key: KEY }] } },
    routes: [
      { id: 'all', path: '/', backends },
      { id: 'admin', path: '/admin', backends, auth: 'api_key' },
      { id: 'login', path: '/admin/login', backends },
      { id: 'office', path: '/office', backends, ip: { allow: ['10.0.0.0/8'] } },
      { id: 'item', path: '/items/{id}', backends },
      { id: 'parts', path: '/items/{id}/parts', backends },
    ],
  });
  return { gateway, upstream };
}

/** Where an upstream might end that decodes twice, cuts parameters, joins slashes and knows no case. */
function laxly(url: string): string {
  let path = url.replace(/\?.*/, '');
  for (let times = 0; times < 3; times++) path = path.replaceAll(/%([0-9a-f]{2})/gi, unescaped);
  path = path
    .replaceAll('\\', '/')
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/{2,}/g, '/');
  return path.toLowerCase();
}

function unescaped(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

const SPELLINGS = ['admin', 'office'].flatMap((name) => [
  `/${name}`,
  `/${name}/`,
  `/${name}/x?a=1`,
  `//${name}`,
  `///${name}/x`,
  `/${name}//x`,
  `/${name};x`,
  `/${name};x=1/y`,
  `/${name}%3Bx`,
  `/;x/${name}`,
  `/${name}%2F`,
  `/${name}%2fx`,
  `/${name}%5Cx`,
  `/${name}\\x`,
  `/%2F${name}`,
  `/%5c${name}`,
  `/\\${name}`,
  `/${name}%252Fx`,
  `/${name}%255cx`,
  `/%25${name.codePointAt(0)!.toString(16)}${name.slice(1)}`,
  `/%${name.codePointAt(0)!.toString(16)}${name.slice(1)}`,
  `/${name.toUpperCase()}`,
  `/${name[0]!.toUpperCase()}${name.slice(1)}/x`,
  `//${name.toUpperCase()};x%2Fy`,
  `/./${name}`,
  `/x/../${name}`,
  `/x/%2e%2e/${name}`,
  `/x/..;/${name}`,
  `/x/..%5c${name}`,
  `http://gw.test//${name}`,
  `http://gw.test/${name.toUpperCase()}`,
]);

describe('no spelling of a guarded path goes by another route’s guards', () => {
  it.each(SPELLINGS)('%s', async (target) => {
    const { gateway, upstream } = await scene();
    const { responses } = await gateway.raw(rawGet(target));
    expect([400, 401, 403]).toContain(responses[0]?.status);
    expect(upstream.requests.map(({ url }) => laxly(url))).toEqual([]);
  });

  it('nor a header that names another target', async () => {
    const { gateway, upstream } = await scene();
    const headers = { 'x-original-url': '/admin', 'x-rewrite-url': '/admin', x_original_url: '/admin' };
    expect((await gateway.get('/x', { headers })).status).toBe(200);
    expect(JSON.stringify(upstream.requests[0])).not.toContain('/admin');
  });
});

describe('what is spelt unusually passes in its own bytes', () => {
  it.each([
    '/public//x',
    '/Public/X',
    '/a;b/c',
    '/items/a%2Fb',
    '/items/a%2Fparts',
    '/items/A//parts',
    '/a%252Fb',
    '/ADMIN/login',
    '/admin/login;x=1',
    '/administrators;x',
  ])('%s', async (target) => {
    const { gateway, upstream } = await scene();
    const { responses } = await gateway.raw(rawGet(target, `X-Api-Key: ${KEY}\r\n`));
    expect(responses[0]?.status).toBe(200);
    expect(upstream.requests.map(({ url }) => url)).toEqual([target]);
  });

  it('with the key, whatever its route’s guards saw', async () => {
    const { gateway, upstream } = await scene();
    const { responses } = await gateway.raw(rawGet('/admin//x;y%2Fz', `X-Api-Key: ${KEY}\r\n`));
    expect([responses[0]?.status, upstream.requests[0]?.url]).toEqual([200, '/admin//x;y%2Fz']);
  });
});
