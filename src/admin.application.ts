import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

import { readJsonBody } from './admin.body.js';
import { AdminModule, type AdminModuleOptions } from './admin.module.js';
import { durationMs } from './common/duration.js';
import { LOG, type Log } from './exchange/event-log.js';
import { NestLogger } from './logging/nest-logger.js';
import { AdminListener } from './proxy/admin-listener.js';
import { OwnPages } from './security-headers/own-pages.js';
import { SecurityHeadersCompiler } from './security-headers/security-headers.compiler.js';
import { TlsListener } from './tls/tls-listener.js';

/** The control plane with its listener. */
export class AdminApplication {
  private constructor(
    readonly app: NestFastifyApplication,
    /** What all its answers carry; follows reloads. */
    readonly pages: OwnPages,
    private readonly tls: TlsListener | null,
  ) {}

  static async create(options: AdminModuleOptions): Promise<AdminApplication> {
    const { admin, server } = options.config;
    const tls = admin.tls && new TlsListener('admin', admin.tls);
    const listener = new AdminListener(server);
    const http = listener.serverOptions();
    const app = await NestFactory.create<NestFastifyApplication>(
      AdminModule.for(options),
      new FastifyAdapter({
        logger: false,
        forceCloseConnections: true,
        // An id in a path may be a url.
        routerOptions: { maxParamLength: 8_192 },
        requestTimeout: http.requestTimeout,
        frameworkErrors: listener.frameworkErrors,
        ...(tls ? { https: { ...http, ...tls.serverOptions(durationMs(server.header_timeout)) } } : { http }),
      } as ConstructorParameters<typeof FastifyAdapter>[0]),
      { bufferLogs: true, abortOnError: false },
    );
    app.useLogger(app.get(NestLogger));
    tls?.attach(app.getHttpServer(), app.get<Log>(LOG, { strict: false }));
    app.useBodyParser('application/json', {}, readJsonBody);
    const pages = new OwnPages(new SecurityHeadersCompiler());
    pages.applied(options);
    pages.attach(app.getHttpAdapter().getInstance());
    listener.attach(app.getHttpAdapter().getInstance());
    listener.defaultHeaders = () => pages.headers;
    return new AdminApplication(app, pages, tls);
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    this.tls?.close();
    await this.app.close();
  }
}
