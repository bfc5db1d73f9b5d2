"""One tree of errors. Each says what happened and what was expected, and holds its data."""


class LonghaulError(Exception):
    """Base of every error that Longhaul raises itself. `code` is stable and for programs; str() is for people."""

    code = "error"


class InvalidInput(LonghaulError):
    """The input of a task can never succeed: it is refused, or its task fails without a retry."""

    code = "invalid_input"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class RetryableError(LonghaulError):
    """Trying again may help. `retry_after`: seconds that the other side asked us to wait, if it did."""

    code = "temporary"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(RetryableError):
    """What every task needs is away (the model endpoint is down): nobody's fault, so nothing is spent."""

    code = "endpoint_unavailable"


class PermanentError(LonghaulError):
    """Trying again cannot help, and it concerns this one step or item."""

    code = "permanent"


class Misconfigured(LonghaulError):
    """Trying again cannot help until somebody changes a setting, and it concerns every request: it ends the task."""

    code = "misconfigured"


class StepFailed(LonghaulError):
    """A step's tries are spent. `cause`: what the last try ended in, `tries`: how many there were."""

    code = "attempts_exhausted"

    def __init__(self, step: str, cause: LonghaulError, *, tries: int) -> None:
        super().__init__(f"Step “{step}” failed {tries} times. Last: {cause}" if tries > 1 else str(cause))
        self.cause = cause
        self.tries = tries


class StepInsideStep(LonghaulError):
    """A step began inside a step of the same attempt; only the kind's own function may begin steps."""

    code = "step_inside_step"


class NotJson(LonghaulError):
    """A value that must be kept cannot be: it is not JSON."""

    code = "not_json"


class Interrupt(BaseException):
    """Ends an attempt from inside. Not an Exception, so that a kind's `except Exception` does not swallow it."""


class NotOwner(Interrupt):
    """The attempt no longer owns its task: it stops quietly and touches nothing."""


class CancelRequested(Interrupt):
    """The task's user asked for a stop."""


class HandOver(Interrupt):
    """The worker is leaving: the attempt gives its task back at a boundary, with nothing spent."""


class AttemptTimeUp(Interrupt):
    """The attempt has too little time left to begin anything."""


class Postponed(Interrupt):
    """The attempt ends as waiting, free of charge. `delay`: seconds until the next one; None: the usual backoff."""

    def __init__(self, message: str, *, code: str, delay: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.delay = delay
