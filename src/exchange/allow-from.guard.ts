import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { CidrSet } from '../common/cidr.js';
import { Refusal } from './refusal.js';

/** Nest token of `admin.allow_from`, a list of CIDRs. */
export const ALLOW_FROM = Symbol('AllowFrom');

/** What a gateway writes of the client that it speaks for. */
const FORWARDED_ADDRESSES = ['x-forwarded-for', 'x-real-ip'] as const;

/**
 * Lets through peers in `admin.allow_from` alone, judged by the socket's address: a forwarded address is the client's
 * word. For others the endpoint does not exist. What came through a route of a gateway, this one's to itself among
 * them, comes from the gateway's own address: there those it speaks for must be allowed as well.
 */
@Injectable()
export class AllowFromGuard implements CanActivate {
  private readonly allowed: CidrSet;

  constructor(@Inject(ALLOW_FROM) allowFrom: readonly string[]) {
    this.allowed = new CidrSet(allowFrom);
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.allows(context.switchToHttp().getRequest<FastifyRequest>())) return true;
    throw new Refusal('route_not_found');
  }

  allows({ socket, headers }: Pick<FastifyRequest, 'socket' | 'headers'>): boolean {
    return this.allowed.has(socket.remoteAddress ?? '') && this.#allowsClient(headers);
  }

  /** No client can take the gateway's mark off. Which addresses a client put in front is not known: all must be allowed. */
  #allowsClient(headers: FastifyRequest['headers']): boolean {
    if (headers['x-gateway-version'] === undefined) return true;
    return FORWARDED_ADDRESSES.every((name) =>
      String(headers[name])
        .split(',')
        .every((address) => this.allowed.has(address.trim())),
    );
  }
}
