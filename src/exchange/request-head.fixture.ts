import type { RequestHead } from './exchange.js';

/** `GET /` without headers and body, from 192.0.2.1, but for what is said. */
export function requestHead(parts: Partial<RequestHead> = {}): RequestHead {
  return {
    method: 'GET',
    target: '/',
    remoteAddress: '192.0.2.1',
    remotePort: 1,
    host: 'gw',
    userAgent: null,
    hasBody: false,
    contentLength: -1,
    upgrade: false,
    rawHeaders: [],
    ...parts,
  };
}
