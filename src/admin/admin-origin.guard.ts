import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../exchange/refusal.js';

/** A name that no foreign DNS can give to this machine's loopback addresses, and a port. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Written by proxies, this gateway's own routes among them. Whom they speak for may be anywhere. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-gateway-version', 'x-real-ip'];
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps web pages away from an admin port without a token, which any browser on this machine can reach. `Host` keeps out
 * those whose name was pointed at a loopback address (DNS rebinding); media type and `Origin` keep out those that send
 * what a page may send anywhere. What came through a proxy did not come from this machine. A token is more than that: no
 * browser adds it by itself.
 */
export class AdminOriginGuard implements CanActivate {
  constructor(private readonly token: string | null) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.token !== null) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!LOCAL_HOST.test(request.headers.host ?? ''))
      throw refused('without a token this port is there for localhost alone; look at Host');
    if (OF_PROXIES.some((name) => request.headers[name] !== undefined))
      throw refused('without a token this port is there for localhost alone, not for those behind a proxy');
    if (READING.has(request.method)) return true;
    if (!isJson(request)) throw refused('changes need Content-Type: application/json');
    if (!isSameOrigin(request)) throw refused('changes are not taken from other origins; look at Origin');
    return true;
  }
}

/** A DELETE without a body needs none: no page may send it anywhere without being asked for it first (CORS). */
function isJson({ method, headers }: FastifyRequest): boolean {
  const type = headers['content-type'];
  if (type === undefined) return method === 'DELETE';
  return /^application\/json[\t ]*(?:;|$)/i.test(type);
}

function isSameOrigin({ headers, protocol }: FastifyRequest): boolean {
  const { origin, host } = headers;
  return origin === undefined || origin.toLowerCase() === `${protocol}://${host}`.toLowerCase();
}

function refused(detail: string): Refusal {
  return new Refusal('forbidden', { detail });
}
