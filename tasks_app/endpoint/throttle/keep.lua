-- A process renews what it has in hand, also what it took while Redis was away.
-- KEYS: held, seen. ARGV: process, ms of a permit's life, ms for which a process counts as alive, permit, ...
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
for i = 4, #ARGV do
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 10)
return #ARGV - 3
