import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, startTestGateway } from '../support/index.js';
import { open, refused, wsUpstream } from '../websocket/support.js';
import { ADMIN_KEY, KEYS, keyScene, SECRET, sha256 } from './support.js';

describe('a key in the header', () => {
  it('lets its holder through, whether it is written as a hash or as itself', async () => {
    const { gateway } = await keyScene();
    expect((await gateway.get('/p', { headers: { 'x-api-key': SECRET } })).status).toBe(200);
    expect((await gateway.get('/p', { headers: { 'X-API-KEY': ADMIN_KEY } })).status).toBe(200);
  });

  it.each([
    ['missing', {}],
    ['wrong', { 'x-api-key': `${SECRET}x` }],
    ['empty', { 'x-api-key': '' }],
    ['its own hash', { 'x-api-key': sha256(SECRET) }],
    ['in another header', { authorization: `Bearer ${SECRET}` }],
    ['spelt with an underscore', { x_api_key: SECRET }],
    ['twice', { 'x-api-key': [SECRET, ADMIN_KEY] }],
    ['twice the same', { 'x-api-key': [SECRET, SECRET] }],
  ])('%s: 401', async (_, headers) => {
    const { gateway, upstream } = await keyScene();
    const answer = await gateway.get('/p', { headers });
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ code: 'invalid_api_key', error: 'invalid api key' });
    expect(answer.header('www-authenticate')).toBe('ApiKey header="x-api-key"');
    expect(upstream.requests).toHaveLength(0);
    expect(await gateway.metric('gateway_rejections_total', { path: '/p', reason: 'invalid_api_key' })).toBe(
      1,
    );
  });

  it('is never answered with anything of itself', async () => {
    const { gateway } = await keyScene();
    const answer = await gateway.get('/p', { headers: { 'x-api-key': 'wrong-one' } });
    expect(answer.text).not.toContain('wrong-one');
  });

  it('in the header that the document names', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, { header: 'X-Token' });
    expect((await gateway.get('/p', { headers: { 'x-api-key': SECRET } })).status).toBe(401);
    expect((await gateway.get('/p', { headers: { 'x-token': SECRET } })).status).toBe(200);
    expect(echoedHeader(upstream.last!, 'x-token')).toEqual([]);
  });

  it('stays between client and gateway, on open routes too', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'none' });
    await gateway.get('/p', { headers: { 'X-Api-Key': SECRET, x_api_key: SECRET } });
    expect(upstream.last!.rawHeaders.join(' ')).not.toContain(SECRET);
  });

  it('reaches the upstream with forward: true', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, { forward: true, query: 'key' });
    await gateway.get('/p?key=x', { headers: { 'x-api-key': SECRET } });
    expect(upstream.requests).toHaveLength(0);
    await gateway.get('/p', { headers: { 'x-api-key': SECRET } });
    expect(echoedHeader(upstream.last!, 'x-api-key')).toEqual([SECRET]);
    await gateway.get(`/p?a=1&key=${SECRET}`);
    expect(upstream.last!.url).toBe(`/p?a=1&key=${SECRET}`);
  });
});

describe('a key in the query', () => {
  const query = { query: 'api_key' };

  it.each([
    [`/p?a=1&api_key=${SECRET}&b=2`, '/p?a=1&b=2'],
    [`/p?api_key=${SECRET}`, '/p'],
    [`/p/x?api_key=${SECRET}&&c=%20+%2F`, '/p/x?&c=%20+%2F'],
    [`/p?x=%5B&%61pi%5fkey=${SECRET}`, '/p?x=%5B'],
    [`/p?api_key=${SECRET.replace('_', '%5F')}&q=a=b?c`, '/p?q=a=b?c'],
  ])('%s arrives as %s', async (sent, arrived) => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, query);
    expect((await gateway.get(sent)).status).toBe(200);
    expect(upstream.last!.url).toBe(arrived);
  });

  it.each([
    ['wrong', `api_key=${SECRET}x`],
    ['twice', `api_key=${SECRET}&api_key=${ADMIN_KEY}`],
    ['twice, once encoded', `api_key=${SECRET}&api%5Fkey=${SECRET}`],
    ['without a value', 'api_key'],
    ['in another case', `API_KEY=${SECRET}`],
    ['behind a semicolon', `a=1;api_key=${SECRET}`],
  ])('%s: 401', async (_, sent) => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, query);
    const answer = await gateway.get(`/p?${sent}`);
    expect([answer.status, answer.json()['code']]).toEqual([401, 'invalid_api_key']);
    expect(upstream.requests).toHaveLength(0);
  });

  it('beside one in the header: 401, also when both are right', async () => {
    const { gateway } = await keyScene({ auth: 'api_key' }, query);
    const headers = { 'x-api-key': SECRET };
    expect((await gateway.get(`/p?api_key=${SECRET}`, { headers })).status).toBe(401);
    expect((await gateway.get('/p?api_kez=1', { headers })).status).toBe(200);
  });

  it('is no key where the document names no parameter', async () => {
    const { gateway, upstream } = await keyScene();
    expect((await gateway.get(`/p?api_key=${SECRET}`)).status).toBe(401);
    await gateway.get('/p?api_key=mine', { headers: { 'x-api-key': SECRET } });
    expect(upstream.last!.url).toBe('/p?api_key=mine');
  });

  it('is taken out before a rewrite, a mirror and a prefix see it, on open routes too', async () => {
    const shadow = await echoUpstream();
    const { gateway, upstream } = await keyScene(
      { auth: 'none', strip_prefix: true, mirror: { upstream: 'shadow' } },
      query,
      { upstreams: { shadow: { backends: [shadow.backend] } } },
    );
    await gateway.get(`/p/x?z=1&api_key=${SECRET}`);
    expect(upstream.last!.url).toBe('/x?z=1');
    await expect.poll(() => shadow.last?.url).toBe('/x?z=1');
  });

  it('opens a WebSocket, whose upstream does not see it', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      auth: { api_keys: { ...query, keys: KEYS } },
      routes: [{ path: '/ws', auth: 'api_key', backends: [upstream.backend] }],
    });
    expect((await refused(gateway, '/ws?api_key=wrong')).status).toBe(401);
    expect(upstream.requests).toHaveLength(0);
    const peer = await open(gateway, `/ws?a=1&api_key=${SECRET}`);
    peer.send('hello');
    expect(await peer.message()).toBe('hello');
    expect(upstream.last!.url).toBe('/ws?a=1');
    await open(gateway, '/ws', { headers: { 'x-api-key': SECRET } });
    expect(upstream.last!.headers['x-api-key']).toBeUndefined();
  });

  it('of any name is a secret in the log', async () => {
    const { gateway } = await keyScene({ auth: 'api_key' }, { query: 'k' });
    await gateway.get(`/p?k=${SECRET}&b=2`);
    await gateway.logged('request completed', { path: '/p?k=[redacted]&b=2' });
    await gateway.get(`/p?%6B=${SECRET}`);
    await gateway.logged('request completed', { path: '/p?%6B=[redacted]' });
    expect(gateway.rawLogs.join('\n')).not.toContain(SECRET);
  });
});

