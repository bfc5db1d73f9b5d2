"""How attempts ended, by their rows."""

from tasks_app.models import Attempt, Task

from .ground import FINAL, Ground
from .registry import expect


def ended_attempt(ground: Ground, task: Task, *, outcome: str, number: int = 1, within: float) -> Attempt:
    """The row when it is over. Raises DrillFailed where its outcome is another."""
    over = Attempt.objects.filter(task=task, number=number, finished_at__isnull=False)
    ground.wait_until(over.exists, within, what=f"attempt {number} of {task.kind} is over")
    attempt = over.get()
    expect(
        attempt.outcome == outcome, f"attempt {number} of {task.kind} ended as {attempt.outcome}: {outcome} expected"
    )
    return attempt


def seconds_of(attempt: Attempt) -> float:
    """From its claim to its end."""
    expect(attempt.finished_at is not None, f"{attempt} is not over")
    assert attempt.finished_at is not None
    return (attempt.finished_at - attempt.started_at).total_seconds()


def all_final() -> bool:
    """Whether no task is left to do."""
    return not Task.objects.exclude(status__in=FINAL).exists()


def expect_all_free(task: Task) -> None:
    """No attempt of it was spent. Raises DrillFailed."""
    spent = list(Attempt.objects.filter(task=task, spent=True).values_list("number", "outcome"))
    expect(not spent, f"attempts were spent, expected none: {spent}")
