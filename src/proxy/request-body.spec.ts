import type { IncomingMessage } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { setImmediate as setImmediateCallback } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { BodyRecord } from './body-record.js';
import { RequestBody } from './request-body.js';

interface Settings {
  readonly limit?: number;
  readonly record?: BodyRecord | null;
}

/** A client's request whose body the test sends piece by piece. */
function upload({ limit = 0, record = new BodyRecord(1_000) }: Settings = {}) {
  const request = new Readable({ read() {} });
  const seen = { continues: 0, ended: 0, read: '', moved: [] as boolean[] };
  const watcher = {
    uploadRead: (chunk: Buffer) => void (seen.read += chunk.toString()),
    uploadMoved: (paused: boolean) => void seen.moved.push(paused),
    uploadEnded: () => void seen.ended++,
  };
  const wanted = (): void => void seen.continues++;
  const body = new RequestBody(request as IncomingMessage, limit, watcher, wanted, record);
  const send = async (...pieces: (string | null)[]): Promise<void> => {
    for (const piece of pieces) request.push(piece === null ? null : Buffer.from(piece));
    await settled();
  };
  return { request, body, seen, send, record };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
};

/** Reads a stream, and keeps what came. */
function reader(body: Readable) {
  const got = { text: '', ended: false, error: null as Error | null };
  body.on('data', (chunk: Buffer) => (got.text += chunk.toString()));
  body.on('end', () => (got.ended = true));
  body.on('error', (error) => (got.error = error));
  return got;
}

describe('a body that is sent once', () => {
  it('passes as it comes and is asked for once', async () => {
    const { body, seen, send } = upload({ record: null });
    expect([body.used, body.repeatable, seen.continues]).toEqual([false, true, 0]);
    const got = reader(body);
    await send('ab', 'cd', null);
    expect(got).toEqual({ text: 'abcd', ended: true, error: null });
    expect([body.used, body.repeatable, seen.continues, seen.ended]).toEqual([true, false, 1, 1]);
  });

  it('can be given anew while nobody has read it, destroyed or not', async () => {
    const { body, send, seen } = upload({ record: null });
    body.destroy();
    expect([body.used, body.repeatable]).toEqual([true, true]);
    const got = reader(body.again());
    await send('abc', null);
    expect([got.text, got.ended, seen.continues]).toEqual(['abc', true, 1]);
  });

  it('above its limit breaks off', async () => {
    const { body, send } = upload({ limit: 3, record: null });
    const got = reader(body);
    await send('ab', 'cd');
    expect([got.text, got.error]).toMatchObject(['ab', { reason: 'payload_too_large' }]);
  });
});

