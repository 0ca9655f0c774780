import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { FUZZ_TIMEOUT_MS, fuzzing, inPieces, mostly } from '../cases/fuzz.js';
import { Recorder } from '../cases/recorder.js';
import { rawGet } from '../cases/scene.js';
import { understood } from '../cases/strict-reader.js';
import {
  connectRaw,
  parseResponses,
  type ParsedRequest,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

/** Milliseconds of silence after which a client that waits for nothing in particular leaves. */
const QUIET_MS = 60;
const ATTEMPTS = 2;
/** Each attempt may go a second time, when an idle connection turned out to be closed. */
const MOST_TIMES = 2 * ATTEMPTS;
const KEY = 'the-key-of-the-fuzzing-client';
/** Stands for the host of a run. */
const ANY_RUN = 'r-------';

let upstream: Recorder;
let shadow: Recorder;
let gateway: TestGateway;

/** Every policy that touches a message, on one route. */
beforeAll(async () => {
  [upstream, shadow] = await Promise.all([Recorder.start(), Recorder.start()]);
  gateway = await startTestGateway({
    server: { body_timeout: '1s', header_timeout: '1s' },
    auth: { api_keys: { keys: [{ id: 'fuzz', key: KEY }], query: 'api_key' } },
    cors: { origins: ['*'] },
    compression: { min_size: '1b' },
    upstreams: { shadow: { backends: [shadow.backend] } },
    routes: [
      {
        id: 'p',
        path: '/p/{name}',
        backends: [upstream.backend],
        auth: 'api_key',
        timeout: '500ms',
        max_body_size: '2kb',
        retry: { attempts: ATTEMPTS, backoff: '1ms', max_backoff: '1ms', budget: '100%', max_body: '1kb' },
        mirror: { upstream: 'shadow', max_body: '1kb' },
        cache: { key: { identity: true } },
        transform: {
          request: {
            headers: { set: { 'x-name': '{name}' }, add: { 'x-by': '{identity.sub}' }, remove: ['x-gone'] },
            query: { add: { name: '{name}' } },
          },
          response: { headers: { set: { 'x-said': '{name}' }, remove: ['x-powered-by'] } },
        },
      },
    ],
  });
});

async function exchange(pieces: readonly string[]): Promise<{ received: Buffer; ended: boolean }> {
  const client = await connectRaw(gateway.port, { allowHalfOpen: true });
  for (const piece of pieces) {
    // oxlint-disable-next-line no-await-in-loop -- in order, and apart where the kernel lets them be.
    if (!(await client.write(piece))) break;
  }
  const ended = await client.untilEnded({ timeoutMs: QUIET_MS }).catch(() => false);
  client.destroy();
  await atRest();
  return { received: client.received, ended };
}

async function atRest(): Promise<void> {
  const { control } = gateway.running;
  const busy = async (): Promise<number> => {
    const [status, upstreams] = await Promise.all([control.status(), control.upstreams()]);
    const copies = upstreams.flatMap(({ backends }) => backends.map((backend) => backend.in_flight));
    return copies.reduce((sum, count) => sum + count, status.in_flight);
  };
  await waitFor(async () => (await busy()) === 0, 'nothing in flight', { intervalMs: 1 });
  // Upstream connections that were cut close a moment later.
  await new Promise((resolve) => setImmediate(resolve));
}

/** The same bytes for a run of its own; its name is as long as the one it replaces, so that lengths hold. */
function forRun(pieces: readonly string[], host: string): string[] {
  const text = pieces.join('').replaceAll(ANY_RUN, host);
  let from = 0;
  return pieces.map((piece) => text.slice(from, (from += piece.length)));
}

/** What came of this run. Of one whose client left, a request may arrive while the next runs; nobody else sends any. */
function requestsOf(host: string): ParsedRequest[] {
  for (const request of upstream.whole) expect(hostOf(request)).toMatch(/^r\d+$/);
  return upstream.whole.filter((request) => hostOf(request) === host);
}

function hostOf(request: ParsedRequest): string {
  return request.header('x-forwarded-host') ?? '';
}

/** Method, target and body of a request; a retry or a copy must have those of its original. */
function essence({ method, target, body }: ParsedRequest): string {
  return JSON.stringify([method, target, body.toString('latin1')]);
}

function pathOf(target: string): string {
  return target.replace(/\?.*/s, '');
}

function idOf(request: ParsedRequest): string {
  return request.header('x-request-id') ?? '';
}

describe('whatever a client sends to a route with every policy', () => {
  const method = mostly('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'get');
  const name = mostly(
    'x',
    '%0d%0aX-Injected:%201',
    '%C4%8D%C4%8AX-Injected:%201',
    '%E5%98%8D%E5%98%8AX-Injected:1',
    'a%2Fb',
    '..%2Fq',
    'a;b',
    '%22%3E',
    '%F0%9F%98%80',
    '%ff',
    '{name}',
    '%00',
  );
  const query = mostly(
    '',
    '?a=1',
    `?api_key=${KEY}`,
    '?a=%0d%0aX-Injected:1',
    '?x=%ff',
    '?&&=',
    '?api_key=no',
  );
  const field = fc.constantFrom(
    `X-Api-Key: ${KEY}`,
    `X-Api-Key: ${KEY}`,
    `x_api_key: ${KEY}`,
    'X-Gone: 1',
    'X-Name: mine',
    'Origin: https://a.example',
    'Origin: null',
    'Origin: https://a\xe9"<>',
    'Access-Control-Request-Method: PUT',
    'X-Request-Id: one',
    'X-Request-Id: a b',
    'Accept-Encoding: gzip, br',
    'Accept-Encoding: ;q=,,x',
    'Cache-Control: no-store',
    'Cache-Control: max-age=x, =,"',
    'If-None-Match: "a',
    'Range: bytes=0-1',
    'Range: bytes=9-1,x',
    'Expect: 100-continue',
    'Connection: x-name, content-length, x-api-key, close',
    'Content-Encoding: gzip',
    'Transfer-Encoding: gzip, chunked',
    'Content-Length: 7',
    'Cookie: a=1',
    'Cookie: b',
    'X-Forwarded-Host: evil',
    'X-Original-URL: /q',
    'X-HTTP-Method-Override: DELETE',
    'X-Gateway-Mirror: 1',
    'X-A: \xff',
  );
  const inner = rawGet('/p/inner', `X-Api-Key: ${KEY}\r\n`).replace('gw.test', ANY_RUN);
  const content = fc.constantFrom('', 'hello', inner, 'x'.repeat(1_500), 'x'.repeat(3_000));
  const framing = mostly('length', 'chunked', 'short', 'long', 'none');

  function framed(body: string, how: string): string {
    if (how === 'none') return `\r\n${body}`;
    const size = Buffer.byteLength(body, 'latin1');
    if (how === 'chunked') {
      const half = body.slice(0, 700);
      const rest = body.slice(700);
      const chunks = [half, rest].filter((part) => part !== '');
      const text = chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
      return `Transfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`;
    }
    const told = how === 'short' ? Math.max(0, size - 3) : how === 'long' ? size + 3 : size;
    return `Content-Length: ${told}\r\n\r\n${body}`;
  }

  const message = fc
    .record({ method, name, query, fields: fc.array(field, { maxLength: 5 }), content, framing })
    .map((parts) => {
      const head = [
        `${parts.method} /p/${parts.name}${parts.query} HTTP/1.1`,
        `Host: ${ANY_RUN}`,
        `X-Api-Key: ${KEY}`,
      ];
      return `${[...head, ...parts.fields].join('\r\n')}\r\n${framed(parts.content, parts.framing)}`;
    });
  const stream = fc
    .array(message, { minLength: 1, maxLength: 3 })
    .map((messages) => messages.join('') + rawGet('/p/last', 'Connection: close\r\n'));
  const big = 'y'.repeat(2_000);
  const reply = fc.constantFrom(
    'HTTP/1.1 503 S\r\nContent-Length: 2\r\n\r\nno',
    'HTTP/1.1 502 S\r\nRetry-After: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok<close>',
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=60\r\nContent-Length: 2000\r\n\r\n${big}`,
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nVary: Origin\r\nETag: "a"\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${big}\r\n0\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nbad',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok<reset>',
    '<reset>',
  );

  it(
    'every attempt and every copy is one well-framed request with the bytes of one that was allowed',
    { timeout: FUZZ_TIMEOUT_MS },
    async () => {
      let run = 0;
      const seen = { requests: 0, copies: 0, repeats: 0 };
      await fc.assert(
        fc.asyncProperty(inPieces(stream, 2), reply, async (parts, bytes) => {
          const host = `r${String(++run).padStart(ANY_RUN.length - 1, '0')}`;
          const pieces = forRun(parts, host);
          upstream.forget();
          shadow.forget();
          upstream.reply = bytes;
          const { received, ended } = await exchange(pieces);
          const sent = understood(pieces.join(''));
          expect([...upstream.faults, ...shadow.faults]).toEqual([]);
          seen.requests += upstream.whole.length;
          seen.copies += shadow.whole.length;
          seen.repeats += upstream.whole.length - new Set(upstream.whole.map(idOf)).size;
          judge(requestsOf(host), sent);
          judgeCopies();
          judgeAnswers(received, ended, sent);
        }),
        fuzzing('bytes through every policy'),
      );
      console.info(`bytes through every policy: ${JSON.stringify(seen)}`);
      // The time limit leaves the last run behind.
      await atRest();
      expect(Math.min(seen.requests, seen.copies, seen.repeats)).toBeGreaterThan(0);
      expect(gateway.logsWith('internal error')).toEqual([]);
      await waitFor(
        async () => (await gateway.metric('gateway_active_requests')) === 0,
        'no active requests',
      );
      expect(await gateway.metric('gateway_backend_in_flight', { upstream: 'p' })).toBe(0);
    },
  );

  function judge(got: readonly ParsedRequest[], sent: ReturnType<typeof understood>): void {
    expect(new Set(got.map(idOf)).size).toBeLessThanOrEqual(sent.length);
    for (const request of got) {
      const { method: verb, body } = request;
      const asked = sent.some(
        (one) =>
          one.method === verb &&
          one.body === body.toString('latin1') &&
          pathOf(one.target) === pathOf(request.target),
      );
      expect({ asked, essence: essence(request) }).toEqual({ asked: true, essence: essence(request) });
      expect(JSON.stringify([request.target, request.rawHeaders])).not.toContain(KEY);
      expect(request.header('x-injected')).toBeUndefined();
      expect(request.headerAll('x-name')).toHaveLength(1);
      expect(request.headerAll('x-by')).toContain('fuzz');
      expect(request.header('x-original-url')).toBeUndefined();
    }
    for (const [id, attempts] of Map.groupBy(got, idOf)) {
      // Clients may give one id to several requests.
      if (id === 'one') continue;
      expect(new Set(attempts.map(essence)).size).toBe(1);
      expect(attempts.length).toBeLessThanOrEqual(MOST_TIMES);
    }
  }

  function judgeCopies(): void {
    const originals = new Set(upstream.whole.map(essence));
    for (const copy of shadow.whole) {
      expect(copy.headerAll('x-gateway-mirror')).toEqual(['1']);
      // The original may have been cut while its copy went through.
      expect(upstream.cut.length > 0 || originals.has(essence(copy))).toBe(true);
    }
  }

  function judgeAnswers(received: Buffer, ended: boolean, sent: ReturnType<typeof understood>): void {
    const methods = sent.map((one) => one.method);
    const { responses, rest } = parseResponses(received, { methods, closed: ended });
    expect(rest.toString('latin1')).toBe('');
    expect(responses.filter((one) => one.header('x-injected') !== undefined)).toEqual([]);
  }
});
