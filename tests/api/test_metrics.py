"""Who may see /metrics: signed-in staff, and programs with the token of one."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from tasks_app.monitoring import counters
from tests.api.clients import assert_problem, person, program
from tests.support.rows import make_user


@pytest.fixture
def operator(db: None) -> Any:
    return make_user("grace", is_staff=True)


@pytest.fixture(autouse=True)
def _no_redis(settings: Any, tmp_path: Any) -> Iterator[None]:
    settings.REDIS_URL = f"unix://{tmp_path}/away.sock"
    yield
    counters.renew()


@pytest.mark.parametrize("who", [program, person])
def test_an_operator_sees_them(operator: Any, who: Any) -> None:
    answer = who(operator).get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-store" in answer["Cache-Control"]
    assert b'longhaul_queue_depth{queue="gpu"} 0.0' in answer.content


@pytest.mark.parametrize("accept", ["application/openmetrics-text;version=abc", "nonsense/;;;", ""])
def test_a_strange_wish_for_a_format_gets_the_usual_one(operator: Any, accept: str) -> None:
    answer = program(operator).get("/metrics", headers={"accept": accept})
    assert answer.status_code == 200
    assert b"longhaul_queue_depth" in answer.content


@pytest.mark.parametrize("who", [program, person])
def test_another_user_is_told_that_they_are_for_operators(user: Any, who: Any) -> None:
    assert_problem(who(user).get("/metrics"), 403)


def test_nobody_is_asked_to_sign_in(nobody: Client) -> None:
    answer = nobody.get("/metrics")
    assert_problem(answer, 401)
    assert answer["WWW-Authenticate"] == 'Bearer realm="Longhaul"'


@pytest.mark.parametrize("token", ["Bearer", "Bearer lh_wrong"])
def test_a_wrong_token_is_401_even_beside_a_session(operator: Any, token: str) -> None:
    assert_problem(person(operator).get("/metrics", headers={"Authorization": token}), 401)


def test_an_operator_who_was_switched_off_is_refused(operator: Any) -> None:
    client = program(operator)
    operator.is_active = False
    operator.save()
    assert_problem(client.get("/metrics"), 401)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_only_get(operator: Any, method: str) -> None:
    answer = getattr(program(operator), method)("/metrics")
    assert_problem(answer, 405)
    assert answer["Allow"] == "GET, HEAD"


def test_a_database_that_is_away_is_503(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_accept: str) -> Any:
        raise OperationalError("secret")

    monkeypatch.setattr("tasks_app.api.metrics.exposition", away)
    answer = program(operator).get("/metrics")
    assert_problem(answer, 503)
    assert b"secret" not in answer.content
