import { Inject, Injectable } from '@nestjs/common';

import { LOG, type Log } from '../../exchange/event-log.js';

/** What is to be told of places where keys come from; each once a change. */
export interface KeySetEvents {
  /** `keys`: how many are still known from before. */
  unavailable(source: string, cause: unknown, keys: number): void;
  recovered(source: string): void;
}

/** The lines about keys. */
@Injectable()
export class LogKeySetEvents implements KeySetEvents {
  constructor(@Inject(LOG) private readonly log: Log) {}

  unavailable(source: string, cause: unknown, keys: number): void {
    const err = cause instanceof Error ? cause.message : String(cause);
    this.log.warn(
      { source, err, keys },
      keys === 0 ? 'token verification unavailable' : 'key set unavailable',
    );
  }

  recovered(source: string): void {
    this.log.info({ source }, 'key set recovered');
  }
}
