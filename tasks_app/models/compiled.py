"""Querysets whose SQL is written once: Django takes longer to write a statement than the database to execute it."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet


def compiled(make: Callable[..., "QuerySet[Any, Any]"], *arguments: Hashable) -> tuple[str, tuple[Any, ...]]:
    """The statement of `make(*arguments)`, and its values.

    Raises EmptyResultSet. Hazard: it is made once, so that nothing in it may depend on the moment but through the
    database: Now() may stand in it, timezone.now() may not.
    """
    return _compiled(connection.vendor, make, arguments)


@lru_cache(maxsize=128)
def _compiled(
    _vendor: str, make: Callable[..., "QuerySet[Any, Any]"], arguments: tuple[Hashable, ...]
) -> tuple[str, tuple[Any, ...]]:
    statement, values = make(*arguments).query.get_compiler(connection=connection).as_sql()
    return statement, tuple(values)
