import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Readable } from 'node:stream';

import { pairs } from './echo-upstream.js';
import { type HeaderLine, valuesOf } from './http-message.js';

export interface RequestOptions {
  /** Default: GET, or POST with a body. */
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** A stream is sent chunked unless the headers give a length. */
  readonly body?: string | Buffer | Readable;
  /** Default: a keep-alive agent shared by all tests of the file. `false`: a connection of its own. */
  readonly agent?: Agent | false;
  readonly localAddress?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds until it fails. Default 10,000. */
  readonly timeoutMs?: number;
}

/** A response read whole. */
export class ClientResponse {
  constructor(
    private readonly message: IncomingMessage,
    readonly body: Buffer,
  ) {}

  get status(): number {
    return this.message.statusCode ?? 0;
  }

  get statusText(): string {
    return this.message.statusMessage ?? '';
  }

  get headers(): IncomingMessage['headers'] {
    return this.message.headers;
  }

  /** As received: case, order and repetition kept. */
  get rawHeaders(): readonly HeaderLine[] {
    return pairs(this.message.rawHeaders);
  }

  get trailers(): NodeJS.Dict<string> {
    return this.message.trailers;
  }

  get text(): string {
    return this.body.toString('utf8');
  }

  /** The header's value; several lines are joined with a comma; undefined when it is absent. */
  header(name: string): string | undefined {
    const values = this.headerAll(name);
    return values.length > 0 ? values.join(', ') : undefined;
  }

  headerAll(name: string): string[] {
    return valuesOf(this.rawHeaders, name);
  }

  json<T = Record<string, unknown>>(): T {
    return JSON.parse(this.text) as T;
  }
}

const keepAlive = new Agent({ keepAlive: true });

/**
 * Sends a request and reads the whole response. The path is sent as written: unlike with `fetch`, dots and
 * escapes are not touched.
 */
export async function request(url: string, options: RequestOptions = {}): Promise<ClientResponse> {
  const response = await open(url, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new ClientResponse(response, Buffer.concat(chunks));
}

/** The same without a body. */
export function get(url: string, options: Omit<RequestOptions, 'body'> = {}): Promise<ClientResponse> {
  return request(url, options);
}

/** Sends a request and resolves at the head of the response, whose body is then a stream. */
export function open(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const { host, port, path } = split(url);
  const { body, agent = keepAlive, timeoutMs = 10_000, headers = {}, localAddress, signal } = options;
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host,
      port,
      path,
      method,
      headers: { ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }), ...headers },
      agent,
      ...(localAddress && { localAddress }),
      ...(signal && { signal }),
    });
    outgoing.setTimeout(timeoutMs, () =>
      outgoing.destroy(new Error(`no answer within ${timeoutMs} ms: ${method} ${url}`)),
    );
    outgoing.on('response', resolve).on('error', reject);
    if (typeof body === 'object' && 'pipe' in body) body.pipe(outgoing);
    else outgoing.end(body);
  });
}

function split(url: string): { host: string; port: number; path: string } {
  const parts = /^http:\/\/(\[[^\]]+\]|[^/:]+)(?::(\d+))?(\/.*)?$/.exec(url);
  if (!parts) throw new Error(`not a plain http url: ${url}`);
  const [, host = '', port = '80', path = '/'] = parts;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port), path };
}
