import { gunzipSync } from 'node:zlib';

import { describe, expect, it, vi } from 'vitest';

import { Exchange, type RequestHead } from '../../exchange/exchange.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import { Refusal } from '../../exchange/refusal.js';
import type { ResponseSink, UpstreamHead } from '../../exchange/response.js';
import { compileTypes } from './compressible.js';
import { CompressingSink } from './compressing-sink.js';
import * as encoders from './encoder.js';

vi.mock(import('./encoder.js'), { spy: true });

const HEAD: UpstreamHead = {
  status: 200,
  statusText: 'OK',
  headers: ['Content-Type', 'text/plain'],
  contentLength: -1,
};

function setUp(requestHeaders: string[] = ['Accept-Encoding', 'gzip'], method = 'GET') {
  vi.mocked(encoders.createEncoder).mockClear();
  const events: string[] = [];
  const chunks: Buffer[] = [];
  const client = { takes: true };
  let head: UpstreamHead | null = null;
  const writer: ResponseSink = {
    source: null,
    head: (given) => void ((head = given), events.push('head')),
    data: (chunk) => (chunks.push(chunk), client.takes),
    end: () => void events.push('end'),
    abort: () => void events.push('abort'),
    refuse: () => void events.push('refuse'),
    switched: () => void events.push('switched'),
    interim: () => void events.push('interim'),
  };
  const exchange = new Exchange('r', 0, { method, rawHeaders: requestHeaders } as unknown as RequestHead);
  const internalError = vi.fn<ExchangeLog['internalError']>();
  const log: ExchangeLog = {
    upstreamRequestFailed: vi.fn<ExchangeLog['upstreamRequestFailed']>(),
    internalError,
  };
  const plan = { codings: ['br', 'gzip'] as const, minSize: 10, isType: compileTypes(['text/*']), log };
  const sink = new CompressingSink(writer, exchange, plan);
  const source = { resume: vi.fn<() => void>(), cancel: vi.fn<() => void>() };
  sink.source = source;
  const encoder = () => vi.mocked(encoders.createEncoder).mock.results[0]?.value as encoders.Encoder;
  return { sink, source, events, chunks, client, exchange, internalError, encoder, writer, head: () => head };
}

const body = (chunks: Buffer[]): Buffer => Buffer.concat(chunks);

