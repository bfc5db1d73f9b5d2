"""A kind that stops its own program inside a transaction."""

import os
import signal
from typing import Any

from django.db import transaction

from tasks_app.models import Task
from tests.support.kinds import note, task


@task(kind="test.freezes", queue_name="gpu", takes_context=True)
def freezes(context: Any, *, journal: str) -> None:
    with transaction.atomic():
        Task.objects.filter(pk=context.task_id).update(progress_message="frozen")
        note(journal, "frozen")
        os.kill(os.getpid(), signal.SIGSTOP)
