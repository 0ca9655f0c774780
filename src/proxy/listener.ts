import { METHODS } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

import { durationMs } from '../common/duration.js';
import { sizeBytes } from '../common/size.js';
import type { ServerConfig } from '../config/server.config.js';
import { CONNECTION_GAUGE, type ConnectionGauge } from '../exchange/telemetry.js';
import { OwnRoutes } from './own-routes.js';
import { ParserRefusals } from './parser-refusals.js';
import { takeOver } from './server-events.js';
import { acceptUpgrade, shouldUpgrade } from './upgrade/accept-upgrade.js';

/** How often node looks for heads that take too long, in milliseconds; its own default is 30 s. */
const HEAD_CHECK_MS = 250;

/**
 * Options of the data port's Fastify that only the constructor takes.
 * @param tls null = plain HTTP
 */
export function fastifyOptions(server: Readonly<ServerConfig>, tls: TlsOptions | null): FastifyDataOptions {
  const http: ServerOptions = {
    maxHeaderSize: sizeBytes(server.max_header_size),
    headersTimeout: durationMs(server.header_timeout),
    connectionsCheckingInterval: HEAD_CHECK_MS,
    // Ours is a problem document (RFC 9112 §3.2 wants the 400, not this body).
    requireHostHeader: false,
    noDelay: true,
    // The stream of a request without a body is ended from the start: its events cost and tell nobody anything.
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: shouldUpgrade,
  };
  return {
    logger: false,
    // The answer while closing is the gateway's own business: in-flight and own endpoints go on.
    return503OnClosing: false,
    forceCloseConnections: false,
    exposeHeadRoutes: true,
    requestTimeout: 0,
    keepAliveTimeout: durationMs(server.keep_alive_timeout),
    ...(tls === null ? { http } : { https: { ...http, ...tls } }),
  };
}

export interface FastifyDataOptions {
  readonly logger: false;
  readonly return503OnClosing: false;
  readonly forceCloseConnections: false;
  readonly exposeHeadRoutes: true;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly http?: ServerOptions;
  readonly https?: ServerOptions & TlsOptions;
}

/** Ties the data port to the entry: what node or Fastify would answer by itself is the gateway's too. */
@Injectable()
export class Listener {
  /** The endpoints of the gateway's own. */
  readonly ownRoutes = new OwnRoutes();

  constructor(
    private readonly parserRefusals: ParserRefusals,
    @Inject(CONNECTION_GAUGE) private readonly gauge: ConnectionGauge,
  ) {}

  /** To be called before the application's routes are registered. */
  attach(fastify: FastifyInstance): void {
    for (const method of METHODS) {
      if (!fastify.supportedMethods.includes(method) && method !== 'CONNECT') fastify.addHttpMethod(method);
    }
    this.ownRoutes.collect(fastify);
    fastify.removeAllContentTypeParsers();
    // The gateway's own endpoints read no bodies.
    fastify.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    fastify.decorateRequest('exchange', null as never);
    this.#listen(fastify.server);
    fastify.server.on('upgrade', (request, socket: Socket, head: Buffer) =>
      fastify.server.emit('request', request, acceptUpgrade(request, socket, head)),
    );
  }

  #listen(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.gauge.opened();
      socket.once('close', () => this.gauge.closed());
    });
    takeOver(server, this.parserRefusals);
    // An ordinary request to the entry, which decides before a byte of body is asked for.
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
  }
}

/** Takes over the listener settings that a reload may change. */
export function adjustListener(server: Server, config: Readonly<ServerConfig>): void {
  server.headersTimeout = durationMs(config.header_timeout);
  server.keepAliveTimeout = durationMs(config.keep_alive_timeout);
}
