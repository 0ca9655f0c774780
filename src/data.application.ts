import type { IncomingMessage, ServerResponse } from 'node:http';

import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import { durationMs } from './common/duration.js';
import { ALLOW_FROM, AllowFromGuard } from './exchange/allow-from.guard.js';
import { LOG, type Log } from './exchange/event-log.js';
import type { Exchange, Framework } from './exchange/exchange.js';
import type { Refusal } from './exchange/refusal.js';
import type { Snapshot, SnapshotListener } from './exchange/snapshot.js';
import { CONNECTION_GAUGE, type ConnectionGauge } from './exchange/telemetry.js';
import { GatewayModule, type GatewayModuleOptions } from './gateway.module.js';
import { NestLogger } from './logging/nest-logger.js';
import { GatewayEntry } from './proxy/gateway-entry.js';
import { fastifyOptions, Listener } from './proxy/listener.js';
import type { OwnRoutes } from './proxy/own-routes.js';
import { TlsListener } from './tls/tls-listener.js';

/** The data plane with its listener: Nest's application behind the Fastify that takes its requests. */
export class DataApplication implements SnapshotListener {
  private constructor(
    readonly app: NestFastifyApplication,
    private readonly tls: TlsListener | null,
  ) {}

  static async create(options: GatewayModuleOptions): Promise<DataApplication> {
    const { server } = options.config;
    const tls = server.tls && new TlsListener('data', server.tls);
    const port = new DataPort(
      fastifyOptions(server, tls && tls.serverOptions(durationMs(server.header_timeout))),
    );
    const app = await NestFactory.create<NestFastifyApplication>(
      GatewayModule.for(options),
      adapterOf(port.fastify),
      { bodyParser: false, bufferLogs: true, abortOnError: false },
    );
    app.useLogger(app.get(NestLogger));
    port.open(app);
    const gauge = app.get<ConnectionGauge>(CONNECTION_GAUGE, { strict: false });
    tls?.attach(app.getHttpServer(), app.get<Log>(LOG, { strict: false }), () => gauge.handshakeFailed());
    return new DataApplication(app, tls);
  }

  applied({ config }: Snapshot): void {
    if (config.server.tls !== null) this.tls?.use(config.server.tls);
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    this.tls?.close();
    this.app.getHttpServer().closeAllConnections();
    await this.app.close();
  }
}

/**
 * The gateway's entry with Fastify behind it. Fastify gets what is for the gateway's own endpoints, and makes the
 * request and the reply that guards and interceptors see; what needs neither does without it.
 */
class DataPort implements Framework {
  readonly fastify: FastifyInstance;
  #entry: GatewayEntry | null = null;
  #own: OwnEndpoints | null = null;
  /** What Fastify's first hook does with the request that is handed to it now. */
  #step: Step | null = null;

  constructor(options: ReturnType<typeof fastifyOptions>) {
    const settings = {
      ...options,
      // A target that Fastify's router can't read is the entry's to judge, like any other.
      frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
        this.#entered(request, reply, () => void reply.status(404).send()),
    };
    // The types of the two kinds of server differ in nothing that is used here.
    this.fastify = fastify(settings as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
    // Before the hooks that Nest adds: they cost each request, and one of them answers some itself.
    this.fastify.addHook('onRequest', (request, reply, done) => this.#entered(request, reply, done));
  }

  open(app: NestFastifyApplication): void {
    this.#entry = app.get(GatewayEntry, { strict: false });
    const listener = app.get(Listener, { strict: false });
    listener.attach(this.fastify);
    this.#own = new OwnEndpoints(listener.ownRoutes, app.get(ALLOW_FROM));
    const { server } = this.fastify;
    server.removeAllListeners('request');
    server.on('request', (raw: IncomingMessage, response: ServerResponse) => this.#take(raw, response));
  }

  show(exchange: Exchange): void {
    this.#toFastify(exchange.raw!, exchange.response!, (request, reply) => {
      reply.hijack();
      introduce(exchange, asExchange(request, exchange), Object.assign(reply, REFUSED));
    });
  }

  #take(raw: IncomingMessage, response: ServerResponse): void {
    let step: Step;
    try {
      const own = this.#entry!.enter(raw, response, this);
      if (own === null) return;
      step = this.#answering(own);
    } catch (error) {
      step = (_request, reply) => void reply.send(error);
    }
    this.#toFastify(raw, response, step);
  }

