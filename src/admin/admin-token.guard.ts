import { createHash, timingSafeEqual } from 'node:crypto';

import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../exchange/refusal.js';

/** Asks for `Authorization: Bearer <admin.token>` (RFC 6750 §2.1) on all but the health of the admin application. */
export class AdminTokenGuard implements CanActivate {
  readonly #digest: Buffer | null;

  constructor(token: string | null) {
    this.#digest = token === null ? null : digest(token);
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.#digest === null) return true;
    const { headers, url } = context.switchToHttp().getRequest<FastifyRequest>();
    if (url === '/health') return true;
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (given === undefined) throw new Refusal('missing_token', challenge('Bearer'));
    // Digests have one length, so the comparison tells nothing of the token's own.
    if (timingSafeEqual(digest(given), this.#digest)) return true;
    throw new Refusal('invalid_token', challenge('Bearer error="invalid_token"'));
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function challenge(value: string): { headers: Record<string, string> } {
  return { headers: { 'WWW-Authenticate': value } };
}
