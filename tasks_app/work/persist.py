"""Writes that outlive a short absence of the database."""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

from tasks_app.lifecycle.connection import close_for_good

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5


def persist[T](write: Callable[[], T], *, time_left: Callable[[], float]) -> T:
    """Call `write` until the database takes it or the time is up; then raises what the database said.

    `write` must be idempotent: the first call may have committed although its reply was lost.
    """
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or time_left() <= 0:
                raise
            logger.warning("the database did not take a write, repeating it: %s", error)
            close_for_good()
            time.sleep(PAUSE_SECONDS)
