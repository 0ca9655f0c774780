import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { CidrSet } from '../common/cidr.js';
import { Refusal } from './refusal.js';

/**
 * Lets through peers in `admin.allow_from` alone, judged by the socket's address: a forwarded address is
 * the client's word. For others the endpoint does not exist.
 */
export class AllowFromGuard implements CanActivate {
  private readonly allowed: CidrSet;

  constructor(allowFrom: readonly string[]) {
    this.allowed = new CidrSet(allowFrom);
  }

  canActivate(context: ExecutionContext): boolean {
    const { socket } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.allowed.has(socket.remoteAddress ?? '')) return true;
    throw new Refusal('route_not_found');
  }
}
