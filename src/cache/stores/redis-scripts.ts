import { createHash } from 'node:crypto';

import type { RedisScript } from '../../exchange/redis.js';

/**
 * An entry is three marks (path, route, group: 32 characters each), two generations (route, group: 16 each), its version
 * (16) and the set. It counts only while the generations that stand under `…route:<mark>` and `…group:<mark>` are the
 * same: to clear a route or a group is to remove its generation, however many entries it has. One that Redis itself
 * evicted makes its entries misses, never answers that were invalidated.
 *
 * A generation is a hash: g, its name, and n, how many entries it has. A look-up makes those that are missing, for as
 * long as a fetch may take, and a put is refused unless they are the same still: what was invalidated while its answer
 * was under way, by whichever gateway, is not stored. `…whole` is one more, without entries, removed by what clears
 * entry by entry.
 */
export const MARK = 32;
export const MARKS = 3 * MARK;
export const GENERATION = 16;

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

/**
 * KEYS: entry, generations of route, group and whole. ARGV: prefix, a name for generations that are gone, milliseconds
 * for which they stand at least. The set, its version, and the three generations; empty for each that is not there.
 */
export const GET = script(`${READ}
local function generation(key)
  local name = redis.call('HGET', key, 'g')
  if not name then
    if redis.pcall('HSETNX', key, 'g', ARGV[2]) ~= 1 then return '' end
    name = ARGV[2]
  elseif redis.call('PTTL', key) > ARGV[3] / 2 then
    return name
  end
  redis.call('PEXPIRE', key, ARGV[3])
  return name
end
local entry = redis.call('GET', KEYS[1])
local set = ''
if entry and counts(entry, ARGV[1]) then set = string.sub(entry, 145) end
local version = entry and string.sub(entry, 129, 144) or ''
return {set, version, generation(KEYS[2]), generation(KEYS[3]), generation(KEYS[4])}
`);

/**
 * KEYS: as for GET. ARGV: prefix, marks, set, milliseconds to live, the new version, the three generations as they were
 * seen, the version as it was seen. 0 where one is another now. What Redis refuses when it has no room comes first:
 * after a first write it would take the rest of a script.
 */
export const PUT = script(`${REMOVE}
for at = 2, 4 do
  local seen = string.sub(ARGV[6], at * 16 - 31, at * 16 - 16)
  if redis.call('HGET', KEYS[at], 'g') ~= seen then return 0 end
end
if redis.call('GETRANGE', KEYS[1], 128, 143) ~= ARGV[7] then return 0 end
for at = 2, 3 do
  redis.call('HINCRBY', KEYS[at], 'n', 1)
  if redis.call('PTTL', KEYS[at]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[at], ARGV[4]) end
end
remove(KEYS[1], ARGV[1])
local generations = string.sub(ARGV[6], 1, 32)
redis.call('SET', KEYS[1], ARGV[2] .. generations .. ARGV[5] .. ARGV[3], 'PX', ARGV[4])
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
