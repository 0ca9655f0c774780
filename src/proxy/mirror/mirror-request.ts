import { bufferPassed } from '../../common/buffer-garbage.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Outcome, ReceivedHead, UpstreamRequest } from '../../exchange/upstream.js';
import { Attempt, type AttemptOwner } from '../attempt.js';
import type { Deadlined } from '../deadlines.js';
import { isEventStream } from '../response-headers.js';
import { ResponseTimeoutError } from '../upstream-fault.js';
import type { MirrorSettings } from './mirror-host.js';

/** The copy on its way to a backend of the mirror's upstream: one attempt, whose answer is read and dropped. */
export class MirrorRequest implements AttemptOwner, Deadlined {
  slot = -1;
  deadline = 0;
  #attempt: Attempt | null = null;
  #headSeen = false;
  #over = false;

  constructor(
    readonly exchange: Exchange,
    readonly settings: MirrorSettings,
    private readonly ended: () => void,
  ) {}

  send(request: UpstreamRequest, lines: readonly string[]): void {
    const { host, upstream, timeoutMs } = this.settings;
    const backend = upstream.pick(this.exchange, null);
    if (backend === null) return this.#drop();
    this.deadline = host.deadlines.clock.now() + timeoutMs;
    host.deadlines.watch(this);
    const attempt = (this.#attempt = new Attempt(this, backend, lines));
    request.path = backend.basePath + request.path;
    if (backend.pool.dispatch(request, attempt)) return;
    attempt.refused();
    this.#drop();
  }

  cut(): void {
    if (this.#attempt === null) this.#finish();
    else this.fail(new Error('the gateway stops'), 'abandoned');
  }

  expired(): void {
    // Its time is up, not necessarily the backend's fault: the answer may be a long one.
    this.fail(new ResponseTimeoutError(), this.#headSeen ? 'abandoned' : 'failure');
  }

  fail(cause: Error, outcome: Outcome): void {
    this.#report(cause);
    this.#attempt?.abort(cause, outcome);
  }

  attemptStarted(): void {}

  interim(): void {}

  responseHead(head: ReceivedHead): void {
    this.#headSeen = true;
    if (!isEventStream(head)) return;
    // It may never end, and nobody reads it.
    const attempt = this.#attempt!;
    attempt.judge();
    this.#sent();
    attempt.abort(new Error('nobody reads it'), 'abandoned');
  }

  responseData(piece: Buffer): boolean {
    bufferPassed(piece.length);
    return true;
  }

  responseEnd(): void {
    this.#sent();
  }

  attemptFailed(_attempt: Attempt, cause: Error): void {
    this.#report(cause);
  }

  /** A copy is sent once. */
  repeatsFresh(): boolean {
    return false;
  }

  #sent(): void {
    if (this.#finish()) this.settings.host.count(this.exchange, 'sent');
  }

  #drop(): void {
    if (this.#finish()) this.settings.host.count(this.exchange, 'dropped');
  }

  #report(cause: Error): void {
    if (!this.#finish()) return;
    const { host, upstream } = this.settings;
    const backend = this.#attempt === null ? null : this.#attempt.backend.url;
    host.failed(this.exchange, { upstream: upstream.name, backend }, cause);
  }

  /** False when it was over already. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.settings.host.deadlines.forget(this);
    this.ended();
    return true;
  }
}
