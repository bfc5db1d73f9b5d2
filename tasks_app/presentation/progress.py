from tasks_app.models import Status


def percent(done: int, total: int, status: str) -> int | None:
    """A whole number for a bar: 100 only for a task that succeeded, at most 99 before; None while nothing is known."""
    if status == Status.SUCCEEDED:
        return 100
    if total <= 0:
        return None
    return min(99, done * 100 // total)
