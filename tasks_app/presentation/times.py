from datetime import UTC, datetime


def iso(moment: datetime | None) -> str | None:
    """As "2026-01-31T08:05:09.123Z"."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clock(moment: datetime, *, now: datetime) -> str:
    """For people: the time, and the date too when it is another day."""
    moment = moment.astimezone(UTC)
    day = "" if moment.date() == now.astimezone(UTC).date() else f"{moment:%Y-%m-%d} "
    return f"{day}{moment:%H:%M:%S} UTC"
