"""From the commit of a step to the frame that a client receives, alone and among many open sockets."""

import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection

from tasks_app.lifecycle.steps import StepRecord, save_step
from tasks_app.models import ApiToken, AttemptRef, StepStatus
from tasks_app.signals import task_changed
from tests.support.programs import PROJECT
from tests.support.rows import make_task, make_worker, start

from .samples import percentile, spread
from .scale import Scale
from .site import Site
from .table import Row, Table

AIM_SECONDS = 0.050
# The same task again after this many of the throttle's intervals at the earliest.
FREE_INTERVALS = 2.5


def measure(scale: Scale) -> Table:
    with Site(LONGHAUL_ACTIVE_TASKS_PER_USER=str(scale.sockets)) as site:
        refs = _started(site, scale.sockets)
        token = ApiToken.issue(site.user.pk)
        writer = Writer()
        rows = []
        for watched in (refs[:1], refs):
            with listening(site, token, watched) as frames:
                delays = [writer.delay(ref, frames) for ref in _in_turn(watched, scale.events)]
            rows.append(_row(len(watched), delays))
    return Table(
        title=f"From commit to the client, {connection.display_name}",
        how="A process saves a step; another, with the sockets, receives its frame over daphne. Each socket watches a "
        "task of its own, and no event comes within the throttle's interval after another of its task.",
        rows=rows,
    )


def _started(site: Site, number: int) -> list[AttemptRef]:
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER = number
    worker = make_worker()
    return [start(make_task(site.user), worker).ref for _ in range(number)]


def _in_turn(refs: list[AttemptRef], events: int) -> Iterator[AttemptRef]:
    """The next task of an event when it is due: neither held by the throttle, nor in step with anything periodic."""
    pause = FREE_INTERVALS / settings.LONGHAUL_EVENTS_PER_SECOND / min(len(refs), 5)
    for ref in itertools.islice(itertools.cycle(refs), events):
        time.sleep(pause * random.uniform(1.0, 1.5))
        yield ref


class Writer:
    """Saves steps as a child does, and knows when they were committed."""

    def __init__(self) -> None:
        self._index = itertools.count()
        self._committed_at = 0.0
        task_changed.connect(self._on_commit)

    def delay(self, ref: AttemptRef, frames: Iterator[dict[str, Any]]) -> float:
        """Seconds from the commit of a new step until its frame was received. Raises RuntimeError."""
        record = StepRecord(index=next(self._index), name="generate", key="0" * 64, status=StepStatus.SUCCEEDED)
        version = save_step(ref, record)
        committed_at = self._committed_at
        for frame in frames:
            if frame["task"] == str(ref.task_id) and frame["version"] >= version:
                taken: float = frame["at"] - committed_at
                return taken
        raise RuntimeError("the client's process ended before the frame arrived")

    def _on_commit(self, **_: Any) -> None:
        self._committed_at = time.monotonic()


@contextmanager
def listening(site: Site, token: str, refs: list[AttemptRef]) -> Iterator[Iterator[dict[str, Any]]]:
    """Open a socket for each task in another process; gives the frames as they arrive there."""
    address = site.base.replace("http", "ws", 1)
    command = [sys.executable, "-m", "bench.sockets", address, token]
    with subprocess.Popen(command, cwd=PROJECT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.writelines(f"{ref.task_id}\n" for ref in refs)
        client.stdin.close()
        if "open\n" not in iter(client.stdout.readline, ""):
            raise RuntimeError(f"{len(refs)} sockets did not open")
        try:
            yield map(json.loads, client.stdout)
        finally:
            client.kill()


def _row(sockets: int, delays: list[float]) -> Row:
    return Row(
        what=f"{sockets} open socket{'s' if sockets > 1 else ''}",
        measured=spread(delays),
        ratio="",
        aim=f"p99 < {AIM_SECONDS * 1000:.0f} ms",
        is_met=percentile(delays, 99) < AIM_SECONDS,
    )
