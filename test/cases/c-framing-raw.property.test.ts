import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import {
  connectRaw,
  parseResponses,
  type ParsedResponse,
  type TestGateway,
  waitFor,
} from '../support/index.js';
import { FUZZ_TIMEOUT_MS, fuzzing, LatestRun, inPieces, mostly } from './fuzz.js';
import { Recorder } from './recorder.js';
import { before, rawGet } from './scene.js';
import { understood } from './strict-reader.js';

/** Milliseconds of silence after which a client that waits for nothing in particular leaves. */
const QUIET_MS = 60;

let recorder: Recorder;
let gateway: TestGateway;

beforeAll(async () => {
  recorder = await Recorder.start();
  const server = { body_timeout: '1s', header_timeout: '1s' };
  gateway = await before(recorder, { timeout: '500ms', max_body_size: '2kb' }, { server });
});

/** Sends the pieces in order; what came back until the gateway ended the connection or fell silent. */
async function exchange(pieces: readonly string[]): Promise<{ received: Buffer; ended: boolean }> {
  const client = await connectRaw(gateway.port, { allowHalfOpen: true });
  for (const piece of pieces) {
    // oxlint-disable-next-line no-await-in-loop -- in order, and apart where the kernel lets them be.
    if (!(await client.write(piece))) break;
  }
  const ended = await client.untilEnded({ timeoutMs: QUIET_MS }).catch(() => false);
  client.destroy();
  const { control } = gateway.running;
  await waitFor(async () => (await control.status()).in_flight === 0, 'nothing in flight', { intervalMs: 1 });
  // Upstream connections that were cut close a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  return { received: client.received, ended };
}

function responsesIn(
  received: Buffer,
  methods: readonly string[],
  ended: boolean,
): readonly ParsedResponse[] {
  const { responses, rest } = parseResponses(received, { methods, closed: ended });
  expect(rest.toString('latin1')).toBe('');
  return responses;
}

const latest = new LatestRun();

async function isAsItWas(): Promise<void> {
  expect(gateway.logsWith('internal error')).toEqual([]);
  recorder.reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  expect((await gateway.get('/p')).text).toBe('ok');
  expect(await gateway.metric('gateway_active_requests')).toBe(0);
  expect(await gateway.metric('gateway_backend_in_flight')).toBe(0);
}

const INNER = rawGet('/p/inner');

describe('whatever bytes a client sends', () => {
  const method = mostly(
    'POST',
    'GET',
    'HEAD',
    'DELETE',
    'OPTIONS',
    'PUT',
    'CONNECT',
    'get',
    'QUERY',
    'FROB',
    '',
  );
  const target = mostly(
    '/p',
    '/p?x=%zz',
    '/p/%2e%2e',
    '/p//',
    '/none',
    '*',
    'http://a/p',
    'http://a@b/p',
    '/p#',
    '',
    '/health',
    '/p\\',
    '/',
  );
  const version = mostly(
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.1 ',
    'http/1.1',
    'HTTP/11',
  );
  const lineEnd = mostly('\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '\r\n ', '\0\r\n');
  const host = mostly('Host: h', 'Host: h', 'Host: a b', 'X-No: host', 'Host:');
  const field = fc.constantFrom(
    ...['5', '0', '41', '5, 5', '+5', '05', '99999999999999999999', '1000', '', '-1', '5 5'].map(
      (length) => `Content-Length: ${length}`,
    ),
    ...[
      'chunked',
      'chunked',
      'CHUNKED',
      ',chunked',
      'chunked, identity',
      'xchunked',
      '\x0bchunked',
      'gzip',
      '',
      'chunked\r\n , x',
    ].map((coding) => `Transfer-Encoding: ${coding}`),

    'Content-Length : 5',
    'Content_Length: 5',
    'Transfer_Encoding: chunked',
    ' Transfer-Encoding: chunked',
    'Transfer-Encoding:\tchunked',
    ...['close', 'keep-alive', 'content-length, transfer-encoding', 'Upgrade', 'host'].map(
      (option) => `Connection: ${option}`,
    ),

    'Upgrade: websocket',
    'Upgrade: h2c',
    'Expect: 100-continue',
    'Expect: x',
    'TE: trailers',
    'Trailer: Content-Length',

    'Host: other',
    'X: y',
    'X-A: \xff',
    'Cookie: a',
    'bad line',
    ': none',
    'X\x00: y',
    'Keep-Alive: x',
    'X-Forwarded-For: x',
  );
  const body = fc.constantFrom(
    '',
    '',
    'hello',
    INNER,
    '5\r\nhello\r\n0\r\n\r\n',
    `29\r\n${INNER}\r\n0\r\n\r\n`,
    '0\r\n\r\n',

    '5\nhello\r\n0\r\n\r\n',
    '5;x=y\r\nhello\r\n0\r\n\r\n',
    '05\r\nhello\r\n00\r\n\r\n',
    '5 \r\nhello\r\n0\r\n\r\n',
    '-5\r\nhello\r\n',

    '5\r\nhello\r\n0\r\nX: y\r\n\r\n',
    '5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n',
    `5\r\nhello\r\n0\r\n${INNER}`,

    'ffffffffffffffff1\r\nhello',
    '5\r\nhelloX\r\n0\r\n\r\n',
    '3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n',
    '0x5\r\nhello\r\n0\r\n\r\n',
    '5\r\nhello\r\n0\r\n',
    'x'.repeat(3_000),
    `800\r\n${'x'.repeat(2_048)}\r\n5\r\nhello\r\n0\r\n\r\n`,
  );
  const ends = fc.array(lineEnd, { minLength: 8, maxLength: 8 });
  const message = fc
    .record({ method, target, version, host, fields: fc.array(field, { maxLength: 4 }), ends, body })
    .map((parts) => {
      const lines = [`${parts.method} ${parts.target} ${parts.version}`, parts.host, ...parts.fields, ''];
      return lines.map((line, index) => line + parts.ends[index]!).join('') + parts.body;
    });
  const stream = fc
    .array(message, { minLength: 1, maxLength: 3 })
    .map((messages) => messages.join('') + rawGet('/p/last', 'Connection: close\r\n'));

  type Key = readonly [method: string, target: string, body: string];

  function isSubsequence(some: readonly Key[], all: readonly Key[]): boolean {
    let at = 0;
    for (const key of all)
      if (at < some.length && key.every((part, index) => part === some[at]![index])) at++;
    return at === some.length;
  }

  it(
    'the upstream gets each accepted request once, well framed and as a strict reader understands it, and nothing else',
    { timeout: FUZZ_TIMEOUT_MS },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          inPieces(stream, 3),
          latest.of(async (pieces) => {
            recorder.forget();
            const { received, ended } = await exchange(pieces);
            const expected = understood(pieces.join('')).map(
              ({ method: name, target: url, body: content }): Key => [name, url, content],
            );
            const got = recorder.whole.map(({ method: name, target: url, body: content }): Key => [
              name,
              url,
              content.toString('latin1'),
            ]);
            expect(recorder.faults).toEqual([]);
            expect({ ok: isSubsequence(got, expected), got, expected }).toMatchObject({ ok: true });
            const responses = responsesIn(
              received,
              expected.map(([name]) => name),
              ended,
            );
            const answered = responses.filter((response) => response.header('x-up') !== undefined).length;
            // Who left did not wait for all answers.
            expect(ended ? answered : Math.max(answered, got.length)).toBe(got.length);
          }),
        ),
        fuzzing('client bytes'),
      );
      await latest.ended();
      await isAsItWas();
    },
  );
});

