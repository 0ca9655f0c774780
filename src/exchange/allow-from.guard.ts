import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { CidrSet } from '../common/cidr.js';
import { Refusal } from './refusal.js';

/** Nest token of `admin.allow_from`, a list of CIDRs. */
export const ALLOW_FROM = Symbol('AllowFrom');

/** What proxies write of the client in front of them, this gateway's own routes too. */
const FORWARDED_ADDRESSES = ['x-forwarded-for', 'x-real-ip'] as const;

/**
 * Lets through peers in `admin.allow_from` alone, judged by the socket's address. A forwarded address is the client's
 * word and opens nothing, but it does close: a proxy on an allowed address, or a route of the gateway to itself, does
 * not let in whom it speaks for. For others the endpoint does not exist.
 */
@Injectable()
export class AllowFromGuard implements CanActivate {
  private readonly allowed: CidrSet;

  constructor(@Inject(ALLOW_FROM) allowFrom: readonly string[]) {
    this.allowed = new CidrSet(allowFrom);
  }

  canActivate(context: ExecutionContext): boolean {
    const { socket, headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.allowed.has(socket.remoteAddress ?? '') && this.#allowsForwarded(headers)) return true;
    throw new Refusal('route_not_found');
  }

  /** Every address named must be allowed: which of them the client made up is not known here. */
  #allowsForwarded(headers: FastifyRequest['headers']): boolean {
    // Whoever writes this one alone hides its client behind names and quotes (RFC 7239 §6).
    if (headers.forwarded !== undefined) return false;
    return FORWARDED_ADDRESSES.every((name) => {
      const value = headers[name];
      return value === undefined || String(value).split(',').every((one) => this.allowed.has(one.trim()));
    });
  }
}