describe('over time', () => {
  it('a key is refused from its last moment on', async () => {
    const keys = [
      { id: 'old', key: 'old-key', expires: '2020-01-01' },
      { id: 'new', key: 'new-key', expires: '2999-01-01T00:00:00Z' },
    ];
    const { gateway } = await keyScene({ auth: 'api_key' }, { keys });
    const expired = await gateway.get('/p', { headers: { 'x-api-key': 'old-key' } });
    expect([expired.status, expired.json()['code']]).toEqual([401, 'invalid_api_key']);
    expect((await gateway.get('/p', { headers: { 'x-api-key': 'new-key' } })).status).toBe(200);
  });

  it('a reload takes keys away and adds others', async () => {
    const { gateway, upstream } = await keyScene();
    const document = (key: string): object => ({
      auth: { api_keys: { keys: [{ id: 'a', key }] } },
      routes: [{ id: 'p', path: '/p', auth: 'api_key', backends: [upstream.backend] }],
    });
    expect(await gateway.reload(document('another'))).toBe(true);
    expect((await gateway.get('/p', { headers: { 'x-api-key': SECRET } })).status).toBe(401);
    expect((await gateway.get('/p', { headers: { 'x-api-key': 'another' } })).status).toBe(200);
  });
});

it('auth.default is what a route without auth gets', async () => {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    auth: { default: 'api_key', api_keys: { keys: KEYS } },
    routes: [
      { path: '/closed', backends: [upstream.backend] },
      { path: '/open', auth: 'none', backends: [upstream.backend] },
    ],
  });
  expect((await gateway.get('/closed')).status).toBe(401);
  expect((await gateway.get('/open')).status).toBe(200);
  expect((await gateway.get('/closed', { headers: { 'x-api-key': SECRET } })).status).toBe(200);
});

it('the same key under two ids is refused at the start', async () => {
  const keys = [
    { id: 'a', key: SECRET },
    { id: 'b', hash: sha256(SECRET) },
  ];
  await expect(keyScene({ auth: 'api_key' }, { keys })).rejects.toThrow(
    'auth.api_keys.keys[1]: is the same key as that of a, expected another one',
  );
});

it('nothing that only looks like a key opens a route, or is written down', async () => {
  const { gateway, upstream } = await keyScene({ auth: 'api_key' }, { query: 'k' });
  // Long enough that no request id holds it by chance.
  const mark = 'zq7credential';
  const text = fc.stringMatching(/^[!-~]{0,40}$/).map((value) => mark + value);
  const near = fc.nat(SECRET.length).map((cut) => mark + SECRET.slice(0, cut));
  const escaped = (value: string): string => encodeURIComponent(value);
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, near), async (value) => {
      const answers = [
        await gateway.get('/p', { headers: { 'x-api-key': value } }),
        await gateway.get(`/p?a=1&k=${escaped(value)}`),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.text).not.toContain(mark);
      }
    }),
    { numRuns: 150 },
  );
  expect(upstream.requests).toHaveLength(0);
  await expect.poll(() => gateway.logsWith('request completed').length).toBe(300);
  expect(gateway.rawLogs.join('')).not.toContain(mark);
});
