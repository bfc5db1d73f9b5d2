from contextlib import suppress

from django.db import InterfaceError, InternalError, OperationalError, connection

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
