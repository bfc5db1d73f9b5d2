"""How long the endpoint asks us to wait, in each of the forms that are in use."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# Beyond this no task waits, and sums of times overflow. Some endpoints send a moment in milliseconds as seconds.
MOST_SECONDS = 366 * 86_400.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds, HTTP date); None: no usable wish."""
    wish = _wish(headers)
    return None if wish is None else min(wish, MOST_SECONDS)


def _wish(headers: Mapping[str, str]) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = _number(headers.get("retry-after"))
    return seconds if seconds is not None else _until(headers)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(headers: Mapping[str, str]) -> float | None:
    moment = _date(headers.get("retry-after"))
    if moment is None:
        return None
    # Against the endpoint's own clock where it shows it: ours may differ.
    now = _date(headers.get("date")) or datetime.now(UTC)
    wait = (moment - now).total_seconds()
    return wait if wait >= 0 else None


def _date(value: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
