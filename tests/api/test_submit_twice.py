from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tasks_app.models import Document, Task
from tests.support.rows import make_user

from .clients import assert_problem, program, submit, text_file


def test_the_same_again_while_the_first_is_active_gives_its_id(client: Client) -> None:
    first, again = submit(client), submit(client)
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json() == again.json()
    assert again["Location"] == first["Location"]


def test_another_file_option_or_user_is_another_task(client: Client, other: Client) -> None:
    answers = [
        submit(client),
        submit(client, file=text_file(b"Another text.")),
        submit(client, unit="chunk"),
        submit(client, priority=1),
        submit(other),
    ]
    assert [answer.status_code for answer in answers] == [202] * 5


def test_the_same_again_after_the_end_is_a_new_task(client: Client) -> None:
    first = submit(client)
    client.post(f"{first['Location']}/cancel")
    again = submit(client)
    assert again.status_code == 202
    assert again.json() != first.json()


def test_a_key_means_the_same_task_whatever_became_of_it(client: Client) -> None:
    first = submit(client, headers={"Idempotency-Key": "one"})
    client.post(f"{first['Location']}/cancel")
    again = submit(client, headers={"Idempotency-Key": "one"})
    assert (again.status_code, again.json()) == (200, first.json())


def test_a_key_with_another_body_is_refused(client: Client) -> None:
    submit(client, headers={"Idempotency-Key": "one"})
    answer = submit(client, unit="chunk", headers={"Idempotency-Key": "one"})
    assert_problem(answer, 422, code="idempotency_conflict")


def test_two_keys_are_two_tasks_and_a_strangers_key_is_another(client: Client, other: Client) -> None:
    answers = [
        submit(client, headers={"Idempotency-Key": "one"}),
        submit(client, headers={"Idempotency-Key": "two"}),
        submit(other, headers={"Idempotency-Key": "one"}),
    ]
    assert [answer.status_code for answer in answers] == [202] * 3


def at_once(count: int, call: Callable[[], Any]) -> list[Any]:
    """Answers of that many threads that start together."""
    barrier = Barrier(count)

    def one(_number: int) -> Any:
        try:
            barrier.wait(timeout=20)
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "one"}])
def test_twenty_at_once_make_one_task_and_keep_one_file(headers: dict[str, str], files: Path) -> None:
    user = make_user()
    client = program(user)
    token = client.defaults["HTTP_AUTHORIZATION"]

    def call() -> Any:
        return submit(Client(headers={"Authorization": token}), headers=headers)

    answers = at_once(20, call)
    assert {answer.json()["id"] for answer in answers} == {str(Task.objects.get().pk)}
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [202]
    assert Document.objects.count() == 1
    assert len([path for path in files.rglob("*") if path.is_file()]) == 1
