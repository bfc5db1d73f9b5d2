"""Kinds for tests with real processes. What they do, they write into a journal: a file, one line an event."""

import itertools
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django import tasks

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task


def note(journal: str, line: str) -> str:
    with Path(journal).open("a") as file:
        file.write(f"{line}\n")
    return line


def note_slowly(journal: str, line: str, seconds: float) -> str:
    note(journal, line)
    time.sleep(seconds)
    return line


@task(kind="test.quick", queue_name="gpu", takes_context=True)
def quick(context: Any, *, journal: str, line: str = "quick") -> str:
    return note(journal, line)


@task(kind="test.steps", queue_name="gpu", takes_context=True)
def steps(context: Any, *, journal: str, count: int, seconds: float = 0.0, gate: str = "", closed_at: int = 0) -> int:
    """`count` steps of `seconds` each; before step `closed_at` it sleeps, as kinds should, until `gate` exists."""
    (context.workdir / "draft").touch()
    for number in range(count):
        while gate and number == closed_at and not Path(gate).exists():
            context.sleep(0.02)
        context.step("note", note_slowly, journal, f"step {number}", seconds)
    return count


@task(kind="test.held", queue_name="gpu", takes_context=True)
def held(context: Any, *, journal: str, gate: str) -> str:
    """Waits for the file `gate` without looking whether it should stop."""
    note(journal, "held")
    wait_for(gate)
    return note(journal, "released")


@task(kind="test.stuck", queue_name="gpu", takes_context=True)
def stuck(context: Any, *, journal: str) -> int:
    """C code that holds the GIL for ever."""
    note(journal, "stuck")
    return sum(itertools.repeat(1))


@task(kind="test.poison", queue_name="gpu", takes_context=True)
def poison(context: Any, *, journal: str) -> None:
    context.step("note", note, journal, "before")
    note(journal, "poison")
    os.kill(os.getpid(), signal.SIGKILL)


@task(kind="test.parent", queue_name="gpu", takes_context=True)
def parent(context: Any, *, journal: str) -> None:
    """Starts a program, and holds the GIL."""
    note(journal, str(subprocess.Popen(["sleep", "600"]).pid))
    sum(itertools.repeat(1))


def wait_for(gate: str) -> None:
    while not Path(gate).exists():
        time.sleep(0.02)


@task(kind="test.broken", queue_name="gpu", takes_context=True)
def broken(context: Any) -> float:
    return 1 / 0
