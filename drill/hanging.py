"""Redis hangs (SIGSTOP): it takes connections and answers nothing. Submissions do not wait for it."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from tasks_app.models import Task
from tests.support.page import PageVisitor

from .ground import Ground
from .registry import Figures, Size, drill, expect
from .web import Web

WITHIN = {Size.FULL: 1.0, Size.SHORT: 5.0}
# Longer than the rest that Redis is given after a failure: somebody asks it again and again.
HANGS_SECONDS = {Size.FULL: 20.0, Size.SHORT: 6.0}
BETWEEN_SECONDS = 0.4


@drill("Redis hangs at submission")
def redis_hangs(size: Size) -> Figures:
    with Ground(size) as ground, Web(ground) as web:
        ground.house.scheduler()
        ground.house.ready_worker("gpu")
        visitor, asked = PageVisitor(web.api.base, web.user), Asked(web)
        ground.wait_until(lambda: web.status("/readyz") == 200, 120, what="all is ready")
        with _hanging(ground):
            began = time.monotonic()
            first = asked.submit()
            while time.monotonic() - began < HANGS_SECONDS[size]:
                asked.submit()
                asked.time("a page of a task", lambda: visitor.get(f"/tasks/{first}/").status == 200)
                asked.time("the list", lambda: visitor.get("/").status == 200)
                time.sleep(BETWEEN_SECONDS)
            asked.time("health", lambda: web.status("/healthz") == 200)
            asked.time("readiness", lambda: web.status("/readyz") == 503)
            began_after = _begun(ground, first)
            last = asked.submit()
        ground.ended(Task.objects.get(pk=last), within=120)
        ground.wait_until(lambda: web.status("/readyz") == 200, 120, what="it is ready again")
        asked.expect_within(WITHIN[size])
        return [*asked.figures(), ("a task began while it hung after", began_after, "s")]


class Asked:
    """Requests to the web, with the seconds that each took."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._numbers = count()
        self.seconds: dict[str, list[float]] = {}

    def submit(self) -> str:
        """The id of a new task, for which the API has answered 202."""
        page = f"PAGE-{next(self._numbers):04}".encode()
        answer = self._web.api.submit(page, name="page.txt", instruction="Say what you see.")
        expect(answer.status == 202, f"a submission was answered with {answer.status}: {answer.body!r}")
        self.seconds.setdefault("a submission", []).append(answer.seconds)
        task_id: str = answer.json["id"]
        return task_id

    def time(self, what: str, ask: Callable[[], bool]) -> None:
        began = time.monotonic()
        expect(ask(), f"{what} was not answered as expected")
        self.seconds.setdefault(what, []).append(time.monotonic() - began)

    def expect_within(self, seconds: float) -> None:
        for what, samples in self.seconds.items():
            expect(max(samples) < seconds, f"{what} took {max(samples):.2f} s, expected less than {seconds:g}")

    def figures(self) -> Figures:
        longest: Figures = [(f"{what} at most", max(samples), "s") for what, samples in self.seconds.items()]
        return [("submissions", len(self.seconds["a submission"]), ""), *longest]


@contextmanager
def _hanging(ground: Ground) -> Iterator[None]:
    ground.house.redis.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        ground.house.redis.signal(signal.SIGCONT)


def _begun(ground: Ground, task_id: str) -> float:
    """Seconds from its submission to its start, which must come while Redis hangs."""
    task = Task.objects.filter(pk=task_id)
    ground.wait_until(task.exclude(started_at=None).exists, 120, what="a task begins although Redis hangs")
    row: Any = task.get()
    return float((row.started_at - row.created_at).total_seconds())
