import 'reflect-metadata';

import type { AddressInfo } from 'node:net';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DestinationStream } from 'pino';

import { AdminApplication } from './admin.application.js';
import { ConfiguredCacheStores } from './cache/stores/configured-stores.js';
import { JwtAuthenticators } from './auth/jwt/jwt-authenticators.js';
import { durationMs } from './common/duration.js';
import type { GatewayConfig } from './config/gateway.config.js';
import type { ShutdownConfig } from './config/server.config.js';
import { DataApplication } from './data.application.js';
import type { GatewayControl } from './exchange/gateway-control.js';
import type { SnapshotListener } from './exchange/snapshot.js';
import type { ExtensionRegistry } from './extensions/host/extension-registry.js';
import { ExtensionUses } from './extensions/host/extension-uses.js';
import { ownExtensions } from './extensions/host/load-extensions.js';
import { type Load, Reloader } from './gateway.reloader.js';
import { GatewayState } from './gateway.state.js';
import { HealthMonitor } from './health/health-monitor.js';
import { GatewayLog } from './logging/gateway-log.js';
import { LogSettings } from './logging/log-settings.js';
import { type LogOutput, openOutput } from './logging/output.js';
import { EXCHANGE_METRICS } from './metrics/metrics.module.js';
import { ActiveExchanges } from './proxy/active-exchanges.js';
import { RetryCounts } from './proxy/attempts/retry-counts.js';
import { Deadlines } from './proxy/deadlines.js';
import { MirrorCounts } from './proxy/mirror/mirror-counts.js';
import { WebSocketSlots } from './proxy/upgrade/websocket-slots.js';
import { RateLimitGuardFactory } from './rate-limit/rate-limit.guard-factory.js';
import { ConfiguredRedisConnections } from './redis/redis-connections.js';
import { SnapshotService } from './routing/snapshot.service.js';

export interface StartOptions {
  /** Instead of the document's; 0 = any free port. */
  readonly port?: number;
  readonly adminPort?: number;
  /** Where the document was read from. */
  readonly file?: string;
  readonly logDestination?: DestinationStream;
  /** What the document's guards and interceptors are. Default: those that come with the gateway. */
  readonly extensions?: ExtensionRegistry;
  /** Reads the document again for `reload`. Throws or rejects with a ConfigError that says what is wrong with it. */
  readonly load?: Load;
}

export interface RunningGateway {
  /** Base url of the data port, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Null when the admin application is off. */
  readonly adminUrl: string | null;
  readonly control: GatewayControl;
  /**
   * Reads the document again and applies it whole. When it does not hold, that is logged, the snapshot in force
   * serves on, and the result is false.
   */
  reload(): Promise<boolean>;
  /** Drains and stops, as the document's `server.shutdown` says. */
  stop(signal?: string): Promise<void>;
  /** Stops at once. */
  kill(): Promise<void>;
}

/** Builds and opens both applications. Rejects when a port can't be opened; nothing stays open then. */
export async function startGateway(
  config: GatewayConfig,
  options: StartOptions = {},
): Promise<RunningGateway> {
  const gateway = await Gateway.create(config, options);
  try {
    await gateway.open();
  } catch (error) {
    await gateway.kill();
    throw error;
  }
  return gateway;
}

