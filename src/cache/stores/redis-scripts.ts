import { createHash } from 'node:crypto';

import type { RedisScript } from '../../exchange/redis.js';

/**
 * An entry is three marks (path, route, group: 32 characters each), two generations (route, group: 16 each) and the
 * set. It counts only while the generations that stand under `…route:<mark>` and `…group:<mark>` are the same: to
 * clear a route or a group is to remove its generation, however many entries it has. One that Redis itself evicted
 * makes its entries misses, never answers that were invalidated.
 *
 * A generation is a hash: g, its name, and n, how many entries it has.
 */
export const MARK = 32;
export const MARKS = 3 * MARK;

/** Both generations of an entry, and the names that they should have. */
const READ = `
local function generations(entry, prefix)
  return {
    {prefix .. 'route:' .. string.sub(entry, 33, 64), string.sub(entry, 97, 112)},
    {prefix .. 'group:' .. string.sub(entry, 65, 96), string.sub(entry, 113, 128)},
  }
end
local function counts(entry, prefix)
  for _, one in ipairs(generations(entry, prefix)) do
    if redis.call('HGET', one[1], 'g') ~= one[2] then return false end
  end
  return true
end
`;

/** Removes an entry and counts it off: 1 when it counted. */
const REMOVE = `${READ}
local function remove(key, prefix)
  local entry = redis.call('GETRANGE', key, 0, 127)
  local counted = counts(entry, prefix)
  for _, one in ipairs(generations(entry, prefix)) do
    if redis.call('HGET', one[1], 'g') == one[2] then redis.call('HINCRBY', one[1], 'n', -1) end
  end
  redis.call('UNLINK', key)
  return counted and 1 or 0
end
`;

/** KEYS: entry. ARGV: prefix. The set, or nil. */
export const GET = script(`${READ}
local entry = redis.call('GET', KEYS[1])
if not entry or not counts(entry, ARGV[1]) then return false end
return string.sub(entry, 129)
`);

/**
 * KEYS: entry, route's generation, group's generation. ARGV: prefix, marks, set, milliseconds to live, a name for
 * generations that are gone. What Redis refuses when it has no room comes first: after a first write it would take
 * the rest of a script.
 */
export const PUT = script(`${REMOVE}
local function generation(key)
  if redis.call('HSETNX', key, 'g', ARGV[5]) == 1 or redis.call('PTTL', key) < tonumber(ARGV[4]) then
    redis.call('PEXPIRE', key, ARGV[4])
  end
  redis.call('HINCRBY', key, 'n', 1)
  return redis.call('HGET', key, 'g')
end
local route = generation(KEYS[2])
local group = generation(KEYS[3])
remove(KEYS[1], ARGV[1])
redis.call('SET', KEYS[1], ARGV[2] .. route .. group .. ARGV[3], 'PX', ARGV[4])
return 1
`);

/** KEYS: a generation. How many entries it had. */
export const END_GENERATION = script(`
local n = redis.call('HGET', KEYS[1], 'n')
redis.call('UNLINK', KEYS[1])
return math.max(0, tonumber(n or 0))
`);

/** KEYS: entry. ARGV: prefix. Removes it: 1 when it counted. */
export const DELETE = script(`${REMOVE}
return remove(KEYS[1], ARGV[1])
`);

function script(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
