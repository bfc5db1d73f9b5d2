from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.kinds.intake import take_in
from tasks_app.kinds.perform import perform
from tasks_app.models import Task, Worker
from tasks_app.work.interruption import Interruption
from tests.support.endpoint import ModelEndpoint
from tests.support.rows import make_user, make_worker, start

type Generate = Callable[..., Task]


@pytest.fixture(autouse=True)
def store(settings: Any, tmp_path: Path) -> Path:
    """Work folders of this test alone."""
    settings.VAR_DIR = tmp_path
    return tmp_path


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ModelEndpoint]:
    with ModelEndpoint() as running:
        settings.MODEL_BASE_URL = running.base_url
        settings.LONGHAUL_MODEL_CONCURRENCY = 4
        settings.LONGHAUL_BACKOFF_BASE_SECONDS = 0.02
        yield running


@pytest.fixture
def generate(transactional_db: None) -> Generate:
    user = make_user()
    worker = make_worker("gpu", kinds=("document.generate",))

    def go(content: bytes = b"", *, name: str = "report.pdf", task: Task | None = None, **fields: Any) -> Task:
        if task is None:
            values = {"instruction": "Say what you see.", **fields}
            task = take_in(
                kind="document.generate", owner=user, fields=values, file=SimpleUploadedFile(name, content)
            ).task
        attempt(task, worker)
        return task

    return go


def attempt(task: Task, worker: Worker) -> None:
    claimed = start(task, worker)
    perform(claimed.ref, limit_seconds=claimed.limit_seconds, interruption=Interruption())
    task.refresh_from_db()
