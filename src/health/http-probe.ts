import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';

import { VERSION } from '../common/version.js';
import type { HealthCheckConfig } from '../config/health-check.config.js';
import { statusMatcher } from './expected-status.js';
import { failureText, openSocket, type Probe } from './probe.js';

/** Bytes of an answer's body that are read before the socket is simply closed. */
const BODY_CAP = 64 * 1024;

/**
 * One GET on a socket of its own, never one of the traffic's: so a full or stale pool says nothing about the
 * backend, and each probe also proves that the backend takes connections. The socket is opened like the traffic's,
 * with the same TLS settings and proxy. The status alone decides, redirects are not followed. The path is absolute on
 * the backend's origin; its base path plays no part.
 */
export function httpProbe(check: Readonly<HealthCheckConfig>): Probe {
  const expected = statusMatcher(check.expected_status);
  return async (backend, signal) => {
    const opened = await openSocket(backend, signal);
    if ('failure' in opened) return opened.failure;
    return answerOf(send(opened.socket, backend.origin, check, signal), expected, signal);
  };
}

function answerOf(
  request: ClientRequest,
  expected: (status: number) => boolean,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    // Unset until the head came or the request failed; the first of both counts.
    let verdict: string | null | undefined;
    const judge = (status: number) => {
      verdict = expected(status) ? null : `unhealthy status: ${status}`;
    };
    request.on('response', (response) => {
      judge(response.statusCode!);
      discard(response);
    });
    request.on('upgrade', (response, socket) => {
      judge(response.statusCode!);
      socket.destroy();
    });
    request.on('error', (error) => {
      if (verdict === undefined) verdict = failureText(error, signal);
    });
    request.on('close', () => resolve(verdict === undefined ? 'connection closed' : verdict));
  });
}

/** Without an agent, the socket is for this request alone, and is closed behind it. */
function send(
  socket: Socket,
  origin: URL,
  check: Readonly<HealthCheckConfig>,
  signal: AbortSignal,
): ClientRequest {
  const headers = {
    host: check.host ?? origin.host,
    'user-agent': `nexus-gateway/${VERSION} (health check)`,
    accept: '*/*',
  };
  return httpRequest({ createConnection: () => socket, path: check.path, headers, signal }).end();
}

function discard(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_CAP) response.destroy();
  });
  // The status has decided already; what happens to the body decides nothing.
  response.on('error', () => {});
}
