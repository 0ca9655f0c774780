import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Largest unread rest of a body that is dropped to keep the connection, in bytes. */
export const DUMP_LIMIT = 64 * 1024;
/** How long, in milliseconds, and how much, in bytes, of a larger one is read before the socket is closed. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1024 * 1024;

/**
 * Node drops the rest once the answer is out; a client that never sends it, or that has ended its half in the middle,
 * must not hold the socket.
 */
export function dumpRest(request: IncomingMessage, socket: Socket, timeoutMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  // Soon: the answer may not be out yet.
  const leave = (): void => socket.destroySoon();
  const done = (): void => {
    clearTimeout(timer);
    socket.off('end', leave);
  };
  socket.once('end', leave);
  if (socket.readableEnded) leave();
  request.once('end', done);
  request.once('close', done);
}

/**
 * Lets an early answer reach a client that is still sending: closing a socket with unread bytes makes the kernel
 * reset it, and the reset can overtake the answer (RFC 9112 §9.6). The rest is read and dropped, within bounds.
 */
export function lingerBeforeClose(request: IncomingMessage, socket: Socket): void {
  let bytes = 0;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  // Node calls this when the answer is out; ending our half alone leaves the client's half readable.
  socket.destroySoon = () => socket.end();
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) socket.destroy();
  });
  request.once('end', () => socket.end());
}
