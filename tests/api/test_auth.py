from typing import Any

import pytest
from django.test import Client

from tasks_app.models import ApiToken, Task
from tests.support.rows import make_task

from .clients import assert_problem, person, program, submit


def bearer(value: str) -> Client:
    return Client(headers={"Authorization": value}, raise_request_exception=False)


def test_only_the_hash_of_a_token_is_kept(user: Any) -> None:
    token = ApiToken.issue(user.pk)
    assert not ApiToken.objects.filter(digest=token).exists()
    assert bearer(f"Bearer {token}").get("/api/tasks").status_code == 200
    assert bearer(f"bearer {token}").get("/api/tasks").status_code == 200


@pytest.mark.parametrize("value", ["Bearer", "Bearer ", "Bearer lh_wrong", "Bearer \u00ff", "Basic YTpi", "lh_wrong"])
def test_a_wrong_token_is_401(db: None, value: str) -> None:
    answer = bearer(value).get("/api/tasks")
    assert_problem(answer, 401)
    assert answer["WWW-Authenticate"] == 'Bearer realm="Longhaul"'


def test_a_wrong_token_is_refused_even_beside_a_session(user: Any) -> None:
    assert_problem(person(user).get("/api/tasks", headers={"Authorization": "Bearer lh_wrong"}), 401)


def test_the_token_of_a_user_who_was_switched_off_is_refused(user: Any) -> None:
    client = program(user)
    user.is_active = False
    user.save()
    assert_problem(client.get("/api/tasks"), 401)


def test_a_token_shows_its_own_users_tasks_whoevers_session_comes_along(user: Any, stranger: Any) -> None:
    task = make_task(user)
    client = person(stranger)
    token = ApiToken.issue(user.pk)
    answer = client.get("/api/tasks", headers={"Authorization": f"Bearer {token}"})
    assert [item["id"] for item in answer.json()["items"]] == [str(task.pk)]


def test_a_token_needs_no_csrf_token(user: Any) -> None:
    client = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {ApiToken.issue(user.pk)}"})
    assert submit(client).status_code == 202


def test_a_session_without_csrf_token_changes_nothing(user: Any) -> None:
    client = person(user)
    task = make_task(user)
    assert_problem(submit(client), 403, code="csrf")
    for verb in ("cancel", "retry"):
        assert_problem(client.post(f"/api/tasks/{task.pk}/{verb}"), 403, code="csrf")
    assert Task.objects.get().status == "pending"


def test_a_session_with_csrf_token_may(user: Any) -> None:
    client = person(user)
    client.get("/api/docs")
    headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    task = make_task(user)
    assert client.post(f"/api/tasks/{task.pk}/cancel", headers=headers).status_code == 202
