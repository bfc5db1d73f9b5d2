"""How PostgreSQL goes about what some code asks of it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection

type Statement = tuple[str, Any]


def statements_of(work: Callable[[], object]) -> list[Statement]:
    """What `work` sends to the database, with its values."""
    sent: list[Statement] = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        if not many and sql.lstrip().split()[0].upper() in ("SELECT", "UPDATE", "WITH", "DELETE"):
            sent.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        work()
    return sent


def read_whole(statement: Statement) -> set[str]:
    """The tables that it reads from end to end, as the planner has it now; it is not executed."""
    sql, values = statement
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values)
        (plan,) = cursor.fetchone()
    plan = plan if isinstance(plan, list) else json.loads(plan)
    return {node["Relation Name"] for node in _nodes(plan[0]["Plan"]) if node["Node Type"].endswith("Seq Scan")}


def rows_touched(table: str) -> int:
    """How many rows of the table this transaction has fetched, by indexes and without."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + COALESCE(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = %s", [table]
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)
