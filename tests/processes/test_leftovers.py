"""A task's process is as it was when the next task comes, or it must not be used again."""

import locale
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone, translation

from tasks_app.processes import leftovers as leftovers_of_tasks
from tasks_app.processes.leftovers import Leftovers
from tests.support.programs import PROJECT


@pytest.fixture
def leftovers() -> Iterator[Leftovers]:
    found = Leftovers()
    yield found
    found.clear()


def umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def test_where_nothing_was_left_nothing_is_said(leftovers: Leftovers) -> None:
    assert leftovers.clear() == ""


def test_the_environment_and_the_time_zone_of_c_are_as_before() -> None:
    # Not the fixture's: between the two pytest changes the environment.
    leftovers = Leftovers()
    before = (dict(os.environ), time.tzname)
    os.environ["LONGHAUL_LEFT"] = "yes"
    os.environ["TZ"] = "Asia/Tokyo"
    del os.environ["PATH"]
    time.tzset()
    assert leftovers.clear() == ""
    assert (dict(os.environ), time.tzname) == before


def test_working_directory_umask_and_locale_are_as_before(leftovers: Leftovers, tmp_path: Path) -> None:
    before = (Path.cwd(), umask(), locale.setlocale(locale.LC_ALL))
    os.chdir(tmp_path)
    os.umask(before[1] ^ 0o700)
    locale.setlocale(locale.LC_NUMERIC, "C" if before[2] != "C" else "C.UTF-8")
    assert leftovers.clear() == ""
    assert (Path.cwd(), umask(), locale.setlocale(locale.LC_ALL)) == before


def test_a_working_directory_that_was_removed_is_left_too(leftovers: Leftovers, tmp_path: Path) -> None:
    before = Path.cwd()
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert leftovers.clear() == ""
    assert Path.cwd() == before


def test_a_working_directory_that_cannot_be_entered_again_ends_the_process(tmp_path: Path) -> None:
    before = Path.cwd()
    home = tmp_path / "home"
    home.mkdir()
    os.chdir(home)
    try:
        leftovers = Leftovers()
        os.chdir(before)
        home.rmdir()
        assert leftovers.clear() == f"its working directory is gone: {home}"
    finally:
        os.chdir(before)


def test_language_and_time_zone_of_django_are_the_projects_own(leftovers: Leftovers) -> None:
    before = (translation.get_language(), timezone.get_current_timezone_name())
    translation.activate("de")
    timezone.activate("Asia/Tokyo")
    assert leftovers.clear() == ""
    assert (translation.get_language(), timezone.get_current_timezone_name()) == before


def test_handlers_timers_and_blocked_signals_are_as_before(leftovers: Leftovers) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_VIRTUAL, 600)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    signal.set_wakeup_fd(ours.fileno())
    assert leftovers.clear() == ""
    assert signal.getsignal(signal.SIGUSR1) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    assert signal.SIGALRM not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.set_wakeup_fd(-1) == -1
    ours.close()
    theirs.close()


def test_sockets_have_the_time_limit_that_they_had(leftovers: Leftovers) -> None:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(12.5)
    assert leftovers.clear() == ""
    assert socket.getdefaulttimeout() == before


def test_a_seed_does_not_reach_the_next_task(leftovers: Leftovers) -> None:
    random.seed(1)
    assert leftovers.clear() == ""
    assert random.random() != random.Random(1).random()


def test_numpy_is_seeded_anew_where_it_is_loaded(leftovers: Leftovers, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[Any] = []
    numpy_random = types.SimpleNamespace(seed=lambda *seed: seeds.append(seed))
    monkeypatch.setitem(sys.modules, "numpy.random", numpy_random)
    leftovers.clear()
    # Without a number: by the operating system.
    assert seeds == [()]


def test_a_thread_that_is_ending_is_waited_for(leftovers: Leftovers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers_of_tasks, "LAST_MOMENT_SECONDS", 30)
    ending = threading.Thread(target=time.sleep, args=[0.1])
    ending.start()
    assert leftovers.clear() == ""


def test_a_thread_that_lives_on_ends_the_process(leftovers: Leftovers) -> None:
    over = threading.Event()
    forgotten = threading.Thread(target=over.wait, name="forgotten", daemon=True)
    forgotten.start()
    assert leftovers.clear() == "its task left a thread behind: forgotten"
    over.set()
    forgotten.join()
    assert leftovers.clear() == ""


def test_many_threads_are_waited_for_all_together(leftovers: Leftovers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers_of_tasks, "LAST_MOMENT_SECONDS", 1)
    over = threading.Event()
    threads = [threading.Thread(target=over.wait, name=f"lane {number}") for number in range(20)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    said = leftovers.clear()
    # One after the other would be 20 s.
    assert time.monotonic() - began < 15
    assert said.startswith("its task left 20 threads behind: ")
    over.set()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("home", ["psycopg_pool.pool", "psycopg_pool.sched", "tasks_app.realtime.publisher"])
def test_threads_that_serve_every_task_may_stay(leftovers: Leftovers, home: str) -> None:
    over = threading.Event()

    def serve() -> None:
        over.wait()

    serve.__module__ = home
    servant = threading.Thread(target=serve)
    servant.start()
    assert leftovers.clear() == ""
    over.set()
    servant.join()


def test_a_program_that_lives_on_ends_the_process(leftovers: Leftovers) -> None:
    program = subprocess.Popen(["sleep", "600"])
    assert leftovers.clear() == f"its task left a program behind: sleep ({program.pid})"
    program.kill()
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    # Nobody waited for it, and it counts no more.
    assert leftovers.clear() == ""


def test_programs_that_were_there_before_may_stay() -> None:
    program = subprocess.Popen(["sleep", "600"])
    try:
        assert Leftovers().clear() == ""
        assert program.poll() is None
    finally:
        program.kill()
        program.wait()


ORPHAN = """
import subprocess, time
from pathlib import Path
from tasks_app.processes.leftovers import Leftovers, adopt_orphans
adopt_orphans()
leftovers = Leftovers()
said = subprocess.run("sleep 600 > /dev/null 2>&1 & echo $!", shell=True, stdout=subprocess.PIPE, text=True)
pid = said.stdout.strip()
# For a moment it is still the shell that forked.
while Path(f"/proc/{pid}/comm").read_text() != "sleep\\n":
    time.sleep(0.01)
print(pid)
print(leftovers.clear())
"""


def test_a_program_whose_parent_has_ended_is_found_too() -> None:
    said = subprocess.run([sys.executable, "-c", ORPHAN], cwd=PROJECT, capture_output=True, text=True, check=True)
    pid, left = said.stdout.splitlines()
    os.kill(int(pid), signal.SIGKILL)
    assert left == f"its task left a program behind: sleep ({pid})"


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_nobody_ended_ends_the_process_also_when_it_was_closed(leftovers: Leftovers) -> None:
    transaction.atomic().__enter__()
    assert leftovers.clear() == "its task left a transaction open"
    left = connections["default"]
    connections.close_all()
    assert leftovers.clear() == "its task left a transaction open"
    del connections["default"]
    assert leftovers.clear() == "its task left a transaction open"
    # For what comes after this test.
    left.connect()


def test_all_that_cannot_be_reset_is_named(leftovers: Leftovers) -> None:
    over = threading.Event()
    forgotten = threading.Thread(target=over.wait, name="forgotten")
    forgotten.start()
    program = subprocess.Popen(["sleep", "600"])
    said = leftovers.clear()
    assert said == f"its task left a thread behind: forgotten; its task left a program behind: sleep ({program.pid})"
    over.set()
    forgotten.join()
    program.kill()
    program.wait()
