import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from tests.support.outage import drop_other_connections

pytestmark = pytest.mark.django_db(transaction=True)


def count_users(together: threading.Barrier | None = None) -> int:
    try:
        with connection.cursor():
            if together:
                together.wait(60)
        return get_user_model().objects.count()
    finally:
        connection.close()


def test_requests_are_answered_right_after_the_server_dropped_every_connection() -> None:
    """What a restart of PostgreSQL leaves: a pool of connections that are all dead. SQLite has none to drop."""
    together = threading.Barrier(8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: count_users(together), range(8)))
    drop_other_connections()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: count_users(), range(8))) == [0] * 8
