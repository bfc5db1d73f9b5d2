from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tasks_app.models import Task
from tests.support.rows import make_user

type Act = Callable[..., Any]


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    client.force_login(make_user("op", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def looker(db: None) -> Client:
    """Somebody of the staff who may look at tasks and change none."""
    user = make_user("looker", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_task"))
    client = Client()
    client.force_login(user)
    return client


def act(operator: Client, action: str, *tasks: Task, **fields: str) -> Any:
    """The page after an action on the tasks that were ticked in their list."""
    data = {"action": action, "_selected_action": [str(task.pk) for task in tasks]} | fields
    return operator.post(reverse("admin:tasks_app_task_changelist"), data, follow=True)
