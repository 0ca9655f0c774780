import { beforeAll, describe, expect, it } from 'vitest';

import { connectRaw, type ParsedRequest, type RawResult } from '../support/index.js';
import { rawGet, rawScene, type RawScene } from './scene.js';

let scene: RawScene;

beforeAll(async () => {
  scene = await rawScene({ max_body_size: '1mb' });
});

/** What the upstream received while a client sent these bytes and waited until the gateway had done with them. */
async function sent(
  bytes: string,
  until: 'close' | number = 'close',
): Promise<{ result: RawResult; received: ParsedRequest[] }> {
  const { gateway, upstream } = scene;
  const before = upstream.requests.length;
  const result = await gateway.raw(bytes, { until });
  return { result, received: upstream.requests.slice(before) };
}

const SMUGGLED = 'GET /p/smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
const post = (lines: string, body: string, method = 'POST'): string =>
  `${method} /p HTTP/1.1\r\nHost: h\r\n${lines}\r\n${body}`;

describe('case 21: a length beside a coding, and codings that are not chunked alone', () => {
  const chunked = `0\r\n\r\n${SMUGGLED}`;

  it.each([
    ['TE, CL', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
    ['CL, TE', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['TE, CL 0', 'Transfer-Encoding: chunked\r\nContent-Length: 0\r\n'],
    [',chunked', 'Transfer-Encoding: ,chunked\r\n'],
    ['chunked,', 'Transfer-Encoding: chunked,\r\n'],
    ['chunked, identity', 'Transfer-Encoding: chunked, identity\r\n'],
    ['identity, chunked', 'Transfer-Encoding: identity, chunked\r\n'],
    ['gzip, chunked', 'Transfer-Encoding: gzip, chunked\r\n'],
    ['identity', 'Transfer-Encoding: identity\r\n'],
    ['xchunked', 'Transfer-Encoding: xchunked\r\n'],
    ['chunkedx', 'Transfer-Encoding: chunkedx\r\n'],
    ['quoted', 'Transfer-Encoding: "chunked"\r\n'],
    ['a parameter', 'Transfer-Encoding: chunked;q=1\r\n'],
    ['twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
    ['identity on a line of its own', 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n'],
    ['empty', 'Transfer-Encoding:\r\n'],
    ['a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n'],
    ['a NUL', 'Transfer-Encoding: chunked\0\r\n'],
    ['folded', 'Transfer-Encoding:\r\n chunked\r\n'],
    ['folded behind', 'Transfer-Encoding: chunked\r\n , identity\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n'],
    ['a bare line feed', 'X: y\nTransfer-Encoding: chunked\r\n'],
    ['a bare carriage return', 'X: y\rTransfer-Encoding: chunked\r\n'],
    ['behind an underscore line', 'Transfer_Encoding: chunked\r\nTransfer-Encoding: x, chunked\r\n'],
  ])('%s: 400, the connection ends, and nothing reaches the upstream', async (_, lines) => {
    const { result, received } = await sent(post(lines, chunked));
    expect(result.responses.map(({ status }) => status)).toEqual([400]);
    expect(received).toEqual([]);
  });

  it.each([
    ['twice the same', 'Content-Length: 5\r\nContent-Length: 5\r\n'],
    ['two different ones', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a list', 'Content-Length: 5, 5\r\n'],
    ['a sign', 'Content-Length: +5\r\n'],
    ['negative', 'Content-Length: -5\r\n'],
    ['hexadecimal', 'Content-Length: 0x5\r\n'],
    ['a fraction', 'Content-Length: 5.0\r\n'],
    ['an exponent', 'Content-Length: 5e0\r\n'],
    ['a space inside', 'Content-Length: 5 5\r\n'],
    ['empty', 'Content-Length:\r\n'],
    ['beyond 64 bits', 'Content-Length: 18446744073709551616\r\n'],
    ['folded', 'Content-Length: 5\r\n 5\r\n'],
  ])('Content-Length %s: 400', async (_, lines) => {
    const { result, received } = await sent(post(lines, `hello${SMUGGLED}`));
    expect([result.responses.map(({ status }) => status), received]).toEqual([[400], []]);
  });

  it.each(['18446744073709551615', '9007199254740993', '1048577'])(
    'Content-Length %s, more than anyone takes: 413 and close',
    async (length) => {
      const { result, received } = await sent(post(`Content-Length: ${length}\r\n`, `hello${SMUGGLED}`));
      expect([result.responses.map(({ status }) => status), received]).toEqual([[413], []]);
    },
  );

  it('refuses lengths that a number cannot say exactly, also where bodies have no limit', async () => {
    const unlimited = await rawScene({ max_body_size: 0 });
    const lines = 'Content-Length: 18446744073709551615\r\n';
    const { responses } = await unlimited.gateway.raw(post(lines, 'hello'), { until: 'close' });
    expect([responses[0]!.status, unlimited.upstream.requests]).toEqual([413, []]);
  });

  it('knows chunked in any case, and a length with leading zeros', async () => {
    const { received } = await sent(
      post('transfer-encoding: CHUNKED\r\n', '5\r\nhello\r\n0\r\n\r\n') +
        post('Content-Length: 005\r\n', 'hello'),
      2,
    );
    expect(received.map(({ body }) => body.toString())).toEqual(['hello', 'hello']);
    expect(received[1]!.header('content-length')).toBe('5');
  });

  it('takes no transfer coding from HTTP/1.0', async () => {
    const { result, received } = await sent(
      `POST /p HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    );
    expect([result.responses.map(({ status }) => status), received]).toEqual([[400], []]);
  });
});

describe('malformed heads', () => {
  it.each([
    ['a folded field', 'GET /p HTTP/1.1\r\nHost: h\r\nX-A: a\r\n b\r\n\r\n'],
    ['bare line feeds', 'GET /p HTTP/1.1\nHost: h\n\n'],
    ['a bare line feed inside', 'GET /p HTTP/1.1\r\nHost: h\nX-B: c\r\n\r\n'],
    ['a bare carriage return', 'GET /p HTTP/1.1\r\nHost: h\r\nX-A: a\rb\r\n\r\n'],
    ['a NUL', 'GET /p HTTP/1.1\r\nHost: h\r\nX-A: a\0b\r\n\r\n'],
    ['a control character', 'GET /p HTTP/1.1\r\nHost: h\r\nX-A: a\x01b\r\n\r\n'],
    ['DEL', 'GET /p HTTP/1.1\r\nHost: h\r\nX-A: a\x7fb\r\n\r\n'],
    ['no name', 'GET /p HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n'],
    ['no colon', 'GET /p HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n'],
    ['a space in a name', 'GET /p HTTP/1.1\r\nHost: h\r\nX A: x\r\n\r\n'],
    ['a name beyond ASCII', 'GET /p HTTP/1.1\r\nHost: h\r\nX\xe9: x\r\n\r\n'],
    ['a space before the first field', 'GET /p HTTP/1.1\r\n Host: h\r\n\r\n'],
    ['a space behind the version', 'GET /p HTTP/1.1 \r\nHost: h\r\n\r\n'],
    ['a version in lower case', 'GET /p http/1.1\r\nHost: h\r\n\r\n'],
    ['HTTP/0.9', 'GET /p HTTP/0.9\r\nHost: h\r\n\r\n'],
    ['HTTP/0.9 without a version', 'GET /p\r\n\r\n'],
    ['HTTP/1.2', 'GET /p HTTP/1.2\r\nHost: h\r\n\r\n'],
    ['HTTP/2.0', 'GET /p HTTP/2.0\r\nHost: h\r\n\r\n'],
    ['HTTP/11', 'GET /p HTTP/11\r\nHost: h\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an end in the middle', 'GET /p HTTP/1.1\r\nHost: h\r\nX-'],
  ])('%s: refused as 400', async (_, bytes) => {
    const { gateway, upstream } = scene;
    const before = upstream.requests.length;
    const { responses } = await gateway.raw(bytes, { halfClose: bytes.endsWith('X-') });
    expect([responses.map(({ status }) => status), upstream.requests.length]).toEqual([[400], before]);
  });

  it('does not mind empty lines before a request (RFC 9112 §2.2)', async () => {
    const { result } = await sent(`\r\n\r\n${rawGet('/p')}`, 1);
    expect(result.responses[0]!.status).toBe(200);
  });
});

describe('case 22: a chunked body of any method is one request', () => {
  it.each(['DELETE', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'PROPFIND', 'PURGE', 'QUERY'])(
    '%s',
    async (method) => {
      const inner = SMUGGLED;
      const body = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
      const { received } = await sent(
        post('Transfer-Encoding: chunked\r\n', body, method) + rawGet('/p/next'),
        2,
      );
      expect(received.map(({ target }) => target)).toEqual(['/p', '/p/next']);
      expect([received[0]!.method, received[0]!.body.toString()]).toEqual([method, inner]);
      expect(received[0]!.header('content-length')).toBeUndefined();
    },
  );

  it('also where it asks for an upgrade', async () => {
    const lines = 'Connection: Upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n';
    const body = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
    const { received } = await sent(post(lines, body, 'DELETE'), 1);
    expect(received.map(({ target, body: { length } }) => [target, length])).toEqual([
      ['/p', SMUGGLED.length],
    ]);
    expect(received[0]!.header('upgrade')).toBeUndefined();
  });

  it('chunk extensions are read over, not passed on', async () => {
    const body = '5;a=b;c="d"\r\nhello\r\n0;e\r\n\r\n';
    const { received } = await sent(post('Transfer-Encoding: chunked\r\n', body), 1);
    expect(received[0]!.body.toString()).toBe('hello');
  });
});

describe('case 23: a body where none is expected', () => {
  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])(
    '%s with a body, then a second request on the same connection',
    async (method) => {
      const { gateway, upstream } = scene;
      const before = upstream.requests.length;
      const client = await connectRaw(gateway.port, { methods: [method, 'GET'] });
      await client.write(post('Content-Length: 10\r\n', '0123456789', method) + rawGet('/p/second'));
      expect((await client.response(1)).status).toBe(200);
      const received = upstream.requests.slice(before);
      expect(received.map(({ target }) => target)).toEqual(['/p', '/p/second']);
      expect(received[0]!.body.toString()).toBe('0123456789');
    },
  );

  it('no body stays no body', async () => {
    const { received } = await sent(rawGet('/p') + post('Content-Length: 0\r\n', '') + post('', ''), 3);
    expect(received.map(({ body }) => body.length)).toEqual([0, 0, 0]);
    expect(received[0]!.header('content-length')).toBeUndefined();
    expect(received.every((request) => request.header('transfer-encoding') === undefined)).toBe(true);
  });
});

describe('case 20: request trailers', () => {
  it('are dropped, and override nothing', async () => {
    const body = '2\r\nhi\r\n0\r\nX-User-Id: admin\r\nHost: evil\r\nX-Forwarded-For: 1.1.1.1\r\n\r\n';
    const { received } = await sent(
      post('X-User-Id: me\r\nTrailer: X-User-Id\r\nTransfer-Encoding: chunked\r\n', body) + rawGet('/p/next'),
      2,
    );
    const [first, second] = received;
    expect([first!.body.toString(), first!.trailers, first!.headerAll('x-user-id')]).toEqual([
      'hi',
      [],
      ['me'],
    ]);
    expect([first!.headerAll('x-forwarded-for'), first!.header('trailer')]).toEqual([
      ['127.0.0.1'],
      undefined,
    ]);
    expect(second!.target).toBe('/p/next');
  });

  it.each(['Content-Length: 5', 'Transfer-Encoding: chunked', 'nonsense', ' folded: x'])(
    'that would confuse a parser end in 400: %s',
    async (trailer) => {
      const { result, received } = await sent(
        post('Transfer-Encoding: chunked\r\n', `2\r\nhi\r\n0\r\n${trailer}\r\n\r\n`),
      );
      expect(result.responses.map(({ status }) => status)).toEqual([400]);
      expect(received.filter(({ complete }) => complete)).toEqual([]);
    },
  );
});
