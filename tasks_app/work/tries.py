"""A step's tries, in place: a retryable error is repeated while its wait fits the attempt."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks_app.exceptions import AttemptTimeUp, Postponed, RetryableError, StepFailed, Unavailable
from tasks_app.lifecycle import backoff

if TYPE_CHECKING:
    from .context import Context


def with_tries[T](context: "Context", name: str, perform: Callable[[], T]) -> tuple[T, int]:
    """The result and the number of tries it took.

    Raises StepFailed when the tries are spent, Postponed when the wait is too long for this attempt.
    """
    tries = 0
    while True:
        tries += 1
        try:
            return perform(), tries
        except Unavailable as error:
            raise Postponed(str(error), code=error.code, delay=error.retry_after) from error
        except RetryableError as error:
            # Cut by the attempt's end: not one of the step's tries.
            if context.is_time_up():
                raise AttemptTimeUp from error
            if tries >= context.max_tries:
                raise StepFailed(name, error, tries=tries) from error
            _wait(context, error, tries)


def _wait(context: "Context", error: RetryableError, tries: int) -> None:
    seconds = backoff.delay(tries, retry_after=error.retry_after).total_seconds()
    if seconds >= context.time_left():
        raise Postponed(str(error), code=error.code, delay=seconds) from error
    context.sleep(seconds)
