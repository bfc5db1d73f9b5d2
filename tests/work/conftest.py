"""A laboratory: one task, as many attempts as a test wants, the real context and database."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import Outcome
from tasks_app.work.context import Context
from tests.support.rows import make_task, make_user, make_worker, start


class Lab:
    """One task, and as many attempts of it as a test wants; counts how often each thing was executed."""

    def __init__(self, tmp_path: Path, settings: Any) -> None:
        settings.LONGHAUL_BACKOFF_BASE_SECONDS = 0.01
        self.worker = make_worker("gpu")
        self.task = make_task(make_user())
        self.folder = tmp_path
        self.executed: Counter[Any] = Counter()
        self.fail: dict[Any, list[BaseException]] = {}

    def attempt(self, *, limit_seconds: float = 60, retry_on: tuple[type[Exception], ...] = ()) -> Context:
        start(self.task, self.worker)
        self.task.refresh_from_db()
        return Context(self.task, workdir=self.folder, limit_seconds=limit_seconds, retry_on=retry_on)

    def crash(self) -> None:
        self.task.refresh_from_db()
        end(self.task.ref, Ending(outcome=Outcome.LOST))

    def work(self, item: Any) -> Any:
        self.executed[item] += 1
        if self.fail.get(item):
            raise self.fail[item].pop(0)
        return {"answer": item}

    def progress(self) -> tuple[int, int, int]:
        self.task.refresh_from_db()
        return self.task.progress_done, self.task.progress_total, self.task.failed_items


@pytest.fixture
def lab(tmp_path: Path, settings: Any, transactional_db: None) -> Lab:
    return Lab(tmp_path, settings)
