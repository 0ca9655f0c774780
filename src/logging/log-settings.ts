import type { Logger } from 'pino';

import type { LoggingConfig } from '../config/observability.config.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import type { AccessLog } from './access-log.js';
import type { Redaction } from './redaction.js';

/** What of an application's log a reload may change. */
export class LogSettings implements SnapshotListener {
  constructor(
    private readonly logger: Pick<Logger, 'level' | 'isLevelEnabled'>,
    private readonly redaction: Redaction,
    private readonly accessLog: AccessLog,
  ) {}

  applied({ config }: Pick<Snapshot, 'config'>): void {
    this.use(config.logging);
  }

  use(config: Readonly<LoggingConfig>): void {
    this.logger.level = config.level;
    this.redaction.use(config);
    this.accessLog.enabled = config.access_log && this.logger.isLevelEnabled('info');
  }
}
