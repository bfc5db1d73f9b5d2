"""What schedules do in a tick."""

from collections.abc import Callable

from .firing import fire_due
from .recheck import recheck

RECHECK_EVERY_SECONDS = 60.0


def tick_parts() -> list[tuple[str, Callable[[], object], float]]:
    """Name, work, and after how many seconds it is done again."""
    return [("schedules", fire_due, 0.0), ("schedules far ahead", recheck, RECHECK_EVERY_SECONDS)]
