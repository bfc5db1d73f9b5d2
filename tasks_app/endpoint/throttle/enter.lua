-- One caller asks for a permit.
-- KEYS: held, line, until, state, minute, seen (see shared.py).
-- Returns {verdict (0 granted, 1 in line, 2 down), ms until it should ask again, ms that it will wait for sure, epoch,
--   moment of the grant in ms, limit that holds now (0: none), processes alive, ms since when it fails}
local held, line, line_until, state, minute, seen = unpack(KEYS)
local permit, process, holder = ARGV[1], ARGV[2], ARGV[3]
local most, requests, tokens = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local wanted, waited = tonumber(ARGV[7]), tonumber(ARGV[8])
-- Whether this process keeps to its own share, which is all that is known when Redis begins anew.
local hands_in_share, minute_in_share = ARGV[9] == '1', ARGV[10] == '1'
local life, window, lately = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local settled, poll, most_poll, grace = tonumber(ARGV[14]), tonumber(ARGV[15]), tonumber(ARGV[16]), tonumber(ARGV[17])
local most_quiet, most_pause = tonumber(ARGV[18]), tonumber(ARGV[19])

local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(tonumber(time[2]) / 1000)

local function number(field)
  return tonumber(redis.call('HGET', state, field)) or 0
end

-- Where the clock was set back, what was written before lies in a future that nobody may have to wait for: none of it
-- is later than it would be if it were written now.
local function not_after(set, latest)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', set, '(' .. latest, '+inf')) do
    redis.call('ZADD', set, latest, member)
  end
end
not_after(held, now + life)
not_after(line, now + 1)
not_after(line_until, now + most_poll * 3 + 500)
not_after(seen, now)
if number('born') > now then
  redis.call('HDEL', state, 'born')
end

redis.call('HSETNX', state, 'born', now)
redis.call('PEXPIRE', state, 3600000)
redis.call('ZADD', seen, now, process)
redis.call('ZREMRANGEBYSCORE', seen, '-inf', now - lately)
redis.call('PEXPIRE', seen, lately)
redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
local alive = redis.call('ZCARD', seen)
local in_hand = redis.call('ZCARD', held)
local age = now - number('born')

local limit = most
local width = tonumber(redis.call('HGET', state, 'width'))
if width then
  local narrow = math.max(1, math.floor(width))
  limit = limit > 0 and math.min(limit, narrow) or narrow
end

local down_at = number('down_at')
if down_at > 0 then
  local probe = redis.call('HGET', state, 'probe')
  local is_tried = probe and redis.call('ZSCORE', held, probe)
  local due = math.min(number('next_probe'), now + most_pause)
  redis.call('HSET', state, 'next_probe', due)
  -- Another one's turn, if there is another: a request that fails by itself must not be the only one that is tried.
  if redis.call('HGET', state, 'prober') == holder then
    due = due + grace
  end
  if is_tried or now < due then
    return {2, 0, is_tried and 0 or due - now, 0, 0, limit, alive, now - number('row_at')}
  end
  limit = most
end

local wait = 0
local function at_least(ms)
  wait = math.max(wait, ms)
end

-- The requests and tokens of the last minute. A second counts until it is over for sure, at the endpoint too.
if requests > 0 or tokens > 0 then
  local entries = redis.call('HGETALL', minute)
  local booked, sums, seconds = {r = {}, t = {}}, {r = 0, t = 0}, {}
  for i = 1, #entries, 2 do
    local sort, at = string.sub(entries[i], 1, 1), tonumber(string.sub(entries[i], 2))
    if at <= second - window then
      redis.call('HDEL', minute, entries[i])
    else
      if at > second then
        redis.call('HDEL', minute, entries[i])
        redis.call('HINCRBY', minute, sort .. second, entries[i + 1])
        at = second
      end
      booked[sort][at] = (booked[sort][at] or 0) + tonumber(entries[i + 1])
      sums[sort] = sums[sort] + tonumber(entries[i + 1])
      seconds[#seconds + 1] = at
    end
  end
  table.sort(seconds)
  local function until_room(sort, limit_of, wish)
    local left = sums[sort]
    for _, at in ipairs(seconds) do
      if left + wish <= limit_of then
        return
      end
      if booked[sort][at] then
        left = left - booked[sort][at]
        booked[sort][at] = 0
        at_least((at + window) * 1000 - now)
      end
    end
  end
  if requests > 0 then
    until_room('r', requests, 1)
  end
  if tokens > 0 then
    -- What never fits goes when nothing else does.
    until_room('t', tokens, math.min(wanted, tokens))
  end
end
local is_full = wait > 0
local is_beyond_share = not minute_in_share and age < window * 1000
if is_beyond_share then
  at_least(1000)
end

if number('quiet') > now + most_quiet then
  redis.call('HSET', state, 'quiet', now + most_quiet)
end
at_least(number('quiet') - now)

-- The line: its order is that of arrival; who asks no more has left it.
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', line_until, '-inf', now)) do
  redis.call('ZREM', line, gone)
  redis.call('ZREM', line_until, gone)
end
local rank = redis.call('ZRANK', line, permit) or redis.call('ZCARD', line)
if down_at > 0 then
  -- Who tries whether the endpoint is back goes before those who wait for that.
  rank = 0
end
local has_hand = limit == 0 or rank < limit - in_hand
if not hands_in_share and age < settled then
  has_hand = false
end
-- Who is first and waits for the minute is not overtaken by those who want less of it: it would wait for ever.
local first = redis.call('ZRANGE', line, 0, 0)[1]
if down_at == 0 and first and first ~= permit and first == redis.call('HGET', state, 'saves') then
  has_hand = false
end

if wait <= 0 and has_hand then
  redis.call('ZREM', line, permit)
  redis.call('ZREM', line_until, permit)
  redis.call('ZADD', held, now + life, permit)
  redis.call('PEXPIRE', held, life * 10)
  if requests > 0 or tokens > 0 then
    redis.call('HINCRBY', minute, 'r' .. second, 1)
    redis.call('HINCRBY', minute, 't' .. second, wanted)
    redis.call('EXPIRE', minute, window * 2)
  end
  if down_at > 0 then
    redis.call('HSET', state, 'probe', permit, 'prober', holder)
  end
  return {0, 0, 0, number('epoch'), now, limit, alive, 0}
end

-- Those in front ask often, those behind seldom: together never more than some hundred times a second.
local again = math.min(most_poll, math.max(poll * (1 + rank), math.min(wait, most_poll)))
if is_beyond_share then
  -- It holds up nobody: the others have their shares. Its place is that of its arrival again, once its own has room.
  redis.call('ZREM', line, permit)
  redis.call('ZREM', line_until, permit)
  return {1, again, math.max(0, wait), 0, 0, limit, alive, 0}
end
redis.call('ZADD', line, 'NX', second * 1000 + tonumber(time[2]) / 1000 - waited, permit)
redis.call('ZADD', line_until, now + again * 3 + 500, permit)
redis.call('PEXPIRE', line, 60000)
redis.call('PEXPIRE', line_until, 60000)
if is_full and redis.call('ZRANK', line, permit) == 0 then
  redis.call('HSET', state, 'saves', permit)
end
return {1, again, math.max(0, wait), 0, 0, limit, alive, 0}
