import { describe, expect, it } from 'vitest';

import { parseRequests } from './http-request.js';
import { parseResponses } from './http-response.js';

const parse = (text: string, options?: Parameters<typeof parseResponses>[1]) =>
  parseResponses(Buffer.from(text, 'latin1'), options);

describe('parseResponses', () => {
  it('reads pipelined responses of every framing', () => {
    const { responses, rest } = parse(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi' +
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 9\r\n\r\n' +
        'HTTP/1.1 204 No Content\r\n\r\n' +
        'HTTP/1.0 200 OK\r\n\r\nto the end',
      { closed: true },
    );
    expect(responses.map((response) => [response.status, response.text, response.complete])).toEqual([
      [200, 'hi', true],
      [200, 'abc0123456789', true],
      [204, '', true],
      [200, 'to the end', true],
    ]);
    expect(responses[1]!.trailers).toEqual([['X-Sum', '9']]);
    expect(rest).toHaveLength(0);
  });

  it('hands interim responses to the final one', () => {
    const { responses } = parse(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    );
    expect(responses).toHaveLength(1);
    expect(responses[0]!.interim).toEqual([{ status: 103, headers: [['Link', '</a>']] }]);
  });

  it('keeps the body of HEAD and 304 out, whatever Content-Length says', () => {
    const head = parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { methods: ['HEAD'] });
    expect(head.responses[0]).toMatchObject({ complete: true, text: '' });
    const notModified = parse('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nextra');
    expect(notModified.responses[0]!.text).toBe('');
    expect(notModified.rest.toString()).toBe('extra');
  });

  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi'],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi'],
    ['no last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n'],
    ['an open connection', 'HTTP/1.1 200 OK\r\n\r\nhi'],
  ])('calls a body that broke off incomplete: %s', (_, text) => {
    expect(parse(text).responses[0]).toMatchObject({ complete: false, text: 'hi' });
  });

  it.each([
    [
      'both Transfer-Encoding and Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['bad Content-Length: 1 | 1', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na'],
    ['bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
    [
      'chunk data is not followed by CRLF',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n',
    ],
    ['CR, LF or NUL inside a line', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
    ['bad header line: " c"', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n'],
    ['bad header line: "A : b"', 'HTTP/1.1 200 OK\r\nA : b\r\n\r\n'],
    ['bad status line', 'HTTP/2 200\r\n\r\n'],
  ])('refuses: %s', (message, text) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('leaves the bytes after a 101 alone', () => {
    const { responses, rest } = parse(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x00',
    );
    expect(responses[0]!.status).toBe(101);
    expect([...rest]).toEqual([0x81, 0]);
  });

  it('keeps repeated headers apart and joins them on request', () => {
    const [response] = parse('HTTP/1.1 200 OK\r\nVary: a\r\nvary: b\r\nContent-Length: 0\r\n\r\n').responses;
    expect(response!.headerAll('VARY')).toEqual(['a', 'b']);
    expect(response!.header('vary')).toBe('a, b');
    expect(response!.header('x-none')).toBeUndefined();
  });
});

describe('parseRequests', () => {
  it('reads pipelined requests with their bodies and keeps the target as it came', () => {
    const { requests } = parseRequests(
      Buffer.from(
        'POST /a%2Fb?x=%zz HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc' +
          'DELETE /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n',
        'latin1',
      ),
    );
    expect(requests.map((one) => [one.method, one.target, one.body.toString(), one.complete])).toEqual([
      ['POST', '/a%2Fb?x=%zz', 'abc', true],
      ['DELETE', '/c', 'z', true],
    ]);
  });
});
