import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks_app.lifecycle.submit import submit
from tasks_app.models import Attempt, StepResult, Task
from tasks_app.processes import doorbell
from tests.support.house import House
from tests.support.programs import PATIENCE_SECONDS
from tests.support.rows import make_order


@dataclass
class Yard:
    """A house, and a journal in which its test kinds write what they do."""

    house: House
    journal: Path

    def submit(
        self, kind: str, *, attempt_timeout: float = 300, deadline: float = 1800, queue: str = "gpu", **kwargs: Any
    ) -> Task:
        """A task of nobody, so that only its queue bounds it."""
        payload = {"args": [], "kwargs": {"journal": str(self.journal), **kwargs}}
        order = make_order(
            kind=f"test.{kind}",
            queue=queue,
            payload=payload,
            attempt_timeout=timedelta(seconds=attempt_timeout),
            deadline=timedelta(seconds=deadline),
        )
        return submit(order).task

    @property
    def lines(self) -> list[str]:
        return self.journal.read_text().splitlines() if self.journal.exists() else []

    def gate(self) -> Path:
        """A file that does not exist yet."""
        return self.journal.parent / f"gate-{uuid.uuid4().hex}"

    def wait_for(self, task: Task, status: str, within: float = PATIENCE_SECONDS) -> Task:
        def arrived() -> bool:
            task.refresh_from_db()
            return task.status == status

        self.house.wait_until(arrived, within, what=f"{task.kind} becomes {status}")
        return task

    def wait_for_line(self, line: str, *, times: int = 1, within: float = PATIENCE_SECONDS) -> None:
        self.house.wait_until(lambda: self.lines.count(line) >= times, within, what=f"{times} x {line!r}")

    @staticmethod
    def outcomes(task: Task) -> list[str]:
        return list(Attempt.objects.filter(task=task).order_by("number").values_list("outcome", flat=True))

    @staticmethod
    def saved_steps(task: Task) -> int:
        return StepResult.objects.filter(task=task).count()


@pytest.fixture
def open_yard(
    transactional_db: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Yard]]:
    """Opens a house whose programs have these settings; once in a test."""
    # Who did not reach Redis in time leaves it alone for a while: on a loaded machine the test itself would.
    monkeypatch.setattr(doorbell, "RING_TIMEOUT_SECONDS", PATIENCE_SECONDS)
    with ExitStack() as stack:

        def open_one(**env: str) -> Yard:
            house = stack.enter_context(House(**env))
            # Submissions of the test itself ring the house's Redis.
            settings.REDIS_URL = house.redis_url
            doorbell.ringing.cache_clear()
            return Yard(house, tmp_path / "journal")

        yield open_one
    doorbell.ringing.cache_clear()


@pytest.fixture
def yard(open_yard: Callable[..., Yard]) -> Yard:
    return open_yard()
