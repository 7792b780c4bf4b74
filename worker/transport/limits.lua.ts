/**
 * Scripts for the rate limit (token bucket), the limit per day (units of each hour) and the concurrency limit
 * (semaphore of leases) of one upstream account, by the clock of Redis. Keys of each script: leases (sorted by
 * expiry), bucket (tokens, at), queue (waiting processes, sorted by arrival), seen (sorted by their last
 * request), hours (units by the number of the hour).
 */

/** A waiting process that sends no request for this long loses its position in the queue. */
const staleMs = 1500;

/**
 * Arguments: simultaneous and per second (0 for no limit), burst, lease, lease time, id of the waiting process,
 * whether to queue, per day (0 for no limit), units of the request. Returns -1 when granted, -2 where the day's
 * units are used up, else milliseconds until a token is available, or 0 when only a lease is missing.
 *
 * A request of several units leaves a debt in the bucket, which later requests wait for. The day is the last 24
 * hours and what is over of the hour before them, so no 24 hours have more.
 */
export const acquireScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local leases, bucket, queue, seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local simultaneous, rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lease, leaseMs, waiter, queued = ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7] == '1'
local hours, per_day, units = KEYS[5], tonumber(ARGV[8]), tonumber(ARGV[9])

for _, gone in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', now - ${staleMs})) do
  redis.call('ZREM', queue, gone)
  redis.call('ZREM', seen, gone)
end
local ahead = redis.call('ZRANK', queue, waiter) or redis.call('ZCARD', queue)

local hour = math.floor(time[1] / 3600)
if per_day > 0 then
  local used = 0
  local known = redis.call('HGETALL', hours)
  for index = 1, #known, 2 do
    if tonumber(known[index]) < hour - 24 then
      redis.call('HDEL', hours, known[index])
    else
      used = used + tonumber(known[index + 1])
    end
  end
  if used + units > per_day then
    return -2
  end
end

local lease_free = true
if simultaneous > 0 then
  redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
  lease_free = ahead < simultaneous - redis.call('ZCARD', leases)
end
local tokens = burst
local wait = 0
if rate > 0 then
  local state = redis.call('HMGET', bucket, 'tokens', 'at')
  if state[1] then
    tokens = math.min(burst, tonumber(state[1]) + math.max(0, now - tonumber(state[2])) * rate / 1000)
  end
  if tokens < ahead + 1 then
    wait = math.ceil((ahead + 1 - tokens) * 1000 / rate)
  end
end

if lease_free and wait == 0 then
  if simultaneous > 0 then
    redis.call('ZADD', leases, now + leaseMs, lease)
    redis.call('PEXPIRE', leases, leaseMs * 2)
  end
  if rate > 0 then
    redis.call('HSET', bucket, 'tokens', tokens - units, 'at', now)
    redis.call('PEXPIRE', bucket, math.ceil((burst + units) / rate * 1000) + 1000)
  end
  if per_day > 0 then
    redis.call('HINCRBYFLOAT', hours, hour, units)
    redis.call('PEXPIRE', hours, 25 * 3600 * 1000)
  end
  redis.call('ZREM', queue, waiter)
  redis.call('ZREM', seen, waiter)
  return -1
end

if queued then
  redis.call('ZADD', queue, 'NX', time[1] * 1000000 + time[2], waiter)
  redis.call('ZADD', seen, now, waiter)
  redis.call('PEXPIRE', queue, ${staleMs * 4})
  redis.call('PEXPIRE', seen, ${staleMs * 4})
end
return wait
`;

/** Arguments: lease time, leases. The requests still run, so a lease that expired in between counts again. */
export const renewScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #ARGV do
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[index])
end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[1]) * 2)
return 0
`;

/** Argument: lease. */
export const releaseScript = `return redis.call('ZREM', KEYS[1], ARGV[1])`;

/** Argument: id of the waiting process. */
export const leaveScript = `
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 0
`;
