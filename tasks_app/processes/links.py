"""The database, asked by processes that go on when it is away."""

import logging
import time
from collections.abc import Callable

from django.db import ProgrammingError

from tasks_app.lifecycle.connection import AWAY, close_for_good

logger = logging.getLogger(__name__)

DATABASE_REST_SECONDS = 1.0
# The last is PostgreSQL's word for a table that is not migrated yet.
NOT_READY = (*AWAY, ProgrammingError)


class DatabaseLink:
    """The database of this thread. A question that finds it away, or not ready, is answered with `otherwise`."""

    def __init__(self) -> None:
        self._away = False
        self._rests_until = 0.0

    def ask[T](self, question: Callable[[], T], *, otherwise: T) -> T:
        if time.monotonic() < self._rests_until:
            return otherwise
        try:
            answer = question()
        except NOT_READY as error:
            self._failed(error)
            return otherwise
        if self._away:
            logger.info("the database is back")
            self._away = False
        return answer

    def _failed(self, error: Exception) -> None:
        if not self._away:
            logger.warning("the database is away: %s", error)
        self._away = True
        # Each question costs the pool's patience: who also has a child to watch must not ask all the time.
        self._rests_until = time.monotonic() + DATABASE_REST_SECONDS
        close_for_good()
