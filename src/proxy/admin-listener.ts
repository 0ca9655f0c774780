import { METHODS, type ServerOptions } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { systemClock } from '../common/clock.js';
import { durationMs } from '../common/duration.js';
import { RequestIds } from '../common/request-id.js';
import { sizeBytes } from '../common/size.js';
import type { ServerConfig } from '../config/server.config.js';
import type { DefaultHeaders } from '../exchange/default-headers.js';
import { Refusal } from '../exchange/refusal.js';
import { connectionOf } from './client-connection.js';
import { checkReceived } from './head-checks.js';
import { OwnRoutes } from './own-routes.js';
import { ParserRefusals } from './parser-refusals.js';
import { sendProblem } from './problem.filter.js';
import { refusalOf } from './problem.js';
import { ScannedHead } from './request-head.js';
import { takeOver } from './server-events.js';

/** How often node looks for requests that take too long, in milliseconds. */
const CHECK_MS = 250;

/**
 * The admin port in front of its application: as strict with requests as the data port, with the bounds that the
 * document gave that one at the start, and with problem documents for what node or Fastify would answer by themselves.
 */
export class AdminListener {
  /** What answers carry that come from in front of the application. */
  defaultHeaders: () => DefaultHeaders | null = () => null;
  readonly #ids = new RequestIds({ trust: false }, systemClock);
  readonly #routes = new OwnRoutes();

  constructor(private readonly config: Readonly<ServerConfig>) {}

  /** Options of its http or https server. */
  serverOptions(): ServerOptions {
    const head = durationMs(this.config.header_timeout);
    return {
      maxHeaderSize: sizeBytes(this.config.max_header_size),
      headersTimeout: head,
      // Bodies are small here, so one bound for the whole request does.
      requestTimeout: head + durationMs(this.config.body_timeout),
      connectionsCheckingInterval: CHECK_MS,
      requireHostHeader: false,
    };
  }

  /** What Fastify's router cannot read gets to no hook. */
  readonly frameworkErrors = (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const malformed = new Refusal('bad_request', { detail: 'the request target is malformed' });
    this.#enter(request, reply, (refusal = malformed) => sendProblem(reply, refusal, this.#ids.newId()));
  };

  /** To be called before the application's routes are registered. */
  attach(fastify: FastifyInstance): void {
    for (const method of METHODS) {
      if (!fastify.supportedMethods.includes(method) && method !== 'CONNECT') fastify.addHttpMethod(method);
    }
    this.#routes.collect(fastify);
    fastify.addHook('onRequest', (request, reply, done) => this.#enter(request, reply, done));
    const refusals = new ParserRefusals({
      refusedByParser: () => ({ id: this.#ids.newId(), defaultHeaders: this.defaultHeaders() }),
    });
    takeOver(fastify.server, refusals);
  }

  #enter(request: FastifyRequest, reply: FastifyReply, go: (refusal?: Refusal) => void): void {
    const client = connectionOf(request.raw.socket);
    // Behind the last request of a connection stands nobody's message.
    if (!client.admit(reply.raw)) return void reply.hijack();
    client.addOwn(request.raw, reply.raw, durationMs(this.config.body_timeout));
    try {
      const head = new ScannedHead(request.raw, client).scan('');
      // After that nobody knows whether the body still comes.
      if (head.expect !== null && head.expect.toLowerCase() !== '100-continue') client.endWith(reply.raw);
      const received = { head, request: request.raw, response: reply.raw, client };
      checkReceived(received, sizeBytes(this.config.max_uri_length));
    } catch (error) {
      return go(refusalOf(error));
    }
    go(request.is404 ? this.#routes.refusalAt(request.url.split('?', 1)[0]!) : undefined);
  }
}
