"""A child that hangs in the kernel: nothing can end it, so its worker says so and leaves."""

from typing import Any

import pytest

from tasks_app.models import Worker
from tasks_app.processes.handle import ChildUnkillable
from tasks_app.processes.keeper import Keeper
from tasks_app.processes.stop import Stop
from tasks_app.processes.work_loop import WorkLoop

from .conftest import Yard


class Stuck:
    """Ready, then silent, whatever is sent to it."""

    pid = 1
    is_alive = True

    def __init__(self) -> None:
        self._reports = [{"ready": ["test.stuck"]}]

    def hear(self, *, within: float) -> Any:
        return self._reports.pop() if self._reports else None

    def hand(self, *_: object, **__: object) -> None: ...

    def kill(self) -> str:
        raise ChildUnkillable(self.pid)


@pytest.mark.django_db(transaction=True)
def test_its_worker_records_the_end_and_stops(yard: Yard, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.LONGHAUL_KILL_GRACE_SECONDS = 0.1
    loop = WorkLoop(["gpu"], stop=Stop(), show=lambda _: None)
    stuck: Any = Stuck
    loop._keeper = Keeper(start=stuck)
    scheduler = yard.house.scheduler()
    task = yard.submit("stuck", attempt_timeout=0.1)
    with pytest.raises(ChildUnkillable, match="stuck in the kernel"):
        loop.run(burst=False, most=None)
    scheduler.kill()
    assert yard.outcomes(task)[:1] == ["timeout"]
    assert Worker.objects.get().stopped_at is not None
    assert "this worker stops" in caplog.text
