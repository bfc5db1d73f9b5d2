"""What the settings say of a queue."""

from dataclasses import dataclass

from django.conf import settings

# Django's @task puts a task into "default" where it names no queue: it needs no special resource.
DJANGO_DEFAULT_QUEUE = "default"
QUEUE_OF_DEFAULT = "cpu"


@dataclass(frozen=True, slots=True)
class Queue:
    name: str
    attempt_timeout_seconds: float


def queue(name: str) -> Queue:
    """Raises KeyError for a queue that TASK_QUEUES does not state."""
    name = QUEUE_OF_DEFAULT if name == DJANGO_DEFAULT_QUEUE else name
    return Queue(name, **settings.TASK_QUEUES[name])
