"""The line of a queue: who is claimed next."""

from typing import Any

from django.db import connection
from django.db.models.expressions import RawSQL

from tasks_app.models import Status, Task

from .guard import TASK

# Of each row: how many of its owner's go before it. Tasks of nobody are each alone, but for those of a higher priority.
AHEAD = """
RANK() OVER (
    PARTITION BY owner_id ORDER BY started_at ASC NULLS LAST, operator_priority DESC, priority DESC,
    CASE WHEN owner_id IS NOT NULL THEN queued_at END ASC NULLS FIRST, CASE WHEN owner_id IS NOT NULL THEN id END
) - 1
"""
RUNNING = f"SELECT owner_id, COUNT(*) AS tasks FROM {TASK} WHERE status = '{Status.RUNNING}' GROUP BY owner_id"  # noqa: S608
# An owner's own priority decides only which of theirs goes first: counted in with those that run, it moves no other
# user's. Not the age but the time in line: of one who submits hundreds there would always be an older one.
ORDER = "started_at ASC NULLS LAST, operator_priority DESC, busy, queued_at ASC NULLS FIRST, id"
# Claims at the same moment that each find a row: more would have to find those before them still unfinished.
AT_ONCE = 64
NEEDED = ("id", "owner_id", "started_at", "operator_priority", "priority", "queued_at")


def in_order(queue: str, kinds: tuple[str, ...], *, most: int) -> tuple[str, tuple[Any, ...]]:
    """The statement, and its values, of what the queue's workers may claim: columns of NEEDED and `busy`, best first.

    Best: started, operator's priority, fewest of its owner running, the owner's own priority, time in line.
    """
    there: Any = Task.objects.claimable(queue, kinds).order_by().values_list(*NEEDED)
    claimable, values = there.query.get_compiler(connection=connection).as_sql()
    statement = f"""
        SELECT claimable.*, COALESCE(running.tasks, 0) + ahead AS busy
        FROM (SELECT claimable.*, {AHEAD} AS ahead FROM ({claimable}) AS claimable) AS claimable
        LEFT JOIN ({RUNNING}) AS running ON running.owner_id = claimable.owner_id
        ORDER BY {ORDER} LIMIT {most}
    """  # noqa: S608
    return statement, values


def best(queue: str, kinds: tuple[str, ...]) -> RawSQL:
    """The id of the best claimable row of the queue; of those that nobody holds, where the database can tell."""
    line, values = in_order(queue, kinds, most=AT_ONCE)
    # Others skip the row that we lock; that it is queued makes it ours.
    lock = "FOR UPDATE OF task SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    statement = f"""
        SELECT task.id FROM ({line}) AS line JOIN {TASK} AS task ON task.id = line.id
        WHERE task.status = '{Status.QUEUED}' ORDER BY {", ".join(f"line.{part}" for part in ORDER.split(", "))}
        LIMIT 1 {lock}
    """  # noqa: S608
    return RawSQL(statement, values)  # noqa: S611
