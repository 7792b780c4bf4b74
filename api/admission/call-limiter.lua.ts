/**
 * Lua scripts of the accounts' rate limit and concurrency limit, by the clock of Redis. A slot belongs to a process, and a process has
 * a lease (sorted set of processes by expiry): the slots of a process whose lease has expired do not count.
 */

/**
 * Scheduler of a pool: start-time fair queueing. A call's priority is its account's virtual time. Every call
 * advances that time by its cost, which is smaller for an account with a greater limit of calls in flight (its
 * weight); it never falls behind the call that is served next. So waiting accounts take turns, a single account
 * gets all slots, and no account saves up for later. An account without calls in flight goes before accounts
 * that have some, and behind others without any. Each class has a range of numbers: live calls come first, then
 * test calls, then live and test calls whose caller does not wait; a class is served when none before it waits.
 *
 * Virtual time is one number per call, which fits BullMQ's priorities (whole numbers up to 2^21). Deficit round
 * robin would need a list per account and a process that feeds the queue from them.
 */
const fairness = `
local half, unit = tonumber(ARGV[11]), 320
local base, margin = half / 2, half / 16

local function fair()
  local self = {}
  local class, queue, fairKey, soleKey = tonumber(ARGV[8]), KEYS[7], KEYS[8], KEYS[9]
  local function first()
    local found = redis.call('ZRANGEBYSCORE', queue, class * 4294967296,
      string.format('(%.0f', (class + half) * 4294967296), 'WITHSCORES', 'LIMIT', 0, 1)
    if #found == 0 then return nil, base end
    return found[1], math.floor(tonumber(found[2]) / 4294967296) - class
  end
  -- Numbers that drift to an end of their half are moved back to its middle, all by the same.
  local function rebase(by)
    local all = redis.call('ZRANGEBYSCORE', queue, class * 4294967296,
      string.format('(%.0f', (class + half) * 4294967296), 'WITHSCORES')
    for i = 1, #all, 2 do
      redis.call('ZADD', queue, 'XX', string.format('%.0f', all[i + 1] - by * 4294967296), all[i])
    end
    local times = redis.call('HGETALL', fairKey)
    for i = 1, #times, 2 do redis.call('HINCRBY', fairKey, times[i], -by) end
  end
  -- Accounts whose time is over, and calls that have begun.
  local function prune(now)
    if redis.call('HLEN', fairKey) > 16 then
      local times = redis.call('HGETALL', fairKey)
      for i = 1, #times, 2 do
        if tonumber(times[i + 1]) <= now then redis.call('HDEL', fairKey, times[i]) end
      end
    end
    if redis.call('HLEN', soleKey) > 500 then
      for _, job in ipairs(redis.call('HKEYS', soleKey)) do
        if not redis.call('ZSCORE', queue, job) then redis.call('HDEL', soleKey, job) end
      end
    end
  end
  function self.accounts() return math.max(1, redis.call('HLEN', fairKey)) end
  function self.here(owner)
    if redis.call('HSETNX', fairKey, owner, 0) == 1 then redis.call('PEXPIRE', fairKey, 180000) end
  end
  function self.forget() redis.call('DEL', fairKey, soleKey) end
  function self.priority(request, owner, flying, flyingOf)
    local job, now = first()
    if now < 4096 or now > half - margin then
      rebase(now - base)
      now = base
    end
    prune(now)
    local mine, start = tonumber(redis.call('HGET', fairKey, owner) or '0'), now
    if flying == 0 then
      -- Before those who have more than one call, behind those who have one as well.
      local sole = job and redis.call('HGET', soleKey, job)
      if job and not (sole and flyingOf(sole) <= 1) then start = now - 1 end
      redis.call('HSET', soleKey, request, owner)
    else
      start = math.max(now, mine)
    end
    start = math.min(start, half - 1)
    local cost = math.max(1, math.min(64, math.floor(unit / tonumber(ARGV[2]) + 0.5)))
    redis.call('HSET', fairKey, owner, math.max(start, mine) + cost)
    redis.call('PEXPIRE', fairKey, 180000)
    redis.call('PEXPIRE', soleKey, 180000)
    return class + start
  end
  return self
end
`;

/**
 * Checks the account's rate (GCRA over one second), its calls in flight and the pool's queue capacity, for all
 * calls of one account and pool that arrived together; first it releases returned slots. The queue's length is
 * that of the queue itself plus calls on their way to it, which count from this script until their job is
 * there, so that a burst cannot pass the check together. Calls on their way are looked at one by one only where
 * that decides something: every process sends small batches, and each batch would look at the calls of all. An
 * account below its fair share of slots and queue capacity is let in even if others have filled the rest: the
 * scheduler serves it in the same time. Ahead of a call whose caller waits, only such calls count.
 *
 * Keys: rate; flight, to which each process that has a lease is added; on the way (hash of request -> lease);
 * leases; the queue's waiting, active and prioritized jobs; virtual time by account; calls whose account had no
 * other. Arguments: rate, most in flight, slots, lease, its milliseconds, prefix of the queue's jobs, number of
 * returned slots, first priority of the class, prefix of flights, account, number of priorities of the class,
 * first priority of calls whose caller does not wait, number of jobs that have reached the queue, the returned
 * slots, the calls of those jobs, then for each call its id and how many jobs may wait before it.
 */
