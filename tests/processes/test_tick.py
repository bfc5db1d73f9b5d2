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
def test_the_same_name_replaces_a_part() -> None:
    done: list[str] = []
    tick.register("one", lambda: done.append("old"))
    tick.register("one", lambda: done.append("new"))
    tick.perform(has_contact=lambda: True)
    assert done == ["new"]
