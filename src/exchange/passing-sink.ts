import type { Refusal } from './refusal.js';
import type { ResponseSink, ResponseSource, Tunnel, UpstreamHead } from './response.js';

/** A sink in front of another one that passes everything on: a stage overrides what it changes. */
export class PassingSink implements ResponseSink, ResponseSource {
  source: ResponseSource | null = null;

  constructor(protected readonly sink: ResponseSink) {
    sink.source = this;
  }

  head(head: UpstreamHead): void {
    this.sink.head(head);
  }

  data(chunk: Buffer): boolean {
    return this.sink.data(chunk);
  }

  end(trailers: readonly string[] | null): void {
    this.sink.end(trailers);
  }

  abort(cause: Error): void {
    this.sink.abort(cause);
  }

  refuse(refusal: Refusal): void {
    this.sink.refuse(refusal);
  }

  switched(tunnel: Tunnel): void {
    this.sink.switched(tunnel);
  }

  interim(status: number, fields: readonly string[]): void {
    this.sink.interim(status, fields);
  }

  resume(): void {
    this.source?.resume();
  }

  cancel(): void {
    this.source?.cancel();
  }
}
