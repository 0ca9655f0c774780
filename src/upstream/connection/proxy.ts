import { type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';

/** An HTTP proxy that makes tunnels. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** Host and port, for logs: without the url's credentials. */
  readonly name: string;
  /** Value of Proxy-Authorization; null where the url holds no credentials. */
  readonly authorization: string | null;
}

/** Takes a proxy's url apart: `http://user:password@proxy:3128`. */
export function proxyAt(url: string): Proxy {
  const { hostname, port, username, password } = new URL(url);
  const credentials = username !== '' || password !== '';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 80 : Number(port),
    name: `${hostname}:${port || '80'}`,
    authorization: credentials ? basic(decoded(username), decoded(password)) : null,
  };
}

export interface TunnelOwner {
  tunnelled(socket: Socket): void;
  tunnelFailed(cause: Error): void;
}

/**
 * Asks a proxy for a tunnel over a connected socket (RFC 9110 §9.3.6). Whoever destroys the socket ends it; then the
 * owner hears `tunnelFailed`.
 * @param authority host and port of the backend
 */
export function openTunnel(
  socket: Socket,
  proxy: Proxy,
  authority: string,
  owner: TunnelOwner,
): ClientRequest {
  const headers: Record<string, string> = { host: authority, connection: 'keep-alive' };
  if (proxy.authorization !== null) headers['proxy-authorization'] = proxy.authorization;
  const asked = request({ createConnection: () => socket, method: 'CONNECT', path: authority, headers });
  asked.once('connect', ({ statusCode = 0, statusMessage = '' }, _socket, rest) => {
    if (statusCode < 200 || statusCode > 299)
      return owner.tunnelFailed(new Error(`refused the tunnel: ${statusCode} ${statusMessage}`.trim()));
    if (rest.length > 0) socket.unshift(rest);
    owner.tunnelled(socket);
  });
  asked.on('error', (cause) => owner.tunnelFailed(cause));
  return asked.end();
}

/** RFC 7617. */
function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
