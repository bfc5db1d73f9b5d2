"""How much is measured: in full for figures that one may quote, or a little to see that it works."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """`block_seconds`: of one situation, before the other has its turn."""

    rounds: int
    block_seconds: float
    steps: int
    pages: int
    sockets: int
    events: int
    model_pages: int
    tasks: int
    pickups: int
    long_steps: int


FULL = Scale(
    rounds=5,
    block_seconds=10,
    steps=300,
    pages=200,
    sockets=1000,
    events=300,
    model_pages=200,
    tasks=500,
    pickups=300,
    long_steps=1000,
)
QUICK = Scale(
    rounds=1,
    block_seconds=0.5,
    steps=5,
    pages=8,
    sockets=5,
    events=5,
    model_pages=1,
    tasks=10,
    pickups=5,
    long_steps=20,
)
