import { MessageChannel, Worker } from 'node:worker_threads';

import type { Registered } from '../draft.js';
import { processEnvironment } from '../environment.js';
import { ConfigError, ConfigIssue } from '../errors.js';
import type { GatewayConfig } from '../gateway.config.js';
import { answerWith, type Line } from './judge-elsewhere.js';
import type { LoadAnswer, LoadRequest } from './messages.js';
import { unpack } from './parcel.js';

/** Milliseconds after which a thread that nobody asked is ended. */
const IDLE_MS = 10_000;

/**
 * Loads documents in a thread of its own, so that requests are served meanwhile: a document of 1,000 routes takes
 * hundreds of milliseconds. The thread begins with the first document and ends when none came for a while; it never
 * keeps the process alive.
 */
export class DocumentThread {
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(private readonly registered?: Registered) {}

  /** What `loadConfig` gives for the file. Rejects with a {@link ConfigError}, or when the thread breaks down. */
  load(file: string): Promise<GatewayConfig> {
    const loaded = this.#loading.then(() => this.#load(file));
    this.#loading = loaded.catch(() => {});
    return loaded;
  }

  async #load(file: string): Promise<GatewayConfig> {
    const worker = this.#started();
    const line = this.registered?.judge ? openLine() : null;
    if (line) answerWith((key, use) => this.registered!.judge!(key, use), line.own);
    try {
      const answer = await asked(worker, this.#request(file, line?.other ?? null));
      if ('fault' in answer) throw answer.fault;
      if ('issues' in answer) throw new ConfigError(answer.issues.map(revived));
      return await unpack(answer.parcel, file);
    } finally {
      line?.own.port.close();
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
  }

  #request(file: string, judge: Line | null): LoadRequest {
    const env = { ...processEnvironment() };
    if (!this.registered) return { file, env, registered: null, judge };
    const { guards, interceptors, extensions } = this.registered;
    return { file, env, registered: { guards, interceptors, ...(extensions && { extensions }) }, judge };
  }

  #started(): Worker {
    if (this.#idle) clearTimeout(this.#idle);
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./worker.js', import.meta.url), { execArgv: [] });
    // Told to whoever waits for it; without a listener it would be an uncaught exception too.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function openLine(): { own: Line; other: Line } {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  return { own: { port: port1, bell }, other: { port: port2, bell } };
}

function asked(worker: Worker, request: LoadRequest): Promise<LoadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadAnswer>();
  const onExit = (code: number): void =>
    reject(new Error(`the thread that reads documents ended with ${code}`));
  worker.once('message', resolve).once('error', reject).once('exit', onExit);
  worker.postMessage(request, request.judge ? [request.judge.port] : []);
  return promise.finally(() => worker.off('message', resolve).off('error', reject).off('exit', onExit));
}

function revived({ file, line, column, path, message }: ConfigIssue): ConfigIssue {
  return new ConfigIssue(file, line, column, path, message);
}
