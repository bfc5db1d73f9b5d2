import random
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings


def delay(
    failures: int, *, retry_after: float | None = None, uniform: Callable[[float, float], float] = random.uniform
) -> timedelta:
    """The wait after that many failures (1 or more): min(base x 2^n, max) x uniform(0.8, 1.2).

    Never before `retry_after`, what the provider asked for in seconds; after the first failure just then.
    """
    # Beyond 2^32 the maximum holds anyway, and a float would overflow.
    exponent = min(max(failures, 1) - 1, 32)
    base = settings.LONGHAUL_BACKOFF_BASE_SECONDS * 2.0**exponent
    own = min(base, settings.LONGHAUL_BACKOFF_MAX_SECONDS) * uniform(0.8, 1.2)
    if not retry_after:
        return timedelta(seconds=own)
    # A little later than asked, and spread, so that those who wait do not come back at the same instant.
    asked = retry_after * uniform(1.0, 1.2)
    # Who did come back then and is refused again may be asked for milliseconds each time: its tries would be gone.
    return timedelta(seconds=asked if failures <= 1 else max(own, asked))
