import type { Logger } from 'pino';

import type { ApiKeysConfig } from '../config/auth.config.js';
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
    this.use(config.logging, config.auth.api_keys);
  }

  /** Where API keys come in is a secret whatever `redact_headers` and `redact_query` say. */
  use(config: Readonly<LoggingConfig>, keys: Readonly<ApiKeysConfig> | null = null): void {
    this.logger.level = config.level;
    this.redaction.use({
      redact_headers: [...config.redact_headers, ...(keys ? [keys.header] : [])],
      redact_query: [...config.redact_query, ...(keys?.query ? [keys.query] : [])],
    });
    this.accessLog.enabled = config.access_log && this.logger.isLevelEnabled('info');
  }
}
