"""Kinds for drills that go on until something ends them. What they do stands in their journal."""

import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.support.kinds import note, task

from .kinds import ask

# Above LONGHAUL_INLINE_RESULT_BYTES: a step's result that is a file. And one whose writing takes a while.
LARGE, HUGE = 100_000, 4_000_000
BLOCK_BYTES = 16 * 1024 * 1024


@task(kind="drill.steps", queue_name="gpu", takes_context=True)
def steps(context: Any, *, journal: str, count: int, seconds: float) -> int:
    """`count` steps of `seconds` each; a line in the journal when one begins, another when it is finished."""
    for number in range(count):
        context.step("note", note_both, journal, number, seconds)
    return count


def note_both(journal: str, number: int, seconds: float) -> None:
    note(journal, f"begun {number}")
    time.sleep(seconds)
    note(journal, f"finished {number}")


@task(kind="drill.idle", queue_name="gpu", takes_context=True)
def idle(context: Any, *, journal: str) -> None:
    """Makes no step, however often it begins."""
    note(journal, f"idle {context.attempt}")
    context.sleep(600)


@task(kind="drill.patient", queue_name="gpu", takes_context=True, call_timeout=1.5)
def patient(context: Any, *, page: int) -> str:
    """Its call may take another time than the settings say."""
    answer: str = context.step("ask", ask, context, page)
    return answer


@task(kind="drill.slow", queue_name="cpu", takes_context=True, call_timeout=1)
def slow(context: Any, *, journal: str) -> None:
    """A step that takes far longer than a call of its kind may."""
    context.step("slow", sleep_long, journal)


def sleep_long(journal: str) -> None:
    note(journal, "slow")
    time.sleep(600)


@task(kind="drill.endless", queue_name="gpu", takes_context=True)
def endless(context: Any, *, journal: str, how: str, page: int = 0) -> None:
    """Keeps a step whose result is a file, writes half a file into its work folder, and then does not end by itself."""
    context.step("large", text, LARGE)
    context.workdir.joinpath("draft").write_text("half")
    note(journal, f"{how} begins")
    try:
        WAYS[how](context, page)
    finally:
        note(journal, f"{how} is left")


def text(characters: int) -> str:
    return "x" * characters


def in_steps(context: Any, _: int) -> None:
    while True:
        context.step("short", time.sleep, 0.05)


def in_files(context: Any, _: int) -> None:
    """Nearly all of the time a result is being written."""
    while True:
        context.step("huge", text, HUGE)


WAYS: dict[str, Callable[[Any, int], object]] = {
    "a call": lambda context, page: context.step("ask", ask, context, page),
    "calls side by side": lambda context, page: context.map(
        "ask", partial(ask, context), [page, page + 1], concurrency=2
    ),
    "steps": in_steps,
    "files": in_files,
    "a sleep": lambda context, _: context.sleep(600),
    "a step": lambda context, _: context.step("sleep", time.sleep, 600),
    "C code": lambda *_: sum(itertools.repeat(1)),
}


@task(kind="drill.hungry", queue_name="gpu", takes_context=True)
def hungry(context: Any, *, journal: str, megabytes: int) -> None:
    """Takes that much memory, and keeps it."""
    context.step("note", note, journal, "before")
    note(journal, "hungry")
    taken: list[bytes] = []
    while len(taken) * BLOCK_BYTES < megabytes * 1024 * 1024:
        taken.append(b"\xff" * BLOCK_BYTES)
        time.sleep(0.02)
    time.sleep(600)
