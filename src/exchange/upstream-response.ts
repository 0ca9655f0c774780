import { Readable } from 'node:stream';

import { HeaderList, type HeaderSource } from './header-list.js';

export type ResponseContent = Readable | Uint8Array | string | null;

/**
 * A response on its way to the client, as the team's interceptors see it: what `next.handle()` emits, once, and what
 * an interceptor emits in its turn. Its parts may be changed in place or a new one made.
 */
export class UpstreamResponse {
  /** Empty = the usual text of the status. */
  statusText = '';
  /** End-to-end headers. `Content-Length` and others that frame the body follow the body, whatever stands here. */
  headers: HeaderList;
  #status: number;
  #content: ResponseContent;

  constructor(status: number, headers: HeaderSource = {}, body: ResponseContent = null) {
    this.#status = status;
    this.headers = HeaderList.from(headers);
    this.#content = body;
  }

  /** A response whose body is the value as JSON. */
  static json(status: number, value: unknown, headers: HeaderSource = {}): UpstreamResponse {
    const response = new UpstreamResponse(status, headers, JSON.stringify(value));
    if (!response.headers.has('content-type')) response.headers.set('Content-Type', 'application/json');
    return response;
  }

  /** 200 to 599. Another one takes its usual text along. */
  get status(): number {
    return this.#status;
  }

  set status(status: number) {
    this.#status = status;
    this.statusText = '';
  }

  /** The body as a stream of bytes, with back pressure up to the backend. Nothing flows until somebody reads. */
  get body(): Readable {
    if (!(this.#content instanceof Readable)) this.#content = Readable.from(bytesOf(this.#content));
    return this.#content;
  }

  /** A text is sent as UTF-8; null is an empty body. */
  set body(content: ResponseContent) {
    this.#content = content;
  }

  /** What is to be sent: bytes where nobody asked for a stream of them. */
  get content(): Readable | Buffer {
    const content = this.#content;
    return content instanceof Readable ? content : Buffer.concat(bytesOf(content));
  }
}

function bytesOf(content: Uint8Array | string | null): Buffer[] {
  if (content === null) return [];
  return [typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)];
}
