import { type CanActivate, type ExecutionContext, Inject } from '@nestjs/common';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';

import { Refusal } from '../exchange/refusal.js';
import { GATEWAY_OPTIONS, GatewayGuard } from './host/decorators.js';

export class RequireHeaderOptions {
  /** The header that must be there, and not empty. */
  @Matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { message: 'must be the name of a header' })
  name!: string;

  /** Values of which it must have one; default: any. */
  @IsOptional()
  @IsString({ each: true })
  values?: string[];

  /** What others are answered: 400, as if the request were malformed, or 403. */
  @IsIn([400, 403])
  status = 400;
}

/** Lets through requests that carry a header. */
@GatewayGuard('require-header', { options: RequireHeaderOptions })
export class RequireHeaderGuard implements CanActivate {
  readonly #name: string;
  readonly #values: ReadonlySet<string> | null;

  constructor(@Inject(GATEWAY_OPTIONS) private readonly options: RequireHeaderOptions) {
    this.#name = options.name.toLowerCase();
    this.#values = options.values ? new Set(options.values) : null;
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const value = headers[this.#name];
    if (typeof value === 'string' && value !== '' && this.#values?.has(value) !== false) return true;
    throw new Refusal(this.options.status === 403 ? 'forbidden' : 'bad_request', {
      detail: `the header ${this.options.name} is required`,
    });
  }
}
