"""From `enqueue()` to the first line of the kind, the worker being idle."""

import random
import time
from collections import defaultdict
from typing import Any

from django.db import connection
from django.tasks import TaskResult

from tasks_app.models import Task
from tasks_app.signals import task_changed, tasks_admitted

from .kinds import moment
from .samples import percentile, spread
from .scale import Scale
from .site import Works
from .table import Row, Table

AIM_SECONDS = {50: 0.006, 99: 0.020}
# Until the worker waits for its doorbell again.
PAUSE_SECONDS = 0.03
WHOLE = "enqueue() to the first line"
STRETCHES = {
    "submitted": "of it: until the row is committed",
    "admitted": "of it: until it is admitted",
    "rung": "of it: until the doorbell has rung",
    "claimed": "of it: until its worker has woken up and claims it",
    "began": "of it: the claim, handing over, the child's beginning",
}


def measure(scale: Scale) -> Table:
    with Works() as works:
        works.house.scheduler()
        works.house.ready_worker("cpu")
        moments = Moments()
        samples: dict[str, list[float]] = defaultdict(list)
        for number in range(-5, scale.pickups):
            time.sleep(PAUSE_SECONDS * random.uniform(1.0, 2.0))
            for name, seconds in moments.of_one(works).items():
                # The first warm up what is used for the first time.
                if number >= 0:
                    samples[name].append(seconds)
    return Table(
        title=f"Pick-up by an idle worker, {connection.display_name}",
        how="One enqueue() after the other, each when the one before has ended, from a process whose connection is "
        "open; by the machine's clock.",
        rows=[_whole(samples[WHOLE]), *(Row(what=name, measured=spread(samples[name])) for name in STRETCHES.values())],
    )


class Moments:
    """What happened when, in seconds of the machine's clock, to the submission in hand."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        task_changed.connect(self._on_commit)
        # After the receiver that rings, which was connected at the start.
        tasks_admitted.connect(self._on_rung)

    def of_one(self, works: Works) -> dict[str, float]:
        """Seconds of each stretch of one submission, and of all."""
        self._seen = {}
        began = time.time()
        result: TaskResult[[], float] = moment.enqueue()
        task = works.ended(result.id, within=20)
        return self._stretches(task, began)

    def _stretches(self, task: Task, began: float) -> dict[str, float]:
        if task.claimed_at is None:
            raise RuntimeError("an ended task was claimed")
        first_line = task.load()
        at = self._seen | {"claimed": task.claimed_at.timestamp(), "began": first_line}
        found, before = {WHOLE: first_line - began}, began
        for name, what in STRETCHES.items():
            # A tick of the scheduler may have been there first.
            found[what] = at.get(name, before) - before
            before = at.get(name, before)
        return found

    def _on_commit(self, **_: Any) -> None:
        self._seen["admitted" if "submitted" in self._seen else "submitted"] = time.time()

    def _on_rung(self, **_: Any) -> None:
        self._seen["rung"] = time.time()


def _whole(samples: list[float]) -> Row:
    return Row(
        what=WHOLE,
        measured=spread(samples),
        aim=", ".join(f"p{percent} < {aim * 1000:.0f} ms" for percent, aim in AIM_SECONDS.items()),
        is_met=all(percentile(samples, percent) < aim for percent, aim in AIM_SECONDS.items()),
    )
