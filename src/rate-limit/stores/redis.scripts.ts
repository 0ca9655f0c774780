import { createHash } from 'node:crypto';

import type { RedisScript } from '../../exchange/redis.js';
import { FIXED_WINDOW_LUA } from '../algorithms/fixed-window.js';
import { SLIDING_WINDOW_LUA } from '../algorithms/sliding-window.js';
import { TOKEN_BUCKET_LUA } from '../algorithms/token-bucket.js';

/** Whose time counts; Lua that declares `now` (whole milliseconds) and `slack` (added to every key's time to live). */
export type ScriptTime = string;

/** Redis' own: gateways whose clocks differ count alike. */
const SERVER_TIME: ScriptTime = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slack = 0
`;

/** What a limit puts into ARGV for its key: algorithm, cost, stamp (of a refund, else 0), three numbers. */
const ARGUMENTS = 6;

const COMMON = `
local algorithms = {}
local function argumentsOf(i)
  local at = (i - 1) * ${ARGUMENTS}
  return algorithms[ARGV[at + 1]], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]),
    tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
end
${TOKEN_BUCKET_LUA}
${FIXED_WINDOW_LUA}
${SLIDING_WINDOW_LUA}
`;

/**
 * Takes from all keys or, when one of them refuses, from none. A key that holds something else is taken for unknown
 * and written over. The answer has an item for each key: allowed, remaining, reset, retry, stamp. As a text:
 * Redis would cut numbers to whole ones.
 */
const TAKE = `
local function stateOf(key)
  local state = redis.pcall('GET', key)
  return type(state) == 'string' and state or ''
end

local taken, passed = {}, true
local function judge(i, cost)
  local algorithm, _, _, a, b, c = argumentsOf(i)
  local decision, state, back = algorithm.take(stateOf(KEYS[i]), cost, a, b, c)
  -- A clock that went back is put right even by a refusal: else nothing would pass until it has caught up.
  taken[i] = { decision = decision, state = state, allowed = decision.retry == 0, write = cost > 0 or back }
end

for i = 1, #KEYS do
  local _, cost = argumentsOf(i)
  judge(i, cost)
  passed = passed and taken[i].allowed
end
local items = {}
for i, key in ipairs(KEYS) do
  if not passed and taken[i].allowed then judge(i, 0) end
  local allowed, said = taken[i].allowed, taken[i].decision
  if taken[i].write and said.reset > 0 then
    redis.call('SET', key, taken[i].state, 'PX', math.ceil(said.reset) + slack)
  end
  items[i] = string.format('%d %.17g %.17g %.17g %.17g',
    allowed and 1 or 0, said.remaining, said.reset, said.retry, said.stamp)
end
return table.concat(items, ';')
`;

/** Gives back to every key; one that is gone has nothing to be given. */
const REFUND = `
for i, key in ipairs(KEYS) do
  local state = redis.pcall('GET', key)
  if type(state) == 'string' then
    local algorithm, cost, stamp, a, b, c = argumentsOf(i)
    local refunded = algorithm.refund(state, cost, stamp, a, b, c)
    if refunded then redis.call('SET', key, refunded, 'KEEPTTL') end
  end
end
return 1
`;

export interface LimitScripts {
  readonly take: RedisScript;
  readonly refund: RedisScript;
}

/** Needs Redis 6. `time`: for tests that move the clock by hand. */
export function limitScripts(time: ScriptTime = SERVER_TIME): LimitScripts {
  return { take: script(time + COMMON + TAKE), refund: script(time + COMMON + REFUND) };
}

function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
