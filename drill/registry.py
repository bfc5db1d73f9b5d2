"""Drills by name. A drill is a function of its size that gives figures, or raises when a guarantee was broken.

@drill("child killed -9")
def child_killed(size: Size) -> Figures: ...
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

# Name, value, unit ("" for a number of things).
type Figure = tuple[str, float | int | str, str]
type Figures = list[Figure]


class Size(Enum):
    """FULL: under the product's own limits. SHORT: under brisk ones, for the suite."""

    FULL = "full"
    SHORT = "short"

    def of[T](self, *, full: T, short: T) -> T:
        return full if self is Size.FULL else short


class DrillFailed(AssertionError):
    """A guarantee was broken. The sentence says what was found, and what was expected."""


class NotApplicable(Exception):
    """What this drill breaks, this database or machine does not have."""


type Perform = Callable[[Size], Figures]


@dataclass(frozen=True, slots=True)
class Drill:
    name: str
    perform: Perform

    def matches(self, words: list[str]) -> bool:
        """Whether it was asked for: its name or its module holds one of the words. No word asks for all."""
        known = f"{self.perform.__module__.rpartition('.')[2]} {self.name}"
        return not words or any(word in known for word in words)


DRILLS: list[Drill] = []


def drill(name: str) -> Callable[[Perform], Perform]:
    def register(perform: Perform) -> Perform:
        DRILLS.append(Drill(name, perform))
        return perform

    return register


def expect(is_so: object, sentence: str) -> None:
    """Raises DrillFailed with the sentence where it is not so."""
    if not is_so:
        raise DrillFailed(sentence)
