import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { Exchange } from '../../exchange/exchange.js';
import type { UpstreamHead } from '../../exchange/response.js';
import type { Backend } from '../../exchange/upstream.js';
import { addOwnHeaders } from '../own-headers.js';
import { clientHead } from '../response-headers.js';

/** A request as http-proxy-middleware takes it, with the backend that it is for. */
export interface HandshakeRequest extends IncomingMessage {
  readonly backend: Backend;
}

/**
 * The client's request as the upstream gets it. The client's own stays as it is: guards and logs may still read it.
 *
 * @param list the header lines that the upstream gets, name, value, name, value, …, without those of the upgrade
 * @param path with the backend's base path
 */
export function handshakeRequest(
  request: IncomingMessage,
  list: readonly string[],
  path: string,
  backend: Backend,
): HandshakeRequest {
  const headers = grouped(list);
  headers['connection'] = 'Upgrade';
  headers['upgrade'] = 'websocket';
  headers['Host'] ??= backend.origin.host;
  return Object.create(request, {
    url: { value: path },
    headers: { value: headers },
    backend: { value: backend },
  });
}

/** The head of the upstream's 101 as the client gets it. */
export function switchedHeaders(response: IncomingMessage, exchange: Exchange): IncomingHttpHeaders {
  const { headers: lines } = headOf(response);
  const list = lines.concat(exchange.responseHeaders);
  addOwnHeaders(list, exchange.id);
  const headers = grouped(list);
  // A 101 has no content (RFC 9110 §15.2).
  for (const name of Object.keys(headers)) if (name.toLowerCase() === 'content-length') delete headers[name];
  return { Upgrade: 'websocket', Connection: 'Upgrade', ...headers };
}

/** The head of an upstream's answer, as {@link clientHead} makes it. */
export function headOf({ statusCode, statusMessage, rawHeaders, headers }: IncomingMessage): UpstreamHead {
  return clientHead({
    status: statusCode ?? 502,
    statusText: statusMessage ?? '',
    fields: rawHeaders,
    connection: headers.connection ?? null,
    transferEncoding: headers['transfer-encoding'] ?? null,
    contentLength: Number(headers['content-length'] ?? -1),
  });
}

/** Lines by name, in order of first appearance; repeated ones together, none of them lost. */
function grouped(list: readonly string[]): Record<string, string | string[]> {
  const groups: Record<string, string | string[]> = Object.create(null);
  const names = new Map<string, string>();
  for (let at = 0; at < list.length; at += 2) {
    const name = names.get(list[at]!.toLowerCase()) ?? list[at]!;
    names.set(name.toLowerCase(), name);
    const known = groups[name];
    groups[name] = known === undefined ? list[at + 1]! : [known, list[at + 1]!].flat();
  }
  return groups;
}
