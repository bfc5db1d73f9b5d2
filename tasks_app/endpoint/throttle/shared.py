"""What all processes share of one endpoint and model, in Redis.

| key | holds |
|---|---|
| held | permits in hand, by the moment when they lapse unless they are renewed |
| line | permits that wait, by arrival |
| until | the same, by the moment when they have left the line unless they ask again |
| state | what the endpoint's answers taught: see `enter.lua` and `leave.lua` |
| minute | requests (r) and tokens (t) of each of the last seconds |
| row | requests that failed with no success between: process, task, how |
| seen | processes, by the moment when they were last heard of |

The state: `born`, `epoch` (one more whenever it is found dead or alive), `width` (how much at once, after a refusal or
a death), `cut_at`, `refused` and `wish` (refusals in a row, the earliest moment that they asked for), `quiet` (nobody
sends before), `saves` (the permit that was first in line and had to wait for the minute), `row_at` (since when it
fails), `down_at`, `probe` and `prober` (permit and task of the one that tries), `probes`, `next_probe`.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any

from redis import Redis

from .limits import Limits

# A permit lapses so long after its process was last heard of.
LIFE_MS = 6000
# A request counts for a minute and a little more, since it may reach the endpoint later than the one a minute after it.
WINDOW_SECONDS = 63
# A process that was not heard of for so long takes no share.
LATELY_MS = 30_000
# After Redis began anew, until everybody has renewed what is in hand.
SETTLED_MS = 3000
POLL_MS, MOST_POLL_MS = 15, 1000
# How much later the task that was tried last may be tried again, where nobody else comes.
GRACE_MS = 3000
# So long the endpoint may take to notice that a call has ended.
LINGER_MS = 25
# Failures that lie further apart are no row.
ROW_LIFE_MS = 120_000
MOST_QUIET_MS = 60_000
MOST_PAUSE_MS = 15_000

FOLDER = Path(__file__).parent


class Verdict(IntEnum):
    GRANTED = 0
    IN_LINE = 1
    DOWN = 2


class Outcome(StrEnum):
    """Of a call, as far as the endpoint's health goes. Described in `leave.lua`."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"
    UNREACHED = "unreached"
    NEUTRAL = "neutral"
    UNUSED = "unused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks: a permit's name, the task, the request's content key; `tokens`: the most that it may cost."""

    permit: str
    holder: str
    request: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """`ask_again`, `wait`: seconds, the latter for sure. `epoch`, `granted_ms`: of a permit, by Redis; 0: it knows
    of none.

    `limit`: at once, as it holds now. `alive`: processes. `fails_since`: seconds.
    """

    verdict: Verdict
    ask_again: float = 0.0
    wait: float = 0.0
    epoch: int = 0
    granted_ms: int = 0
    limit: int = 0
    alive: int = 1
    fails_since: float = 0.0


class SharedState:
    """The scripts, with the keys of one endpoint and model. Each raises what redis-py raises."""

    def __init__(self, *, endpoint: str, model_name: str, process: str) -> None:
        digest = hashlib.sha256(f"{endpoint} {model_name}".encode()).hexdigest()[:16]
        # Braces: all on one node of a cluster.
        self._keys = {name: f"longhaul:endpoint:{{{digest}}}:{name}" for name in KEYS}
        self._process = process
        self._scripts: dict[str, Any] = {}

    def enter(
        self, redis: Redis, asked: Asked, limits: Limits, *, waited: float, in_share: tuple[bool, bool]
    ) -> Answer:
        """Ask for a permit. `in_share`: whether its hands, and its minute, are within the process's own share."""
        found = self._call(
            redis,
            "enter",
            "held line until state minute seen",
            *(asked.permit, self._process, asked.holder),
            *(limits.at_once, limits.requests, limits.tokens),
            *(asked.tokens, round(waited * 1000), *map(int, in_share)),
            *(LIFE_MS, WINDOW_SECONDS, LATELY_MS, SETTLED_MS, POLL_MS, MOST_POLL_MS, GRACE_MS),
            *(MOST_QUIET_MS, MOST_PAUSE_MS),
        )
        verdict, again, wait, epoch, granted_ms, limit, alive, since = found
        return Answer(Verdict(verdict), again / 1000, wait / 1000, epoch, granted_ms, limit, alive, since / 1000)

    def leave(
        self,
        redis: Redis,
        asked: Asked,
        limits: Limits,
        *,
        answer: Answer,
        outcome: Outcome,
        retry_after: float = 0.0,
        used: int = -1,
    ) -> float | None:
        """Give a permit back, or leave the line. `used`: tokens, -1 where nobody knows. As `Throttle.leave`."""
        linger = LINGER_MS if answer.limit else 0
        is_down, since = self._call(
            redis,
            "leave",
            "held line until state minute row",
            *(asked.permit, self._process, asked.holder, asked.request, outcome.value),
            *(round(retry_after * 1000), answer.epoch, LIFE_MS, answer.granted_ms, asked.tokens, used),
            *(limits.at_once, linger, WINDOW_SECONDS, answer.alive),
            *(ROW_LIFE_MS, MOST_QUIET_MS, MOST_PAUSE_MS),
        )
        return since / 1000 if is_down else None

    def keep(self, redis: Redis, permits: list[str]) -> int:
        return int(self._call(redis, "keep", "held seen", self._process, LIFE_MS, LATELY_MS, *permits))

    def drop(self, redis: Redis, permits: Collection[str]) -> Any:
        return redis.zrem(self._keys["held"], *permits)

    def _call(self, redis: Redis, name: str, keys: str, *arguments: Any) -> Any:
        script = self._scripts.get(name)
        if script is None:
            script = self._scripts[name] = redis.register_script((FOLDER / f"{name}.lua").read_text())
        return script(keys=[self._keys[key] for key in keys.split()], args=arguments, client=redis)


KEYS = ("held", "line", "until", "state", "minute", "row", "seen")
