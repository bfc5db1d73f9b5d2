"""Kinds of the drills. A step is one model call: the endpoint's log says how often it was really executed."""

from pathlib import Path
from typing import Any

from django.db import transaction

from tasks_app.endpoint import ModelRequest, complete
from tasks_app.lifecycle.guard import touch
from tests.support.kinds import note, task, wait_for


def ask(context: Any, page: int) -> str:
    """The endpoint's answer about a page."""
    request = ModelRequest(messages=({"role": "user", "content": f"PAGE-{page:04}"},), max_tokens=16)
    return complete(context, request).text


@task(kind="drill.pages", queue_name="gpu", takes_context=True)
def pages(context: Any, *, journal: str, count: int, first: int = 0, gate: str = "", closed_at: int = 0) -> int:
    """A step for each of `count` pages from `first` on; before step `closed_at` it waits for the file `gate`."""
    for number in range(count):
        if gate and number == closed_at:
            note(journal, f"at the gate {context.attempt}")
            wait_for(gate)
        context.step("ask", ask, context, first + number)
    return count


def hold_transaction(context: Any, journal: str, gate: str) -> str:
    """Holds the lock of its task's row until the file `gate` exists; not at all where it exists already."""
    if Path(gate).exists():
        return "passed"
    with transaction.atomic():
        touch(context.ref)
        note(journal, f"inside {context.attempt}")
        wait_for(gate)
    return "committed"


@task(kind="drill.transaction", queue_name="gpu", takes_context=True)
def in_transaction(context: Any, *, journal: str, count: int, gate: str, closed_at: int) -> int:
    """As drill.pages, but step `closed_at` waits inside a transaction."""
    for number in range(count):
        if number == closed_at:
            context.step("hold", hold_transaction, context, journal, gate)
        context.step("ask", ask, context, number)
    return count
