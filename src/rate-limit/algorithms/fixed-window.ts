import type { Decision, LimitNumbers } from '../limit.js';
import type { LimitAlgorithm } from './algorithm.js';

/** `start` is monotonic whole milliseconds; a window in which nothing counts has not begun. */
interface Window {
  start: number;
  count: number;
}

/**
 * So many requests in a window of time, and as many in the next one. The windows of a key begin with its first request,
 * not on the full minute: clients do not all come back at once. A clock that went back begins the window anew with
 * what it holds.
 */
export class FixedWindow implements LimitAlgorithm<Window> {
  readonly #requests: number;
  readonly #perMs: number;

  constructor({ requests, perMs }: Pick<LimitNumbers, 'requests' | 'perMs'>) {
    this.#requests = requests;
    this.#perMs = perMs;
  }

  take(known: Window | undefined, cost: number, now: number, decision: Decision): Window | undefined {
    const time = Math.floor(now);
    const window = known ?? { start: time, count: 0 };
    this.#turn(window, time);
    const end = window.start + this.#perMs;
    decision.allowed = window.count + cost <= this.#requests;
    if (decision.allowed) window.count += cost;
    decision.remaining = this.#requests - window.count;
    decision.resetMs = window.count === 0 ? 0 : end - time;
    decision.retryMs = decision.allowed ? 0 : end - time;
    decision.stamp = window.start;
    return window.count === 0 ? known : window;
  }

  refund(window: Window, cost: number, stamp: number): Window {
    if (window.start === stamp) window.count = Math.max(0, window.count - cost);
    return window;
  }

  idleAt({ start, count }: Window): number {
    return count === 0 ? start : start + this.#perMs;
  }

  get luaArguments(): [number, number, number] {
    return [this.#requests, this.#perMs, 0];
  }

  #turn(window: Window, time: number): void {
    if (time >= window.start + this.#perMs) window.count = 0;
    if (window.count === 0 || time < window.start) window.start = time;
  }
}

/** The same in Redis. The state is start and count. */
export const FIXED_WINDOW_LUA = `
algorithms.fixed_window = {
  take = function(state, cost, requests, perMs)
    local start, count = string.match(state, '^(%d+) (%d+)$')
    start, count = tonumber(start or now), tonumber(count or 0)
    if now >= start + perMs then count = 0 end
    local back = now < start
    if count == 0 or back then start = now end
    local left = start + perMs - now
    local allowed = count + cost <= requests
    if allowed then count = count + cost end
    local decision = {
      remaining = requests - count,
      reset = count == 0 and 0 or left, retry = allowed and 0 or left, stamp = start,
    }
    return decision, string.format('%.0f %.0f', start, count), back
  end,
  refund = function(state, cost, stamp)
    local start, count = string.match(state, '^(%d+) (%d+)$')
    if tonumber(start) ~= stamp then return nil end
    return string.format('%.0f %.0f', stamp, math.max(0, tonumber(count) - cost))
  end,
}
`;
