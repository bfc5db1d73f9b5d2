"""One process of `make run`, as data."""

from collections.abc import Callable
from dataclasses import dataclass


def always() -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """`argv`: no shell sees it. `is_service`: the others use it, so it starts first and ends last.

    `is_ready` says, quickly and without raising, whether it does its work; programs that nobody waits for always do.
    """

    name: str
    argv: tuple[str, ...]
    is_service: bool = False
    is_ready: Callable[[], bool] = always
