import type { Refusal } from './refusal.js';

/**
 * Where a response flows to: the writer to the client, or a stage in front of it (cache, transformation,
 * compression) that passes it on. Pushed, not pulled: the upstream's parser calls these in order —
 * `head`, then `data` any number of times, then exactly one of `end` and `abort`; or `refuse` alone
 * instead of all of them.
 */
export interface ResponseSink {
  /** Final status and the end-to-end headers, name, value, name, value, …, in bytes as `latin1` text. */
  head(head: UpstreamHead): void;
  /** A piece of the body. False asks the sender to wait for `resume`. */
  data(chunk: Buffer): boolean;
  /** The body is whole. */
  end(trailers: readonly string[] | null): void;
  /** The body broke off after the head: cut the transfer, never end it cleanly. */
  abort(cause: Error): void;
  /** No head came: the gateway answers. */
  refuse(refusal: Refusal): void;
  /**
   * The upstream switched protocols (101), instead of `head`: the client's socket is the tunnel's, which fills the
   * exchange's `bytesWritten` itself. Nothing else is called afterwards. A stage in front of the writer passes it on.
   */
  switched(tunnel: Tunnel): void;
  /**
   * An interim answer (1xx) of the upstream, or 100 once the request's body is wanted.
   * @param fields name, value, …
   */
  interim(status: number, fields: readonly string[]): void;
  /** Set by the sender before `head`: whom to tell how the client takes the response. */
  source: ResponseSource | null;
}

/** The sender's end of a response. */
export interface ResponseSource {
  /** `data` had returned false and may go on. */
  resume(): void;
  /** Nobody waits for the response any more (client gone, cut at stop). */
  cancel(): void;
}

/** What carries an exchange on after its protocol was switched. */
export interface Tunnel {
  /** Called once, at its end. Set by who takes it. */
  ended: (() => void) | null;
  /** The gateway stops: takes leave of both sides as the protocol allows, and ends soon. */
  goAway(): void;
  /** Ends at once. */
  cut(): void;
}

export interface UpstreamHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: string[];
  /** Length of the body in bytes when the upstream announced it, else -1. */
  readonly contentLength: number;
}
