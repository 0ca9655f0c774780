import { HttpException } from '@nestjs/common';

import { REASONS, type AnswerReason } from './reasons.js';

export interface RefusalOptions {
  /** One sentence for the client; nothing internal. Default: the reason's short text. */
  readonly detail?: string;
  /** Headers of the answer (`Allow`, `Retry-After`, …). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** The gateway's own "no": guards and stages throw it, and the writer alone turns it into an answer. */
export class Refusal extends HttpException {
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    readonly reason: AnswerReason,
    options: RefusalOptions = {},
  ) {
    super(REASONS[reason].error, REASONS[reason].status, { cause: options.cause });
    this.detail = options.detail ?? REASONS[reason].error;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}
