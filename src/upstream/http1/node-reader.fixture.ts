import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';

import type { Read } from './reader.fixture.js';

/** What node's own client reads of the bytes. */
export interface NodeRead extends Pick<Read, 'body' | 'error'> {
  /** Statuses and fields of interim heads and of the final one; node tells no 100. */
  readonly heads: { status: number; fields: readonly string[] }[];
  trailers: readonly string[];
  /** It had the whole response after this piece; -1 = never; the number of pieces = when the connection ended. */
  endedAt: number;
}

/** A connection whose other side says what it is told to. */
class Line extends Duplex {
  override _read(): void {}

  override _write(_: unknown, __: unknown, done: () => void): void {
    done();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Node's client reads pieces as one response, and then the end of the connection. */
export async function nodeReads(pieces: readonly Buffer[], method: string): Promise<NodeRead> {
  const read: NodeRead = { heads: [], body: '', trailers: [], endedAt: -1, error: null };
  const line = new Line();
  let answer: IncomingMessage | null = null;
  const asked = request({
    method,
    createConnection: () => line,
    maxHeaderSize: 1 << 20,
  });
  asked.maxHeadersCount = 0;
  asked.on('error', (error) => (read.error ??= error));
  asked.on('information', ({ statusCode, rawHeaders }) => {
    if (statusCode !== 100) read.heads.push({ status: statusCode, fields: rawHeaders });
  });
  asked.on('upgrade', () => (read.error ??= new Error('upgrade')));
  asked.on('response', (response) => {
    answer = response;
    read.heads.push({ status: response.statusCode!, fields: response.rawHeaders });
    response.on('data', (piece: Buffer) => (read.body += piece.toString('latin1')));
    response.on('error', (error) => (read.error ??= error));
  });
  asked.end();
  await turn();
  for (const [index, piece] of [...pieces, null].entries()) {
    line.push(piece);
    if (piece === null) await turn();
    if (read.endedAt < 0 && isWhole(answer)) read.endedAt = index;
  }
  await turn();
  read.trailers = isWhole(answer) ? (answer as unknown as IncomingMessage).rawTrailers : [];
  asked.destroy();
  line.destroy();
  return read;
}

function isWhole(answer: IncomingMessage | null): boolean {
  return answer !== null && answer.complete;
}
