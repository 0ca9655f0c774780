import { STATUS_CODES } from 'node:http';

import { HttpException } from '@nestjs/common';

import { REASONS, type AnswerReason } from './reasons.js';

export interface RefusalOptions {
  /** One sentence for the client; nothing internal. Default: the reason's short text. */
  readonly detail?: string | undefined;
  /** Headers of the answer (`Allow`, `Retry-After`, …). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Further members of the problem document (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** For an extension's own status; default: the reason's. */
  readonly status?: number | undefined;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** The gateway's own "no": guards and stages throw it, and the writer alone turns it into an answer. */
export class Refusal extends HttpException {
  readonly title: string;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    readonly reason: AnswerReason,
    options: RefusalOptions = {},
  ) {
    const { status, error } = REASONS[reason];
    super(error, options.status ?? status, { cause: options.cause });
    const foreign = options.status !== undefined && options.status !== status;
    this.title = foreign ? (STATUS_CODES[options.status]?.toLowerCase() ?? error) : error;
    this.detail = options.detail ?? this.title;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** There is no place at the moment. */
export function overloaded(): Refusal {
  return new Refusal('overloaded', { headers: { 'Retry-After': '1' } });
}
