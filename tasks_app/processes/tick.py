"""The parts of a tick. Each is bounded, and one that fails stops no other."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from tasks_app.lifecycle.connection import AWAY, close_for_good

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    work: Callable[[], object]
    needs_contact: bool


_parts: dict[str, Part] = {}


def register(name: str, work: Callable[[], object], *, needs_contact: bool = False) -> None:
    """Do `work` at every tick, in order of registration; the same name replaces.

    It must be quick, and harmless to repeat. `needs_contact`: only by a process that had unbroken contact with the
    database for as long as a worker may be silent.
    """
    _parts[name] = Part(name, work, needs_contact)


def perform(*, has_contact: Callable[[], bool]) -> None:
    """Do every part."""
    for part in _parts.values():
        if not part.needs_contact or has_contact():
            _perform_one(part)


def _perform_one(part: Part) -> None:
    try:
        part.work()
    except Exception as error:
        logger.exception("part %r of the tick failed", part.name)
        if isinstance(error, AWAY):
            close_for_good()
