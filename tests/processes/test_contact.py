from datetime import UTC, datetime, timedelta

import pytest

from tasks_app.processes.contact import Contact, Look

START = datetime(2026, 1, 1, tzinfo=UTC)


def look(ours: float, theirs: float | None = None) -> Look:
    """At that second of the monotonic clock, and of the database's."""
    return Look(database=START + timedelta(seconds=ours if theirs is None else theirs), monotonic=ours)


def contact_until(seconds: int) -> Contact:
    contact = Contact(needed_seconds=30)
    for second in range(seconds + 1):
        contact.heard(look(second))
    return contact


def test_a_new_process_has_no_contact() -> None:
    assert not Contact(needed_seconds=30).is_steady(monotonic=0)


def test_contact_is_steady_after_as_long_as_needed() -> None:
    assert not contact_until(29).is_steady(monotonic=29)
    assert contact_until(30).is_steady(monotonic=30)


def test_a_failed_query_breaks_it() -> None:
    contact = contact_until(40)
    contact.broke()
    contact.heard(look(41))
    assert not contact.is_steady(monotonic=41)


@pytest.mark.parametrize("jump", [-86_400, -6, 6, 86_400])
def test_a_clock_that_jumps_breaks_it(jump: int) -> None:
    contact = contact_until(40)
    contact.heard(look(41, 41 + jump))
    assert not contact.is_steady(monotonic=41)


@pytest.mark.parametrize("jump", [-86_400, 86_400])
def test_after_a_jump_it_is_steady_by_the_new_clock_and_after_as_long_as_needed(jump: int) -> None:
    contact = contact_until(40)
    for second in range(41, 72):
        contact.heard(look(second, second + jump))
        assert contact.is_steady(monotonic=second) == (second == 71)


def test_a_machine_that_slept_begins_anew() -> None:
    # Its monotonic clock stood still; the database's, on another machine or by the clock of the day, went on.
    contact = contact_until(40)
    contact.heard(look(41, 3641))
    assert not contact.is_steady(monotonic=41)


@pytest.mark.parametrize("back", [0.5, 35])
def test_a_monotonic_clock_that_goes_back_breaks_it(back: float) -> None:
    # A machine that was restored from a picture of itself, with its database.
    contact = contact_until(40)
    contact.heard(look(40 - back))
    assert not contact.is_steady(monotonic=40 - back)


def test_a_clock_that_drifts_a_little_does_not() -> None:
    contact = contact_until(40)
    contact.heard(look(41, 45))
    assert contact.is_steady(monotonic=41)


def test_a_process_that_was_frozen_begins_anew() -> None:
    contact = contact_until(40)
    assert not contact.is_steady(monotonic=100)
    contact.heard(look(100))
    assert not contact.is_steady(monotonic=100)


def test_it_is_steady_again_after_a_break_and_as_long_as_needed() -> None:
    contact = contact_until(40)
    contact.broke()
    for second in range(41, 72):
        contact.heard(look(second))
    assert contact.is_steady(monotonic=71)
