"""A part of the tick that takes longer than the scheduler's lock lives, and writes down when it began and ended."""

import os
import time
from pathlib import Path

from tasks_app.processes import tick

SECONDS = float(os.environ.get("LONG_TICK_SECONDS", "0"))
DIARY = os.environ.get("LONG_TICK_DIARY", "")


def note(what: str) -> None:
    # One write of one short line: lines of several processes do not mix.
    with Path(DIARY).open("a") as diary:
        diary.write(f"{what} {os.getpid()}\n")


def long_part() -> None:
    note("begin")
    time.sleep(SECONDS)
    note("end")


if SECONDS:
    tick.register("long", long_part)
    tick.register("after the long one", lambda: note("after"))
