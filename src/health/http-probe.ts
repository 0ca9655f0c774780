import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';

import { VERSION } from '../common/version.js';
import type { HealthCheckConfig } from '../config/health-check.config.js';
import { statusMatcher } from './expected-status.js';
import { failureText, type Probe, socketHost, socketPort } from './probe.js';

/** Bytes of an answer's body that are read before the socket is simply closed. */
const BODY_CAP = 64 * 1024;

/**
 * One GET on a socket of its own, never one of the traffic's: so a full or stale pool says nothing about the
 * backend, and each probe also proves that the backend takes connections. The status alone decides, redirects
 * are not followed. The path is absolute on the backend's origin; its base path plays no part.
 */
export function httpProbe(check: Readonly<HealthCheckConfig>): Probe {
  const expected = statusMatcher(check.expected_status);
  return (origin, signal) =>
    new Promise((resolve) => {
      // Unset until the head came or the request failed; the first of both counts.
      let verdict: string | null | undefined;
      const judge = (status: number) => {
        verdict = expected(status) ? null : `unhealthy status: ${status}`;
      };
      const request = send(origin, check, signal);
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

function send(origin: URL, check: Readonly<HealthCheckConfig>, signal: AbortSignal): ClientRequest {
  const host = socketHost(origin);
  const options: RequestOptions = {
    host,
    port: socketPort(origin),
    path: check.path,
    // `agent: false` is a socket for this request alone, closed behind it.
    agent: false,
    headers: {
      host: check.host ?? origin.host,
      'user-agent': `nexus-gateway/${VERSION} (health check)`,
      accept: '*/*',
    },
    // The certificate is checked for the backend's name, whatever Host says.
    servername: isIP(host) ? '' : host,
    signal,
  };
  return (origin.protocol === 'https:' ? httpsRequest : httpRequest)(options).end();
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