export const acquireScript = `${fairness}
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local interval, most = 1000 / tonumber(ARGV[1]), tonumber(ARGV[2])
local lease, jobs = ARGV[4], ARGV[6]
local back, arrived = tonumber(ARGV[7]), tonumber(ARGV[13])
local first = 14 + back + arrived
local slots, owner = tonumber(ARGV[3]), ARGV[10]
local mine = KEYS[2] .. ':' .. lease

redis.call('ZADD', KEYS[4], now + ARGV[5], lease)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
if back > 0 then redis.call('SREM', mine, unpack(ARGV, 14, 13 + back)) end
if first > 14 then redis.call('HDEL', KEYS[3], unpack(ARGV, 14, first - 1)) end
local living, leases = {}, redis.call('ZRANGE', KEYS[4], 0, -1)
for _, one in ipairs(leases) do living[one] = true end
local function flyingOf(account)
  local sum = 0
  for _, one in ipairs(leases) do sum = sum + redis.call('SCARD', ARGV[9] .. account .. ':' .. one) end
  return sum
end
local flying = flyingOf(owner)
local patient = tonumber(ARGV[8]) >= tonumber(ARGV[12])
local behind = patient and redis.call('ZCARD', KEYS[7])
  or redis.call('ZCOUNT', KEYS[7], '-inf', string.format('(%.0f', ARGV[12] * 4294967296))
local listed = redis.call('LLEN', KEYS[5]) + behind
local there = listed + redis.call('LLEN', KEYS[6])
-- At most: those whose job is there by now, or whose process is gone, stay until they are looked at.
local way, asked, least = redis.call('HLEN', KEYS[3]), 0, math.huge
for i = first + 1, #ARGV, 2 do asked, least = asked + 1, math.min(least, tonumber(ARGV[i])) end
local most_there = there + way + asked - 1
if way > 0 and (there == 0 or there < slots and most_there >= slots
  or math.max(listed, most_there - slots) >= least) then
  way = 0
  local under = redis.call('HGETALL', KEYS[3])
  for i = 1, #under, 2 do
    if living[under[i + 1]] and redis.call('EXISTS', jobs .. under[i]) == 0 then way = way + 1
    else redis.call('HDEL', KEYS[3], under[i]) end
  end
end
local beyond = there + way - slots
local turns = fair()
if beyond + slots == 0 then turns.forget() end
turns.here(owner)

local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local taken, verdicts = {}, {}
for i = first, #ARGV, 2 do
  local left = math.floor((now + 1000 - tat) / interval + 0.000001)
  local waiting = math.max(listed, beyond)
  local verdict, wait, priority = 1, 0, 0
  local capacity = tonumber(ARGV[i + 1])
  if redis.call('SISMEMBER', mine, ARGV[i]) == 1 then
    -- A repetition after its answer was lost.
  elseif left < 1 then
    verdict, left, wait = 0, 0, math.ceil(tat + interval - now - 1000)
  elseif flying >= most then
    verdict = -1
  elseif waiting >= capacity and flying >= math.max(1, math.floor((capacity + slots) / turns.accounts())) then
    verdict = -2
  else
    if beyond >= 0 or patient then priority = turns.priority(ARGV[i], owner, flying, flyingOf) end
    tat, left, flying, beyond = tat + interval, left - 1, flying + 1, beyond + 1
    redis.call('SADD', mine, ARGV[i])
    taken[#taken + 1] = ARGV[i]
    taken[#taken + 1] = lease
  end
  for _, value in ipairs({verdict, left, wait, waiting, priority}) do verdicts[#verdicts + 1] = value end
end
if #taken > 0 then
  redis.call('SET', KEYS[1], tat, 'PX', 2000)
  redis.call('HSET', KEYS[3], unpack(taken))
  local lasts = patient and 7200000 or 180000
  if redis.call('PTTL', mine) < lasts then redis.call('PEXPIRE', mine, lasts) end
  redis.call('PEXPIRE', KEYS[3], 180000)
end
return verdicts`;

/** Key: leases. Arguments: lease, its milliseconds, and an earlier lease that ends with it. */
export const renewScript = `
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + t[2] / 1000 + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], 180000)
if ARGV[3] then redis.call('ZREM', KEYS[1], ARGV[3]) end`;
