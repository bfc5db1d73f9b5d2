"""A kind: Django's Task with what Longhaul needs to know besides."""

import inspect
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.forms import Form, PasswordInput
from django.tasks import Task

from tasks_app.conf import queue

from .registry import register


@dataclass(frozen=True, slots=True, kw_only=True)
class LonghaulTask(Task):  # type: ignore[type-arg]
    """`kind`: its name, by default the function's path. `title`: what it does, for people.

    `form`: declares the input for page, API and admin; without one only code submits it.

    `attempt_timeout`, `deadline`, `call_timeout` (one model call): seconds; None: the settings'. `max_attempts`: also
    the tries of one step. `retry_on`: errors that may pass, such as a library's own timeout; others are not retried.
    """

    kind: str = ""
    title: str = ""
    form: type[Form] | None = None
    attempt_timeout: float | None = None
    deadline: float | None = None
    call_timeout: float | None = None
    max_attempts: int | None = None
    retry_on: tuple[type[Exception], ...] = ()

    def __post_init__(self) -> None:
        # super() fails in a slotted dataclass, which is a new class.
        Task.__post_init__(self)
        if not self.kind:
            object.__setattr__(self, "kind", self.module_path)
        if not self.title:
            object.__setattr__(self, "title", self.kind.rpartition(".")[2].replace("_", " ").capitalize())
        register(self)

    @property
    def takes_document(self) -> bool:
        return "document" in inspect.signature(self.func).parameters

    @property
    def secret_fields(self) -> list[str]:
        """Fields of the form with a widget for passwords: encrypted, and kept only until the task ends."""
        fields = self.form.base_fields.items() if self.form else ()
        return [name for name, field in fields if isinstance(field.widget, PasswordInput)]

    @property
    def attempt_limit(self) -> timedelta:
        return timedelta(seconds=self.attempt_timeout or queue(self.queue_name).attempt_timeout_seconds)

    @property
    def deadline_limit(self) -> timedelta:
        return timedelta(seconds=self.deadline or settings.LONGHAUL_DEADLINE_SECONDS)

    @property
    def call_limit(self) -> timedelta | None:
        return timedelta(seconds=self.call_timeout) if self.call_timeout else None

    @property
    def attempts_limit(self) -> int:
        return self.max_attempts or settings.LONGHAUL_MAX_ATTEMPTS
