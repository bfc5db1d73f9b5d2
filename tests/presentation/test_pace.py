"""A range of time is said where enough was seen, and then it mostly holds."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from tasks_app.presentation.pace import Pace, Range, eta_seconds, in_words, pace_of, range_of

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def test_fewer_than_four_ends_say_nothing() -> None:
    assert pace_of([], since=LONG_AGO, now=NOW) is None
    assert pace_of([ago(1), ago(2), ago(3)], since=LONG_AGO, now=NOW) is None
    assert range_of(None, least=1, most=1) is None


def test_the_clock_begins_with_an_end() -> None:
    assert pace_of([ago(10), ago(20), ago(30), ago(40)], since=LONG_AGO, now=NOW) == Pace(3, 40)


def test_ends_before_somebody_stood_in_line_do_not_count() -> None:
    ends = [ago(seconds) for seconds in (10, 20, 30, 40, 50, 400, 500)]
    assert pace_of(ends, since=ago(60), now=NOW) == Pace(4, 50)
    assert pace_of(ends, since=ago(35), now=NOW) is None


def test_ends_of_more_than_ten_minutes_ago_do_not_count() -> None:
    assert pace_of([ago(601 + second) for second in range(10)], since=LONG_AGO, now=NOW) is None


def test_only_the_last_ends_count() -> None:
    quick = [ago(second) for second in range(1, 52)]
    slow = [ago(60 * minute) for minute in range(1, 10)]
    assert pace_of([*quick, *slow], since=LONG_AGO, now=NOW) == Pace(50, 51)


def test_a_line_that_stands_still_becomes_slower_and_then_unknown() -> None:
    ends = [ago(seconds) for seconds in (10, 20, 30, 40)]
    later = pace_of(ends, since=LONG_AGO, now=NOW + timedelta(minutes=5))
    assert later == Pace(3, 340)
    assert pace_of(ends, since=LONG_AGO, now=NOW + timedelta(minutes=10)) is None


def test_what_would_be_days_away_is_not_said() -> None:
    assert range_of(Pace(3, 600), least=900, most=999) is None


@pytest.mark.parametrize(
    ("span", "text", "eta"),
    [
        (Range(1, 59), "Starts within a minute.", 60),
        (Range(20, 61), "Starts within about 2 minutes.", 120),
        (Range(60, 61), "Starts in about 1 to 2 minutes.", 120),
        (Range(200, 461), "Starts in about 3 to 8 minutes.", 480),
        (Range(200, 90 * 60), "Starts in about 3 to 90 minutes.", 5400),
        (Range(59 * 60, 91 * 60), "Starts in about 59 minutes to 2 hours.", 7200),
        (Range(100 * 60, 4.5 * 3600), "Starts in about 1 to 5 hours.", 18_000),
        (Range(30, 3 * 3600), "Starts within about 3 hours.", 10_800),
    ],
    ids=str,
)
def test_it_is_said_as_people_say_it(span: Range, text: str, eta: int) -> None:
    assert (in_words(span), eta_seconds(span)) == (text, eta)


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("ahead", [0, 3, 30])
@pytest.mark.parametrize("spread", ["random", "steady"])
def test_in_a_busy_line_the_range_mostly_holds(workers: int, ahead: int, spread: str) -> None:
    """Lines whose tasks take by chance more or less: what is said of each, and when its task really began."""
    chance = random.Random(f"{workers} {ahead} {spread}")
    held = said = 0
    for _ in range(250):
        seen, began = busy_line(chance, workers=workers, ahead=ahead, spread=spread)
        span = range_of(pace_of(seen, since=LONG_AGO, now=NOW), least=ahead + 1, most=ahead + 1)
        if span is not None:
            said += 1
            held += span.low <= began <= span.high
    assert said > 225
    assert held / said > 0.75


def busy_line(chance: random.Random, *, workers: int, ahead: int, spread: str) -> tuple[list[datetime], float]:
    """Ends of the last ten minutes, the newest first, and after how many seconds the task began."""
    ends: list[float] = []
    for _ in range(workers):
        at = -900.0
        while at < 2400:
            at += chance.expovariate(1 / (20 * workers)) if spread == "random" else chance.uniform(15, 25) * workers
            ends.append(at)
    past = sorted((at for at in ends if at <= 0), reverse=True)
    return [ago(-at) for at in past], sorted(at for at in ends if at > 0)[ahead]
