import { describe, expect, it } from 'vitest';

import { ConnectionEndedError, MalformedResponseError } from './faults.js';
import { bytesOf, cutAt, type ReadOptions, readPieces } from './reader.fixture.js';
import { ResponseReader } from './response-reader.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const TWO = `${OK}Content-Length: 2\r\n\r\n`;
const LONGEST = 64 * 1024;

const read = (text: string, options?: ReadOptions) => readPieces([bytesOf(text)], options);

/** What must not depend on how the bytes are split: all but whose fault an error calls it. */
const told = ({ error, ...rest }: ReturnType<typeof read>) => ({
  ...rest,
  endedAt: undefined,
  failed: error?.constructor.name,
});

/** Every way to read the same bytes that takes no longer than the number of bytes. */
function everyWay(text: string, options: ReadOptions = {}) {
  const bytes = bytesOf(text);
  const ways = [
    cutAt(
      bytes,
      Array.from({ length: bytes.length }, (_, index) => index),
    ),
  ];
  for (let at = 1; at < bytes.length; at++) ways.push(cutAt(bytes, [at]));
  return [...ways, [bytes]].flatMap((pieces) =>
    [false, true].map((pauses) => told(readPieces(pieces, { ...options, pauses }))),
  );
}

/** Reads it in every way; all must tell the same. */
function readAlike(text: string, options?: ReadOptions) {
  const whole = told(read(text, options));
  for (const one of everyWay(text, options)) {
    // Bytes behind the end may come later than the end.
    expect({ ...one, clean: whole.clean }).toEqual(whole);
  }
  return read(text, options);
}

