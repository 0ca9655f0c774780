import { opensslText } from '../common/openssl-text.js';
import type { RouteConfig } from '../config/route.config.js';
import type { ExchangeLog, Log } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Reason } from '../exchange/reasons.js';
import type { Route } from '../exchange/route.js';
import { clip, type Redaction } from './redaction.js';

const STACK_LIMIT = 8 * 1024;

export interface ConfigLoaded {
  readonly file: string;
  readonly version: number;
  readonly routes: number;
  readonly upstreams: number;
}

/** Ids of routes, and names of upstreams, by what the reload did to them; other top-level keys that changed. */
export interface ConfigReloaded {
  readonly version: number;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly document: readonly string[];
}

export interface ShutdownResult {
  /** Exchanges that ended by themselves. */
  readonly drained: number;
  /** Exchanges cut after the grace period. */
  readonly cut: number;
  readonly duration_ms: number;
}

/** A method for each line that no single room owns (docs/logs.md). */
export class GatewayLog implements ExchangeLog {
  constructor(
    private readonly log: Log,
    private readonly redaction: Redaction,
  ) {}

  configLoaded(loaded: ConfigLoaded): void {
    const { file, version, routes, upstreams } = loaded;
    this.log.info({ file, version, routes, upstreams }, 'config loaded');
  }

  routeRegistered(route: Pick<Route, 'id' | 'path' | 'config' | 'upstream'>): void {
    const { id, path, config, upstream } = route;
    const fields = {
      id,
      path,
      methods: config.methods ?? ['*'],
      backends: upstream.backends.length,
      rate_limit: config.rate_limit.length > 0,
      timeout: true,
      ...policiesOf(config),
    };
    this.log.info(fields, 'route registered');
  }

  /** `addr` as host and port: `0.0.0.0:8080`. */
  serverListening(addr: string): void {
    this.log.info({ addr }, 'server listening');
  }

  configReloaded(reloaded: ConfigReloaded): void {
    const { version, added, changed, removed, document } = reloaded;
    this.log.info({ version, added, changed, removed, document }, 'config reloaded');
  }

  /** `version` is the one that stays in force. */
  configReloadFailed(version: number, errors: readonly string[]): void {
    this.log.error({ version, errors }, 'config reload failed');
  }

  shutdownStarted(signal: string, inFlight: number): void {
    this.log.info({ signal, in_flight: inFlight }, 'shutdown started');
  }

  shutdownComplete(result: ShutdownResult): void {
    const { drained, cut, duration_ms } = result;
    this.log.info({ drained, cut, duration_ms }, 'shutdown complete');
  }

  upstreamRequestFailed(
    exchange: Exchange,
    cause: Error,
    reason: Reason | null = exchange.reason,
    attempt = exchange.attempts,
  ): void {
    const fields = {
      backend: exchange.backend && exchange.backend.url,
      ...this.requestFields(exchange),
      attempt,
      reason,
      err: errorText(cause),
      request_id: exchange.id,
    };
    this.log.error(fields, 'upstream request failed');
    this.requestHeaders(exchange);
  }

  internalError(exchange: Exchange | null, cause: unknown): void {
    const fields = {
      ...(exchange && { request_id: exchange.id, ...this.requestFields(exchange) }),
      err: errorText(cause),
      stack: cause instanceof Error && cause.stack ? clip(cause.stack, STACK_LIMIT) : null,
    };
    this.log.error(fields, 'internal error');
    if (exchange !== null) this.requestHeaders(exchange);
  }

  /** What the client sent, for whoever looks for the cause; nothing of it is made while `debug` is off. */
  private requestHeaders({ id, head }: Exchange): void {
    const { redaction } = this;
    const fields = {
      request_id: id,
      get headers(): object {
        return redaction.redactHeaders(head.rawHeaders);
      },
    };
    this.log.debug(fields, 'request headers');
  }

  private requestFields({ head, route }: Exchange): object {
    return {
      method: clip(head.method),
      path: clip(this.redaction.redactTarget(head.target)),
      route: route && route.id,
    };
  }
}

/** The policies of a route that are on, beside those every line shows. */
function policiesOf(config: Readonly<RouteConfig>): object {
  return {
    ...(config.strip_prefix && { strip_prefix: true }),
    ...(config.rewrite && { rewrite: true }),
    ...(config.split && { split: config.split.map((share) => share.upstream) }),
    ...(config.mirror && { mirror: config.mirror.upstream }),
    ...(config.retry && { retry: true }),
    ...(config.auth !== 'none' && { auth: config.auth }),
    ...(config.ip && { ip: true }),
    ...(config.cors && { cors: true }),
    ...(config.cache && { cache: true }),
    ...(config.validate && { validate: true }),
    ...(config.compression && { compression: true }),
    ...(config.guards.length > 0 && { guards: config.guards.map((guard) => guard.name) }),
    ...(config.interceptors.length > 0 && { interceptors: config.interceptors.map((use) => use.name) }),
  };
}

/** Node leaves the message of an error over several addresses empty; then its code says more. */
function errorText(cause: unknown): string {
  if (!(cause instanceof Error)) return clip(String(cause));
  const { code } = cause as NodeJS.ErrnoException;
  return clip(opensslText(cause) ?? (cause.message || code || cause.name));
}
