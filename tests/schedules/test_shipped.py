"""The schedules that Longhaul ships: made once, and whoever changes them has the last word."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from tasks_app.models import Schedule
from tasks_app.schedules.calendar import Timing, due_times

from .conftest import NOON

MIGRATION = import_module("tasks_app.migrations.0005_shipped_schedules")
NAMES = ["Check the model endpoint", "Daily report", "Delete what is old"]


@pytest.fixture
def _shipped(db: None) -> None:
    """As after the first migration, which the tests' own database has long behind it."""
    Schedule.objects.all().delete()
    MIGRATION.make(apps, Editor())


class Editor:
    """As far as the migration looks at it."""

    connection = connection


@pytest.mark.usefixtures("_shipped")
def test_they_are_there_and_can_be_due() -> None:
    schedules = list(Schedule.objects.order_by("name"))
    assert [schedule.name for schedule in schedules] == NAMES
    assert all(schedule.kind.startswith("system.") and schedule.owner is None for schedule in schedules)
    assert all(next(due_times(Timing.of(schedule), NOON)) > NOON for schedule in schedules)


@pytest.mark.usefixtures("_shipped")
def test_restarts_add_nothing_and_bring_nothing_back() -> None:
    Schedule.objects.filter(name="Daily report").update(name="Report for the boss")
    Schedule.objects.filter(name="Delete what is old").delete()
    before: list[Any] = list(Schedule.objects.order_by("pk").values())
    for _ in range(5):
        call_command("migrate", verbosity=0)
    assert list(Schedule.objects.order_by("pk").values()) == before
    assert len(before) == 2


@pytest.mark.usefixtures("_shipped")
def test_one_that_somebody_made_under_the_same_name_before_is_left_as_it_is() -> None:
    Schedule.objects.filter(name="Daily report").update(kind="mine")
    MIGRATION.make(apps, Editor())
    assert Schedule.objects.get(name="Daily report").kind == "mine"
    assert Schedule.objects.count() == 3
