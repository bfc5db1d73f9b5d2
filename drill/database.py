"""The drills' own database, gone afterwards: SQLite, or with DATABASE=postgresql in the environment a server."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from tests.support.outage import drop_other_connections
from tests.support.postgres import ThrowawayPostgres, find_binaries

from .registry import NotApplicable

NAMES = ("sqlite", "postgresql")
AWAY_SECONDS = 2.0

_server: ThrowawayPostgres | None = None


@contextmanager
def fresh(name: str) -> Iterator[dict[str, str]]:
    """The environment of programs that use a new database of that name, and a folder for what they keep."""
    if name not in NAMES:
        raise SystemExit(f"The database is {name!r}; expected one of {', '.join(NAMES)}.")
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        environment = {"LONGHAUL_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "project.settings"}
        if name == "sqlite":
            yield environment | {"DATABASE_URL": f"sqlite:///{Path(folder) / 'drill.sqlite3'}"}
            return
        with _postgres() as url:
            yield environment | {"DATABASE_URL": url}


@contextmanager
def _postgres() -> Iterator[str]:
    global _server
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL's server (initdb, pg_ctl) is not installed.")
    with ThrowawayPostgres(binaries) as _server:
        yield _server.url
    _server = None


def own_server() -> ThrowawayPostgres:
    """The server of these drills, which one may restart. Raises NotApplicable where there is none."""
    if _server is None:
        raise NotApplicable("needs a database server of its own (DATABASE=postgresql)")
    return _server


def can_be_interrupted() -> bool:
    """SQLite has no server."""
    return connection.vendor == "postgresql"


def interrupt() -> None:
    """Restart the server; where it serves others too, end all sessions but ours."""
    if _server is None:
        drop_other_connections()
        return
    _server.stop("immediate")
    time.sleep(AWAY_SECONDS)
    _server.start()
