"""Takes the database away from everybody but the thread that asks."""

from django.db import connection


def drop_other_connections() -> None:
    """PostgreSQL ends the other sessions of this database, idle ones in a pool too. SQLite has none to end."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
