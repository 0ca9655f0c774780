import { durationMs } from '../../common/duration.js';
import { sizeBytes } from '../../common/size.js';
import type { RouteConfig } from '../../config/route.config.js';
import type { Upstream } from '../../exchange/upstream.js';
import { MirrorCopy, type Original } from './mirror-copy.js';
import type { MirrorHost, MirrorSettings } from './mirror-host.js';

/** Which exchanges of a route are copied, and where to. */
export class MirrorPlan implements MirrorSettings {
  readonly maxBody: number;
  readonly timeoutMs: number;
  readonly #percent: number;

  constructor(
    config: Readonly<RouteConfig>,
    readonly upstream: Upstream,
    readonly host: MirrorHost,
    /** From 0 to below 1. */
    private readonly random: () => number,
  ) {
    const { percent, max_body } = config.mirror!;
    this.#percent = percent;
    this.maxBody = sizeBytes(max_body);
    this.timeoutMs = durationMs(config.timeout);
  }

  /** null: this exchange is not copied. */
  copyOf(original: Original): MirrorCopy | null {
    // Forwarded before, and now again by an interceptor: one exchange has one copy.
    if (original.exchange.attempts > 0) return null;
    if (original.head.contentLength > this.maxBody) return null;
    if (this.#percent < 100 && this.random() * 100 >= this.#percent) return null;
    return new MirrorCopy(original, this);
  }
}
