-- A permit comes back, with what became of its call; or somebody leaves the line.
-- KEYS: held, line, until, state, minute, row (see shared.py).
-- ARGV[5], the outcome: "answered", "refused" (429), "failed" (as it would for everyone, or for this request alone),
--   "unreached" (not even connected, so no request's fault), "neutral" (cut by us), "unused" (nothing was sent).
-- Returns {whether it failed because the endpoint fails for everyone, ms since when}
local held, line, line_until, state, minute, row = unpack(KEYS)
local permit, process, holder, request, outcome = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local retry_after, epoch, life = tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8])
local granted_at, booked, used = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local most, linger, window = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local alive, row_life, most_quiet, most_pause = tonumber(ARGV[15]), tonumber(ARGV[16]), tonumber(ARGV[17]), tonumber(ARGV[18])
local booked_at = math.floor(granted_at / 1000)

local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(tonumber(time[2]) / 1000)

local function number(field)
  return tonumber(redis.call('HGET', state, field)) or 0
end

redis.call('ZREM', line, permit)
redis.call('ZREM', line_until, permit)
redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
local in_hand = redis.call('ZCARD', held)
if linger > 0 and outcome ~= 'unused' then
  -- The endpoint hears a moment later that the call is over.
  redis.call('ZADD', held, 'XX', now + linger, permit)
else
  redis.call('ZREM', held, permit)
end

-- What was booked when it was granted is put right, under the second in which it ended: endpoints that count tokens at
-- the end of a call count them there.
if redis.call('HEXISTS', minute, 'r' .. booked_at) == 1 then
  if outcome == 'unused' then
    redis.call('HINCRBY', minute, 'r' .. booked_at, -1)
    used = 0
  end
  if used >= 0 and booked > 0 then
    redis.call('HINCRBY', minute, 't' .. booked_at, -booked)
    redis.call('HINCRBY', minute, 't' .. second, used)
    redis.call('EXPIRE', minute, window * 2)
  end
end

local is_down = number('down_at') > 0
local is_of_now = epoch == tostring(number('epoch'))
local function forget_failures()
  redis.call('DEL', row)
  redis.call('HDEL', state, 'row_at', 'refused', 'wish')
end
local function up()
  redis.call('HDEL', state, 'down_at', 'probe', 'prober', 'probes', 'next_probe')
  redis.call('HINCRBY', state, 'epoch', 1)
  redis.call('HSET', state, 'width', '1', 'cut_at', now)
  forget_failures()
end
local function pause(probes)
  return math.min(most_pause, 500 * 2 ^ math.min(probes, 10))
end

if redis.call('HGET', state, 'probe') == permit then
  redis.call('HDEL', state, 'probe')
end

if outcome == 'neutral' or outcome == 'unused' then
  return {0, 0}
end

if outcome == 'failed' or outcome == 'unreached' then
  -- Sent before it was known that the endpoint fails for everyone: it failed for that reason.
  if is_down and is_of_now then
    local probes = redis.call('HINCRBY', state, 'probes', 1)
    redis.call('HSET', state, 'next_probe', now + pause(probes))
  end
  if is_down then
    return {1, now - number('row_at')}
  end
  if not is_of_now then
    return {1, now - granted_at}
  end
  if redis.call('EXISTS', row) == 0 then
    redis.call('HSET', state, 'row_at', now)
  end
  redis.call('HSET', row, request, process .. ' ' .. holder .. ' ' .. outcome)
  redis.call('PEXPIRE', row, row_life)
  -- All without a success between: how many requests, of how many tasks, seen by how many processes.
  local count, processes, holders, unreached = 0, {}, {}, 0
  local seen_by, asked_by = 0, 0
  for _, entry in ipairs(redis.call('HVALS', row)) do
    local by, of, how = string.match(entry, '^(%S+) (%S+) (%S+)$')
    count = count + 1
    unreached = unreached + (how == 'unreached' and 1 or 0)
    if not processes[by] then
      processes[by], seen_by = true, seen_by + 1
    end
    if not holders[of] then
      holders[of], asked_by = true, asked_by + 1
    end
  end
  local needed = math.max(3, math.min(20, math.ceil(in_hand / 2)))
  local fails = count >= needed and asked_by >= 2 or unreached >= math.max(2, needed - 1)
  if not fails or seen_by < math.min(2, alive) then
    return {0, 0}
  end
  redis.call('HSET', state, 'down_at', now, 'probes', 0, 'next_probe', now + pause(0))
  redis.call('HINCRBY', state, 'epoch', 1)
  redis.call('DEL', row)
  return {1, now - number('row_at')}
end

if not is_of_now then
  -- Sent before the endpoint died, or before it came back: says nothing about now.
  return {0, 0}
end

if outcome == 'answered' then
  if is_down then
    up()
    return {0, 0}
  end
  forget_failures()
  local width = tonumber(redis.call('HGET', state, 'width'))
  -- Wider by one for each round of answers, and only where so much was in use.
  if width and in_hand >= math.floor(width) then
    width = width + 1 / width
    if most > 0 and width >= most then
      redis.call('HDEL', state, 'width')
    else
      redis.call('HSET', state, 'width', string.format('%.4f', width))
    end
  end
  return {0, 0}
end

-- Refused: the endpoint is there, but wants less.
if is_down then
  up()
end
local refused = redis.call('HINCRBY', state, 'refused', 1)
local cut_at = number('cut_at')
if granted_at > cut_at or cut_at > now then
  -- Once for each round: what was granted before the last cut is no news.
  local width = tonumber(redis.call('HGET', state, 'width')) or in_hand
  redis.call('HSET', state, 'width', string.format('%.4f', math.max(1, math.floor(width / 2))), 'cut_at', now)
end
if retry_after > 0 then
  local wish = number('wish')
  if wish <= now or now + retry_after < wish then
    wish = now + retry_after
    redis.call('HSET', state, 'wish', wish)
  end
  if refused >= 3 then
    -- Nobody was answered between: until the first of them may come again, nobody needs to ask.
    redis.call('HSET', state, 'quiet', math.min(wish, now + most_quiet))
  end
end
return {0, 0}