class Gateway implements RunningGateway {
  url = '';
  port = 0;
  adminUrl: string | null = null;
  #admin: AdminApplication | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(
    readonly config: GatewayConfig,
    readonly options: StartOptions,
    readonly data: DataApplication,
    readonly state: GatewayState,
  ) {}

  static async create(config: GatewayConfig, options: StartOptions): Promise<Gateway> {
    const data = await DataApplication.create({
      config,
      file: options.file ?? '',
      logOutput: outputOf(config, options),
      extensions: options.extensions ?? ownExtensions(),
    });
    return new Gateway(config, options, data, data.app.get(GatewayState));
  }

  get app(): NestFastifyApplication {
    return this.data.app;
  }

  get control(): GatewayControl {
    return this.state;
  }

  async open(): Promise<void> {
    const { app, config, options } = this;
    await app.init();
    await this.#applyFirst();
    await app.listen(options.port ?? config.server.port, config.server.host);
    const address = app.getHttpServer().address() as AddressInfo;
    this.port = address.port;
    this.url = urlOf(address, config.server.tls !== null);
    await this.#openAdmin();
    this.state.listening = true;
    app.get(GatewayLog).serverListening(`${config.server.host}:${address.port}`);
  }

  reload(): Promise<boolean> {
    return this.app.get(Reloader).reload(this.options.load ?? (() => this.config));
  }

  stop(signal = 'stop'): Promise<void> {
    return (this.#stopped ??= this.#drain(signal));
  }

  async kill(): Promise<void> {
    this.app.get(Reloader).stop();
    this.app.get(ActiveExchanges).cut();
    await this.#close();
  }

  async #applyFirst(): Promise<void> {
    const snapshots = this.app.get(SnapshotService);
    for (const listener of this.#listeners()) snapshots.subscribe(listener);
    const log = this.app.get(GatewayLog);
    const { version, routes, upstreams } = await snapshots.apply(this.config);
    const file = this.options.file ?? '';
    log.configLoaded({ file, version, routes: routes.length, upstreams: upstreams.size });
    for (const route of routes) log.routeRegistered(route);
  }

  #listeners(): SnapshotListener[] {
    const metrics = this.app.get<SnapshotListener | null>(EXCHANGE_METRICS, { strict: false });
    const listeners = [
      this.data,
      this.app.get(LogSettings, { strict: false }),
      this.app.get(ExtensionUses, { strict: false }),
      this.app.get(HealthMonitor),
      this.app.get(RateLimitGuardFactory, { strict: false }),
      this.app.get(JwtAuthenticators, { strict: false }),
      this.app.get(WebSocketSlots, { strict: false }),
      this.app.get(RetryCounts, { strict: false }),
      this.app.get(MirrorCounts, { strict: false }),
      this.app.get(ConfiguredCacheStores, { strict: false }),
      this.app.get(ConfiguredRedisConnections, { strict: false }),
    ];
    return metrics ? [...listeners, metrics] : listeners;
  }

  async #openAdmin(): Promise<void> {
    const { config, options } = this;
    if (!config.admin.enabled) return;
    this.#admin = await AdminApplication.create({
      config,
      control: this.state,
      logOutput: outputOf(config, options),
    });
    const { app, pages } = this.#admin;
    const snapshots = this.app.get(SnapshotService);
    snapshots.subscribe(app.get(LogSettings, { strict: false }));
    snapshots.subscribe(pages);
    await app.listen(options.adminPort ?? config.admin.port, config.admin.host);
    this.adminUrl = urlOf(app.getHttpServer().address() as AddressInfo, config.admin.tls !== null);
  }

  async #drain(signal: string): Promise<void> {
    const started = performance.now();
    const { delay, grace_period } = this.#shutdown();
    const active = this.app.get(ActiveExchanges);
    const log = this.app.get(GatewayLog);
    const endedBefore = active.ended;
    this.state.listening = false;
    this.app.get(Reloader).stop();
    log.shutdownStarted(signal, active.size);
    if (durationMs(delay) > 0) await new Promise((resolve) => setTimeout(resolve, durationMs(delay)));
    active.draining = true;
    this.app.get(HealthMonitor).stop();
    const server = this.app.getHttpServer();
    server.close();
    const cut = await active.drain(durationMs(grace_period));
    // Those count too that came after the signal, over connections that were open.
    const drained = active.ended - endedBefore;
    active.cut();
    log.shutdownComplete({
      drained,
      cut,
      duration_ms: Math.round(performance.now() - started),
    });
    await this.#close();
  }

  /** A reload may have changed it. */
  #shutdown(): Readonly<ShutdownConfig> {
    const snapshots = this.app.get(SnapshotService);
    const { server } = snapshots.configVersion > 0 ? snapshots.current.config : this.config;
    return server.shutdown;
  }

  async #close(): Promise<void> {
    await this.#admin?.close();
    this.app.get(Deadlines, { strict: false }).stop();
    await this.data.close();
  }
}

function outputOf(config: GatewayConfig, { logDestination }: StartOptions): LogOutput {
  if (logDestination === undefined) return openOutput(config.logging);
  if ('flushSync' in logDestination) return logDestination as LogOutput;
  return {
    write: (line) => void logDestination.write(line),
    flush: () => Promise.resolve(),
    flushSync: () => {},
  };
}

function urlOf(address: AddressInfo, tls: boolean): string {
  return `${tls ? 'https' : 'http'}://${reachable(address)}:${address.port}`;
}

/** An address that a client on this machine can use. */
function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return family === 'IPv6' ? `[${address}]` : address;
}