  /** Fastify calls its first hook, and with it the step, before `routing` returns. */
  #toFastify(raw: IncomingMessage, response: ServerResponse, step: Step): void {
    this.#step = step;
    try {
      this.fastify.routing(raw, response);
    } finally {
      this.#step = null;
    }
  }

  #entered(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const step = this.#step ?? this.#unseen;
    this.#step = null;
    step(request, reply, done);
  }

  /** A second address of `localhost` has a server of Fastify's own: its requests come this way alone. */
  readonly #unseen: Step = (request, reply, done) => {
    const own = this.#entry?.enter(request.raw, reply.raw, this);
    if (own) this.#answering(own)(request, reply, done);
    else reply.hijack();
  };

  /** One of the gateway's own endpoints answers. */
  #answering(exchange: Exchange): Step {
    return (request, reply, done) => {
      introduce(exchange, request, reply);
      this.#entry!.leave(exchange, reply);
      done(this.#own?.refusal(request));
    };
  }
}

type Done = (error?: Error) => void;
type Step = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

function introduce(exchange: Exchange, request: FastifyRequest, reply: FastifyReply): void {
  request.exchange = exchange;
  exchange.shownAs(request, reply);
}

/** What Fastify knows of a request is the exchange's: the client behind its proxies, the route's own parameters. */
function asExchange(request: FastifyRequest, { id, clientIp, params }: Exchange): FastifyRequest {
  // Fastify reads no query of a target that its own router cannot read.
  Object.assign(request, { id, params, query: request.query ?? {} });
  return Object.defineProperty(request, 'ip', { value: clientIp });
}

const WRITING = ['code', 'header', 'headers', 'redirect', 'removeHeader', 'send', 'status', 'type'];

/** The gateway alone writes the answer: what a guard said to the reply would be lost without a word. */
const REFUSED = Object.fromEntries(
  WRITING.map((method) => [
    method,
    () => {
      throw new TypeError(
        `reply.${method}() changes nothing here: use exchange.responseHeaders, throw a Refusal, or answer in an interceptor`,
      );
    },
  ]),
);

/** What the gateway's own endpoints on the data port say to methods that they don't take. */
class OwnEndpoints {
  readonly #readers: AllowFromGuard;

  constructor(
    private readonly routes: OwnRoutes,
    allowFrom: readonly string[],
  ) {
    this.#readers = new AllowFromGuard(allowFrom);
  }

  refusal(request: FastifyRequest): Refusal | undefined {
    if (!request.is404) return undefined;
    const path = request.exchange.path ?? '';
    // Those who may not read the others are not told that they exist.
    const open = path === '/' || path === '/health' || path.startsWith('/health/');
    return open || this.#readers.allows(request) ? this.routes.refusalAt(path) : undefined;
  }
}

/**
 * Nest's adapter without its `onResponse` hook. It does nothing until an application sets one, but its presence makes
 * Fastify watch the end of every response, proxied ones too.
 */
function adapterOf(server: FastifyInstance): FastifyAdapter {
  const addHook: FastifyInstance['addHook'] = server.addHook.bind(server);
  server.addHook = ((name: string, ...rest: unknown[]) =>
    name === 'onResponse' ? server : Reflect.apply(addHook, server, [name, ...rest])) as typeof addHook;
  const adapter = new FastifyAdapter(server as never);
  server.addHook = addHook;
  return adapter;
}
