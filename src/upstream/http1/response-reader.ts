import { latin1 } from '../../common/latin1.js';
import type { ReceivedHead } from '../../exchange/upstream.js';
import { ConnectionEndedError, MalformedResponseError } from './faults.js';
import { type ParsedHead, parseHead, parseTrailers } from './response-head.js';

/** Largest response head accepted of a backend, in bytes without its empty line; the same for trailers. */
const MAX_HEAD = 64 * 1024;
/** Longest line with the size of a chunk and its extensions, in bytes. */
const MAX_SIZE_LINE = 4096;

const EMPTY_LINE = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
/** The size of a chunk, and extensions that nobody reads (RFC 9112 §7.1), without the space that nobody should send. */
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,13})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*\\r\\n$`);
const CR = 13;
const LF = 10;

/** What is read of a response, in this order. None of these may throw. */
export interface ResponseEvents {
  /** The final head, or one in front of it (RFC 9110 §15.2), but for 100 and 101. */
  responseHead(head: ReceivedHead): void;
  responseData(piece: Buffer): void;
  /** @param clean nothing followed the response */
  responseEnd(trailers: readonly string[] | null, clean: boolean): void;
}

/** What comes next. */
type Part = 'nothing' | 'head' | 'counted' | 'rest' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'end';

/**
 * Reads one response after the other from the bytes of a connection (RFC 9112). Strict: what two readers could understand
 * in two ways is an error.
 */
export class ResponseReader {
  /** Whether the connection may serve again after this response (RFC 9112 §9.3). */
  persistent = true;
  /** Value of Keep-Alive. */
  keepAlive: string | null = null;
  #part: Part = 'nothing';
  #method = '';
  /** Bytes that were not used yet: too few of them, or nobody wants them now. */
  #kept: Buffer | null = null;
  /** Bytes of those in which no head and no trailers end. */
  #searched = 0;
  #paused = false;
  /** Bytes are being read: whoever hears of them may pause and resume meanwhile. */
  #running = false;
  /** Bytes of body or chunk that are still to come. */
  #left = 0;

  constructor(private readonly events: ResponseEvents) {}

  /** A request with this method is sent now. */
  expect(method: string): void {
    this.#method = method;
    this.#part = 'head';
    this.#searched = 0;
  }

  /** @throws MalformedResponseError */
  read(bytes: Buffer): void {
    const kept = this.#kept;
    this.#kept = null;
    this.#run(kept === null ? bytes : Buffer.concat([kept, bytes]));
  }

  pause(): void {
    this.#paused = true;
  }

  /** @throws MalformedResponseError */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#running) return;
    const kept = this.#kept ?? NOTHING;
    this.#kept = null;
    this.#run(kept);
  }

  get paused(): boolean {
    return this.#paused;
  }

  /**
   * The connection ended, which ends a response without a length of its own.
   * @throws ConnectionEndedError when the response is not whole
   */
  ended(): void {
    // Who does not want more gets what is here all the same: nothing else is to come.
    while (this.#paused) this.resume();
    if (this.#part === 'rest') this.#end(null, false);
    else if (this.#part !== 'nothing') throw new ConnectionEndedError();
  }

  /** Forgets everything. */
  stop(): void {
    this.#part = 'nothing';
    this.#paused = false;
    this.#kept = null;
  }

  #run(bytes: Buffer): void {
    let at = 0;
    this.#running = true;
    while (this.#mayGoOn(at < bytes.length)) {
      const next = this.#take(bytes, at);
      if (next < 0) break;
      at = next;
    }
    this.#running = false;
    if (at < bytes.length && this.#part !== 'nothing') this.#kept = at === 0 ? bytes : bytes.subarray(at);
  }

  #mayGoOn(more: boolean): boolean {
    return !this.#paused && this.#part !== 'nothing' && (more || this.#part === 'end');
  }

  /** Where the next part begins; -1 when there are too few bytes. */
  #take(bytes: Buffer, at: number): number {
    switch (this.#part) {
      case 'head':
        return this.#head(bytes, at);
      case 'counted':
        return this.#piece(bytes, at, 'end');
      case 'chunk':
        return this.#piece(bytes, at, 'chunk end');
      case 'rest':
        return this.#all(bytes, at);
      case 'size':
        return this.#size(bytes, at);
      case 'chunk end':
        return this.#chunkEnd(bytes, at);
      case 'trailers':
        return this.#trailers(bytes, at);
      default:
        return this.#end(null, at === bytes.length, at);
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = this.#linesEnd(bytes, at);
    if (end < 0) return this.#headToCome(bytes, at);
    this.#searched = 0;
    this.#headed(parseHead(latin1(bytes, at, end + 2)));
    return end + 4;
  }

  /** Where the empty line behind a head or trailers begins; -1 when it is still to come. */
  #linesEnd(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(EMPTY_LINE, at + Math.max(0, this.#searched - 3));
    // Of the empty line itself up to three bytes may be here.
    const tooLarge = end < 0 ? bytes.length - at > MAX_HEAD + 3 : end - at > MAX_HEAD;
    if (tooLarge) throw new MalformedResponseError('head or trailers too large');
    return end;
  }

  /** What cannot become a head any more is not waited for. */
  #headToCome(bytes: Buffer, at: number): number {
    const begun = latin1(bytes, at, Math.min(at + 7, bytes.length));
    if (!'HTTP/1.'.startsWith(begun)) throw new MalformedResponseError('status line');
    return this.#linesToCome(bytes, at);
  }

  #linesToCome(bytes: Buffer, at: number): number {
    const unseen = latin1(bytes, at + Math.max(0, this.#searched - 1), bytes.length);
    if (/[^\r]\n/.test(unseen)) throw new MalformedResponseError('a line that ends without CR');
    this.#searched = bytes.length - at;
    return -1;
  }

  #headed(head: ParsedHead): void {
    if (head.status === 101) throw new MalformedResponseError('a protocol that nobody asked for');
    // Nobody waits for a 100 here: the gateway answers `Expect` itself.
    if (head.status === 100) return;
    if (head.status >= 200) this.#frame(head);
    this.events.responseHead(head);
  }

  /** What ends the body (RFC 9112 §6.3). */
  #frame(head: ParsedHead): void {
    const { transferEncoding, contentLength } = head;
    this.keepAlive = head.keepAlive;
    this.persistent = persists(head, this.#method);
    if (endsWithItsHead(head, this.#method)) this.#part = 'end';
    else if (transferEncoding !== null) this.#part = codedPart(transferEncoding, head.minorVersion);
    else if (contentLength === 0) this.#part = 'end';
    else this.#part = contentLength > 0 ? 'counted' : 'rest';
    this.#left = contentLength;
    if (this.#part === 'rest') this.persistent = false;
  }

  /** As much of the body, or of the chunk, as has come. */
  #piece(bytes: Buffer, at: number, next: Part): number {
    const end = Math.min(at + this.#left, bytes.length);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = next;
    this.events.responseData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    return end;
  }

  #all(bytes: Buffer, at: number): number {
    this.events.responseData(at === 0 ? bytes : bytes.subarray(at));
    return bytes.length;
  }

  #size(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at) + 1;
    if ((end || bytes.length) - at > MAX_SIZE_LINE)
      throw new MalformedResponseError('chunk extensions too large');
    if (end === 0) return -1;
    const size = SIZE_LINE.exec(latin1(bytes, at, end));
    if (size === null) throw new MalformedResponseError('size of a chunk');
    this.#left = Number.parseInt(size[1]!, 16);
    this.#part = this.#left === 0 ? 'trailers' : 'chunk';
    return end;
  }

  #chunkEnd(bytes: Buffer, at: number): number {
    if (bytes[at] !== CR) throw new MalformedResponseError('a chunk longer than its size');
    if (at + 1 === bytes.length) return -1;
    if (bytes[at + 1] !== LF) throw new MalformedResponseError('a chunk longer than its size');
    this.#part = 'size';
    return at + 2;
  }

  #trailers(bytes: Buffer, at: number): number {
    if (bytes[at] === CR && bytes[at + 1] === LF) return this.#end(null, at + 2 === bytes.length, at + 2);
    const end = this.#linesEnd(bytes, at);
    if (end < 0) return this.#linesToCome(bytes, at);
    return this.#end(parseTrailers(latin1(bytes, at, end + 2)), end + 4 === bytes.length, end + 4);
  }

  #end(trailers: readonly string[] | null, clean: boolean, next = 0): number {
    this.#part = 'nothing';
    this.events.responseEnd(trailers, clean);
    return next;
  }
}

/** Statuses and methods whose responses have no body, whatever the head says (RFC 9112 §6.3). */
function endsWithItsHead({ status }: ParsedHead, method: string): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** A coding that is not chunked ends with the connection; nobody can read on behind it. */
function codedPart(coding: string, minorVersion: number): Part {
  if (minorVersion === 0) throw new MalformedResponseError('Transfer-Encoding in HTTP/1.0');
  return coding.toLowerCase() === 'chunked' ? 'size' : 'rest';
}

function persists(head: ParsedHead, method: string): boolean {
  // A backend that sends a body all the same would have it taken for the next response.
  if (method === 'HEAD') return false;
  const announced = head.contentLength > 0 || head.transferEncoding !== null;
  if (announced && (head.status === 204 || head.status === 304)) return false;
  const said = head.connection?.toLowerCase() ?? '';
  if (said === 'keep-alive') return true;
  const words = new Set(said.split(',').map((word) => word.trim()));
  return !words.has('close') && (head.minorVersion > 0 || words.has('keep-alive'));
}
