"""What monitoring does in a tick."""

from collections.abc import Callable

from .judge import judge
from .postman import Postman
from .samples import take_samples
from .schedule_alerts import forget_those_without_a_schedule

EVERY_SECONDS = 1.0
FORGET_EVERY_SECONDS = 60.0


def tick_parts() -> list[tuple[str, Callable[[], object], float]]:
    """Name, work, and seconds from one time to the next."""
    return [
        ("samples", take_samples, EVERY_SECONDS),
        ("alerts", judge, EVERY_SECONDS),
        ("alerts about schedules", forget_those_without_a_schedule, FORGET_EVERY_SECONDS),
        ("deliveries", Postman().wake, EVERY_SECONDS),
    ]
