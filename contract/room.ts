import { queuePrefix } from "./job.ts";

/**
 * Room for large outcomes in Redis. A worker takes room before it stores one, and the API gives it back
 * once the call is settled; what nobody gives back is free when the outcome has expired. So the bytes
 * that wait in Redis stay below a share of its memory, however many calls end at once.
 */

/** Sorted set: job id by the Unix time in milliseconds at which its outcome expires. */
export const roomKey = `${queuePrefix}:room`;
/** Hash: `all`, `pool:<pool>` and `tenant:<tenant>` -> bytes; `job:<id>` -> what it took. */
export const roomBytesKey = `${queuePrefix}:room:bytes`;

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
 * Keys: the two above and the result's, of which there is to be one at most. Arguments: job id, bytes, pool, tenant, life in milliseconds, most bytes in all, of
 * a pool, of a tenant. Answers 1 when the room is taken. Whoever has nothing there may take what it needs
 * of what is left, so that an outcome larger than a share is delayed and not refused for ever.
 */
export const takeRoomScript = `${giveBack}
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
/**
 * Keys: the two above and the results'. Arguments: what stands in the place of each result for as long as
 * it would have lived (a twin that looks for it, or a worker that runs the job again or stores it too
 * late, finds that); for how many milliseconds where the result has not come yet; then the job ids.
 */
export const forgetScript = `${giveBack}
for i = 3, #KEYS do
  if not redis.call('SET', KEYS[i], ARGV[1], 'XX', 'KEEPTTL') then
    redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
  end
  give_back(ARGV[i])
end`;
