import type { AnswerReason } from '../../src/exchange/reasons.js';
import type { Stage } from './stage.js';

/** What a client saw: the upstream's answer whole, the gateway's own answer, or an answer that broke off. */
export type Outcome = 'ok' | 'cut' | AnswerReason;

export interface Fault {
  /** How often it comes, beside the others. */
  readonly weight: number;
  /** What the client of a backend that lives may see. */
  readonly allowed: readonly Outcome[];
  /** Answers as soon as the request's head is there, not after its body. */
  readonly early?: true;
  /** Is about uploads. */
  readonly uploads?: true;
  /** Breaks in the body. */
  readonly breaks?: true;
  /** May spoil the next request on its connection: the keep-alive race, which no gateway can win for a POST. */
  readonly rude?: true;
  /** Its body ends with the connection, so that nobody can tell a kill that closes from the end. */
  readonly unframed?: true;
  /** Bytes that the client may see of a body of so many. */
  readonly visible?: (size: number) => number;
  readonly play: (stage: Stage) => void;
}

const UNAVAILABLE = ['upstream_unavailable'] as const;
const TIMEOUT = ['upstream_timeout'] as const;
/** A reset makes the kernel drop what the gateway has not read yet, the head too. */
const RESET_IN_BODY = ['cut', 'upstream_unavailable'] as const;

const half = (size: number): number => size >> 1;
const length = (size: number): string => `Content-Length: ${size}`;
const NEXT_ANSWER =
  'HTTP/1.1 200 OK\r\nX-Tag: another-request\r\nX-Size: 6\r\nContent-Length: 6\r\n\r\nstolen';

const GARBAGE = [
  '\0\x01\x02\x03\xff\xfe garbage',
  'HTTP/1.1 abc OK\r\n\r\n',
  'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nX-Bad: a\0b\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n',
  '{"not": "http"}\n\n',
] as const;

