"""The states of a task, the outcomes of an attempt, and the codes of a failure."""

from django.db.models import TextChoices


class Status(TextChoices):
    # Committed; waits for its time, its user's slot or its queue. Admission, cancel, deadline or expiry moves it on.
    PENDING = "pending"
    # Admitted; waits for a worker of its queue. A claim moves it on, or cancel, deadline, expiry.
    QUEUED = "queued"
    # One attempt owns it: that attempt, its worker or rescue moves it on.
    RUNNING = "running"
    # Final, written exactly once; only the verb retry leaves them (succeeded only with failed items).
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


ACTIVE = (Status.PENDING, Status.QUEUED, Status.RUNNING)
WAITING = (Status.PENDING, Status.QUEUED)
FINAL = (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)
# A task in one of these holds one of its user's slots.
HOLDS_SLOT = (Status.QUEUED, Status.RUNNING)


class ErrorCode(TextChoices):
    """Why a task failed."""

    ERROR = "error"
    INVALID_INPUT = "invalid_input"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    EXPIRED = "expired"
    MEMORY_EXCEEDED = "memory_exceeded"
    INTERRUPTIONS_EXHAUSTED = "interruptions_exhausted"
    UNKNOWN_KIND = "unknown_kind"


class Outcome(TextChoices):
    """How an attempt ended; empty while it lasts."""

    SUCCEEDED = "succeeded"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    LOST = "lost"
    WAITING = "waiting"
    HANDED_OVER = "handed_over"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"


class StepStatus(TextChoices):
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class CallOutcome(TextChoices):
    """How a model call ended. A failed one holds the error's code instead."""

    # Sent, and nothing heard since: while its attempt lasts it is in flight, afterwards it is in doubt.
    OPEN = "open"
    ANSWERED = "answered"
