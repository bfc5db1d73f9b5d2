from contextlib import suppress
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError, connection, connections

# What says that the database did not take a question, whatever the question was. InternalError: a session that was
# ended for being idle inside a transaction, a standby that is not promoted yet.
AWAY = (OperationalError, InterfaceError, InternalError)


def close_for_good() -> None:
    """After an error of the database: a connection that broke stays broken, so let the next question open another."""
    connection.close()
    # The pool, where there is one, would wait ever longer between its tries: minutes, after a long outage.
    if hasattr(connection, "close_pool"):
        # Another thread may have closed it a moment ago.
        with suppress(KeyError):
            connection.close_pool()


def left_transaction() -> bool:
    """Whether one was left open in this thread; it is rolled back, and what is written next is not part of it."""
    left = [one for one in connections.all(initialized_only=True) if one.in_atomic_block and not is_of_a_test(one)]
    for one in left:
        one.close()
        # Closed inside `atomic` it stays unusable.
        del connections[one.alias]
    return bool(left)


def is_of_a_test(one: Any) -> bool:
    """Whether the connection's innermost transaction is the one in which Django's TestCase keeps each test."""
    # None in a connection whose `atomic` was torn apart by an exception.
    return any(getattr(block, "_from_testcase", False) for block in one.atomic_blocks[-1:])


def close_unsound() -> None:
    """After an attempt, in a process that lives on: a connection that is as it was is worth more than a new one."""
    for one in connections.all(initialized_only=True):
        if one.in_atomic_block or one.errors_occurred or one.autocommit != one.settings_dict["AUTOCOMMIT"]:
            one.close()
