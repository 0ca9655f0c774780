import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { RequestIds } from '../common/request-id.js';
import { systemClock } from '../common/clock.js';
import type { Exchange } from '../exchange/exchange.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Refusal } from '../exchange/refusal.js';
import { ownHeaders } from './own-headers.js';
import { problemDocument, refusalOf } from './problem.js';

/** Makes problem documents of whatever the gateway's own endpoints throw; routes have the writer for that. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #ids = new RequestIds({ trust: false }, systemClock);

  constructor(@Inject(EXCHANGE_LOG) private readonly log: ExchangeLog) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const refusal = refusalOf(thrown);
    if (refusal.reason === 'internal_error') this.log.internalError(null, refusal.cause);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // The admin application has no exchanges.
    const id = (request.exchange as Exchange | null | undefined)?.id ?? this.#ids.newId();
    sendProblem(http.getResponse<FastifyReply>(), refusal, id);
  }
}

/** The answer of an endpoint of the gateway's own. */
export function sendProblem(reply: FastifyReply, refusal: Refusal, id: string): void {
  // Bytes: to a text Fastify would add a charset that this media type does not have (RFC 9457 §6.1).
  const body = Buffer.from(problemDocument(refusal, id));
  void reply
    .status(refusal.getStatus())
    .headers({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...ownHeaders(id),
      ...refusal.headers,
    })
    .send(body);
}
