"""What one look at a schedule has to do, by its policy for what comes late."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from .calendar import Timing, due_times

# Bound one look at one schedule.
DUE_AT_ONCE = 500
TASKS_AT_ONCE = 20
# So late is in time, whatever its catch-up window: a new scheduler takes over within that, and a deploy passes.
PUNCTUAL = timedelta(seconds=60)
MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Turn:
    """Due times, oldest first. `following`: the first that is left for later; None: there is none."""

    missed: list[datetime]
    to_fire: list[datetime]
    following: datetime | None


def turn(timing: Timing, *, since: datetime, now: datetime, catch_up: timedelta) -> Turn:
    """Of the due times from `since` until `now`. Raises BadTiming.

    One is missed when it is later than the catch-up window. The newest, which no other has followed yet, may be a
    minute late besides: that makes no crowd.
    """
    # `since` is found again by the timing, not believed: somebody may have changed the timing and not it.
    due, following = _split(due_times(timing, since - MOMENT), now)
    newest = due[-1] if due and (following is None or following > now) else None
    missed = [one for one in due if now - one > (max(catch_up, PUNCTUAL) if one == newest else catch_up)]
    to_fire = due[len(missed) :]
    if len(to_fire) > TASKS_AT_ONCE:
        following = to_fire[TASKS_AT_ONCE]
    return Turn(missed, to_fire[:TASKS_AT_ONCE], following)


def _split(times: Iterable[datetime], now: datetime) -> tuple[list[datetime], datetime | None]:
    due: list[datetime] = []
    for one in times:
        if one > now or len(due) == DUE_AT_ONCE:
            return due, one
        due.append(one)
    return due, None
