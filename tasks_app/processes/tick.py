"""The parts of a tick. Each is bounded, and one that fails stops no other."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from tasks_app.lifecycle.connection import AWAY, close_for_good

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Part:
    name: str
    work: Callable[[], object]
    needs_contact: bool
    every_seconds: float
    due_at: float = 0.0


_parts: dict[str, Part] = {}


def register(name: str, work: Callable[[], object], *, needs_contact: bool = False, every_seconds: float = 0.0) -> None:
    """Do `work` at every tick, in order of registration; the same name replaces.

    It must be quick, and harmless to repeat. `needs_contact`: only by a process that had unbroken contact with the
    database for as long as a worker may be silent. `every_seconds`: not at every tick, but after so long.
    """
    _parts[name] = Part(name, work, needs_contact, every_seconds)


def perform(
    *,
    has_contact: Callable[[], bool],
    is_over: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Do every part that is due. `is_over`: whether the parts that are left are another's to do."""
    for part in _parts.values():
        if is_over():
            logger.warning("this tick ends before part %r: another scheduler leads by now", part.name)
            return
        if clock() >= part.due_at and (not part.needs_contact or has_contact()):
            part.due_at = clock() + part.every_seconds
            _perform_one(part)


def _perform_one(part: Part) -> None:
    try:
        part.work()
    except Exception as error:
        logger.exception("part %r of the tick failed", part.name)
        if isinstance(error, AWAY):
            close_for_good()
