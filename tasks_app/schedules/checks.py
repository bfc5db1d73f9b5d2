"""What is wrong with a schedule, in words, before it is kept."""

from dataclasses import replace
from datetime import timedelta

from tasks_app.exceptions import InvalidInput
from tasks_app.kinds.intake import InvalidFields
from tasks_app.kinds.scheduled import scheduled_order
from tasks_app.models import Schedule

from .calendar import EPOCH, SHORTEST, BadTiming, Timing, next_due

MOST_JITTER = timedelta(days=1)
MOST_CATCH_UP = timedelta(days=366)


def problems(schedule: Schedule) -> dict[str, list[str]]:
    """Sentences by column; empty: it can be due and make its task."""
    return _of_times(schedule) | _of_spans(schedule) | _of_order(schedule)


def _of_times(schedule: Schedule) -> dict[str, list[str]]:
    timing = Timing.of(schedule)
    found = {}
    # One by one, so that a wrong zone does not hide a wrong expression.
    for part in (replace(timing, time_zone="UTC"), replace(timing, cron="", interval=SHORTEST)):
        try:
            next_due(part, EPOCH)
        except BadTiming as error:
            found[error.field] = [str(error)]
    return found


def _of_spans(schedule: Schedule) -> dict[str, list[str]]:
    found = {}
    for name, most in (("catch_up", MOST_CATCH_UP), ("jitter", MOST_JITTER)):
        if not timedelta(0) <= getattr(schedule, name) <= most:
            days = f"{most.days} day{'s' if most.days > 1 else ''}"
            found[name] = [f"It is from 0 to {days}, and not negative."]
    return found


def _of_order(schedule: Schedule) -> dict[str, list[str]]:
    try:
        scheduled_order(schedule.kind, owner_id=schedule.owner_id, fields=schedule.input)
    except InvalidFields as error:
        return {"input": [f"{name}: {' '.join(texts)}" for name, texts in error.errors.items()]}
    except InvalidInput as error:
        return {error.field or "input": [str(error)]}
    except TypeError as error:
        return {"input": [f"It cannot be kept as JSON: {error}."]}
    return {}
