"""The counts of all processes together, in Redis.

| key | holds |
|---|---|
| longhaul:metrics | one hash: series -> count |
| longhaul:metrics:live | one hash: web process -> its open sockets, and when it said so by Redis' clock |
| longhaul:metrics:sent:PROCESS | the number of the last batch of this process, for an hour |

A Redis that was emptied begins anew, and rates cope with that. One that is away is left alone.
"""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import uuid4

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .catalogue import Counts

COUNTS_KEY = "longhaul:metrics"
LIVE_KEY = "longhaul:metrics:live"
TIMEOUT_SECONDS = 0.5
# A web process that has said nothing for so long is gone, and its sockets with it.
LIVE_SECONDS = 15
# A batch whose reply was lost is sent again, and Redis knows that it has it: nothing is counted twice.
ADD = """
if ARGV[3] ~= '' then redis.call('HSET', KEYS[3], ARGV[2], redis.call('TIME')[1] .. ' ' .. ARGV[3]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'EX', 3600)
for i = 4, #ARGV, 2 do redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Counts of one process; `number` is raised with each."""

    number: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Shared:
    """What all processes have counted. `sockets`: open now, in all web processes."""

    counts: Counts = field(default_factory=dict)
    sockets: int = 0


class Store:
    """One process' way to Redis. Its methods raise RedisError and OSError."""

    def __init__(self) -> None:
        self._process = uuid4().hex

    def add(self, batch: Batch, *, sockets: int | None) -> None:
        """`sockets`: open in this process; None in one that has never had any."""
        keys = [COUNTS_KEY, f"{COUNTS_KEY}:sent:{self._process}", LIVE_KEY]
        told = [str(batch.number), self._process, "" if sockets is None else str(sockets)]
        fields = [text for series, count in batch.counts.items() for text in (json.dumps(series), repr(count))]
        client = _client(settings.REDIS_URL)
        client.register_script(ADD)(keys=keys, args=[*told, *fields])


def read() -> Shared:
    """Raises RedisError and OSError."""
    with _client(settings.REDIS_URL).pipeline(transaction=False) as pipe:
        pipe.hgetall(COUNTS_KEY)
        pipe.hgetall(LIVE_KEY)
        pipe.time()
        counts, live, (now, _) = pipe.execute()
    return Shared(dict(_series(field, count) for field, count in counts.items()), _open_sockets(live, now))


def _series(text: bytes, count: bytes) -> Any:
    name, labels, part = json.loads(text)
    return (name, tuple(labels), part), float(count)


def _open_sockets(live: dict[bytes, bytes], now: int) -> int:
    told = {process: [int(number) for number in said.split()] for process, said in live.items()}
    gone = [process for process, (at, _) in told.items() if now - at > LIVE_SECONDS]
    if gone:
        _client(settings.REDIS_URL).hdel(LIVE_KEY, *gone)
    return sum(sockets for process, (_, sockets) in told.items() if process not in gone)


@lru_cache(maxsize=4)
def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        # One more try at once: a connection that was kept may have died unnoticed.
        retry=Retry(NoBackoff(), 1),
        client_name="longhaul-metrics",
    )
