import { RawUpstream, type RawHandler, rawUpstream, waitFor } from '../../../test/support/index.js';
import { ConnectionConfig } from '../../config/upstream.config.js';
import type {
  PooledConnection,
  PooledHandler,
  ReceivedHead,
  UpstreamRequest,
} from '../../exchange/upstream.js';
import { compileConnection } from '../connection/compile-connection.js';
import type { BackendConnectionPool } from '../connection/connection-pool.js';

export type Callback = 'started' | 'began' | 'head' | 'data' | 'end' | 'failed';

/** Keeps what a pool tells of one request, and gives its connection back as an attempt does. */
export class Heard implements PooledHandler {
  lines: readonly string[] = [];
  connection: PooledConnection | null = null;
  /** Pieces of a body count once. */
  readonly events: string[] = [];
  readonly heads: ReceivedHead[] = [];
  body = '';
  bytes = 0;
  trailers: readonly string[] | null = null;
  error: NodeJS.ErrnoException | null = null;
  reused = false;
  /** False keeps no body. */
  keep = true;

  constructor(readonly onEvent: (event: Callback, heard: Heard) => void = () => {}) {}

  /** It hears no more. */
  get over(): boolean {
    return this.events.includes('end') || this.events.includes('failed');
  }

  get status(): number | undefined {
    return this.heads.at(-1)?.status;
  }

  requestStarted(): void {
    this.reused = this.connection!.reused;
    this.#told('started');
  }

  answerBegan(): void {
    this.#told('began');
  }

  headReceived(head: ReceivedHead): void {
    this.heads.push(head);
    this.#told('head');
  }

  bodyReceived(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.keep) this.body += piece.toString('latin1');
    if (this.events.at(-1) !== 'data') this.events.push('data');
    this.onEvent('data', this);
  }

  responseEnded(trailers: readonly string[] | null): void {
    this.trailers = trailers;
    this.#released(true);
    this.#told('end');
  }

  failed(cause: Error): void {
    this.error = cause;
    this.#released(false);
    this.#told('failed');
  }

  async untilOver(): Promise<this> {
    await waitFor(
      () => this.over,
      () => `the end of ${this.events.join(' ')}`,
      { timeoutMs: 20_000 },
    );
    return this;
  }

  #released(reusable: boolean): void {
    const { connection } = this;
    this.connection = null;
    connection!.release(reusable);
  }

  #told(event: Callback): void {
    this.events.push(event);
    this.onEvent(event, this);
  }
}

export function requestOf(changes: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { method: 'GET', path: '/', host: null, contentLength: -1, body: null, ...changes };
}

export function poolTo(url: string, changes: Partial<ConnectionConfig> = {}): BackendConnectionPool {
  const config = Object.assign(new ConnectionConfig(), changes);
  return compileConnection('test', config).openPool(new URL(url), undefined);
}

export interface Backend {
  readonly upstream: RawUpstream;
  readonly pool: BackendConnectionPool;
  /** Sends it over the pool. */
  readonly send: (
    request?: Partial<UpstreamRequest>,
    onEvent?: (event: Callback, heard: Heard) => void,
  ) => Heard;
  /** Every socket that the backend was given is gone. */
  readonly untilAllClosed: () => Promise<unknown>;
}

/** A backend that does what the script says, and the pool of connections to it. */
export async function backend(
  script: RawHandler | readonly (string | Buffer)[],
  config: Partial<ConnectionConfig> = {},
): Promise<Backend> {
  const upstream = await rawUpstream(script);
  const pool = poolTo(upstream.url, config);
  return {
    upstream,
    pool,
    send(request, onEvent) {
      const heard = new Heard(onEvent);
      if (!pool.dispatch(requestOf(request), heard)) heard.events.push('refused');
      return heard;
    },
    untilAllClosed: () =>
      waitFor(() => upstream.connections.every(({ closed }) => closed), 'every socket closed'),
  };
}

/** Some turns of the event loop, in which whatever could still come would have come. */
export async function rest(): Promise<void> {
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve));
}
