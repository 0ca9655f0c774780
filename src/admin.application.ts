import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

import { AdminModule, type AdminModuleOptions } from './admin.module.js';
import { durationMs } from './common/duration.js';
import { LOG, type Log } from './exchange/event-log.js';
import { NestLogger } from './logging/nest-logger.js';
import { TlsListener } from './tls/tls-listener.js';

/** The control plane with its listener. */
export class AdminApplication {
  private constructor(
    readonly app: NestFastifyApplication,
    private readonly tls: TlsListener | null,
  ) {}

  static async create(options: AdminModuleOptions): Promise<AdminApplication> {
    const { admin, server } = options.config;
    const tls = admin.tls && new TlsListener('admin', admin.tls);
    const app = await NestFactory.create<NestFastifyApplication>(
      AdminModule.for(options),
      new FastifyAdapter({
        logger: false,
        forceCloseConnections: true,
        // An id in a path may be a url.
        routerOptions: { maxParamLength: 8_192 },
        ...(tls && { https: tls.serverOptions(durationMs(server.header_timeout)) }),
      } as ConstructorParameters<typeof FastifyAdapter>[0]),
      { bufferLogs: true, abortOnError: false },
    );
    app.useLogger(app.get(NestLogger));
    tls?.attach(app.getHttpServer(), app.get<Log>(LOG, { strict: false }));
    return new AdminApplication(app, tls);
  }

  /** Ends all connections at once. */
  async close(): Promise<void> {
    this.tls?.close();
    await this.app.close();
  }
}
