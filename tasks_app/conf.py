"""What the settings say, put so that several rooms can use it."""

from dataclasses import dataclass

from django.conf import settings

# Django's @task puts a task into "default" where it names no queue: it needs no special resource.
DJANGO_DEFAULT_QUEUE = "default"
QUEUE_OF_DEFAULT = "cpu"
# Of a form besides its file: the other fields and the borders between them.
FORM_OVERHEAD_BYTES = 1024 * 1024


def most_body_bytes() -> int:
    """Of one request: a file at the limit, and the form around it."""
    return int(settings.LONGHAUL_MAX_UPLOAD_BYTES) + FORM_OVERHEAD_BYTES


@dataclass(frozen=True, slots=True)
class Queue:
    """`memory_bytes`: of a child with all that it started; over it the child is killed. Past `soft_memory_bytes`, or
    after `tasks_per_child` tasks, an idle child makes way for a new one.
    """

    name: str
    attempt_timeout_seconds: float
    memory_bytes: int
    soft_memory_bytes: int
    tasks_per_child: int


def queue(name: str) -> Queue:
    """Raises KeyError for a queue that TASK_QUEUES does not state."""
    name = QUEUE_OF_DEFAULT if name == DJANGO_DEFAULT_QUEUE else name
    return Queue(name, **settings.TASK_QUEUES[name])
