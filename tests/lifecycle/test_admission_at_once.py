"""Admission while many things happen at the same moment: never above a limit, and after a tick no slot unused."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks_app.exceptions import LonghaulError, NotOwner
from tasks_app.lifecycle.admission import admit_all, give_back
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.claim import claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.lifecycle.pause import pause, resume
from tasks_app.models import Allowance, Outcome, QueueState, Task, Worker
from tests.lifecycle.test_submit import at_once
from tests.support.rows import make_task, make_user, make_worker

KINDS = ("test", "other")
LINES = ({"queue": "gpu"}, {"kind": "test"}, {"kind": "other"})
LIMITS = (2, 3)
SERVICE = {"gpu": KINDS}
# What happens, and to which of those to whom it can happen.
type Event = tuple[str, int]


def dawdle(execute: Callable[..., Any], *statement: Any) -> Any:
    """Time for others after each statement: without it most transactions are over before the next begins."""
    result = execute(*statement)
    time.sleep(random.uniform(0, 0.003))
    return result


class Town:
    """Two users with two and three slots, nobody's tasks, and a worker. Each thread does its own events in order."""

    def __init__(self) -> None:
        self._users = [make_user(f"user{limit}") for limit in LIMITS]
        for user, limit in zip(self._users, LIMITS, strict=True):
            Allowance.objects.create(owner=user, active_tasks=limit)
        self._worker = make_worker("gpu", kinds=KINDS)

    def empty(self) -> None:
        for rows in (Task, QueueState):
            rows.objects.all().delete()
        # Alive for each example: all of them together may take longer than it may be silent.
        Worker.objects.update(heartbeat_at=Now())

    def happen(self, events: list[Event]) -> list[dict[int, int]]:
        """What was above its limit after each event."""
        above = []
        for what, which in events:
            # Refused because it came too late, which is what the events of others may do to it.
            with suppress(LonghaulError, NotOwner), connection.execute_wrapper(dawdle):
                EVENTS[what](self, which)
            above.append(self.above())
        return above

    def above(self) -> dict[int, int]:
        """Users with more slots in use than they have, as one look at the database sees it."""
        held = Task.objects.holding_slots().exclude(owner=None).order_by().values("owner").annotate(n=Count("*"))
        limits = {user.pk: limit for user, limit in zip(self._users, LIMITS, strict=True)}
        return {row["owner"]: row["n"] for row in held if row["n"] > limits[row["owner"]]}

    def submit(self, which: int) -> None:
        make_task([*self._users, None][which % 3], kind=KINDS[which % 2], priority=which)

    def claim(self, _: int) -> None:
        claim(self._worker.pk, queue="gpu", kinds=KINDS)

    def finish(self, which: int) -> None:
        self._end(which, Outcome.SUCCEEDED)

    def hand_over(self, which: int) -> None:
        self._end(which, Outcome.HANDED_OVER)

    def cancel(self, which: int) -> None:
        if task := _one(Task.objects.waiting(), which):
            cancel(task.pk)

    def tick(self, _: int = 0) -> None:
        give_back()
        admit_all()

    def pause(self, which: int) -> None:
        pause(**LINES[which % 3], by_id=None, reason="upgrade")

    def resume(self, which: int) -> None:
        resume(**LINES[which % 3])

    def unused(self) -> list[Task]:
        """Tasks that could be admitted though they are not."""
        free = [*Allowance.objects.with_free_slot().values_list("owner", flat=True), None]
        return [task for owner in free for task in Task.objects.admissible(SERVICE).owned_by(owner)]

    @staticmethod
    def _end(which: int, outcome: Outcome) -> None:
        if task := _one(Task.objects.running(), which):
            end(task.ref, Ending(outcome=outcome))


def _one(tasks: Any, which: int) -> Task | None:
    found = list(tasks.order_by("pk"))
    return found[which % len(found)] if found else None


EVENTS: dict[str, Callable[[Town, int], None]] = {
    # As often as each should come.
    "submit": Town.submit,
    "another": Town.submit,
    "claim": Town.claim,
    "finish": Town.finish,
    "hand over": Town.hand_over,
    "cancel": Town.cancel,
    "tick": Town.tick,
    "pause": Town.pause,
    "resume": Town.resume,
}
events = st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), st.integers(0, 5)), min_size=1, max_size=7)


@pytest.fixture
def town(transactional_db: None) -> Town:
    return Town()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=events, threads=st.lists(events, min_size=2, max_size=4))
def test_whatever_happens_at_once_no_user_has_more_and_after_a_tick_nobody_has_less(
    town: Town, before: list[Event], threads: list[list[Event]]
) -> None:
    town.empty()
    for number in range(8):
        town.submit(number)
    town.happen(before)
    looks = at_once(len(threads), lambda number: town.happen(threads[number]))
    assert [above for seen in looks for above in seen if above] == []
    town.tick()
    assert town.above() == {}
    assert town.unused() == []
    assert not Task.objects.stranded(SERVICE).exists()