describe('CompressingSink', () => {
  it('waits with a body of unknown length until it is worth it', async () => {
    const { sink, events, chunks, encoder, head } = setUp();
    sink.head(HEAD);
    sink.data(Buffer.from('12345'));
    expect([events, encoder()]).toEqual([[], undefined]);
    sink.data(Buffer.from('67890'));
    expect(head()!.headers).toEqual([
      'Content-Type',
      'text/plain',
      'Vary',
      'Accept-Encoding',
      'Content-Encoding',
      'gzip',
    ]);
    sink.end(null);
    await vi.waitFor(() => expect(events).toEqual(['head', 'end']));
    expect(gunzipSync(body(chunks)).toString()).toBe('1234567890');
  });

  it('sends a short one as it is', () => {
    const { sink, events, chunks, encoder, head } = setUp();
    sink.head(HEAD);
    sink.data(Buffer.from('1234'));
    sink.data(Buffer.from('56789'));
    sink.end(null);
    expect(head()!.headers).toEqual(['Content-Type', 'text/plain', 'Vary', 'Accept-Encoding']);
    expect([body(chunks).toString(), events, encoder()]).toEqual(['123456789', ['head', 'end'], undefined]);
  });

  it('holds neither head nor bytes back while the upstream pauses', async () => {
    const { sink, events, chunks } = setUp();
    sink.head(HEAD);
    await vi.waitFor(() => expect(events).toEqual(['head']));
    sink.data(Buffer.from('1'));
    await vi.waitFor(() => expect(inflated(chunks)).toBe('1'));
    sink.data(Buffer.from('2'));
    await vi.waitFor(() => expect(inflated(chunks)).toBe('12'));
    sink.cancel();
  });

  it('asks the upstream to wait for the client, and to go on', async () => {
    const { sink, source, client, chunks, writer } = setUp();
    client.takes = false;
    sink.head(HEAD);
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024);
    const noise = (): Buffer => piece.map(() => Math.random() * 256) as Buffer;
    while (sink.data(noise())) expect(++sent).toBeLessThan(64);
    await vi.waitFor(() => expect(chunks.length).toBeGreaterThan(0));
    // As long as the client takes nothing, nothing more comes out, and so nothing more is asked for.
    while (source.resume.mock.calls.length > 0) {
      source.resume.mockClear();
      sink.data(noise());
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setImmediate(resolve));
      expect(++sent).toBeLessThan(64);
    }
    client.takes = true;
    writer.source!.resume();
    await vi.waitFor(() => expect(source.resume).toHaveBeenCalled());
    sink.cancel();
  });

  it('frees the encoder when the client leaves, and hears no more of it', async () => {
    const { sink, source, encoder, events, chunks } = setUp();
    sink.head({ ...HEAD, contentLength: 100_000 });
    sink.data(Buffer.alloc(50_000));
    sink.cancel();
    expect([encoder().destroyed, source.cancel.mock.calls.length]).toEqual([true, 1]);
    await new Promise((resolve) => encoder().once('close', resolve));
    expect([events, chunks]).toEqual([['head'], []]);
  });

  it('frees the encoder and cuts when the upstream breaks', () => {
    const { sink, encoder, events } = setUp();
    sink.head({ ...HEAD, contentLength: 100_000 });
    sink.data(Buffer.alloc(50_000));
    sink.abort(new Error('reset'));
    expect([encoder().destroyed, events]).toEqual([true, ['head', 'abort']]);
  });

  it('sends what it held before it cuts', () => {
    const { sink, events, chunks } = setUp();
    sink.head(HEAD);
    sink.data(Buffer.from('123'));
    sink.abort(new Error('reset'));
    expect([events, body(chunks).toString()]).toEqual([['head', 'abort'], '123']);
  });

  it('lets a refusal take the place of a head it held', () => {
    const { sink, events, chunks } = setUp();
    sink.head(HEAD);
    sink.data(Buffer.from('123'));
    sink.refuse(new Refusal('internal_error'));
    expect([events, chunks]).toEqual([['refuse'], []]);
  });

  it('cuts when the encoder fails, and tells the log', async () => {
    const { sink, source, encoder, events, exchange, internalError } = setUp();
    sink.head({ ...HEAD, contentLength: 100 });
    const fault = new Error('zlib');
    encoder().destroy(fault);
    await vi.waitFor(() => expect(events).toEqual(['head', 'abort']));
    expect(internalError).toHaveBeenCalledWith(exchange, fault);
    expect([exchange.reason, source.cancel.mock.calls.length]).toEqual(['internal_error', 1]);
  });

  it.each<[string, string[], Partial<UpstreamHead>, string[]]>([
    ['no wish', [], {}, ['Vary', 'Accept-Encoding']],
    [
      'no-transform of the client',
      ['Accept-Encoding', 'gzip', 'Cache-Control', 'no-transform'],
      {},
      ['Vary', 'Accept-Encoding'],
    ],
    ['a short body', ['Accept-Encoding', 'gzip'], { contentLength: 9 }, []],
    ['no body', ['Accept-Encoding', 'gzip, identity;q=0'], { contentLength: 0 }, []],
    [
      'a short body that may not stay so',
      ['Accept-Encoding', 'gzip', 'accept-encoding', 'identity;q=0'],
      { contentLength: 9 },
      ['Vary', 'Accept-Encoding', 'Content-Encoding', 'gzip'],
    ],
  ])('%s', (_, requestHeaders, given, added) => {
    const { sink, head } = setUp(requestHeaders);
    sink.head({ ...HEAD, ...given });
    expect(head()!.headers).toEqual(['Content-Type', 'text/plain', ...added]);
    sink.cancel();
  });

  it.each([
    [5_000, ['Vary', 'Accept-Encoding', 'Content-Encoding', 'gzip']],
    [5, []],
    [-1, ['Vary', 'Accept-Encoding']],
  ])('answers HEAD as GET, as far as the length tells (%i)', (contentLength, added) => {
    const { sink, head, events, encoder } = setUp(['Accept-Encoding', 'gzip'], 'HEAD');
    sink.head({ ...HEAD, contentLength });
    sink.end(null);
    expect(head()!.headers).toEqual(['Content-Type', 'text/plain', ...added]);
    expect([events, encoder()]).toEqual([['head', 'end'], undefined]);
  });
});

function inflated(chunks: Buffer[]): string {
  if (chunks.length === 0) return '';
  return gunzipSync(body(chunks), { finishFlush: 2 }).toString();
}
