import type {
  CircuitName,
  ConnectionPool,
  Dialling,
  PooledConnection,
  PooledHandler,
  UpstreamRequest,
} from '../../src/exchange/upstream.js';
import type { Random } from '../faults/random.js';
import type { VirtualTime } from './virtual-time.js';

/** What a backend does with requests at a moment. */
export type Mood = 'fine' | 'slow' | 'failing' | 'refusing' | 'hanging' | 'resetting' | 'flaky';

/** What the judge of a run hears of a backend. */
export interface PoolWatcher {
  /** Bytes of this exchange's request reached the backend. */
  sent(tag: string, method: string): void;
  circuit(): CircuitName;
  /** More probes were in flight than the circuit may have. */
  tooManyProbes(count: number): void;
}

/** A backend's sockets and the backend behind them, in virtual time. */
export class SimulatedPool implements ConnectionPool {
  mood: Mood = 'fine';
  served = 0;
  #probes = new Set<PooledHandler>();
  /** Set when the backend was made, as both know each other. */
  watcher!: PoolWatcher;

  constructor(
    readonly time: VirtualTime,
    readonly random: Random,
    readonly probeBound: number,
  ) {}

  dispatch(sent: UpstreamRequest, handler: PooledHandler): boolean {
    this.#countProbe(handler);
    const request = new SimulatedRequest(this, handler);
    handler.connection = request;
    if (this.mood === 'refusing') this.time.after(1, () => request.fail('ECONNREFUSED'));
    else this.time.after(0.2, () => this.#serve(sent, request));
    return true;
  }

  cancel(): boolean {
    return false;
  }

  dial(): Dialling {
    throw new Error('the simulation opens no sockets');
  }

  close(): void {}

  ended(handler: PooledHandler): void {
    this.#probes.delete(handler);
  }

  /** What is still under way of a half-open period that is over counts no more. */
  circuitOpened(): void {
    this.#probes.clear();
  }

  #countProbe(handler: PooledHandler): void {
    if (this.watcher.circuit() !== 'half-open') return;
    this.#probes.add(handler);
    if (this.#probes.size > this.probeBound) this.watcher.tooManyProbes(this.#probes.size);
  }

  #serve(sent: UpstreamRequest, request: SimulatedRequest): void {
    if (!request.start()) return;
    this.watcher.sent(sent.path, sent.method);
    const { random, mood } = this;
    const moody = mood === 'flaky' ? random.pick(['fine', 'failing', 'resetting'] as const) : mood;
    if (moody === 'hanging') return;
    if (moody === 'resetting') return this.time.after(random.between(1, 5), () => request.fail('ECONNRESET'));
    if (moody === 'failing') return this.time.after(1, () => request.answer(503, 1));
    const ms = moody === 'slow' ? random.between(200, 1_500) : random.between(2, 20);
    this.time.after(ms, () => request.answer(200, random.between(0, 5)));
  }
}

/** One request as a connection would tell its handler of it. */
class SimulatedRequest implements PooledConnection {
  readonly reused = false;
  #over = false;

  constructor(
    readonly pool: SimulatedPool,
    readonly handler: PooledHandler,
  ) {}

  release(): void {
    this.pool.ended(this.handler);
  }

  pause(): void {}

  resume(): void {}

  abort(cause: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.handler.failed(cause);
  }

  /** False when it was given up before. */
  start(): boolean {
    if (!this.#over) this.handler.requestStarted();
    return !this.#over;
  }

  fail(code: string): void {
    this.abort(Object.assign(new Error(code), { code }));
  }

  answer(status: number, bodyMs: number): void {
    if (this.#over) return;
    this.handler.answerBegan();
    const framing = { connection: null, transferEncoding: null, contentLength: 2 };
    this.handler.headReceived({ status, statusText: '', fields: ['Content-Length', '2'], ...framing });
    this.pool.time.after(bodyMs, () => this.#whole());
  }

  #whole(): void {
    if (this.#over) return;
    this.#over = true;
    this.pool.served++;
    this.handler.responseEnded(null);
  }
}