describe('a body that is sent again', () => {
  it('before its first byte', async () => {
    const { body, send, seen } = upload();
    body.read(0);
    await settled();
    const got = reader(body.again());
    await send('abc', null);
    expect([got.text, got.ended, seen.continues, seen.ended]).toEqual(['abc', true, 1, 1]);
  });

  it('half-way: first what was recorded, then the rest as it comes', async () => {
    const { body, send, seen } = upload();
    const first = reader(body);
    await send('ab', 'cd');
    const second = reader(body.again());
    await settled();
    expect(second.text).toBe('abcd');
    await send('ef', null);
    expect(second).toEqual({ text: 'abcdef', ended: true, error: null });
    expect([first.text, first.ended, seen.read]).toEqual(['abcd', false, 'abcdef']);
    expect([seen.continues, seen.ended]).toEqual([1, 1]);
  });

  it('after its end, as often as needed', async () => {
    const { body, send, seen } = upload();
    reader(body);
    await send('ab', 'cd', null);
    const moved = seen.moved.length;
    let last = body;
    for (let time = 0; time < 3; time++) {
      const got = reader((last = last.again()));
      await settled();
      expect(got).toEqual({ text: 'abcd', ended: true, error: null });
    }
    // Nobody waits for the client any more.
    expect([seen.continues, seen.ended, seen.moved.length]).toEqual([1, 1, moved]);
  });

  it('an empty one too', async () => {
    const { body, send } = upload();
    reader(body);
    await send(null);
    const got = reader(body.again());
    await settled();
    expect([got.text, got.ended]).toEqual(['', true]);
  });

  it('after whoever read it has destroyed it: nothing of the upload is lost meanwhile', async () => {
    const { body, request, send } = upload();
    reader(body);
    await send('ab');
    body.destroy(new Error('reset'));
    await send('cd', 'ef', null);
    expect([request.isPaused(), body.repeatable]).toEqual([true, true]);
    const got = reader(body.again());
    await settled();
    expect([got.text, got.ended]).toEqual(['abcdef', true]);
  });

  it('though its end was told in the moment between', async () => {
    const { body, request, seen } = upload();
    let next: RequestBody | null = null;
    body.once('data', () => (next = body.again()));
    request.push('abc');
    request.push(null);
    await settled();
    const got = reader(next!);
    await settled();
    expect([got.text, got.ended, seen.ended]).toEqual(['abc', true, 1]);
  });

  it('the old stream tells the upload nothing more', async () => {
    const { body, seen, send } = upload();
    reader(body);
    await send('ab');
    const moved = seen.moved.length;
    body.again();
    await send('cd', null);
    expect([seen.moved.length, seen.ended]).toEqual([moved, 0]);
  });

  it('not once it is longer than what is recorded, whose memory is free then', async () => {
    const { body, send, record } = upload({ record: new BodyRecord(3) });
    const got = reader(body);
    await send('ab');
    expect(body.repeatable).toBe(true);
    await send('cd', null);
    expect([body.repeatable, record!.bytes.length, got.text]).toEqual([false, 0, 'abcd']);
  });

  it('its limit counts the client, not what is repeated', async () => {
    const { body, send } = upload({ limit: 5 });
    reader(body);
    await send('abc');
    const second = body.again();
    const got = reader(second);
    await send('de');
    expect([got.text, got.error]).toEqual(['abcde', null]);
    await send('f');
    expect(got.error).toMatchObject({ reason: 'payload_too_large' });
  });

  it('what is left of it is dropped when nobody sends it any more', async () => {
    const { body, request, send, record } = upload();
    reader(body);
    await send('ab');
    const next = body.again();
    expect(request.isPaused()).toBe(true);
    next.dismiss();
    await send('cd', null);
    expect([request.readableEnded, record!.bytes.length]).toEqual([true, 0]);
  });

  it('whenever that happens: byte for byte, against any pace', async () => {
    const action = fc.oneof(
      fc.record({ send: fc.string({ minLength: 1, maxLength: 40 }) }),
      fc.constant({ again: true }),
      fc.constant({ broken: true }),
      fc.constant({ turn: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), fc.boolean(), async (actions, slow) => {
        const { body, request, seen } = upload({ record: new BodyRecord(100_000) });
        let [stream, got] = [body, sink(body, slow)];
        let sent = '';
        for (const step of actions) {
          if ('send' in step) {
            request.push(step.send);
            sent += step.send;
          } else if ('turn' in step) await setImmediate();
          else {
            if ('broken' in step) stream.destroy(new Error('reset'));
            stream = stream.again();
            got = sink(stream, slow);
          }
        }
        request.push(null);
        while (!got.ended) await setImmediate();
        expect(got.text).toBe(sent);
        expect([seen.continues, seen.ended, seen.read]).toEqual([1, 1, sent]);
      }),
      { numRuns: 200 },
    );
  });
});

/** Takes a stream, at once or one piece a turn. */
function sink(stream: Readable, slow: boolean) {
  const got = { text: '', ended: false };
  const taker = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      got.text += chunk.toString();
      if (slow) setImmediateCallback(done);
      else done();
    },
    final(done) {
      got.ended = true;
      done();
    },
  });
  stream.pipe(taker);
  return got;
}
