"""One user submits hundreds of tasks, then another user submits one: it starts before the first user's sixth ends."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Self

from django.contrib.auth import get_user_model
from django.db import connection

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Task

from .ground import Ground
from .registry import Figures, Size, drill, expect

SLOTS = 5
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """`seconds`: of a task. `then`: seconds that all of them may take."""

    tasks: int
    workers: int
    seconds: float
    then: float


SCALES = {
    Size.FULL: Scale(tasks=500, workers=2, seconds=0.1, then=300),
    Size.SHORT: Scale(tasks=30, workers=1, seconds=0.1, then=60),
}


@drill("one user floods, another waits")
def fairness(size: Size) -> Figures:
    scale = SCALES[size]
    with Ground(size) as ground:
        for _ in range(scale.workers):
            ground.house.ready_worker("gpu")
        ground.house.scheduler()
        flooder, other = _user("flooder"), _user("other")
        with Samples(flooder) as samples:
            for _ in range(scale.tasks):
                _submit(ground, flooder, scale)
            submitted_at = database_now()
            task = ground.ended(_submit(ground, other, scale), within=scale.then)
            before = _ended_between(flooder, submitted_at, task.started_at)
            expect(before <= SLOTS, f"{before} of the first user's tasks ended before the other's started, expected 5")
            began = time.monotonic()
            ground.wait_until(_all_have_ended, scale.then, what="all tasks have ended")
            then = time.monotonic() - began
        statuses = set(Task.objects.values_list("status", flat=True))
        expect(statuses == {"succeeded"}, f"the tasks ended as {sorted(statuses)}, expected all succeeded")
        expect(samples.most == SLOTS, f"the first user had {samples.most} tasks queued or running, expected {SLOTS}")
        waited = (task.started_at - submitted_at).total_seconds() if task.started_at else 0.0
        return [
            ("started after", waited, "s"),
            ("ends of the first user's before it", before, ""),
            ("most queued or running", samples.most, f"in {samples.taken} samples"),
            ("tasks", scale.tasks, ""),
            ("all ended", then, "s later"),
        ]


@dataclass(slots=True)
class Samples:
    """Looks every 50 ms how many tasks of the user are queued or running."""

    owner: Any
    taken: int = 0
    most: int = 0
    _done: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _take(self) -> None:
        try:
            while not self._done.wait(SAMPLE_SECONDS):
                self.most = max(self.most, Task.objects.owned_by(self.owner.pk).holding_slots().count())
                self.taken += 1
        finally:
            connection.close()


def _user(name: str) -> Any:
    return get_user_model().objects.create_user(name)


def _submit(ground: Ground, owner: Any, scale: Scale) -> Task:
    return ground.submit("test.steps", owner=owner, count=1, seconds=scale.seconds)


def _ended_between(owner: Any, since: Any, until: Any) -> int:
    return Task.objects.owned_by(owner.pk).finished().filter(finished_at__gt=since, finished_at__lt=until).count()


def _all_have_ended() -> bool:
    return not Task.objects.active().exists()
