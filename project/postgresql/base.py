from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that works.

        Hazard: after a restart of the server the pool is full of dead connections. Its own check finds them one by one
        and waits 1, 2, 4 s and so on between them, so a request would fail although the server is back.
        """
        found = super().get_new_connection(conn_params)
        if self.pool is None or _works(found):
            return found
        # The pool that it came from: another thread may have closed that one meanwhile, and opened the next.
        pool: ConnectionPool = found._pool
        pool.putconn(found)
        # Looks at all that are idle, and replaces the dead.
        pool.check()
        return super().get_new_connection(conn_params)


def _works(connection: Any) -> bool:
    try:
        ConnectionPool.check_connection(connection)
    except OperationalError:
        return False
    return True
