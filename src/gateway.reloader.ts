import type { Server } from 'node:http';

import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { ConfigError } from './config/errors.js';
import type { GatewayConfig } from './config/gateway.config.js';
import { restartOnlyIssues } from './config/restart-only.js';
import { GatewayLog } from './logging/gateway-log.js';
import { adjustListener } from './proxy/listener.js';
import { snapshotDiff } from './routing/snapshot-diff.js';
import { SnapshotService } from './routing/snapshot.service.js';

/** Reads the document again. Throws or rejects when it does not hold. */
export type Load = () => GatewayConfig | Promise<GatewayConfig>;

/** Applies documents to the running gateway: all or nothing. A composition root, as it asks every room. */
@Injectable()
export class Reloader {
  #running: Promise<unknown> = Promise.resolve();
  #waiting: Promise<boolean> | null = null;
  #stopped = false;

  constructor(
    private readonly snapshots: SnapshotService,
    private readonly log: GatewayLog,
    private readonly host: HttpAdapterHost,
  ) {}

  /**
   * Reloads one after the other. Whoever asks while another waits for its turn gets that one: the document is read
   * when the turn comes, so the last change wins, and a thousand signals are two reloads.
   */
  reload(load: Load): Promise<boolean> {
    this.#waiting ??= this.#afterOthers(load);
    return this.#waiting;
  }

  /** From now on documents are refused, the one that is being read too. */
  stop(): void {
    this.#stopped = true;
  }

  #afterOthers(load: Load): Promise<boolean> {
    const reloaded = this.#running.then(() => {
      this.#waiting = null;
      return this.#reload(load);
    });
    this.#running = reloaded;
    return reloaded;
  }

  async #reload(load: Load): Promise<boolean> {
    const before = this.snapshots.current;
    try {
      this.#refuseStopped();
      const config = await load();
      this.#refuseStopped();
      refuseRestartOnly(before.config, config);
      const after = await this.snapshots.apply(config);
      adjustListener(this.host.httpAdapter.getHttpServer() as Server, config.server);
      this.snapshots.lastReloadSuccessful = true;
      this.log.configReloaded({ version: after.version, ...snapshotDiff(before, after) });
      return true;
    } catch (error) {
      this.snapshots.lastReloadSuccessful = false;
      this.log.configReloadFailed(before.version, errorLines(error));
      return false;
    }
  }

  #refuseStopped(): void {
    if (this.#stopped) throw new Error('the gateway is stopping');
  }
}

function refuseRestartOnly(before: Readonly<GatewayConfig>, after: Readonly<GatewayConfig>): void {
  const issues = restartOnlyIssues(before, after);
  if (issues.length > 0) throw new ConfigError(issues);
}

function errorLines(error: unknown): string[] {
  if (error instanceof ConfigError) return error.issues.map(String);
  return [error instanceof Error ? error.message : String(error)];
}
