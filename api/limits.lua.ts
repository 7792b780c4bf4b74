/**
 * Scripts that keep places, by the clock of Redis. A place belongs to a process, and a process has a
 * lease (sorted set of processes by expiry): the places of one whose lease has run out do not count.
 */

/**
 * The key's rate (GCRA over one second), its calls in flight, and the room in the pool's queue, for all
 * calls of one key and pool that arrived together; before that, places that are given back. The queue's
 * room is counted from the queue itself, and from calls on their way to it: they count from here on, so
 * that a burst cannot pass the check together, until their job is there.
 *
 * Keys: rate; flight, to which each process that has a lease is added; on the way (hash of request ->
 * lease); leases; the queue's waiting and active jobs. Arguments: rate, most in flight, slots, lease,
 * its milliseconds, prefix of the queue's jobs, how many places are given back, these, then for each
 * call its id and how many jobs may wait before it.
 */
export const acquireScript = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval, most = 1000 / tonumber(ARGV[1]), tonumber(ARGV[2])
local lease, jobs = ARGV[4], ARGV[6]
local first = 8 + tonumber(ARGV[7])
local mine = KEYS[2] .. ':' .. lease

redis.call('ZADD', KEYS[4], now + ARGV[5], lease)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
if first > 8 then
  redis.call('SREM', mine, unpack(ARGV, 8, first - 1))
  redis.call('HDEL', KEYS[3], unpack(ARGV, 8, first - 1))
end
local living, flying = {}, 0
for _, one in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  living[one] = true
  flying = flying + redis.call('SCARD', KEYS[2] .. ':' .. one)
end
local under = redis.call('HGETALL', KEYS[3])
local way = 0
for i = 1, #under, 2 do
  if living[under[i + 1]] and redis.call('EXISTS', jobs .. under[i]) == 0 then way = way + 1
  else redis.call('HDEL', KEYS[3], under[i]) end
end
local listed = redis.call('LLEN', KEYS[5])
local beyond = listed + redis.call('LLEN', KEYS[6]) + way - tonumber(ARGV[3])

local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local taken, verdicts = {}, {}
for i = first, #ARGV, 2 do
  local left = math.floor((now + 1000 - tat) / interval + 0.000001)
  local waiting = math.max(listed, beyond)
  local verdict, wait = 1, 0
  if redis.call('SISMEMBER', mine, ARGV[i]) == 1 then
    -- Asked again after its answer was lost.
  elseif left < 1 then
    verdict, left, wait = 0, 0, math.ceil(tat + interval - now - 1000)
  elseif flying >= most then
    verdict = -1
  elseif waiting >= tonumber(ARGV[i + 1]) then
    verdict = -2
  else
    tat, left, flying, beyond = tat + interval, left - 1, flying + 1, beyond + 1
    redis.call('SADD', mine, ARGV[i])
    taken[#taken + 1] = ARGV[i]
    taken[#taken + 1] = lease
  end
  for _, value in ipairs({verdict, left, wait, waiting}) do verdicts[#verdicts + 1] = value end
end
if #taken > 0 then
  redis.call('SET', KEYS[1], tat, 'PX', 2000)
  redis.call('HSET', KEYS[3], unpack(taken))
  redis.call('PEXPIRE', mine, 180000)
  redis.call('PEXPIRE', KEYS[3], 180000)
end
return verdicts`;

/** Key: leases. Arguments: lease, its milliseconds, and an earlier lease that ends with it. */
export const renewScript = `
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + t[2] / 1000 + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], 180000)
if ARGV[3] then redis.call('ZREM', KEYS[1], ARGV[3]) end`;
