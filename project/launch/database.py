"""Brings the database to the code's state and makes sure of the accounts, before any process uses it."""

from pathlib import Path

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from .accounts import ensure_accounts
from .errors import DatabaseUnusable


def prepare(accounts_file: Path) -> dict[str, str | None]:
    """Migrate; give each account's password. Error: DatabaseUnusable."""
    connection = connections[DEFAULT_DB_ALIAS]
    # The launcher forks next, which a pool's threads do not survive, and a refusal is said at once without one.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        call_command("migrate", interactive=False, verbosity=0)
        return ensure_accounts(accounts_file)
    except DatabaseError as error:
        raise DatabaseUnusable(" ".join(str(error).split())) from error
    finally:
        connection.close()
