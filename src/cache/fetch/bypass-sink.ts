import { PassingSink } from '../../exchange/passing-sink.js';
import type { ResponseSink, UpstreamHead } from '../../exchange/response.js';
import { forwardedStatus, markForwarded } from '../answer/cache-status.js';
import type { Forwarded } from '../asked.js';

/** An answer that the store has nothing to do with. */
export class BypassSink extends PassingSink {
  constructor(
    sink: ResponseSink,
    private readonly fwd: Forwarded,
  ) {
    super(sink);
  }

  override head(head: UpstreamHead): void {
    markForwarded(head.headers, forwardedStatus(this.fwd, false), 'BYPASS');
    super.head(head);
  }
}
