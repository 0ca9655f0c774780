import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { CidrSet } from '../common/cidr.js';
import { Refusal } from './refusal.js';

/** Nest token of `admin.allow_from`, a list of CIDRs. */
export const ALLOW_FROM = Symbol('AllowFrom');

/**
 * Lets through peers in `admin.allow_from` alone, judged by the socket's address: a forwarded address is
 * the client's word. For others the endpoint does not exist.
 */
@Injectable()
export class AllowFromGuard implements CanActivate {
  private readonly allowed: CidrSet;

  constructor(@Inject(ALLOW_FROM) allowFrom: readonly string[]) {
    this.allowed = new CidrSet(allowFrom);
  }

  canActivate(context: ExecutionContext): boolean {
    const { socket } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.allowed.has(socket.remoteAddress ?? '')) return true;
    throw new Refusal('route_not_found');
  }
}
