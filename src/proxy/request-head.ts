import type { IncomingMessage } from 'node:http';

import type { RequestHead } from '../exchange/exchange.js';
import type { ClientConnection } from './client-connection.js';

/** The framing and routing headers of a request, found in one pass over the raw list. */
export class ScannedHead implements RequestHead {
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly rawHeaders: readonly string[];
  host = '';
  userAgent: string | null = null;
  /** `Host` lines seen; anything but 1 is malformed (RFC 9112 §3.2). */
  hosts = 0;
  transferEncoding: string | null = null;
  /** -1 = none. */
  contentLength = -1;
  expect: string | null = null;
  connection: string | null = null;
  requestId: string | null = null;
  /** An upgrade to WebSocket is asked for. */
  readonly upgrade: boolean;

  constructor(request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>, client: ClientConnection) {
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    this.remoteAddress = client.address;
    this.remotePort = client.port;
    this.rawHeaders = request.rawHeaders;
    this.upgrade = client.upgrading !== null;
  }

  /** The head of a request that the parser refused. */
  static unread(client: ClientConnection): ScannedHead {
    return new ScannedHead({ method: '', url: '', rawHeaders: [] }, client);
  }

  /** Whether a body follows (RFC 9112 §6.3). */
  get hasBody(): boolean {
    return this.transferEncoding !== null || this.contentLength > 0;
  }

  scan(requestIdHeader: string): this {
    const raw = this.rawHeaders;
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at]!;
      if (LENGTHS.has(name.length) || name.length === requestIdHeader.length) {
        this.#take(name.toLowerCase(), raw[at + 1]!, requestIdHeader);
      }
    }
    return this;
  }

  #take(name: string, value: string, requestIdHeader: string): void {
    if (name === requestIdHeader) this.requestId = value;
    switch (name) {
      case 'host':
        this.hosts++;
        this.host = value;
        break;
      case 'user-agent':
        this.userAgent = value;
        break;
      case 'transfer-encoding':
        this.transferEncoding = this.transferEncoding === null ? value : `${this.transferEncoding},${value}`;
        break;
      case 'content-length':
        this.contentLength = Number(value);
        break;
      case 'expect':
        this.expect = value;
        break;
      case 'connection':
        this.connection = this.connection === null ? value : `${this.connection},${value}`;
        break;
    }
  }
}

const LENGTHS = new Set(
  ['host', 'user-agent', 'transfer-encoding', 'content-length', 'expect', 'connection'].map((n) => n.length),
);
