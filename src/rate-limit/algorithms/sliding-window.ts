import type { Decision, LimitNumbers } from '../limit.js';
import type { LimitAlgorithm } from './algorithm.js';

/** Two windows of a key, one after the other. `start` of the second one is monotonic whole milliseconds. */
interface WindowPair {
  start: number;
  before: number;
  count: number;
}

/**
 * A window that moves with time, estimated from two that stand still: what the window before counted weighs as much
 * as the moving one still overlaps it. So over a border no second share passes at once. The windows of a key begin with
 * its first request.
 *
 * Everything is compared as whole numbers, requests times milliseconds: no rounding decides.
 */
export class SlidingWindow implements LimitAlgorithm<WindowPair> {
  readonly #requests: number;
  readonly #perMs: number;

  constructor({ requests, perMs }: Pick<LimitNumbers, 'requests' | 'perMs'>) {
    this.#requests = requests;
    this.#perMs = perMs;
  }

  take(known: WindowPair | undefined, cost: number, now: number, decision: Decision): WindowPair | undefined {
    const time = Math.floor(now);
    const pair = known ?? { start: time, before: 0, count: 0 };
    this.#turn(pair, time);
    const passed = time - pair.start;
    decision.allowed = this.#room(pair, passed) >= cost * this.#perMs;
    if (decision.allowed) pair.count += cost;
    decision.remaining = Math.max(0, Math.floor(this.#room(pair, passed) / this.#perMs));
    decision.resetMs = this.idleAt(pair) - time;
    decision.retryMs = decision.allowed ? 0 : this.#wait(pair, cost, passed);
    decision.stamp = pair.start;
    return pair.before + pair.count === 0 ? known : pair;
  }

  refund(pair: WindowPair, cost: number, stamp: number): WindowPair {
    if (pair.start === stamp) pair.count = Math.max(0, pair.count - cost);
    else if (pair.start === stamp + this.#perMs) pair.before = Math.max(0, pair.before - cost);
    return pair;
  }

  idleAt({ start, before, count }: WindowPair): number {
    if (count > 0) return start + 2 * this.#perMs;
    return before > 0 ? start + this.#perMs : start;
  }

  get luaArguments(): [number, number, number] {
    return [this.#requests, this.#perMs, 0];
  }

  #turn(pair: WindowPair, time: number): void {
    const windows = Math.floor((time - pair.start) / this.#perMs);
    if (windows > 0) {
      pair.before = windows === 1 ? pair.count : 0;
      pair.count = 0;
      pair.start += this.#perMs;
    }
    // Nothing counts, or the clock went back: then what counts weighs in full again.
    if (pair.before + pair.count === 0 || time < pair.start) pair.start = time;
  }

  /** Requests times milliseconds. */
  #room({ before, count }: WindowPair, passed: number): number {
    return (this.#requests - count) * this.#perMs - before * (this.#perMs - passed);
  }

  #wait({ before, count }: WindowPair, cost: number, passed: number): number {
    if (count + cost <= this.#requests) return this.#lightAt(before, count + cost) - passed;
    return this.#perMs - passed + this.#lightAt(count, cost);
  }

  /** How far into a window the one before it weighs little enough for `count` to fit. */
  #lightAt(before: number, count: number): number {
    const overlap = Math.floor(((this.#requests - count) * this.#perMs) / before);
    return Math.max(0, this.#perMs - overlap);
  }
}

/** The same in Redis. The state is start, the count before and the count. */
export const SLIDING_WINDOW_LUA = `
local function pair(state)
  local start, before, count = string.match(state, '^(%d+) (%d+) (%d+)$')
  return tonumber(start or now), tonumber(before or 0), tonumber(count or 0)
end

local function written(start, before, count)
  return string.format('%.0f %.0f %.0f', start, before, count)
end

local function turned(state, perMs)
  local start, before, count = pair(state)
  local windows = math.floor((now - start) / perMs)
  if windows > 0 then
    before, count, start = windows == 1 and count or 0, 0, start + perMs
  end
  local back = now < start
  if before + count == 0 or back then start = now end
  return start, before, count, back
end

algorithms.sliding_window = {
  take = function(state, cost, requests, perMs)
    local start, before, count, back = turned(state, perMs)
    local passed = now - start
    local function room() return (requests - count) * perMs - before * (perMs - passed) end
    local function lightAt(weighs, fits)
      return math.max(0, perMs - math.floor((requests - fits) * perMs / weighs))
    end
    local retry = 0
    if room() >= cost * perMs then
      count = count + cost
    elseif count + cost <= requests then
      retry = lightAt(before, count + cost) - passed
    else
      retry = perMs - passed + lightAt(count, cost)
    end
    local idle = count > 0 and start + 2 * perMs or before > 0 and start + perMs or start
    local decision = {
      remaining = math.max(0, math.floor(room() / perMs)),
      reset = idle - now, retry = retry, stamp = start,
    }
    return decision, written(start, before, count), back
  end,
  refund = function(state, cost, stamp, requests, perMs)
    local start, before, count = pair(state)
    if start == stamp then return written(start, before, math.max(0, count - cost)) end
    if start ~= stamp + perMs then return nil end
    return written(start, math.max(0, before - cost), count)
  end,
}
`;
