"""The table from what ended an attempt to its ending."""

from datetime import timedelta
from traceback import format_exception

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError

from tasks_app.exceptions import (
    AttemptTimeUp,
    CancelRequested,
    HandOver,
    LonghaulError,
    Postponed,
    RetryableError,
    Unavailable,
)
from tasks_app.lifecycle.ending import Ending, handed_over
from tasks_app.models import Outcome
from tasks_app.text import clean, without


def classify(error: BaseException, *, retry_on: tuple[type[Exception], ...] = ()) -> Ending:
    """`retry_on`: errors that may pass, by what the kind says."""
    text = clean(str(error))
    match error:
        case HandOver():
            return handed_over()
        case CancelRequested():
            return Ending(outcome=Outcome.CANCELLED)
        case AttemptTimeUp():
            return Ending(outcome=Outcome.TIMEOUT, code="timeout", text="The attempt's time was up.")
        case Postponed():
            return Ending(outcome=Outcome.WAITING, code=error.code, text=text, delay=_delay(error.delay))
        case Unavailable():
            return Ending(outcome=Outcome.WAITING, code=error.code, text=text, delay=_delay(error.retry_after))
        case RetryableError():
            return _error(error, error.code, text, retry=True)
        case OperationalError() | InterfaceError() | InternalError():
            return _error(error, "database_away", "The database could not be reached.", retry=True)
        case LonghaulError():
            return _error(error, error.code, text)
        case _:
            text = f"An unexpected error ({type(error).__name__}) ended it. Operators find it in the log by its id."
            return _error(error, "error", text, retry=isinstance(error, retry_on))


def _delay(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)


def _error(error: BaseException, code: str, text: str, *, retry: bool = False) -> Ending:
    kind = type(error)
    return Ending(
        outcome=Outcome.ERROR,
        code=code,
        text=text,
        retry=retry,
        error_class=f"{kind.__module__}.{kind.__qualname__}",
        # Some endpoints repeat the key in their errors, which stand in the traceback as causes.
        traceback=without(settings.MODEL_API_KEY, clean("".join(format_exception(error)))),
    )
