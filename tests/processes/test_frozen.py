"""A process that is stopped inside a transaction keeps nobody from anything for longer than ten seconds."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from django.db import connection
from django.db.models.functions import Now

from tasks_app.lifecycle.cancel import cancel
from tasks_app.models import Status, Task
from tasks_app.processes.frozen import LockWatch
from tests.support.programs import wait_until
from tests.support.rows import make_worker, silence, start

from .conftest import Yard

HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute(f"PRAGMA journal_mode={sys.argv[2]}")
db.execute("CREATE TABLE IF NOT EXISTS t (x)")
if sys.argv[3] == "writes":
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO t VALUES (1)")
else:
    db.execute("BEGIN")
    db.execute("SELECT * FROM t").fetchall()
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(database: Path, *, mode: str = "WAL", does: str = "writes") -> Iterator[psutil.Process]:
    """A process in a transaction."""
    command = [sys.executable, "-c", HOLDER, str(database), mode, does]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        yield psutil.Process(program.pid)
        program.kill()


def stop(process: psutil.Process) -> None:
    os.kill(process.pid, signal.SIGSTOP)
    wait_until(lambda: process.status() == psutil.STATUS_STOPPED)


def is_killed(process: psutil.Process) -> bool:
    return bool(process.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_who_is_stopped_with_the_write_lock_for_as_long_is_killed(
    tmp_path: Path, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    watches = [LockWatch(tmp_path / "db", looks=2) for _ in range(2)]
    with holder(tmp_path / "db", mode=mode) as process:
        stop(process)
        for _ in range(2):
            watches[0].look()
        assert process.status() == psutil.STATUS_STOPPED
        for watch in watches:
            watch.look()
        wait_until(lambda: is_killed(process))
    assert caplog.text.count("blocked every writer") == 1
    with holder(tmp_path / "db", mode=mode):
        pass


def test_who_works_who_only_reads_and_who_goes_on_in_time_is_left_alone(tmp_path: Path) -> None:
    watch = LockWatch(tmp_path / "db", looks=2)
    with holder(tmp_path / "db") as writer, holder(tmp_path / "db", does="reads") as reader:
        stop(reader)
        for _ in range(2):
            stop(writer)
            watch.look()
            watch.look()
            writer.resume()
            watch.look()
        for _ in range(3):
            watch.look()
        assert not is_killed(writer)
        assert not is_killed(reader)


def test_nobody_is_killed_for_the_lock_of_another_file_or_by_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").touch()
    with holder(tmp_path / "db") as process:
        stop(process)
        for database, user in (("other", os.geteuid()), ("db", 4711)):
            watch = LockWatch(tmp_path / database, looks=1)
            with monkeypatch.context() as patch:
                patch.setattr(os, "geteuid", lambda user=user: user)
                for _ in range(3):
                    watch.look()
        assert process.status() == psutil.STATUS_STOPPED


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_inside_a_transaction_blocks_neither_rescue_nor_cancel_nor_tick(
    open_yard: Callable[..., Yard],
) -> None:
    yard = open_yard(
        LONGHAUL_WORKER_SILENT_SECONDS="4",
        LONGHAUL_KIND_MODULES="tests.support.kinds,tests.support.kinds_frozen",
    )
    scheduler = yard.house.scheduler()
    worker = yard.house.ready_worker("gpu")
    frozen = yard.submit("freezes")
    yard.wait_for_line("frozen")
    worker.signal(signal.SIGSTOP)
    began = time.monotonic()
    # SQLite has one lock for all writers. PostgreSQL's are of rows: the others go on while the frozen one still has its
    # own, which PostgreSQL takes from it after 10 s.
    others_within = 40 if connection.vendor == "sqlite" else 9
    orphan = _orphan(yard)
    waiting, expired = yard.submit("quick"), yard.submit("quick")
    assert cancel(waiting.pk) == Status.CANCELLED
    Task.objects.filter(pk=expired.pk).update(expires_at=Now() - timedelta(seconds=1))
    yard.wait_for(expired, "failed", others_within)
    yard.wait_for(orphan, "pending", others_within)
    assert time.monotonic() - began < others_within
    cancel(frozen.pk)
    assert time.monotonic() - began < 40
    yard.wait_for(frozen, "cancelled")
    assert yard.outcomes(orphan)[0] == "lost"
    if connection.vendor == "sqlite":
        assert scheduler.said.count("blocked every writer") == 1
    assert "database is locked" not in scheduler.said


def _orphan(yard: Yard) -> Task:
    """A running task whose worker is dead."""
    task = yard.submit("quick")
    dead = make_worker("gpu")
    start(task, dead)
    silence(dead)
    return task
