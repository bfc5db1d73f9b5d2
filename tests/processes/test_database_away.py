"""Workers and schedulers outlive their database."""

import signal
import time

import pytest
from django.db import connection, transaction

from tests.support.outage import drop_other_connections

from .conftest import Yard

pytestmark = pytest.mark.django_db(transaction=True)


def test_they_wait_for_a_database_that_is_away_at_start(yard: Yard) -> None:
    nowhere = "postgres://nobody@127.0.0.1:1/nothing"
    programs = [yard.house.worker("gpu", DATABASE_URL=nowhere), yard.house.scheduler(DATABASE_URL=nowhere)]
    yard.house.wait_until(lambda: all("the database is away" in program.said for program in programs), 90)
    for program in programs:
        program.signal(signal.SIGTERM)
    assert [program.wait() for program in programs] == [0, 0]


def test_a_task_goes_on_through_an_interruption_of_the_database(yard: Yard) -> None:
    yard.house.scheduler()
    yard.house.ready_worker("gpu")
    task = yard.submit("steps", count=12, seconds=0.2)
    yard.house.wait_until(lambda: yard.saved_steps(task) >= 2)
    for _ in range(3):
        interrupt_database()
    yard.wait_for(task, "succeeded")
    assert yard.outcomes(task) == ["succeeded"]
    assert yard.lines == [f"step {number}" for number in range(12)]
    after = yard.submit("quick")
    yard.wait_for(after, "succeeded")


def interrupt_database() -> None:
    """PostgreSQL throws everybody else out; SQLite is locked for a moment."""
    drop_other_connections()
    if connection.vendor == "sqlite":
        with transaction.atomic():
            time.sleep(0.5)
