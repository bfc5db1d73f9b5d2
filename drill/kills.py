"""Something dies with -9 during a task of 30 steps: it ends succeeded, and no finished step is executed again."""

import os
import signal
import time
from datetime import timedelta

from django.utils import timezone

from tasks_app.models import Task

from . import database, judge
from .ground import Ground
from .registry import Figures, Size, drill, expect
from .thirty import LATENCY, STEPS, expect_outcomes, in_the_middle, judged, open_gate, submitted, went_on
from .web import Web

CHILD_SECONDS = 3.0
WORKER_SECONDS = 40.0
AWAY_SECONDS = 3.0


@drill("child killed -9")
def child_killed(size: Size) -> Figures:
    with Ground(size) as ground:
        worker = ground.house.ready_worker("gpu")
        task = in_the_middle(ground)
        killed_at = judge.now()
        os.kill(ground.child_of(worker).pid, signal.SIGKILL)
        open_gate(ground)
        ground.ended(task, within=120)
        expect_outcomes(ground, task, "lost", "succeeded")
        return went_on(ground, killed_at, within=CHILD_SECONDS) + judged(ground, task)


@drill("worker killed -9 with its whole group")
def worker_killed(size: Size) -> Figures:
    """Another takes its place at once, as a service manager would see to."""
    with Ground(size) as ground:
        ground.house.scheduler()
        worker = ground.house.ready_worker("gpu")
        task = in_the_middle(ground)
        killed_at = judge.now()
        ground.kill_group(worker)
        open_gate(ground)
        ground.house.worker("gpu")
        ground.ended(task, within=120)
        expect_outcomes(ground, task, "lost", "succeeded")
        return went_on(ground, killed_at, within=WORKER_SECONDS) + judged(ground, task)


@drill("scheduler killed -9")
def scheduler_killed(size: Size) -> Figures:
    """The one that leads; a second is there. What becomes due meanwhile is admitted by the second."""
    with Ground(size) as ground:
        leader = ground.house.scheduler()
        ground.wait_until(lambda: ground.house.redis_client.exists("longhaul:scheduler"), 120, what="a scheduler leads")
        ground.house.scheduler()
        ground.house.ready_worker("gpu")
        task = in_the_middle(ground)
        leader.kill()
        open_gate(ground)
        killed_at = time.monotonic()
        next_task = submitted(ground, count=1, first=STEPS, run_after=timezone.now() + timedelta(seconds=0.5))
        ground.wait_until(lambda: _is_admitted(next_task), 120, what="what is due is admitted")
        admitted = time.monotonic() - killed_at
        ground.ended(next_task, within=120)
        expect_outcomes(ground, task, "succeeded")
        return [("what was due was admitted after", admitted, "s"), *_undisturbed(ground, task)]


@drill("web killed -9 while a page polls")
def web_killed(size: Size) -> Figures:
    with Ground(size) as ground, Web(ground) as web:
        ground.house.ready_worker("gpu")
        task = submitted(ground, owner=web.user)
        web.poll_until(task, done=10, within=120)
        killed_at = time.monotonic()
        web.program.kill()
        expect(web.look(task) is None, "the web still answers although it was killed")
        web.start()
        web.poll_until(task, done=10, within=120)
        away = time.monotonic() - killed_at
        web.poll_until(task, status="succeeded", within=120)
        expect_outcomes(ground, task, "succeeded")
        expect(web.versions == sorted(web.versions), f"a version was followed by an older one: {web.versions}")
        return [("the poll was answered again after", away, "s"), *_undisturbed(ground, task)]


@drill("Redis killed -9 and emptied")
def redis_killed(size: Size) -> Figures:
    """Tasks wait, some of before, some submitted meanwhile, some afterwards."""
    with Ground(size) as ground:
        ground.house.scheduler()
        ground.house.ready_worker("gpu")
        task = in_the_middle(ground)
        waiting = _some_more(ground, after=0)
        ground.house.redis.kill()
        open_gate(ground)
        waiting += _some_more(ground, after=len(waiting))
        time.sleep(size.of(full=AWAY_SECONDS, short=0.5))
        ground.house.start_redis()
        waiting += _some_more(ground, after=len(waiting))
        for each in (task, *waiting):
            ground.ended(each, within=120)
            expect_outcomes(ground, each, "succeeded")
        return [("waited besides", len(waiting), "tasks"), *_undisturbed(ground, task)]


@drill("database restarted")
def database_restarted(size: Size) -> Figures:
    """Crashed, to be exact: it is not given the time to end its sessions."""
    server = database.own_server()
    with Ground(size) as ground:
        ground.house.scheduler()
        ground.house.ready_worker("gpu")
        task = in_the_middle(ground)
        server.stop("immediate")
        time.sleep(size.of(full=AWAY_SECONDS, short=1.0))
        server.start()
        back_at = judge.now()
        open_gate(ground)
        ground.ended(task, within=120)
        expect_outcomes(ground, task, "succeeded")
        return went_on(ground, back_at, within=10) + judged(ground, task)


def _some_more(ground: Ground, *, after: int) -> list[Task]:
    """Tasks of one step, that wait while the other is worked on. `after`: so many were there before."""
    return [submitted(ground, count=1, first=STEPS + after + number) for number in range(3)]


def _is_admitted(task: Task) -> bool:
    task.refresh_from_db()
    return task.status != "pending"


def _undisturbed(ground: Ground, task: Task) -> Figures:
    """Of a task whose own processes nobody touched: it must not even have paused."""
    pause = judge.longest_pause(call for call in ground.house.endpoint.calls if call.marker in judge.markers(STEPS))
    allowed = LATENCY[ground.size] + 2.0
    expect(ground.size is Size.SHORT or pause < allowed, f"it paused for {pause:.1f} s, expected less than {allowed}")
    return [("longest pause between its calls", pause, "s"), *judged(ground, task)]
