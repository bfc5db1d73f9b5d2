"""`system.prune`: removes what was kept long enough. An ordinary task with steps, so that it goes on where it was."""

import time
from collections.abc import Callable
from typing import Any

from django.tasks import task

from tasks_app.lifecycle import orphans, prune, prune_rows
from tasks_app.lifecycle.retention import Chunk
from tasks_app.work.context import Context

# In this order: files that nobody names are found after the rows that named them are gone, and last of all. A store
# that does not answer, or holds very many, keeps no row from being removed.
WALKS: dict[str, Callable[[str], Chunk]] = {
    "tasks": prune.prune_tasks,
    "steps": prune.prune_steps,
    "answers": prune.prune_answers,
    "documents": orphans.prune_documents,
    "samples": prune_rows.prune_samples,
    "firings": prune_rows.prune_firings,
    "alerts": prune_rows.prune_alerts,
    "deliveries": prune_rows.prune_deliveries,
    "workers": prune_rows.prune_workers,
    "idempotency keys": prune_rows.prune_idempotency_keys,
    "result files": orphans.prune_result_files,
    "uploads": orphans.prune_document_files,
}
# One step: what was walked in it is not walked again after an interruption.
STEP_SECONDS = 10.0
HOURS = 3600


# The stubs do not know that a backend may bring arguments of its own.
@task(  # type: ignore[call-overload,untyped-decorator]
    kind="system.prune",
    title="Remove what was kept long enough",
    queue_name="cpu",
    takes_context=True,
    deadline=6 * HOURS,
)
def prune_all(context: Context) -> dict[str, int]:
    """How many of each were removed."""
    return {name: _walk(context, name) for name in WALKS}


def _walk(context: Context, name: str) -> int:
    context.progress(message=f"Removing {name}")
    removed, after = 0, ""
    while after is not None:
        done = context.step(name, go_on, context, name, after)
        removed, after = removed + done["removed"], done["after"]
    return removed


def go_on(context: Context, name: str, after: str) -> dict[str, Any]:
    """{"removed", "after"}: chunk after chunk, for some seconds; `after` is None at the end of the walk."""
    until, removed = time.monotonic() + STEP_SECONDS, 0
    at: str | None = after
    while at is not None and time.monotonic() < until:
        context.checkpoint()
        chunk = WALKS[name](at)
        removed, at = removed + chunk.removed, chunk.after
    return {"removed": removed, "after": at}
