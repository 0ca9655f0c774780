import { describe, expect, it } from 'vitest';

import { echoScene, rawGet } from '../cases/scene.js';

const EVIL = 'evil.example';
const DOCUMENTS = [
  ['nobody is trusted', {}],
  // A proxy in front that hands on whatever its clients wrote.
  ['the peer is trusted', { server: { trusted_proxies: ['127.0.0.1/32'] } }],
] as const;

/** What an attacker may add to a request for the victim's target. */
const HEADERS = [
  `X-Forwarded-Host: ${EVIL}`,
  `X-Forwarded-Prefix: /${EVIL}`,
  `X-Forwarded-Server: ${EVIL}`,
  'X-Forwarded-Port: 666',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Scheme: nothttps',
  `X_Forwarded_Host: ${EVIL}`,
  `X-Original-URL: /${EVIL}`,
  `X_Original_URL: /${EVIL}`,
  `X-Rewrite-URL: /${EVIL}`,
  `Forwarded: for=1.2.3.4;host=${EVIL}`,
  'X-HTTP-Method-Override: DELETE',
  'X-HTTP-Method: DELETE',
  'X-Method-Override: POST',
  'X_HTTP_Method_Override: DELETE',
];

describe.each(DOCUMENTS)('what is stored, where %s', (_, document) => {
  it.each(HEADERS)('does not hold what another client wrote: %s', async (line) => {
    const { gateway, upstream } = await echoScene({ cache: {} }, document);
    const name = line.slice(0, line.indexOf(':'));
    const value = line.slice(name.length + 2);
    const attack = await gateway.raw(rawGet('/p/x', `${line}\r\n`));
    expect(attack.responses[0]?.status).toBe(200);
    const victim = await gateway.raw(rawGet('/p/x'));
    const seen = JSON.parse(victim.responses[0]!.text)['rawHeaders'] as string[];
    expect(seen).not.toContain(value);
    const told = seen.findIndex((text) => text.toLowerCase() === name.toLowerCase());
    expect(told >= 0 && seen[told + 1] === value).toBe(false);
    // And it was stored: the cache is on.
    await gateway.raw(rawGet('/p/x'));
    expect((await gateway.raw(rawGet('/p/x'))).responses[0]?.header('x-cache')).toBe('HIT');
    expect(upstream.requests.length).toBeLessThanOrEqual(2);
  });
});

describe('what tells targets apart', () => {
  const VICTIM = rawGet('/p/x?a=1');

  it.each([
    ['another port of the host', 'GET /p/x?a=1 HTTP/1.1\r\nHost: gw.test:666\r\n\r\n'],
    ['another host', `GET /p/x?a=1 HTTP/1.1\r\nHost: ${EVIL}\r\n\r\n`],
    ['an absolute target', `GET http://${EVIL}/p/x?a=1 HTTP/1.1\r\nHost: gw.test\r\n\r\n`],
    ['a trailing dot of the host', 'GET /p/x?a=1 HTTP/1.1\r\nHost: gw.test.\r\n\r\n'],
    ['an escape in the path', rawGet('/p/%78?a=1')],
    ['a double slash', rawGet('/p//x?a=1')],
    ['a trailing slash', rawGet('/p/x/?a=1')],
    ['a parameter of the path', rawGet('/p/x;a?a=1')],
    ['an encoded slash', rawGet('/p%2Fx?a=1')],
    ['another case of the path', rawGet('/p/X?a=1')],
    ['a repeated parameter', rawGet('/p/x?a=1&a=2')],
    ['an encoded parameter', rawGet('/p/x?%61=1')],
    ['a semicolon in the query', rawGet('/p/x?a=1;b=2')],
  ])('%s is another entry, or none', async (_, attack) => {
    const { gateway } = await echoScene({ cache: {} });
    await gateway.raw(attack);
    const victim = (await gateway.raw(VICTIM)).responses[0]!;
    expect([victim.status, victim.header('x-cache')]).toEqual([200, 'MISS']);
    expect(JSON.parse(victim.text)).toMatchObject({ url: '/p/x?a=1' });
  });

  it.each([
    'Content-Length: 9\r\n\r\nattack=it',
    'Transfer-Encoding: chunked\r\n\r\n9\r\nattack=it\r\n0\r\n\r\n',
  ])('a GET with a body is neither stored nor answered from the store: %j', async (framed) => {
    const { gateway, upstream } = await echoScene({ cache: {} });
    const fat = `GET /p/x?a=1 HTTP/1.1\r\nHost: gw.test\r\n${framed}`;
    expect((await gateway.raw(fat)).responses[0]?.header('x-cache')).toBe('BYPASS');
    const victim = (await gateway.raw(VICTIM)).responses[0]!;
    expect([victim.header('x-cache'), JSON.parse(victim.text)['bodyBytes']]).toEqual(['MISS', 0]);
    expect((await gateway.raw(fat)).responses[0]?.header('x-cache')).toBe('BYPASS');
    expect(upstream.requests.map((request) => request.bodyBytes)).toEqual([9, 0, 9]);
  });

  it('an answer of the gateway itself is never stored', async () => {
    const { gateway, upstream } = await echoScene({ cache: {}, max_body_size: '1b' });
    await gateway.raw(`GET /p/x?a=1 HTTP/1.1\r\nHost: gw.test\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`);
    await gateway.raw('GET /p/x?a=1 HTTP/1.1\r\nHost: gw.test\r\nExpect: x\r\n\r\n');
    expect(upstream.requests).toEqual([]);
    expect((await gateway.raw(VICTIM)).responses[0]?.status).toBe(200);
  });
});
