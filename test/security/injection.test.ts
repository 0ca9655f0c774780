import { describe, expect, it } from 'vitest';

import { echoScene, rawGet, rawScene } from '../cases/scene.js';

/** What decodes, or is cut to a byte, to a line break. */
const BREAKS = [
  '%0d%0aX-Injected:%201',
  '%0aX-Injected:%201',
  '%0dX-Injected:%201',
  '%C4%8D%C4%8AX-Injected:%201',
  '%E5%98%8D%E5%98%8AX-Injected:%201',
  '%C2%85X-Injected:%201',
  '%E2%80%A8X-Injected:%201',
  '%250d%250aX-Injected:%201',
  '%u000aX-Injected:%201',
];
const TRANSFORM = {
  request: {
    headers: {
      set: { 'x-name': '{name}' },
      replace: [{ name: 'x-a', pattern: '^(.*)$', replacement: 'a$1' }],
    },
    query: { set: { name: '{name}' } },
  },
  response: { headers: { set: { 'x-name': '{name}', location: '/to/{name}' } } },
};

describe('no line of a message comes out of a value', () => {
  it.each(BREAKS)('of a path parameter in templates: %s', async (name) => {
    const route = { path: '/p/{name}', rewrite: { path: '/q/{name}' }, transform: TRANSFORM };
    const { gateway, upstream, script } = await rawScene(route);
    script.reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok<close>';
    const { responses, rest } = await gateway.raw(rawGet(`/p/${name}?a=${name}`, `X-A: ${name}\r\n`));
    expect(rest.length).toBe(0);
    expect([200, 400]).toContain(responses[0]?.status);
    expect(responses[0]?.header('x-injected')).toBeUndefined();
    const requests = upstream.connections.flatMap((connection) => [...connection.requests]);
    expect(requests.length).toBe(responses[0]?.status === 200 ? 1 : 0);
    for (const request of requests) {
      expect(request.header('x-injected')).toBeUndefined();
      expect(request.target).toMatch(/^\/q\/[!-~]+$/);
    }
  });

  it.each(['\r', '\n', '\0', '\x0b', '\x7f\r', '\u0085'])(
    'nor of a header of the client: %j',
    async (byte) => {
      const { gateway, upstream } = await echoScene({ transform: TRANSFORM, path: '/p/{name}' });
      const { responses } = await gateway.raw(rawGet('/p/x', `X-A: one${byte}X-Injected: 1\r\n`));
      expect(responses[0]?.header('x-injected')).toBeUndefined();
      const names = upstream.requests.flatMap(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0));
      expect(names.map((name) => name.toLowerCase())).not.toContain('x-injected');
    },
  );

  it.each([
    'https://a.example\tX: y',
    'https://a.example"',
    'https://a\xe9.example',
    'null',
    '*',
    ' ',
    'a, b',
  ])('nor of an Origin, and none is allowed that the list does not hold: %j', async (origin) => {
    const { gateway } = await echoScene({ cors: { origins: ['https://a.example'], credentials: true } });
    const { responses } = await gateway.raw(rawGet('/p', `Origin: ${origin}\r\n`));
    expect(responses[0]?.header('access-control-allow-origin')).toBeUndefined();
    expect(responses[0]?.header('access-control-allow-credentials')).toBeUndefined();
  });

  it.each(['a\tb', 'a;b', 'x'.repeat(129), '<script>', 'a,b', '\xe9'])(
    'nor of a request id: %j',
    async (id) => {
      const { gateway, upstream } = await echoScene();
      const { responses } = await gateway.raw(rawGet('/p', `X-Request-Id: ${id}\r\n`));
      expect(responses[0]?.header('x-request-id')).toMatch(/^[0-9a-z]{26}$/);
      expect(JSON.stringify(upstream.requests[0]?.rawHeaders)).not.toContain(JSON.stringify(id).slice(1, -1));
    },
  );
});

describe('where a request goes is the document’s word', () => {
  it.each([
    'http://127.0.0.1:1/x',
    '//127.0.0.1:1/x',
    '@127.0.0.1:1/x',
    'x:y@127.0.0.1:1',
    '%2F%2F127.0.0.1:1',
  ])('whatever a rewrite makes of the client’s bytes: %s', async (target) => {
    for (const rewrite of [
      { pattern: '^/p/(.*)$', replacement: '$1' },
      { pattern: '^/p/(.*)$', replacement: '/$1' },
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const { gateway, upstream } = await echoScene({ rewrite });
      // oxlint-disable-next-line no-await-in-loop
      const { responses } = await gateway.raw(rawGet(`/p/${target}`));
      expect([200, 400]).toContain(responses[0]?.status);
      for (const { url } of upstream.requests) expect(url).toMatch(/^\/(?!\/)/);
    }
  });

  it.each([
    'GET http://127.0.0.1:1/p HTTP/1.1\r\nHost: gw.test\r\n\r\n',
    'GET /p HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n',
    rawGet('/p', 'X-Forwarded-Host: 127.0.0.1:1\r\nX-Forwarded-Proto: ftp\r\nX-Forwarded-Port: 1\r\n'),
    rawGet(
      '/p',
      'X-Forwarded-Server: 127.0.0.1:1\r\nX-Host: 127.0.0.1:1\r\nForwarded: host="127.0.0.1:1"\r\n',
    ),
  ])('whatever host a request names: %j', async (bytes) => {
    for (const host_header of ['backend', 'preserve']) {
      // oxlint-disable-next-line no-await-in-loop
      const { gateway, upstream } = await echoScene({ host_header });
      // oxlint-disable-next-line no-await-in-loop
      const { responses } = await gateway.raw(bytes);
      expect([responses[0]?.status, upstream.requests.length]).toEqual([200, 1]);
      expect(upstream.requests[0]?.url).toBe('/p');
    }
  });
});
