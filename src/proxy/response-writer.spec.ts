import { createServer } from 'node:http';

import { describe, expect, it } from 'vitest';

import { listen, parseResponses, rawRequest } from '../../test/support/index.js';
import { closeAtEnd } from '../../test/support/cleanup.js';
import { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import { connectionOf } from './client-connection.js';
import { ScannedHead } from './request-head.js';
import { ResponseWriter, type WriterHost } from './response-writer.js';

class Host implements WriterHost {
  readonly draining = false;
  readonly bodyTimeoutMs = 1_000;
  readonly faults: unknown[] = [];
  readonly over: Exchange[] = [];

  ended(writer: ResponseWriter): void {
    this.over.push(writer.exchange);
  }

  faulty(_exchange: Exchange, fault: unknown): void {
    this.faults.push(fault);
  }

  flushSoon(writer: ResponseWriter): void {
    setImmediate(() => writer.flush());
  }
}

/** What a client gets of a server whose requests all go to a writer that is handled like this. */
async function answerOf(use: (writer: ResponseWriter) => void, headers: readonly string[] = []) {
  const host = new Host();
  const server = createServer((request, response) => {
    const client = connectionOf(request.socket);
    const head = new ScannedHead(request, client).scan('x-request-id');
    const exchange = new Exchange('the-id', 0, head);
    exchange.responseHeaders.push(...headers);
    const writer = new ResponseWriter(exchange, head, request, response, client, host);
    client.add(writer);
    use(writer);
  });
  closeAtEnd(() => server.close());
  const { bytes } = await rawRequest(
    await listen(server),
    'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    {
      until: 'close',
    },
  );
  const [answer] = parseResponses(bytes, { closed: true }).responses;
  return { host, answer: answer! };
}

const HEAD = { status: 200, statusText: 'OK', headers: ['X-Up', '1'], contentLength: 2 };
const BROKEN = ['X-Fine', 'yes', 'X-Bad', 'a\r\nX-Injected: b'];

describe('a header that a guard set and nobody can write', () => {
  it.each<[string, (writer: ResponseWriter) => void]>([
    [
      'on a small answer',
      (writer) => {
        writer.head({ ...HEAD, headers: [...HEAD.headers] });
        writer.data(Buffer.from('ok'));
        writer.end(null);
      },
    ],
    [
      'on a large one',
      (writer) => {
        writer.head({ ...HEAD, headers: [...HEAD.headers], contentLength: 100_000 });
        writer.data(Buffer.alloc(100_000));
        writer.end(null);
      },
    ],
    [
      'on one whose body is late',
      (writer) => {
        writer.head({ ...HEAD, headers: [...HEAD.headers] });
        setTimeout(() => writer.data(Buffer.from('ok')), 30);
        setTimeout(() => writer.end(null), 40);
      },
    ],
    ['on a refusal', (writer) => writer.refuse(new Refusal('route_not_found'))],
    [
      'of a refusal',
      (writer) => writer.refuse(new Refusal('route_not_found', { headers: { 'X-Bad': 'a\nb' } })),
    ],
  ])('%s becomes a plain 500, told once, and harms nothing else', async (_, use) => {
    const { host, answer } = await answerOf(use, BROKEN);
    expect([answer.status, answer.json()['code'], answer.complete]).toEqual([500, 'internal_error', true]);
    expect([answer.header('x-injected'), answer.header('x-up')]).toEqual([undefined, undefined]);
    expect(host.faults).toHaveLength(1);
    expect(host.over).toMatchObject([
      { status: 500, reason: 'internal_error', bytesWritten: answer.body.length },
    ]);
  });
});

it('headers of guards stand on the upstream’s answer and on refusals', async () => {
  for (const use of [
    (writer: ResponseWriter) => {
      writer.head({ ...HEAD, headers: [...HEAD.headers] });
      writer.data(Buffer.from('ok'));
      writer.end(null);
    },
    (writer: ResponseWriter) => writer.refuse(new Refusal('forbidden')),
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- two servers, one after the other.
    const { answer, host } = await answerOf(use, ['X-Limit', '1', 'X-Limit', '2']);
    expect(answer.headerAll('x-limit')).toEqual(['1', '2']);
    expect(host.faults).toEqual([]);
  }
});
