"""A kind: Django's Task with what Longhaul needs to know besides."""

import inspect
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.forms import Form
from django.tasks import Task

from tasks_app.conf import queue

from .registry import register


@dataclass(frozen=True, slots=True, kw_only=True)
class LonghaulTask(Task):  # type: ignore[type-arg]
    """`kind`: its name, by default the function's path. `form`: declares the input for page, API and admin.

    `attempt_timeout`, `deadline`: seconds; None: the settings'. `max_attempts`: also the tries of one step.
    """

    kind: str = ""
    form: type[Form] | None = None
    attempt_timeout: float | None = None
    deadline: float | None = None
    max_attempts: int | None = None

    def __post_init__(self) -> None:
        # super() fails in a slotted dataclass, which is a new class.
        Task.__post_init__(self)
        if not self.kind:
            object.__setattr__(self, "kind", self.module_path)
        register(self)

    @property
    def takes_document(self) -> bool:
        return "document" in inspect.signature(self.func).parameters

    @property
    def attempt_limit(self) -> timedelta:
        return timedelta(seconds=self.attempt_timeout or queue(self.queue_name).attempt_timeout_seconds)

    @property
    def deadline_limit(self) -> timedelta:
        return timedelta(seconds=self.deadline or settings.LONGHAUL_DEADLINE_SECONDS)

    @property
    def attempts_limit(self) -> int:
        return self.max_attempts or settings.LONGHAUL_MAX_ATTEMPTS
