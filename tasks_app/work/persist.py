"""Writes that outlive a short absence of the database."""

import logging
import time
from collections.abc import Callable

from django.db import connection

from tasks_app.exceptions import AttemptTimeUp
from tasks_app.lifecycle.connection import AWAY, close_for_good

from .soft_limit import shielded

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5


def persist[T](write: Callable[[], T], *, time_left: Callable[[], float]) -> T:
    """Call `write` until the database takes it. Raises AttemptTimeUp when the time is up before.

    `write` must be idempotent: the first call may have committed although its reply was lost.
    """
    while True:
        try:
            with shielded():
                return write()
        except AWAY as error:
            if connection.in_atomic_block:
                raise
            if time_left() <= 0:
                raise AttemptTimeUp from error
            logger.warning("the database did not take a write, repeating it: %s", error)
            close_for_good()
            time.sleep(PAUSE_SECONDS)
