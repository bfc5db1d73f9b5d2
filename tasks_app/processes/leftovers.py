"""What a task leaves behind in the process that made its attempt: reset, or named as the reason to end the process.

| left behind | what happens |
|---|---|
| language, time zone, locale, environment, working directory, umask | reset |
| signal handlers, blocked signals, timers, the default time limit of sockets | reset |
| a seeded `random`, also NumPy's | seeded anew by the operating system |
| a thread or a program that lives on, an open transaction | the process must not be used again |
"""

import ctypes
import locale
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone, translation

PR_SET_CHILD_SUBREAPER = 36
# All but the two that nobody can handle.
SIGNALS = sorted(set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
# For threads and programs that are about to end, all together.
LAST_MOMENT_SECONDS = 0.2
LOOK_SECONDS = 0.005
# Where the code of threads lives that the process begins when it first needs them, and keeps: the pool of database
# connections, the sender of hints and that of counts, the keeper of permits.
SERVANTS = (
    "psycopg_pool.",
    "tasks_app.realtime.publisher",
    "tasks_app.monitoring.counters",
    "tasks_app.endpoint.throttle.throttle",
)
# Threads of C code that once called Python; it cannot tell whether they live.
FOREIGN = "Dummy-"


def adopt_orphans() -> None:
    """From now on a program whose own parent has ended is a child of this process (Linux): nothing started is lost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


class Leftovers:
    """The state of this process before its attempts. Main thread only.

    Made once, cleared after each attempt: as long as `clear` finds nothing the state is the same again.
    """

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._folder = _folder()
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        self._locale = locale.setlocale(locale.LC_ALL)
        self._patience = socket.getdefaulttimeout()
        self._handlers = [signal.getsignal(number) for number in SIGNALS]
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._threads = set(threading.enumerate())
        self._programs = _programs()
        # Kept: one that a task left inside an `atomic` stays so when it was closed, and another took its place.
        self._connections = connections.all()
        self._in_transaction = self._open_transactions()

    def clear(self) -> str:
        """Reset what can be reset; what cannot, in words, or nothing."""
        until = time.monotonic() + LAST_MOMENT_SECONDS
        self._reset_signals()
        self._reset_place()
        _reset_django()
        _reseed()
        return "; ".join(self._remaining(until))

    def _reset_signals(self) -> None:
        for timer in TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in zip(SIGNALS, self._handlers, strict=True):
            # None was set by C code, which alone could set it again.
            if signal.getsignal(number) is not handler and handler is not None:
                signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)

    def _reset_place(self) -> None:
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        time.tzset()
        if locale.setlocale(locale.LC_ALL) != self._locale:
            locale.setlocale(locale.LC_ALL, self._locale)
        socket.setdefaulttimeout(self._patience)
        os.umask(self._umask)
        if _folder() != self._folder:
            # Where it cannot, `_remaining` says so.
            with suppress(OSError):
                os.chdir(self._folder)

    def _remaining(self, until: float) -> Iterator[str]:
        if _folder() != self._folder:
            yield f"its working directory is gone: {self._folder}"
        if threads := list(_living_threads(self._threads, until=until)):
            yield f"its task left {_count(threads, 'thread')} behind: {', '.join(threads)}"
        if programs := list(_living_programs(self._programs, until=until)):
            yield f"its task left {_count(programs, 'program')} behind: {', '.join(programs)}"
        if self._open_transactions() - self._in_transaction:
            yield "its task left a transaction open"

    def _open_transactions(self) -> set[BaseDatabaseWrapper]:
        known = (*self._connections, *connections.all(initialized_only=True))
        return {connection for connection in known if connection.in_atomic_block}


def _reset_django() -> None:
    translation.deactivate()
    timezone.deactivate()


def _reseed() -> None:
    # A short seed: by itself `random` would take 2,500 bytes for it, after every attempt.
    random.seed(os.urandom(32))
    # Not imported for it: costly, and who does not use it does not seed it.
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


def _living_threads(before: Iterable[threading.Thread], *, until: float) -> Iterator[str]:
    for thread in set(threading.enumerate()).difference(before):
        if thread.name.startswith(FOREIGN) or _home(thread).startswith(SERVANTS):
            continue
        thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            yield thread.name


def _home(thread: threading.Thread) -> str:
    """The module of the code that it executes."""
    target = getattr(thread, "_target", None) or type(thread)
    return str(getattr(target, "__module__", ""))


def _living_programs(before: set[int], *, until: float) -> Iterator[str]:
    for pid in _programs() - before:
        while not (has_ended := _reap(pid)) and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        if not has_ended:
            yield f"{_name(pid)} ({pid})"


def _programs() -> set[int]:
    """Children of this process, the ended ones that nobody waited for too."""
    try:
        # Children of a thread that ended are the main thread's.
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:  # noqa: PTH123
            listed = file.read()
    except OSError:
        import psutil  # type: ignore[import-untyped]

        return {child.pid for child in psutil.Process().children()}
    return {int(pid) for pid in listed.split()}


def _reap(pid: int) -> bool:
    """Whether it has ended; nobody will wait for it any more."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "process"


def _folder() -> str:
    """The working directory; empty when it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return ""


def _count(found: list[str], what: str) -> str:
    return f"a {what}" if len(found) == 1 else f"{len(found)} {what}s"
