from typing import Any
from uuid import uuid4

from django.test import Client

from tasks_app.models import Task, Worker
from tasks_app.presentation import task_object
from tests.presentation.rows import begin, make_document_task, save_answer
from tests.support.rows import make_task

from .clients import assert_problem, person


def test_it_is_the_object_that_page_and_socket_show(client: Client, user: Any, worker: Worker) -> None:
    ref = begin(make_document_task(user), worker, total=2)
    save_answer(ref, 0, "One.")
    answer = client.get(f"/api/tasks/{ref.task_id}")
    assert answer.status_code == 200
    assert answer.json() == task_object(Task.objects.get(pk=ref.task_id))
    assert answer.json()["progress"]["percent"] == 50


def test_a_person_reads_it_by_session(user: Any) -> None:
    assert person(user).get(f"/api/tasks/{make_task(user).pk}").status_code == 200


def test_a_strangers_task_and_none_at_all_look_the_same(client: Client, other: Client, user: Any) -> None:
    task = make_task(user)
    hidden = assert_problem(other.get(f"/api/tasks/{task.pk}"), 404)
    assert hidden == assert_problem(client.get(f"/api/tasks/{uuid4()}"), 404)


def test_a_task_of_nobody_is_nobodys(client: Client) -> None:
    assert_problem(client.get(f"/api/tasks/{make_task(None).pk}"), 404)


def test_without_login_it_is_401(nobody: Client, user: Any) -> None:
    assert_problem(nobody.get(f"/api/tasks/{make_task(user).pk}"), 401)


def test_an_id_that_is_none_is_404(client: Client) -> None:
    assert_problem(client.get("/api/tasks/7"), 404)
