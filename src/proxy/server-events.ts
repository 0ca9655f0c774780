import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { Refusal } from '../exchange/refusal.js';
import { connectionOf } from './client-connection.js';
import type { ParserRefusals } from './parser-refusals.js';

/** Makes the gateway's what node would answer by itself: whatever its parser refuses, tunnels, odd expectations. */
export function takeOver(server: Server, refusals: ParserRefusals): void {
  // The limit is `max_header_size`: older Node drops what exceeds a number silently, framing headers too.
  server.maxHeadersCount = 0;
  // With TLS, what clients and answers are told of is the socket that a handshake made.
  const accepted = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  server.on(accepted, (socket: Socket) => void connectionOf(socket));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => refusals.refuse(socket, new Refusal('not_implemented')));
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refusals.onClientError(error, socket),
  );
}
