"""What an alert about a queue says."""

from django.conf import settings

from tasks_app.models import QueueSample

from .drain import WINDOW_MINUTES


def drain(sample: QueueSample) -> str:
    limit = f"an alert opens above {settings.LONGHAUL_ALERT_DRAIN_MINUTES:g}"
    return f"{sample.queue}: {_waiting(sample)}; {_pace(sample)} ({limit})."


def no_worker(sample: QueueSample) -> str:
    if sample.workers == 0:
        return f"{sample.queue}: {_tasks(sample.unserved)} due, and no worker of this queue is alive."
    those = f"{sample.workers} live worker{'' if sample.workers == 1 else 's'}"
    return f"{sample.queue}: {_tasks(sample.unserved)} due of a kind that none of the {those} of this queue knows."


def idle(sample: QueueSample) -> str:
    who = f"{sample.idle_workers} live worker{' has' if sample.idle_workers == 1 else 's have'}"
    span = f"{settings.LONGHAUL_ALERT_IDLE_WORKER_SECONDS:g} s"
    return f"{sample.queue}: {who} taken nothing for {span}, although there is work to claim."


def oldest(sample: QueueSample) -> str:
    limit = f"an alert opens after {settings.LONGHAUL_ALERT_OLDEST_MINUTES:g}"
    return f"{sample.queue}: the oldest task has waited {sample.oldest_seconds / 60:.0f} minutes ({limit})."


def now(sample: QueueSample) -> str:
    """When it is over."""
    if sample.depth == 0:
        return f"{sample.queue}: nothing waits."
    if sample.depth == sample.held:
        return f"{sample.queue}: {_waiting(sample)}, all of it paused."
    return f"{sample.queue}: {_waiting(sample)}; {_pace(sample)}."


def _waiting(sample: QueueSample) -> str:
    return f"{_tasks(sample.depth)} waiting"


def _pace(sample: QueueSample) -> str:
    if sample.drain_minutes is None:
        return f"nothing was done in the last {WINDOW_MINUTES:g} minutes"
    return f"about {sample.drain_minutes:.2g} minutes at the present rate"


def _tasks(count: int) -> str:
    return f"{count} task{'' if count == 1 else 's'}"
