"""How long it may take until a waiting task starts: a range, from what was observed, or nothing.

Observed are the last ends of started tasks of the same line (a queue's, or a user's own) while somebody stood in it all
the time: before that the line was limited by what came, not by what was done. Each end lets one more in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

WINDOW = timedelta(minutes=10)
# Fewer say nothing; more would only tell of an earlier time.
FEWEST_ENDS = 3
MOST_ENDS = 50
# Of the normal distribution: between its minus and its plus lie 80 %.
QUANTILE = 1.2816
FARTHEST_SECONDS = 3 * 86_400
MINUTES_TO_SAY = 90


@dataclass(frozen=True, slots=True)
class Pace:
    """So many ends in so many seconds."""

    ends: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Range:
    """Seconds from now."""

    low: float
    high: float


def pace_of(ends: Sequence[datetime], *, since: datetime, now: datetime) -> Pace | None:
    """`ends`: the newest first. `since`: from when on somebody stood in the line."""
    since = max(since, now - WINDOW)
    seen = [at for at in ends[: MOST_ENDS + 1] if since <= at <= now]
    # The clock begins with an end, so that no wait for the first one counts.
    if len(seen) <= FEWEST_ENDS:
        return None
    return Pace(len(seen) - 1, max((now - seen[-1]).total_seconds(), 1.0))


def range_of(pace: Pace | None, *, least: int, most: int) -> Range | None:
    """Until between `least` and `most` more have ended. None where nothing can be said."""
    if pace is None:
        return None
    each = pace.seconds / pace.ends
    low = least * each * _ratio(least, pace.ends, -QUANTILE)
    high = most * each * _ratio(most, pace.ends, QUANTILE)
    return Range(low, high) if high <= FARTHEST_SECONDS else None


def _ratio(coming: int, seen: int, z: float) -> float:
    """Of the time that the next ends take to the time that they would at the pace seen: its quantile at `z`.

    Where ends come at random it has an F distribution; this is Paulson's approximation of it.
    """
    a, b = 1 / (9 * coming), 1 / (9 * seen)
    square, middle, rest = (1 - b) ** 2 - z * z * b, (1 - a) * (1 - b), (1 - a) ** 2 - z * z * a
    root = (middle + math.copysign(math.sqrt(middle**2 - square * rest), z)) / square
    return float(root**3)


def eta_seconds(span: Range) -> int:
    """Its end, as exact as it is said: to the minute, or to the hour."""
    unit = 60 if span.high <= MINUTES_TO_SAY * 60 else 3600
    return math.ceil(span.high / unit) * unit


def in_words(span: Range) -> str:
    """ "Starts in about 3 to 8 minutes."."""
    if span.high <= 60:
        return "Starts within a minute."
    latest = _span(eta_seconds(span))
    if span.low < 60:
        return f"Starts within about {latest}."
    if span.high <= MINUTES_TO_SAY * 60:
        return f"Starts in about {math.floor(span.low / 60)} to {latest}."
    if span.low <= MINUTES_TO_SAY * 60:
        return f"Starts in about {_span(math.floor(span.low / 60) * 60)} to {latest}."
    return f"Starts in about {math.floor(span.low / 3600)} to {latest}."


def _span(seconds: int) -> str:
    count, unit = (seconds // 60, "minute") if seconds <= MINUTES_TO_SAY * 60 else (math.ceil(seconds / 3600), "hour")
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
