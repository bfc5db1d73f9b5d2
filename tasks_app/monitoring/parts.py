"""What monitoring does in a tick."""

from collections.abc import Callable

from .judge import judge
from .postman import Postman
from .samples import take_samples

EVERY_SECONDS = 1.0


def tick_parts() -> list[tuple[str, Callable[[], object], float]]:
    """Name, work, and seconds from one time to the next."""
    return [
        ("samples", take_samples, EVERY_SECONDS),
        ("alerts", judge, EVERY_SECONDS),
        ("deliveries", Postman().wake, EVERY_SECONDS),
    ]
