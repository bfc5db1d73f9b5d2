"""Kinds for tests that leave something behind in their process, or hold much memory."""

import os
import random
import signal
import socket
import subprocess
import threading
import time
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone, translation

from tests.support.kinds import note, task

MEGABYTE = 1024 * 1024
never = threading.Event()
held: list[bytearray] = []


@task(kind="test.look", queue_name="gpu", takes_context=True)
def look(context: Any, *, journal: str) -> dict[str, Any]:
    """The state of its process."""
    umask = os.umask(0)
    os.umask(umask)
    return {
        "pid": os.getpid(),
        "folder": os.getcwd(),  # noqa: PTH109
        "umask": umask,
        "left_in_environment": os.environ.get("LONGHAUL_LEFT", ""),
        "zone": [os.environ.get("TZ"), time.tzname[0], timezone.get_current_timezone_name()],
        "language": translation.get_language(),
        "patience": socket.getdefaulttimeout(),
        "timer": signal.getitimer(signal.ITIMER_VIRTUAL)[0],
        "handler": str(signal.getsignal(signal.SIGUSR1)),
        "number": random.random(),
    }


@task(kind="test.changes", queue_name="gpu", takes_context=True)
def changes(context: Any, *, journal: str) -> float:
    """All that can be reset. Returns the number that follows in the series that it began."""
    os.chdir("/")
    os.umask(0o777)
    os.environ["LONGHAUL_LEFT"] = "yes"
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    timezone.activate("Asia/Tokyo")
    translation.activate("de")
    socket.setdefaulttimeout(0.5)
    signal.setitimer(signal.ITIMER_VIRTUAL, 600)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    random.seed(1)
    return random.Random(1).random()


@task(kind="test.leaves_thread", queue_name="gpu", takes_context=True)
def leaves_thread(context: Any, *, journal: str) -> int:
    threading.Thread(target=never.wait, name="forgotten", daemon=True).start()
    return os.getpid()


@task(kind="test.leaves_program", queue_name="gpu", takes_context=True)
def leaves_program(context: Any, *, journal: str) -> int:
    """Its own parent, a shell, ends at once."""
    # For a moment what it started is still the shell, by its name.
    subprocess.run("sleep 600 & until [ $(cat /proc/$!/comm) = sleep ]; do :; done", shell=True, check=True)
    return os.getpid()


@task(kind="test.leaves_transaction", queue_name="gpu", takes_context=True)
def leaves_transaction(context: Any, *, journal: str) -> None:
    note(journal, str(os.getpid()))
    transaction.atomic().__enter__()
    get_user_model().objects.create_user("written in passing")


@task(kind="test.grows", queue_name="gpu", takes_context=True)
def grows(context: Any, *, journal: str, megabytes: int) -> int:
    """Keeps that much."""
    held.append(bytearray(b"x") * (megabytes * MEGABYTE))
    return os.getpid()


@task(kind="test.grows_and_stays", queue_name="gpu", takes_context=True)
def grows_and_stays(context: Any, *, journal: str, megabytes: int) -> None:
    note(journal, str(os.getpid()))
    held.append(bytearray(b"x") * (megabytes * MEGABYTE))
    never.wait()
