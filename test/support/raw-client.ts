import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { closeAtEnd } from './cleanup.js';
import { type ParsedResponse, parseResponses } from './http-response.js';
import { RawSocket } from './raw-socket.js';

export interface RawClientOptions {
  readonly host?: string;
  readonly localAddress?: string;
  /** Keep our half open when the gateway ends its own. Default false. */
  readonly allowHalfOpen?: boolean;
  /** Methods of the requests sent, in order, when they matter for the answers (HEAD). */
  readonly methods?: readonly string[];
}

/** A client on a plain TCP socket: for requests sent in pieces, aborted, or never finished. */
export class RawClient extends RawSocket implements AsyncDisposable {
  constructor(
    socket: ConstructorParameters<typeof RawSocket>[0],
    private readonly methods: readonly string[] = [],
  ) {
    super(socket);
  }

  /** The responses received so far; the last one may be incomplete. Throws on bytes that are not HTTP. */
  get responses(): readonly ParsedResponse[] {
    return parseResponses(this.received, { methods: this.methods, closed: this.ended }).responses;
  }

  /** Waits for the whole response with this index (0 = the first). */
  response(index = 0, timeoutMs = 5_000): Promise<ParsedResponse> {
    const whole = (): ParsedResponse | undefined => this.responses.filter((it) => it.complete)[index];
    return this.until(whole, `response ${index + 1}`, { timeoutMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy();
  }
}

/** Opens a connection; closed at the end of the test if still open. */
export async function connectRaw(port: number, options: RawClientOptions = {}): Promise<RawClient> {
  const { host = '127.0.0.1', localAddress, allowHalfOpen = false, methods } = options;
  const socket = connect({ port, host, allowHalfOpen, noDelay: true, ...(localAddress && { localAddress }) });
  const client = new RawClient(socket, methods);
  closeAtEnd(() => client.destroy());
  await once(socket, 'connect');
  return client;
}

export interface RawRequestOptions extends RawClientOptions {
  /**
   * When to stop: after so many whole responses (default 1), at the `close` by the peer, once the text received
   * contains a string or matches, or after `{ms}` of collecting whatever comes.
   */
  readonly until?: number | 'close' | RegExp | { readonly text: string } | { readonly ms: number };
  /** Send FIN after the bytes. */
  readonly halfClose?: boolean;
  readonly timeoutMs?: number;
}

export interface RawResult {
  /** Everything received, one character a byte. */
  readonly text: string;
  readonly bytes: Buffer;
  readonly responses: readonly ParsedResponse[];
  /** What follows the last whole response. */
  readonly rest: Buffer;
  /** The peer had ended the connection by then. */
  readonly closed: boolean;
}

/** Sends bytes exactly as given (a string is `latin1`) and returns all that came back. */
export async function rawRequest(
  port: number,
  bytes: string | Buffer,
  options: RawRequestOptions = {},
): Promise<RawResult> {
  const methods = options.methods ?? methodsIn(bytes);
  const client = await connectRaw(port, { ...options, methods, allowHalfOpen: options.halfClose ?? false });
  // A peer that answers early and resets fails the write, and still its answer counts.
  await client.write(bytes);
  if (options.halfClose) client.end();
  await collect(client, options);
  const closed = client.ended;
  client.destroy();
  const { responses, rest } = parseResponses(client.received, { methods, closed });
  return { text: client.text, bytes: client.received, responses, rest, closed };
}

async function collect(
  client: RawClient,
  { until = 1, timeoutMs = 5_000 }: RawRequestOptions,
): Promise<void> {
  if (until === 'close') await client.untilEnded({ timeoutMs });
  else if (typeof until === 'number') await client.response(until - 1, timeoutMs);
  else if (until instanceof RegExp) {
    await client.until(() => until.test(client.text), `text like ${until}`, { timeoutMs });
  } else if ('text' in until) {
    await client.until(() => client.text.includes(until.text), `text ${until.text}`, { timeoutMs });
  } else await delay(until.ms);
}

function methodsIn(bytes: string | Buffer): string[] {
  const start = typeof bytes === 'string' ? bytes : bytes.toString('latin1', 0, 32);
  const first = /^([A-Z]+) /.exec(start);
  return first ? [first[1]!] : [];
}
