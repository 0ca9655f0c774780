import type { Exchange } from '../../exchange/exchange.js';
import type { ScannedHead } from '../request-head.js';
import { hostHeader } from '../request-headers.js';
import { BodyCopy } from './body-copy.js';
import type { HeldCopy, MirrorSettings } from './mirror-host.js';
import { MirrorRequest } from './mirror-request.js';
import { mirroredLines } from './mirrored-lines.js';

/** What of the original the copy repeats. */
export interface Original {
  readonly exchange: Exchange;
  readonly head: ScannedHead;
  /** Path and query, without a backend's base path. */
  readonly path: string;
  /** Its header lines but for those that frame or address it. */
  readonly lines: readonly string[];
}

/**
 * The copy of one exchange, which begins once the original was forwarded and its body has come whole. Nothing here
 * throws, waits, or holds the original back.
 */
export class MirrorCopy implements HeldCopy {
  slot = -1;
  #body: BodyCopy | null = null;
  #forwarded = false;
  #whole: boolean;
  #over = false;
  #held = false;
  #request: MirrorRequest | null = null;

  constructor(
    readonly original: Original,
    readonly settings: MirrorSettings,
  ) {
    this.#whole = !original.head.hasBody;
  }

  get exchange(): Exchange {
    return this.original.exchange;
  }

  /** An attempt of the original was handed to a connected socket; later ones change nothing. */
  originalForwarded(): void {
    this.#forwarded = true;
    this.#beginWhenReady();
  }

  /** A piece of the original's body, to be copied. */
  bodyPiece(piece: Buffer): void {
    if (this.#over || this.#whole || !this.#hold()) return;
    this.#body ??= new BodyCopy(this.settings.maxBody);
    if (!this.#body.append(piece)) this.#end();
  }

  /** The original's body, where a stage had read it before. */
  wholeBody(body: Buffer): void {
    this.bodyPiece(body);
    this.bodyEnded();
  }

  bodyEnded(): void {
    if (this.#over || this.#whole) return;
    const { contentLength } = this.original.head;
    if (contentLength >= 0 && contentLength !== (this.#body?.length ?? 0)) return this.#end();
    this.#whole = true;
    this.#beginWhenReady();
  }

  /** The exchange is over. A copy that has begun goes on; one that has not never will. */
  originalEnded(): void {
    if (!this.#begun) this.#end();
  }

  /** Ends it at once. */
  cut(): void {
    if (this.#request === null) this.#end();
    else this.#request.cut();
  }

  get #begun(): boolean {
    return this.#forwarded && this.#whole;
  }

  #beginWhenReady(): void {
    if (this.#over || this.#request !== null || !this.#begun || !this.#hold()) return;
    const request = new MirrorRequest(this.exchange, this.settings, () => this.#end());
    this.#request = request;
    // Not now: the original's own bytes are being written.
    setImmediate(() => this.#send(request));
  }

  /** Called by the event loop itself: nothing may be thrown here. */
  #send(request: MirrorRequest): void {
    if (this.#over) return;
    const { exchange, head, path, lines } = this.original;
    try {
      const host = hostHeader(exchange, head, this.settings.upstream.hostHeader);
      const body = this.#body === null ? null : this.#body.bytes;
      const copied = { path, method: head.method, host, contentLength: head.contentLength, body };
      request.send(copied, mirroredLines(lines));
    } catch (error) {
      request.fail(error as Error, 'abandoned');
    }
  }

  /** A place among the route's copies. Without one there is no copy. */
  #hold(): boolean {
    if (this.#held) return true;
    this.#held = this.settings.host.take(this);
    if (this.#held) return true;
    this.#over = true;
    this.settings.host.count(this.exchange, 'dropped');
    return false;
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#body = null;
    if (this.#held) this.settings.host.release(this);
  }
}
