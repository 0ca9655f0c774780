import type { Socket } from 'node:net';

/** Node keeps the connection under a TLS socket here, and has no other word for it. */
type OverTcp = Socket & { readonly _parent?: Socket | null };

/** The TCP connection that a socket is, or that it is spoken over TLS on. */
export function tcpSocketOf(socket: Socket): Socket {
  // oxlint-disable-next-line no-underscore-dangle -- see above.
  return (socket as OverTcp)._parent ?? socket;
}

/** Whether TLS is spoken on it. */
export function isOverTls(socket: Socket): boolean {
  return 'encrypted' in socket;
}
