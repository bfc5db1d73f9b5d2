"""`make drill`: kills, freezes and starves real processes, and prints a line for each drill with its figures.

Each drill has processes of its own, on one database that is emptied between them. DATABASE=postgresql takes a server
instead of SQLite. Words choose: `python -m drill killed chaos` performs the drills whose name holds one of them.
"""

import argparse
import logging
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import TextIO

import django
from django.db import connection
from django.utils.text import slugify

from tests.support.programs import PROJECT

from . import database
from .lines import line, told
from .registry import DRILLS, Drill, NotApplicable, Size

# Drills are performed in this order.
MODULES = (
    *("kills", "frozen", "hanging", "limits", "long", "stops", "steps_twice", "deploys", "memory_drill"),
    *("fairness", "schedules", "backlog", "million", "endpoint_limits", "endpoint_down"),
    "chaos",
)
LOGS = PROJECT / "var" / "drill"


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    # So that every process is ended, whoever ends the drill.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with database.fresh(options.database) as environment:
        os.environ.update(environment)
        django.setup()
        _call("migrate")
        for module in MODULES:
            import_module(f"drill.{module}")
        wanted = [one for one in DRILLS if one.matches(options.words)]
        if not wanted:
            raise SystemExit(f"No drill's name holds {options.words}: there are {', '.join(d.name for d in DRILLS)}.")
        return sum([not perform(one, options.size) for one in wanted]) > 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m drill", description=__doc__)
    found.add_argument("words", nargs="*", metavar="word", help="of the names of the drills wanted; none: all")
    found.add_argument("--short", dest="size", action="store_const", const=Size.SHORT, default=Size.FULL)
    chosen = os.environ.get("DATABASE", "sqlite").lower()
    found.add_argument("--database", choices=database.NAMES, default=chosen, help="by default what DATABASE says")
    return found


def perform(drill: Drill, size: Size) -> bool:
    """Print the drill's line; whether no guarantee was broken. What its programs said is kept in a file."""
    log = LOGS / connection.vendor / f"{slugify(drill.name)}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        verdict, said = _outcome(drill, size, out)
    print(line(drill.name, verdict, said), flush=True)
    if verdict == "FAILED":
        print(f"    its programs said: {_shown(log)}", flush=True)
    return verdict != "FAILED"


def _outcome(drill: Drill, size: Size, out: TextIO) -> tuple[str, str]:
    _call("flush")
    try:
        with _heard_in(out):
            return "ok", told(drill.perform(size))
    except NotApplicable as reason:
        return "-", f"not applicable: {reason}"
    except Exception as error:
        traceback.print_exc(file=out)
        return "FAILED", f"{error}" if isinstance(error, AssertionError) else repr(error)


@contextmanager
def _heard_in(out: TextIO) -> Iterator[None]:
    """What this process says goes there, its log too: it takes Redis and the database away from itself as well."""
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    with ExitStack() as stack:
        for handler in handlers:
            stack.callback(handler.setStream, handler.stream)
            handler.setStream(out)
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(out))
        yield


def _call(command: str) -> None:
    # It needs Django's settings.
    from django.core.management import call_command

    call_command(command, interactive=False, verbosity=0)


def _shown(log: Path) -> Path:
    return log.relative_to(Path.cwd()) if log.is_relative_to(Path.cwd()) else log


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
