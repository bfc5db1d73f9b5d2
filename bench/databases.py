"""Databases of the bench's own, gone afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.postgres import ThrowawayPostgres, find_binaries

SQLITE = "SQLite"
POSTGRESQL = "PostgreSQL"


def available() -> list[str]:
    return [SQLITE, POSTGRESQL] if find_binaries() else [SQLITE]


@contextmanager
def fresh(name: str) -> Iterator[dict[str, str]]:
    """The environment of programs that use a new database of that name, and a folder for what they keep."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        var = {"LONGHAUL_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "project.settings"}
        binaries = find_binaries()
        if name == SQLITE or binaries is None:
            yield var | {"DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.sqlite3'}"}
        else:
            with ThrowawayPostgres(binaries) as postgres:
                yield var | {"DATABASE_URL": postgres.url}
