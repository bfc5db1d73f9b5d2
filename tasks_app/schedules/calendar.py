"""When something is due: cron expressions in a time zone, by cronsim, and intervals."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cronsim import CronSim, CronSimError

from tasks_app.exceptions import LonghaulError
from tasks_app.models import Schedule

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SHORTEST = timedelta(seconds=1)
LONGEST = timedelta(days=366)
FIELDS = 5
HOURS_OF_A_DAY = set(range(24))
EXAMPLE = "Expected five fields: minute hour day month weekday, for example 30 7 * * MON-FRI"


class BadTiming(LonghaulError):
    """Nothing can be due by it. `field`: which column of the schedule is wrong."""

    code = "bad_timing"

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """A cron expression of five fields in an IANA time zone, or an interval in whole seconds; the other is empty."""

    cron: str = ""
    interval: timedelta | None = None
    time_zone: str = "UTC"
    ends_at: datetime | None = None

    @classmethod
    def of(cls, schedule: Schedule) -> "Timing":
        return cls(
            cron=schedule.cron,
            interval=schedule.interval,
            time_zone=schedule.time_zone,
            ends_at=schedule.ends_at,
        )


def next_due(timing: Timing, after: datetime) -> datetime | None:
    """The first due time later than `after`, in UTC; None: there is none. Raises BadTiming."""
    return next(due_times(timing, after), None)


def due_times(timing: Timing, after: datetime) -> Iterator[datetime]:
    """The due times later than `after`, each later than the one before, in UTC. Raises BadTiming at once."""
    return _until(timing.ends_at, _endless(timing, after))


def zone_of(name: str) -> ZoneInfo:
    """Raises BadTiming."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        meant = sorted(zone for zone in available_timezones() if _resembles(zone, name))[:3]
        expected = f"Expected {' or '.join(meant)}?" if meant else "Expected an IANA name such as Europe/Berlin."
        raise BadTiming(f"There is no time zone “{name}”. {expected}", field="time_zone") from error


def _resembles(zone: str, name: str) -> bool:
    wanted = name.strip().replace(" ", "_").casefold()
    return wanted in (zone.casefold(), zone.rpartition("/")[2].casefold())


def _endless(timing: Timing, after: datetime) -> Iterator[datetime]:
    zone = zone_of(timing.time_zone)
    if timing.cron and timing.interval is None:
        return _of_cron(_expression(timing.cron), zone, after)
    if timing.interval is not None and not timing.cron:
        return _of_interval(_checked(timing.interval), after)
    raise BadTiming("Expected a cron expression or an interval, one of the two.", field="cron")


def _until(end: datetime | None, times: Iterator[datetime]) -> Iterator[datetime]:
    for due in times:
        if end is not None and due > end:
            return
        yield due


def _checked(interval: timedelta) -> timedelta:
    if interval.microseconds or not SHORTEST <= interval <= LONGEST:
        raise BadTiming("The interval is a whole number of seconds, from 1 second to 366 days.", field="interval")
    return interval


def _of_interval(interval: timedelta, after: datetime) -> Iterator[datetime]:
    """Multiples of the interval since the epoch: an edit, a restart or a pause does not move them."""
    due = EPOCH + ((after - EPOCH) // interval) * interval
    while True:
        due += interval
        yield due


def _expression(cron: str) -> str:
    """As cronsim has to read it. Raises BadTiming.

    It knows two manners, told apart by a star at the beginning of the minutes or the hours. Ours are told apart by
    their meaning. Every hour of the day: real time goes on, through a clock change too, as an hour that comes twice is
    two hours of work. Certain hours: times of the wall clock, each once a day. One that does not exist comes at the
    next minute that does, of one that exists twice only the first counts.
    """
    parts = cron.split()
    if len(parts) != FIELDS:
        raise BadTiming(f"The cron expression has not five fields but {len(parts)}. {EXAMPLE}.", field="cron")
    minutes, hours, *days = parts
    try:
        every_hour = CronSim(cron, EPOCH).hours == HOURS_OF_A_DAY
    # An assertion is how it refuses L/2.
    except (CronSimError, AssertionError) as error:
        raise BadTiming(f"The cron expression cannot be read{_where(error)}. {EXAMPLE}.", field="cron") from error
    if every_hour:
        return " ".join([minutes, "*", *days])
    return " ".join([_spelled_out(minutes, "0-59"), _spelled_out(hours, "0-23"), *days])


def _where(error: Exception) -> str:
    said = str(error)
    return f": its {said.removeprefix('Bad ').replace('-', ' ')} is wrong" if said.startswith("Bad ") else ""


def _spelled_out(field: str, all_values: str) -> str:
    return all_values + field[1:] if field.startswith("*") else field


def _of_cron(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    last = after
    for local in CronSim(expression, after.astimezone(zone)):
        due = local.astimezone(UTC)
        # Times of the wall clock are counted without its offset: from within the second of two equal hours it would
        # begin anew with those of the first, and two that do not exist may fall on the same minute.
        if due > last:
            last = due
            yield due
