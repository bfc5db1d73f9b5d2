from datetime import datetime

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """The database's clock, which is the one that processes compare times by."""
    if connection.vendor == "sqlite":
        # It has no clock of its own: Now() is this machine's, and so is everybody's who can open the file.
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


def now_sql() -> str:
    """What `Now()` says, for a plain statement with values."""
    return "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')" if connection.vendor == "sqlite" else "STATEMENT_TIMESTAMP()"


def seconds_since_sql(column: str) -> str:
    """By the clock of `now_sql`."""
    if connection.vendor == "sqlite":
        return f"(julianday('now') - julianday({column})) * 86400"
    return f"EXTRACT(EPOCH FROM STATEMENT_TIMESTAMP() - {column})::float8"
