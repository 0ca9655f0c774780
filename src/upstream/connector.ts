import { buildConnector } from 'undici';

import { durationMs } from '../common/duration.js';
import type { ConnectionConfig } from '../config/upstream.config.js';
import type { Socket } from 'node:net';

/** The upstream did not accept the connection within `connect_timeout`. Nothing was sent. */
export class ConnectTimeoutError extends Error {
  readonly code = 'CONNECT_TIMEOUT';

  constructor() {
    super('connect timeout');
  }
}

/**
 * Opens sockets with an exact connect timeout: undici's own clock ticks twice a second and would make
 * a `connect_timeout: 250ms` a second long.
 */
export function connectorFor(config: Readonly<ConnectionConfig>): buildConnector.connector {
  const timeoutMs = durationMs(config.connect_timeout);
  const connect = buildConnector({ timeout: 0, allowH2: false }) as SocketConnector;
  return (options, callback) => {
    let timer: NodeJS.Timeout | undefined;
    const socket = connect(options, (...result) => {
      clearTimeout(timer);
      if (result[1]) result[1].setNoDelay(config.tcp_no_delay);
      callback(...result);
    });
    timer = setTimeout(() => socket.destroy(new ConnectTimeoutError()), timeoutMs);
    return socket;
  };
}

/** undici's connector returns the connecting socket, which its types leave out. */
type SocketConnector = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
