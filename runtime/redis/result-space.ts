import { queuePrefix } from "./keys.ts";

/**
 * Result space: back-pressure for large outcomes in Redis. A worker reserves space before it stores an
 * outcome, and the API releases it once the call is settled; a reservation expires with its outcome. So
 * the bytes that wait in Redis stay below a share of its memory, however many calls end at once.
 */

/** Sorted set: job id by the Unix time in milliseconds at which its outcome expires. */
export const resultSpaceKey = `${queuePrefix}:room`;
/** Hash: `all`, `pool:<pool>` and `tenant:<tenant>` -> bytes; `job:<id>` -> bytes, pool and tenant of its reservation. */
export const resultSpaceBytesKey = `${queuePrefix}:room:bytes`;

const giveBack = `
local function give_back(id)
  local took = redis.call('HGET', KEYS[2], 'job:' .. id)
  if not took then return end
  local bytes, pool, tenant = string.match(took, '^(%d+) (%S+) (%S+)$')
  redis.call('HDEL', KEYS[2], 'job:' .. id)
  redis.call('ZREM', KEYS[1], id)
  for _, field in ipairs({'all', 'pool:' .. pool, 'tenant:' .. tenant}) do
    if redis.call('HINCRBY', KEYS[2], field, -bytes) <= 0 then redis.call('HDEL', KEYS[2], field) end
  end
end`;

/**
 * Keys: the two above and the result's. Arguments: job id, bytes, pool, tenant, life in milliseconds, then
 * the most bytes in all, of a pool and of a tenant. Returns 1 when the space is reserved, or when the job
 * has a reservation or a result already. A limit applies only to a holder with reserved bytes, so that an
 * outcome larger than its share is delayed and not refused for ever.
 */
export const reserveSpaceScript = `${giveBack}
local id, bytes, pool, tenant = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do give_back(old) end
if redis.call('HEXISTS', KEYS[2], 'job:' .. id) == 1 or redis.call('EXISTS', KEYS[3]) == 1 then return 1 end
local fields = {'all', 'pool:' .. pool, 'tenant:' .. tenant}
for i, field in ipairs(fields) do
  local taken = tonumber(redis.call('HGET', KEYS[2], field) or 0)
  if taken > 0 and taken + bytes > tonumber(ARGV[5 + i]) then return 0 end
end
for _, field in ipairs(fields) do redis.call('HINCRBY', KEYS[2], field, bytes) end
redis.call('HSET', KEYS[2], 'job:' .. id, bytes .. ' ' .. pool .. ' ' .. tenant)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[5]), id)
return 1`;

/**
 * Keys: the two above and the results'. Arguments: a marker that replaces each result for the rest of its
 * life, so that a concurrent retry, a second run or a late store finds it; the marker's life in
 * milliseconds where no result is stored yet; then the job ids.
 */
export const deleteResultsScript = `${giveBack}
for i = 3, #KEYS do
  if not redis.call('SET', KEYS[i], ARGV[1], 'XX', 'KEEPTTL') then
    redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
  end
  give_back(ARGV[i])
end`;
