"""A step's tries, in place: an error that may pass is repeated while its wait fits the attempt."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tasks_app.endpoint import FailsForEveryone
from tasks_app.exceptions import AttemptTimeUp, LonghaulError, Postponed, RetryableError, StepFailed, Unavailable
from tasks_app.lifecycle import backoff
from tasks_app.lifecycle.tries import record_try

from .persist import persist

if TYPE_CHECKING:
    from .context import Context

logger = logging.getLogger(__name__)

MOMENT_SECONDS = 0.5


class PassingError(RetryableError):
    """An error of a class that the kind's `retry_on` names."""

    code = "passing_error"

    def __init__(self, error: Exception) -> None:
        name = type(error).__name__
        super().__init__(f"An error came up that may pass ({name}). Operators find it in the log by its task's id.")


@dataclass(slots=True, kw_only=True)
class Tries:
    """The tries of one step. `count`: over its life, that is since the last manual retry, the one in hand included."""

    context: "Context"
    name: str
    index: int
    key: str
    count: int = 0
    # When tries of this attempt failed, by the monotonic clock.
    _failed: list[float] = field(default_factory=list)

    def perform[T](self, function: Callable[[], T]) -> T:
        """Its result, of as many tries as are left.

        Raises what it raises, StepFailed when the tries are spent, Postponed when the wait is too long for this
        attempt, AttemptTimeUp when the attempt's end cut the try, which does not count then.
        """
        while True:
            self.count += 1
            try:
                return function()
            except Unavailable as error:
                if isinstance(error, FailsForEveryone):
                    self._forgive(error.since_seconds)
                raise Postponed(str(error), code=error.code, delay=error.retry_after) from error
            except RetryableError as error:
                self._next(error, error)
            except LonghaulError:
                raise
            except self.context.retry_on as error:
                logger.warning("task %s: step %r: %r", self.context.ref, self.name, error, exc_info=error)
                self._next(PassingError(error), error)

    def _next(self, error: RetryableError, cause: Exception) -> None:
        """Wait for the next try."""
        if self.context.is_time_up():
            raise AttemptTimeUp from cause
        if self.count >= self.context.max_tries:
            raise StepFailed(self.name, error, tries=self.count) from cause
        self._failed.append(time.monotonic())
        self._record()
        seconds = backoff.delay(self.count, retry_after=error.retry_after).total_seconds()
        # To wait until nothing of use is left would end as a timeout, which is not free.
        if not self.context.has_time_after(seconds):
            raise Postponed(str(error), code=error.code, delay=seconds) from cause
        self.context.sleep(seconds)

    def _forgive(self, seconds: float) -> None:
        """The try in hand failed because the endpoint fails for everyone, and so did those of the last `seconds`."""
        began = time.monotonic() - seconds
        # What failed and what was learned of it are told by two clocks.
        forgiven = sum(moment >= began - MOMENT_SECONDS for moment in self._failed)
        self.count -= 1 + forgiven
        if forgiven:
            self._record()

    def _record(self) -> None:
        context = self.context
        persist(
            lambda: record_try(context.ref, self.index, key=self.key, tries=self.count), time_left=context.time_left
        )