describe('whatever bytes an upstream sends', () => {
  const statusLine = mostly(
    'HTTP/1.1 200 OK',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 205 R',
    'HTTP/1.1 304 N',
    'HTTP/1.1 404',
    'HTTP/1.1 99 x',
    'HTTP/2 200',
    'HTTP/1.1 101 S',
    'nonsense',
  );
  const interim = mostly(
    '',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 E\r\nLink: </a>; rel=preload\r\n\r\n',
    'HTTP/1.1 103 E\r\nLink: x\r\nContent-Length: 3\r\n\r\n',
    'HTTP/1.1 102 P\r\n\r\n',
  );
  const field = fc.constantFrom(
    ...['2', '0', '5', '2, 2', '+2', '', '99999999999999999999', '-1'].map(
      (length) => `Content-Length: ${length}`,
    ),
    ...['chunked', 'chunked', 'Chunked', 'gzip, chunked', 'chunked, chunked', 'identity', 'xchunked', ''].map(
      (coding) => `Transfer-Encoding: ${coding}`,
    ),

    'Connection: close',
    'Connection: content-length, x-a',
    'Trailer: X-T',
    'Trailer: a b',
    'Upgrade: websocket',
    'Keep-Alive: timeout=0',

    'X-A: \xff',
    'X-A: a\x01',
    'X-A: a\x7f',
    'Set-Cookie: a',
    'X-Request-Id: fake',
    'bad line',
    ': x',
    ' folded',
    'Content-Length : 2',
    'Date: x',
    'Content-Type: text/event-stream',
  );
  const body = fc.constantFrom(
    '',
    'ok',
    'hello',
    '2\r\nok\r\n0\r\n\r\n',
    '2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
    '2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n',
    '2\r\nok\r\n',

    '2\nok\r\n0\r\n\r\n',
    'zz\r\n',
    '2\r\nokX\r\n0\r\n\r\n',
    'okHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged',
    'x'.repeat(40_000),
  );
  const lineEnd = mostly('\r\n', '\r\n', '\r\n', '\n', '\r\n ', '\0\r\n');
  const reply = fc
    .record({
      interim,
      statusLine,
      fields: fc.array(field, { maxLength: 4 }),
      ends: fc.array(lineEnd, { minLength: 6, maxLength: 6 }),
      body,
      end: fc.constantFrom('', '', '<close>', '<reset>'),
    })
    .map((parts) => {
      const lines = [parts.statusLine, ...parts.fields, ''];
      return (
        parts.interim +
        lines.map((line, index) => line + parts.ends[index]!).join('') +
        parts.body +
        parts.end
      );
    });
  const asked = fc.constantFrom('GET', 'HEAD', 'POST');
  const versions = mostly('HTTP/1.1', 'HTTP/1.0');

  it(
    'the client gets one well-framed answer or a connection that breaks, and the next request its own',
    { timeout: FUZZ_TIMEOUT_MS },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          reply,
          asked,
          versions,
          latest.of(async (bytes, method, version) => {
            recorder.forget();
            recorder.reply = bytes;
            const { received, ended } = await exchange([`${method} /p ${version}\r\nHost: h\r\n\r\n`]);
            const responses = responsesIn(received, [method], ended);
            expect(responses.length).toBeLessThanOrEqual(1);
            recorder.reply = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext';
            expect((await gateway.get('/p')).text).toBe('next');
          }),
        ),
        fuzzing('upstream bytes'),
      );
      await latest.ended();
      await isAsItWas();
    },
  );
});
