"""What strikes when, from a seed: the same seed strikes the same at the same moments."""

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strike:
    """`at`: seconds from the beginning. `victim`: chooses among those alive then, from 0 to 1."""

    at: float
    what: str
    victim: float


def plan(seed: int, *, strikes: Sequence[str], seconds: float, pause: tuple[float, float]) -> list[Strike]:
    """Strikes for that long, with a pause from `pause` (shortest, longest) before each.

    As cards from a deck: in any order, but each once before one comes again.
    """
    chance = random.Random(seed)
    deck: list[str] = []
    made: list[Strike] = []
    at = chance.uniform(*pause)
    while at < seconds:
        deck = deck or chance.sample(strikes, len(strikes))
        made.append(Strike(at, deck.pop(), chance.random()))
        at += chance.uniform(*pause)
    return made