describe('the end of a body', () => {
  it.each<[string, string, string, ReadOptions?]>([
    ['a length', `${TWO}ok`, 'ok'],
    ['a length of nothing', `${OK}content-length: 0\r\n\r\n`, ''],
    ['a length with zeros in front', `${OK}Content-Length: 002\r\n\r\nok`, 'ok'],
    ['chunks', `${CHUNKED}2\r\nok\r\n0\r\n\r\n`, 'ok'],
    ['no chunk', `${CHUNKED}0\r\n\r\n`, ''],
    [
      'chunks with sizes in every case',
      `${CHUNKED}a\r\n0123456789\r\n00B\r\n0123456789a\r\n0\r\n\r\n`,
      '01234567890123456789a',
    ],
    ['chunks with extensions', `${CHUNKED}2;a=b\r\nok\r\n1;a;b="x\xff\t\\";"\r\n!\r\n0;z\r\n\r\n`, 'ok!'],
    ['chunks that hold CR and LF', `${CHUNKED}4\r\n\r\n\r\n\r\n0\r\n\r\n`, '\r\n\r\n'],
    ['chunked in capitals', `${OK}TRANSFER-ENCODING: CHUNKED\r\n\r\n1\r\nx\r\n0\r\n\r\n`, 'x'],
    ['the end of the connection', `${OK}\r\nok`, 'ok', { ends: true }],
    ['the end of the connection, at once', `${OK}\r\n`, '', { ends: true }],
    [
      'a coding that ends with the connection',
      `${OK}Transfer-Encoding: gzip\r\n\r\nok`,
      'ok',
      { ends: true },
    ],
    ['two codings', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\nok`, 'ok', { ends: true }],
    [
      'chunked twice',
      `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\nok`,
      'ok',
      { ends: true },
    ],
    ['none: 204', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['none: 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', ''],
    ['none: 304 in chunks', 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n', ''],
    ['none: HEAD', `${OK}Content-Length: 9\r\n\r\n`, '', { method: 'HEAD' }],
    ['none: HEAD in chunks', CHUNKED, '', { method: 'HEAD' }],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', 'ok', { ends: true }],
  ])('%s', (_, text, body, options) => {
    expect(readAlike(text, options)).toMatchObject({ body, ends: 1, error: null });
  });
});

describe('the head', () => {
  it('keeps bytes, order and repetition, and trims what is around a value', () => {
    const { heads } = readAlike(
      `HTTP/1.1 299 Fine \xe9\tthing\r\nX-A:  a b \t\r\nx-a:\r\n!#$%&'*+-.^_\`|~09Az: \xff\r\nContent-Length:0\r\n\r\n`,
    );
    expect(heads).toMatchObject([
      {
        status: 299,
        statusText: 'Fine \xe9\tthing',
        fields: ['X-A', 'a b', 'x-a', '', "!#$%&'*+-.^_`|~09Az", '\xff', 'Content-Length', '0'],
        contentLength: 0,
        transferEncoding: null,
        connection: null,
      },
    ]);
  });

  it.each([
    ['HTTP/1.1 200 \r\n', ''],
    ['HTTP/1.1 200\r\n', ''],
    ['HTTP/1.1 200  two\r\n', ' two'],
  ])('reason phrase of %j', (line, statusText) => {
    expect(readAlike(`${line}Content-Length: 0\r\n\r\n`)).toMatchObject({ heads: [{ statusText }], ends: 1 });
  });

  it('joins what frames and controls', () => {
    const { heads } = read(`${OK}Connection: a\r\nConnection: b\r\nKeep-Alive: c\r\nkeep-alive: d\r\n\r\n`);
    expect(heads).toMatchObject([{ connection: 'a, b', keepAlive: 'c, d', contentLength: -1 }]);
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a version of more digits', 'HTTP/1.10 200 OK\r\n\r\n'],
    ['an unknown minor version', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['a protocol in small letters', 'http/1.1 200 OK\r\n\r\n'],
    ['an empty line in front', `\r\n${TWO}ok`],
    ['two spaces before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['no space before the status', 'HTTP/1.1200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['a tab behind the status', 'HTTP/1.1 200\tOK\r\n\r\n'],
    ['a control character in the phrase', 'HTTP/1.1 200 O\x01K\r\n\r\n'],
    ['a bare LF behind the status line', 'HTTP/1.1 200 OK\nA: b\r\n\r\n'],
    ['a bare LF behind a field', `${OK}A: b\nC: d\r\n\r\n`],
    ['bare LFs alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a bare CR in a value', `${OK}A: b\rC: d\r\n\r\n`],
    ['a bare CR at the end of a line', `${OK}A: b\r\r\n\r\n`],
    ['a NUL in a value', `${OK}A: b\0\r\n\r\n`],
    ['a DEL in a value', `${OK}A: b\x7f\r\n\r\n`],
    ['a fold', `${OK}A: b\r\n c\r\n\r\n`],
    ['a fold behind the status line', `${OK} A: b\r\n\r\n`],
    ['a space before the colon', `${OK}A : b\r\n\r\n`],
    ['a space in a name', `${OK}A B: c\r\n\r\n`],
    ['a byte above 127 in a name', `${OK}\xc4: c\r\n\r\n`],
    ['no name', `${OK}: c\r\n\r\n`],
    ['no colon', `${OK}Nonsense\r\n\r\n`],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['two lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`],
    ['the same length twice', `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['a list of lengths', `${OK}Content-Length: 2, 2\r\n\r\nok`],
    ['a signed length', `${OK}Content-Length: +2\r\n\r\nok`],
    ['a negative length', `${OK}Content-Length: -1\r\n\r\nok`],
    ['a hexadecimal length', `${OK}Content-Length: 0x2\r\n\r\nok`],
    ['a fraction of a length', `${OK}Content-Length: 2.0\r\n\r\nok`],
    ['an empty length', `${OK}Content-Length:\r\n\r\nok`],
    ['a length beyond what numbers hold', `${OK}Content-Length: 9007199254740992\r\n\r\nok`],
    ['a length beside chunks', `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks beside a length', `${OK}Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n`],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'a length beside chunks in a 1xx',
      'HTTP/1.1 103 A\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('refuses %s', (_, text) => {
    const { heads, ends, error } = readAlike(text, { ends: true });
    expect([heads, ends]).toEqual([[], 0]);
    expect(error).toBeInstanceOf(MalformedResponseError);
  });

  it.each(['', 'H', 'HTTP/1.', 'HTTP/1.1 200 OK', OK, `${OK}A: b\r\n`, `${OK}A: b\r\n\r`])(
    'waits for the rest of %j, and fails when nothing comes',
    (text) => {
      expect(read(text)).toMatchObject({ heads: [], error: null });
      expect(readAlike(text, { ends: true }).error).toBeInstanceOf(ConnectionEndedError);
    },
  );

  it('does not wait for what cannot become a head', () => {
    for (const text of ['X', 'HTTQ', 'HTTP/2', '\n', `${OK}A: b\n`]) {
      expect(read(text).error).toBeInstanceOf(MalformedResponseError);
    }
  });
});

describe('interim responses', () => {
  it('are told, but for 100, and never end the answer', () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const { heads, body } = readAlike(
      `HTTP/1.1 100 Continue\r\n\r\n${hints}HTTP/1.1 102 \r\nContent-Length: 5\r\n\r\n${hints}${TWO}ok`,
    );
    expect(heads.map(({ status }) => status)).toEqual([103, 102, 103, 200]);
    expect(body).toBe('ok');
  });

  it('thousands of them in one piece', () => {
    const { heads, ends } = read(`${'HTTP/1.1 103 A\r\n\r\n'.repeat(20_000)}${TWO}ok`);
    expect([heads.length, ends]).toEqual([20_001, 1]);
  });

  it('none has a say in whether the connection persists', () => {
    expect(
      read(`HTTP/1.1 103 A\r\nConnection: close\r\nKeep-Alive: timeout=1\r\n\r\n${TWO}ok`).persistent,
    ).toBe(true);
  });

  it('alone they are no answer', () => {
    expect(readAlike('HTTP/1.1 103 A\r\n\r\n', { ends: true }).error).toBeInstanceOf(ConnectionEndedError);
  });
});

describe('chunks', () => {
  it.each([
    ['no size', '\r\nok\r\n'],
    ['a size that is no number', 'zz\r\n'],
    ['a signed size', '+2\r\nok\r\n'],
    ['a negative size', '-2\r\nok\r\n'],
    ['a size with 0x', '0x2\r\nok\r\n'],
    ['a space before the size', ' 2\r\nok\r\n'],
    ['a space behind the size', '2 \r\nok\r\n'],
    ['a size of fourteen digits', '00000000000002\r\nok\r\n'],
    ['a size that ends with LF', '2\nok\r\n'],
    ['a space before an extension', '2 ;a\r\nok\r\n'],
    ['a space in front of the name of an extension', '2; a\r\nok\r\n'],
    ['an extension without a name', '2;\r\nok\r\n'],
    ['an extension that lacks its value', '2;a=\r\nok\r\n'],
    ['an extension that lacks a quote', '2;a="b\r\nok\r\n'],
    ['an extension behind which something follows', '2;a="b"c\r\nok\r\n'],
    ['a CR in an extension', '2;a\rb\r\nok\r\n'],
    ['an LF in an extension', '2;a\nb\r\nok\r\n'],
    ['a control character in an extension', '2;\x01\r\nok\r\n'],
    ['a chunk longer than its size', '2\r\nok!\r\n'],
    ['a chunk that ends with LF', '2\r\nok\n0\r\n\r\n'],
    ['a chunk that ends with CR alone', '2\r\nok\r0\r\n\r\n'],
  ])('%s', (_, chunks) => {
    const { ends, error } = readAlike(CHUNKED + chunks);
    expect(ends).toBe(0);
    expect(error).toBeInstanceOf(MalformedResponseError);
  });

  it('the longest size', () => {
    expect(read(`${CHUNKED}fffffffffffff\r\nab`)).toMatchObject({ body: 'ab', error: null });
  });

  it.each([
    '',
    '2',
    '2\r',
    '2\r\n',
    '2\r\no',
    '2\r\nok',
    '2\r\nok\r',
    '2\r\nok\r\n',
    '0',
    '0\r\n',
    '0\r\n\r',
    '0\r\nA: b\r\n',
  ])('a connection that ends behind %j has not told everything', (chunks) => {
    const { ends, error } = readAlike(CHUNKED + chunks, { ends: true });
    expect(ends).toBe(0);
    expect(error).toBeInstanceOf(ConnectionEndedError);
  });
});

describe('trailers', () => {
  const trailed = (fields: string, options?: ReadOptions) =>
    readAlike(`${CHUNKED}1\r\nx\r\n0\r\n${fields}\r\n`, options);

  it('are told as they came', () => {
    expect(trailed('X-A: 1 \r\nx-a:\t2\r\nx-b:\r\n')).toMatchObject({
      trailers: ['X-A', '1', 'x-a', '2', 'x-b', ''],
      ends: 1,
      persistent: true,
    });
  });

  it('none', () => {
    expect(trailed('').trailers).toBeNull();
  });

  it.each([
    'A: b\nC: d\r\n',
    'A : b\r\n',
    'A: b\r\n c\r\n',
    'Nonsense\r\n',
    'A: \0\r\n',
    ': b\r\n',
    '\rA: b\r\n',
  ])('refuses %j', (fields) => {
    const { ends, error } = trailed(fields);
    expect(ends).toBe(0);
    expect(error).toBeInstanceOf(MalformedResponseError);
  });
});

describe('limits, to the byte, in one piece and in two and in small ones', () => {
  const fields = (bytes: number): string => `X: ${'x'.repeat(bytes - 5)}\r\n`;
  // The last line's own end is no part of what counts.
  const head = (bytes: number): string =>
    `${OK}Content-Length: 0\r\n${fields(bytes + 2 - OK.length - 19)}\r\n`;
  const trailers = (bytes: number): string => `${CHUNKED}0\r\n${fields(bytes + 2)}\r\n`;
  const size = (bytes: number): string => `${CHUNKED}1;${'x'.repeat(bytes - 4)}\r\nx\r\n0\r\n\r\n`;

  function failures(text: string): boolean[] {
    const bytes = bytesOf(text);
    const ways = [1, 2, 3, 4, 5].map((back) => cutAt(bytes, [bytes.length - back]));
    ways.push(
      [bytes],
      cutAt(bytes, [100]),
      cutAt(
        bytes,
        Array.from({ length: bytes.length / 997 }, (_, at) => at * 997),
      ),
    );
    return [...new Set(ways.map((pieces) => readPieces(pieces).error !== null))];
  }

  it.each([
    ['head', head, LONGEST],
    ['trailers', trailers, LONGEST],
    ['a line with the size of a chunk', size, 4096],
  ])('%s', (_, make, most) => {
    expect(failures(make(most))).toEqual([false]);
    expect(failures(make(most + 1))).toEqual([true]);
  });

  it.each([
    ['head', `${OK}X: ${'x'.repeat(LONGEST + 1)}`],
    ['trailers', `${CHUNKED}0\r\nX: ${'x'.repeat(LONGEST + 1)}`],
    ['a line with the size of a chunk', `${CHUNKED}1;${'x'.repeat(4096)}`],
  ])('%s: what is too long already is not waited for', (_, text) => {
    expect(read(text).error).toBeInstanceOf(MalformedResponseError);
  });

  it('the most fields that fit', () => {
    const many = 'a:\r\n'.repeat((LONGEST - OK.length - 40) / 4);
    expect(read(`${OK}${many}Content-Length: 0\r\n\r\n`)).toMatchObject({ ends: 1, error: null });
    expect(read(`${OK}${many}Content-Length: 0\r\n\0\r\n\r\n`).error).toBeInstanceOf(MalformedResponseError);
  });

  it('heads and trailers of many short lines, in the smallest pieces', () => {
    const many = 'a:\r\n'.repeat((LONGEST - 100) / 4);
    for (const text of [`${OK}${many}Content-Length: 0\r\n\r\n`, `${CHUNKED}0\r\n${many}\r\n`]) {
      const places = Array.from({ length: text.length / 17 }, (_, index) => index * 17);
      expect(readPieces(cutAt(bytesOf(text), places))).toMatchObject({ ends: 1, error: null });
    }
  });
});

describe('whether a connection persists', () => {
  it.each<[boolean, string, string, ReadOptions?]>([
    [true, '1.1', ''],
    [true, '1.1', 'Connection: keep-alive\r\n'],
    [true, '1.1', 'Connection: upgrade, x-close\r\n'],
    [false, '1.1', 'Connection: close\r\n'],
    [false, '1.1', 'Connection: CLOSE\r\n'],
    [false, '1.1', 'Connection: a,close , b\r\n'],
    [false, '1.1', 'Connection: a\r\nConnection: close\r\n'],
    [false, '1.1', 'Connection: keep-alive, close\r\n'],
    [false, '1.0', ''],
    [true, '1.0', 'Connection: keep-alive\r\n'],
    [true, '1.0', 'Connection: Keep-Alive, x\r\n'],
    [false, '1.0', 'Connection: close\r\n'],
    [false, '1.0', 'Connection: keep-alive, close\r\n'],
    [false, '1.1', '', { method: 'HEAD' }],
  ])('%s: HTTP/%s %j %j', (persistent, version, fields, options) => {
    expect(read(`HTTP/${version} 200 OK\r\nContent-Length: 0\r\n${fields}\r\n`, options).persistent).toBe(
      persistent,
    );
  });

  it.each([
    [true, '204 A', ''],
    [true, '204 A', 'Content-Length: 0\r\n'],
    [false, '204 A', 'Content-Length: 1\r\n'],
    [false, '204 A', 'Transfer-Encoding: chunked\r\n'],
    [true, '304 A', ''],
    [false, '304 A', 'Content-Length: 1\r\n'],
    [false, '304 A', 'Transfer-Encoding: chunked\r\n'],
    [true, '205 A', 'Content-Length: 0\r\n'],
    [true, '200 A', 'Transfer-Encoding: chunked\r\n'],
    [false, '200 A', 'Transfer-Encoding: gzip\r\n'],
    [false, '200 A', ''],
  ])('%s: %s %j', (persistent, status, fields) => {
    expect(read(`HTTP/1.1 ${status}\r\n${fields}\r\n0\r\n\r\n`).persistent).toBe(persistent);
  });

  it('says how long a backend waits', () => {
    const reader = new ResponseReader({ responseHead() {}, responseData() {}, responseEnd() {} });
    reader.expect('GET');
    reader.read(bytesOf(`${OK}Keep-Alive: timeout=5\r\nkeep-alive: max=2\r\nContent-Length: 0\r\n\r\n`));
    expect(reader.keepAlive).toBe('timeout=5, max=2');
    reader.expect('GET');
    reader.read(bytesOf(`${OK}Content-Length: 0\r\n\r\n`));
    expect(reader.keepAlive).toBeNull();
  });
});

describe('bytes behind the end', () => {
  it.each([
    ['a length', `${TWO}ok`],
    ['chunks', `${CHUNKED}0\r\n\r\n`],
    ['trailers', `${CHUNKED}0\r\nA: b\r\n\r\n`],
    ['204', 'HTTP/1.1 204 A\r\n\r\n'],
    ['304', 'HTTP/1.1 304 A\r\n\r\n'],
    ['nothing', `${OK}Content-Length: 0\r\n\r\n`],
  ])('are noticed and never read: %s', (_, text) => {
    expect(readAlike(text)).toMatchObject({ clean: true, ends: 1 });
    for (const more of ['x', '\r\n', text]) {
      expect(readAlike(text + more)).toMatchObject({ clean: false, ends: 1, heads: { length: 1 } });
      const pieces = cutAt(bytesOf(text + more), [1, text.length - 1]);
      expect(readPieces(pieces)).toMatchObject({ clean: false, ends: 1 });
    }
  });

  it('are noticed by a reader that paused in front of the end', () => {
    expect(read(`${TWO}okmore`, { pauses: true }).clean).toBe(false);
    expect(read('HTTP/1.1 204 A\r\n\r\nmore', { pauses: true }).clean).toBe(false);
  });

  it('after it nothing is told, however it goes on', () => {
    const pieces = [`${TWO}ok`, TWO, 'garbage'].map(bytesOf);
    expect(readPieces(pieces, { ends: true })).toMatchObject({ body: 'ok', ends: 1, error: null });
  });
});

describe('whoever hears of something', () => {
  function scripted(onEvent: (event: string, reader: ResponseReader) => void) {
    const events: string[] = [];
    const tell = (event: string): void => {
      events.push(event);
      onEvent(event, reader);
    };
    const reader: ResponseReader = new ResponseReader({
      responseHead: ({ status }) => tell(String(status)),
      responseData: (piece) => tell(piece.toString()),
      responseEnd: (_, clean) => tell(clean ? 'clean end' : 'end'),
    });
    reader.expect('GET');
    return { events, reader };
  }

  it.each([
    [`${TWO}ok`, ['200', 'ok', 'clean end']],
    [`${TWO}okmore`, ['200', 'ok', 'end']],
    [`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\nmore`, ['200', 'a', 'b', 'end']],
    ['HTTP/1.1 103 A\r\n\r\nHTTP/1.1 204 A\r\n\r\nmore', ['103', '204', 'end']],
  ])('may pause and go on at once: %j', (text, expected) => {
    const { events, reader } = scripted((_, self) => {
      self.pause();
      self.resume();
    });
    reader.read(bytesOf(text));
    expect(events).toEqual(expected);
  });

  it.each(['103', '200', 'a', 'b', 'clean end'])('may stop everything at %s', (last) => {
    const all = ['103', '200', 'a', 'b', 'clean end'];
    const { events, reader } = scripted((event, self) => event === last && self.stop());
    reader.read(bytesOf(`HTTP/1.1 103 A\r\n\r\n${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`));
    reader.read(bytesOf('more'));
    reader.ended();
    expect(events).toEqual(all.slice(0, all.indexOf(last) + 1));
  });

  it('hears nothing while it pauses, and all that came of what ended meanwhile', () => {
    const { events, reader } = scripted((_, self) => self.pause());
    reader.read(bytesOf(`${CHUNKED}1\r\na\r\n`));
    reader.read(bytesOf('1\r\nb\r\n0\r\n\r\n'));
    expect(events).toEqual(['200']);
    reader.resume();
    expect(events).toEqual(['200', 'a']);
    reader.ended();
    expect(events).toEqual(['200', 'a', 'b', 'clean end']);
  });

  it('one response after the other', () => {
    const { events, reader } = scripted(() => {});
    for (let count = 0; count < 3; count++) {
      reader.expect('GET');
      reader.read(bytesOf(`${TWO}ok`));
    }
    expect(events).toEqual(Array.from({ length: 3 }, () => ['200', 'ok', 'clean end']).flat());
  });

  it('nothing of what comes unasked', () => {
    const { events, reader } = scripted(() => {});
    reader.stop();
    reader.read(bytesOf(`${TWO}ok`));
    reader.ended();
    expect(events).toEqual([]);
  });
});
