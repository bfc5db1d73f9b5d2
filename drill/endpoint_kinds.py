"""Kinds of the drills of the endpoint's limits: items side by side, so that much is on its way at once."""

from functools import partial
from typing import Any

from tests.support.kinds import task

from .kinds import ask

LANES = 4


@task(kind="drill.side_by_side", queue_name="gpu", takes_context=True)
def side_by_side(context: Any, *, journal: str, count: int, first: int) -> int:  # noqa: ARG001
    """`count` pages from `first` on, LANES of them at once."""
    return len(context.map("ask", partial(ask, context), range(first, first + count), concurrency=LANES))