/** Everything that a backend may do with a request: the one table, for its own behaviour and for what may come of it. */
export const FAULTS = {
  ok: { weight: 0, allowed: ['ok'], play: (stage) => stage.answer() },
  ok_chunked: { weight: 5, allowed: ['ok'], play: (stage) => stage.chunked({ pieces: 3 }) },
  ok_trailers: { weight: 3, allowed: ['ok'], play: (stage) => stage.chunked({ trailer: 'X-Trailer: seen' }) },
  ok_close: {
    weight: 4,
    unframed: true,
    allowed: ['ok'],
    play(stage) {
      stage.send(stage.head('Connection: close'), stage.body).fin();
    },
  },
  ok_trickle: { weight: 3, allowed: ['ok'], play: (stage) => stage.chunked({ pieces: 10, everyMs: 5 }) },
  ok_late: { weight: 3, allowed: ['ok'], play: (stage) => stage.later(300, () => stage.answer()) },
  sse: {
    weight: 3,
    allowed: ['ok'],
    play: (stage) => stage.chunked({ pieces: 10, everyMs: 60, type: 'text/event-stream' }),
  },
  sse_reset: {
    weight: 2,
    allowed: ['cut'],
    breaks: true,
    play: (stage) =>
      stage.chunked({ pieces: 10, everyMs: 60, type: 'text/event-stream', breakAfter: 5, how: 'reset' }),
  },
  no_content: {
    weight: 2,
    allowed: ['ok'],
    visible: () => 0,
    play: (stage) => stage.send(`HTTP/1.1 204 No Content\r\n${stage.marks}\r\n\r\n`).done(),
  },
  hints: {
    weight: 2,
    allowed: ['ok'],
    play: (stage) => stage.send('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n').answer(),
  },
  processing: {
    weight: 1,
    allowed: ['ok'],
    play: (stage) => stage.send('HTTP/1.1 102 Processing\r\n\r\n').later(50, () => stage.answer()),
  },
  continue_unasked: {
    weight: 1,
    allowed: ['ok', 'upstream_unavailable'],
    play: (stage) => stage.send('HTTP/1.1 100 Continue\r\n\r\n').answer(),
  },

  silent: { weight: 3, allowed: TIMEOUT, play: () => {} },
  gone: { weight: 2, allowed: TIMEOUT, early: true, play: (stage) => stage.deafen(5_000) },
  head_stalls: { weight: 3, allowed: TIMEOUT, play: (stage) => stage.halfHead() },
  body_stalls: { weight: 3, allowed: ['cut'], breaks: true, play: (stage) => stage.halfBody() },

  reset: { weight: 4, allowed: UNAVAILABLE, play: (stage) => stage.reset() },
  reset_early: { weight: 3, allowed: UNAVAILABLE, early: true, play: (stage) => stage.reset() },
  closed: { weight: 3, allowed: UNAVAILABLE, play: (stage) => stage.fin() },
  head_reset: {
    weight: 4,
    allowed: UNAVAILABLE,
    play: (stage) => stage.halfHead().soon(() => stage.reset()),
  },
  head_closed: { weight: 3, allowed: UNAVAILABLE, play: (stage) => stage.halfHead().fin() },
  body_reset: {
    weight: 5,
    allowed: RESET_IN_BODY,
    breaks: true,
    play: (stage) => stage.halfBody().soon(() => stage.reset()),
  },
  body_reset_late: {
    weight: 4,
    allowed: ['cut'],
    breaks: true,
    play: (stage) => stage.halfBody().later(120, () => stage.reset()),
  },
  body_closed: { weight: 5, allowed: ['cut'], breaks: true, play: (stage) => stage.halfBody().fin() },
  chunks_closed: {
    weight: 4,
    allowed: ['cut'],
    breaks: true,
    play: (stage) => stage.chunked({ pieces: 4, breakAfter: 2, how: 'fin' }),
  },
  chunks_reset: {
    weight: 4,
    allowed: RESET_IN_BODY,
    breaks: true,
    play: (stage) => stage.chunked({ pieces: 4, everyMs: 20, breakAfter: 2, how: 'reset' }),
  },
  unframed_reset: {
    weight: 3,
    unframed: true,
    allowed: ['cut'],
    breaks: true,
    play: (stage) =>
      stage
        .send(stage.head('Connection: close'), stage.body.subarray(0, half(stage.size)))
        .later(120, () => stage.reset()),
  },

  garbage: { weight: 6, allowed: UNAVAILABLE, play: (stage) => stage.send(stage.oneOf(GARBAGE)) },
  garbage_chunk: {
    weight: 4,
    allowed: ['cut', 'upstream_unavailable'],
    breaks: true,
    play: (stage) => stage.chunked({ pieces: 4, breakAfter: 2, how: 'garbage' }),
  },
  big_head: {
    weight: 2,
    allowed: UNAVAILABLE,
    play: (stage) => stage.send(stage.head(`X-Big: ${'x'.repeat(100_000)}`, length(0))),
  },
  endless_head: {
    weight: 2,
    allowed: UNAVAILABLE,
    play: (stage) => stage.send('HTTP/1.1 200 OK\r\n').endless(),
  },
  both_framings: {
    weight: 2,
    allowed: ['ok', ...RESET_IN_BODY],
    play: (stage) => stage.chunked({ extra: length(stage.size) }),
  },
  short_length: {
    weight: 4,
    allowed: ['ok'],
    breaks: true,
    visible: half,
    play(stage) {
      const seen = half(stage.size);
      stage.send(stage.head(length(seen)), stage.body.subarray(0, seen), NEXT_ANSWER).done();
    },
  },
  two_answers: {
    weight: 4,
    allowed: ['ok'],
    play: (stage) => stage.send(stage.head(length(stage.size)), stage.body, NEXT_ANSWER).done(),
  },
  closes_after: {
    weight: 4,
    allowed: ['ok'],
    rude: true,
    play: (stage) => stage.send(stage.head(length(stage.size)), stage.body).fin(),
  },
  resets_after: {
    weight: 3,
    allowed: ['ok', ...RESET_IN_BODY],
    rude: true,
    play: (stage) => stage.answer().soon(() => stage.reset()),
  },

  early_answer: { weight: 5, allowed: ['ok'], uploads: true, early: true, play: (stage) => stage.answer() },
  early_close: {
    weight: 4,
    // It may close with unread bytes of the upload, and then its kernel resets.
    allowed: ['ok', ...RESET_IN_BODY],
    uploads: true,
    early: true,
    play: (stage) => stage.send(stage.head('Connection: close', length(stage.size)), stage.body).fin(),
  },
  early_reset: {
    weight: 3,
    allowed: ['ok', ...RESET_IN_BODY],
    uploads: true,
    early: true,
    rude: true,
    play: (stage) => stage.send(stage.head(length(stage.size)), stage.body).soon(() => stage.reset()),
  },
  upload_held: {
    weight: 3,
    allowed: ['ok'],
    uploads: true,
    early: true,
    play: (stage) => stage.hold(300, () => stage.answer()),
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** The table by name, with each entry's type widened to what all have. */
export const faultOf = (name: FaultName): Fault => FAULTS[name];
