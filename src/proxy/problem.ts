import { HttpException } from '@nestjs/common';

import { REASONS, type AnswerReason } from '../exchange/reasons.js';
import { Refusal } from '../exchange/refusal.js';

/** The problem document of a refusal (RFC 9457 §3), as JSON text. */
export function problemDocument(refusal: Refusal, instance: string): string {
  return JSON.stringify({
    type: `urn:nexus-gateway:error:${refusal.reason}`,
    title: refusal.title,
    status: refusal.getStatus(),
    detail: refusal.detail,
    instance,
    code: refusal.reason,
    error: refusal.title,
    ...refusal.members,
  });
}

/**
 * What a guard, an interceptor or a stage threw, as the gateway answers it: its own refusals as they are, Nest's
 * exceptions by their status, anything else as a fault that tells the client nothing.
 */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof HttpException) return fromHttpException(thrown);
  return new Refusal('internal_error', { cause: thrown });
}

function fromHttpException(thrown: HttpException): Refusal {
  const status = thrown.getStatus();
  const reason = BY_STATUS.get(status) ?? (status >= 500 ? 'internal_error' : 'forbidden');
  return new Refusal(reason, { status, detail: status < 500 ? thrown.message : undefined, cause: thrown });
}

/** The plainest reason of each status. */
const BY_STATUS: ReadonlyMap<number, AnswerReason> = new Map(
  (
    [
      'bad_request',
      'missing_token',
      'forbidden',
      'route_not_found',
      'method_not_allowed',
      'request_timeout',
      'payload_too_large',
      'uri_too_long',
      'unsupported_media_type',
      'expectation_failed',
      'rate_limited',
      'header_too_large',
      'internal_error',
      'not_implemented',
      'upstream_unavailable',
      'overloaded',
      'upstream_timeout',
    ] as const
  ).map((reason) => [REASONS[reason].status, reason]),
);
