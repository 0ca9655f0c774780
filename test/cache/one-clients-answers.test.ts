import { describe, expect, it } from 'vitest';

import { cacheScene, send } from './support.js';

describe('what answers the conditions or the range of one client', () => {
  it.each([
    ['a condition with 412', { 'if-none-match': '"z"' }, 412],
    ['a date with 412', { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 412],
    ['a range with 416', { range: 'bytes=999-' }, 416],
    ['a range with 400', { range: 'bytes=x' }, 400],
  ])('is stored for nobody: %s', async (_title, headers, status) => {
    const { gateway } = await cacheScene((request, response) => {
      const isAsked = Object.keys(headers).some((name) => request.headers[name] !== undefined);
      response.writeHead(isAsked ? status : 200, { 'cache-control': 'public, max-age=60' });
      response.end(isAsked ? 'no' : 'whole');
    });
    expect((await gateway.get('/a', { headers })).status).toBe(status);
    const plain = await gateway.get('/a');
    expect([plain.status, plain.text, plain.header('x-cache')]).toEqual([200, 'whole', 'MISS']);
  });
});

describe('a 304 to a client with credentials', () => {
  /** Marked for everybody, stale at once; what validates it tells who asked, and says `control` of itself. */
  const scene = (control: string | null) =>
    cacheScene((request, response) => {
      const user = request.headers.authorization ?? 'nobody';
      const headers = { etag: '"v1"', 'x-user': user };
      if (request.headers['if-none-match'] !== '"v1"')
        return send(response, 'body', { ...headers, 'cache-control': 'public, max-age=0' });
      response.writeHead(304, { ...headers, ...(control !== null && { 'cache-control': control }) }).end();
    });

  it.each([
    ['max-age=60', 'nobody'],
    ['private', 'nobody'],
    [null, 'nobody'],
    ['public, max-age=60', 'alice'],
  ])('changes what others get as far as it may be stored: %j', async (control, user) => {
    const { gateway, upstream } = await scene(control);
    await gateway.get('/a');
    const own = await gateway.get('/a', { headers: { authorization: 'alice' } });
    expect([own.text, upstream.requests.length]).toEqual(['body', 2]);
    const other = await gateway.get('/a');
    expect([other.text, other.header('x-user')]).toEqual(['body', user]);
  });
});

it('a 304 that varies otherwise is for the requests it says', async () => {
  const { gateway } = await cacheScene((request, response) => {
    const told = String(request.headers['x-b'] ?? '');
    if (request.headers['if-none-match'] !== undefined)
      response.writeHead(304, { vary: 'X-B', 'cache-control': 'max-age=60' }).end();
    else send(response, `for ${told}`, { etag: '"v1"', vary: 'X-A', 'cache-control': 'max-age=0' });
  });
  const get = async (b: string) => {
    const answer = await gateway.get('/a', { headers: { 'x-b': b } });
    return [answer.text, answer.header('x-cache')];
  };
  expect(await get('1')).toEqual(['for 1', 'MISS']);
  expect(await get('1')).toEqual(['for 1', 'HIT']);
  expect(await get('2')).toEqual(['for 2', 'MISS']);
});
