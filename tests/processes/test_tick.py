from functools import partial

import pytest
from django.db import OperationalError

from tasks_app.processes import tick


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tick, "_parts", {})


def fail() -> None:
    raise ValueError("broken part")


@pytest.mark.django_db
def test_a_part_that_fails_is_logged_and_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []
    tick.register("first", fail)
    tick.register("second", lambda: done.append("second"))
    tick.perform(has_contact=lambda: True)
    assert done == ["second"]
    assert "'first'" in caplog.text
    assert "ValueError: broken part" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_part_that_lost_the_database_leaves_the_next_one_a_fresh_connection() -> None:
    def lose() -> None:
        raise OperationalError("gone")

    done: list[str] = []
    tick.register("first", lose)
    tick.register("second", lambda: done.append("second"))
    tick.perform(has_contact=lambda: True)
    assert done == ["second"]


@pytest.mark.django_db
@pytest.mark.parametrize("contact", [True, False])
def test_a_part_that_needs_contact_waits_for_it(contact: bool) -> None:
    done: list[str] = []
    tick.register("rescue", lambda: done.append("rescue"), needs_contact=True)
    tick.perform(has_contact=lambda: contact)
    assert done == (["rescue"] if contact else [])


@pytest.mark.django_db
def test_a_part_with_a_pace_of_its_own_waits_for_it_and_for_contact() -> None:
    done: list[str] = []
    tick.register("slow", lambda: done.append("slow"), needs_contact=True, every_seconds=60)
    counts = []
    for second, contact in ((100, False), (101, True), (102, True), (160, True), (161, True)):
        tick.perform(has_contact=partial(bool, contact), clock=partial(float, second))
        counts.append(len(done))
    assert counts == [0, 1, 1, 1, 2]


@pytest.mark.django_db
def test_the_same_name_replaces_a_part() -> None:
    done: list[str] = []
    tick.register("one", lambda: done.append("old"))
    tick.register("one", lambda: done.append("new"))
    tick.perform(has_contact=lambda: True)
    assert done == ["new"]
