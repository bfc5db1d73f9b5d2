from typing import Any

import pytest
from django.contrib.auth.models import Group

from tasks_app.lifecycle.admission import admit, admit_all
from tasks_app.lifecycle.allowance import allowance_of
from tasks_app.models import Allowance, GroupAllowance, Task, Worker
from tests.support.rows import make_task


def group(name: str, *members: Any, **numbers: int) -> None:
    made = Group.objects.create(name=name)
    GroupAllowance.objects.create(group=made, **numbers)
    for member in members:
        member.groups.add(made)


def test_who_has_nothing_of_their_own_has_what_the_settings_say(user: Any, settings: Any) -> None:
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER, settings.LONGHAUL_WAITING_TASKS_PER_USER = 4, 40
    assert allowance_of([user.pk]) == {user.pk: (4, 40)}


def test_of_several_groups_the_largest_number_holds(user: Any, stranger: Any) -> None:
    group("small", user, active_tasks=2, waiting_tasks=7)
    group("large", user, stranger, active_tasks=9)
    limits = allowance_of([user.pk, stranger.pk])
    assert limits[user.pk] == (9, 7)
    assert limits[stranger.pk] == (9, 1000)


def test_a_group_may_have_less_than_the_settings_say(user: Any) -> None:
    group("guests", user, active_tasks=1)
    assert allowance_of([user.pk])[user.pk].active == 1


def test_the_own_number_goes_before_every_group(user: Any) -> None:
    group("large", user, active_tasks=9, waiting_tasks=9)
    Allowance.objects.create(owner=user, active_tasks=0)
    assert allowance_of([user.pk])[user.pk] == (0, 9)


@pytest.mark.parametrize("admitting", ["one user", "all users"])
def test_admission_goes_by_the_same_rule(admitting: str, user: Any, stranger: Any, worker: Worker) -> None:
    group("large", user, active_tasks=7)
    for _ in range(9):
        make_task(user)
        make_task(stranger)
    if admitting == "all users":
        admit_all()
    else:
        admit(user.pk)
        admit(stranger.pk)
    assert Task.objects.queued().owned_by(user.pk).count() == 7
    assert Task.objects.queued().owned_by(stranger.pk).count() == 5
    assert not Allowance.objects.with_free_slot().exists()


def test_a_change_counts_at_once(user: Any, worker: Worker, settings: Any) -> None:
    for _ in range(9):
        make_task(user)
    admit(user.pk)
    group("large", user, active_tasks=7)
    assert admit(user.pk) == 2
    GroupAllowance.objects.all().delete()
    settings.LONGHAUL_ACTIVE_TASKS_PER_USER = 8
    assert admit(user.pk) == 1
