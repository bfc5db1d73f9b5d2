from django.db import connection


def close_for_good() -> None:
    """After an error of the database: a connection that broke stays broken, so let the next question open another."""
    connection.close()
    # The pool, where there is one, would wait ever longer between its tries: minutes, after a long outage.
    close_pool = getattr(connection, "close_pool", None)
    if close_pool is not None:
        close_pool()
