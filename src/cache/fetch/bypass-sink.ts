import { PassingSink } from '../../exchange/passing-sink.js';
import type { ResponseSink, UpstreamHead } from '../../exchange/response.js';
import { forwardedStatus } from '../answer/cache-status.js';
import type { Forwarded } from '../asked.js';
import { removeLines } from '../fields/lines.js';

const X_CACHE: ReadonlySet<string> = new Set(['x-cache']);

/** An answer that the store has nothing to do with. */
export class BypassSink extends PassingSink {
  constructor(
    sink: ResponseSink,
    private readonly fwd: Forwarded,
  ) {
    super(sink);
  }

  override head(head: UpstreamHead): void {
    removeLines(head.headers, X_CACHE);
    head.headers.push('Cache-Status', forwardedStatus(this.fwd, false), 'X-Cache', 'BYPASS');
    super.head(head);
  }
}
