import type { ReceivedHead } from '../../exchange/upstream.js';
import { type ResponseEvents, ResponseReader } from './response-reader.js';

/** What one response was read as. */
export interface Read {
  /** Final head last. */
  readonly heads: ReceivedHead[];
  /** One character a byte. */
  body: string;
  /** How often the end was told. */
  ends: number;
  /** Behind which piece; -1 = never; the number of pieces = with the end of the connection. */
  endedAt: number;
  trailers: readonly string[] | null;
  clean: boolean;
  /** Null: nothing was wrong. */
  error: Error | null;
}

export interface ReadOptions {
  readonly method?: string;
  /** The connection ends behind the bytes. */
  readonly ends?: boolean;
  /** Pauses at every event, and goes on before the next bytes. */
  readonly pauses?: boolean;
}

/** Reads pieces as one response. */
export function readPieces(
  pieces: readonly Buffer[],
  options: ReadOptions = {},
): Read & { persistent: boolean } {
  const read: Read = { heads: [], body: '', ends: 0, endedAt: -1, trailers: null, clean: true, error: null };
  const reader: ResponseReader = new ResponseReader(recording(read, () => options.pauses && reader.pause()));
  reader.expect(options.method ?? 'GET');
  try {
    for (const [index, piece] of pieces.entries()) {
      reader.read(piece);
      while (reader.paused) reader.resume();
      if (read.endedAt < 0 && read.ends > 0) read.endedAt = index;
    }
    if (options.ends) reader.ended();
    if (read.endedAt < 0 && read.ends > 0) read.endedAt = pieces.length;
  } catch (error) {
    read.error = error as Error;
  }
  return { ...read, persistent: reader.persistent };
}

function recording(read: Read, told: () => unknown): ResponseEvents {
  return {
    responseHead(head) {
      read.heads.push(head);
      told();
    },
    responseData(piece) {
      read.body += piece.toString('latin1');
      told();
    },
    responseEnd(trailers, clean) {
      read.ends++;
      Object.assign(read, { trailers, clean });
    },
  };
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Cut at these places, in ascending order. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}
