import type { Socket } from 'node:net';

/** Ends a connection by a reset. While its own end is under way node could not, and would never close it at all. */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
