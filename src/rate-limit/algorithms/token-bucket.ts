import type { Decision, LimitNumbers } from '../limit.js';
import type { LimitAlgorithm } from './algorithm.js';

/**
 * A token bucket as GCRA (ITU-T I.371): the state of a key is one number, the theoretical arrival time (TAT) at
 * which its bucket is full. A request moves it on by the time of one token, and is refused when it would then
 * lie further ahead than the time of a whole bucket.
 *
 * Time is counted in ticks, the largest unit of which a millisecond and a token both are a whole number. So all
 * sums are exact integers, and no number of requests lets a rounding error grow into a token. A clock that went back
 * finds an empty bucket at worst, never one that owes.
 */
export class TokenBucket implements LimitAlgorithm<number> {
  readonly #ticksPerMs: number;
  readonly #ticksPerToken: number;
  readonly #ticksPerBucket: number;

  constructor({ requests, perMs, capacity }: Pick<LimitNumbers, 'requests' | 'perMs' | 'capacity'>) {
    const divisor = greatestCommonDivisor(requests, perMs);
    this.#ticksPerMs = requests / divisor;
    this.#ticksPerToken = perMs / divisor;
    this.#ticksPerBucket = this.#ticksPerToken * capacity;
  }

  take(tat: number | undefined, cost: number, now: number, decision: Decision): number | undefined {
    const tick = Math.floor(now * this.#ticksPerMs);
    const from = tat === undefined || tat < tick ? tick : Math.min(tat, tick + this.#ticksPerBucket);
    const next = from + cost * this.#ticksPerToken;
    const room = tick + this.#ticksPerBucket - next;
    if (room < 0) {
      this.#write(decision, tick, from, -room);
      return tat !== undefined && from < tat ? from : tat;
    }
    this.#write(decision, tick, next, 0);
    return cost === 0 ? tat : next;
  }

  refund(tat: number, cost: number): number {
    return tat - cost * this.#ticksPerToken;
  }

  get luaArguments(): [number, number, number] {
    return [this.#ticksPerMs, this.#ticksPerToken, this.#ticksPerBucket];
  }

  idleAt(tat: number): number {
    return tat / this.#ticksPerMs;
  }

  #write(decision: Decision, tick: number, tat: number, wait: number): void {
    const tokens = Math.floor((tick + this.#ticksPerBucket - tat) / this.#ticksPerToken);
    decision.allowed = wait === 0;
    decision.remaining = tokens;
    decision.resetMs = (tat - tick) / this.#ticksPerMs;
    decision.retryMs = wait / this.#ticksPerMs;
  }
}

/**
 * The same in Redis. There `now` is Unix time, too large to be multiplied into ticks: the state is a time, and the
 * ticks that were missing to a full bucket at that time.
 */
export const TOKEN_BUCKET_LUA = `
local function missing(state, perMs, perBucket)
  local at, ticks = string.match(state, '^(%d+) (%d+)$')
  if not at then return 0, false end
  local gone = math.max(0, now - tonumber(at)) * perMs
  return math.min(math.max(0, tonumber(ticks) - gone), perBucket), now < tonumber(at)
end

local function bucket(ticks)
  return string.format('%.0f %.0f', now, ticks)
end

algorithms.token_bucket = {
  take = function(state, cost, perMs, perToken, perBucket)
    local ticks, back = missing(state, perMs, perBucket)
    local wait = math.max(0, ticks + cost * perToken - perBucket)
    if wait == 0 then ticks = ticks + cost * perToken end
    local decision = {
      remaining = math.floor((perBucket - ticks) / perToken),
      reset = ticks / perMs, retry = wait / perMs, stamp = 0,
    }
    return decision, bucket(ticks), back
  end,
  refund = function(state, cost, stamp, perMs, perToken, perBucket)
    return bucket(math.max(0, (missing(state, perMs, perBucket)) - cost * perToken))
  end,
}
`;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
