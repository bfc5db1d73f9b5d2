import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from project.launch.embedded_redis import answers
from tests.support.programs import wait_until


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A real Redis of its own."""
    path = tmp_path / "redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--save", ""], stdout=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: answers(path))
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait(45)


@pytest.fixture
def silent_url() -> Iterator[str]:
    """An address that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}"


def test_alive_needs_neither_login_nor_database(client: Client) -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_alive_makes_no_query(nobody: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        nobody.get("/healthz")


def test_ready_when_database_migrations_and_redis_are_in_order(nobody: Client, settings: Any, redis_url: str) -> None:
    settings.REDIS_URL = redis_url
    answer = nobody.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "checks": {"database": "ok", "migrations": "ok", "redis": "ok"}}


def test_not_ready_without_redis_and_it_says_so(nobody: Client, settings: Any, tmp_path: Path) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/secret.sock"
    answer = nobody.get("/readyz")
    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["checks"] == {"database": "ok", "migrations": "ok", "redis": "It cannot be reached."}
    assert "secret" not in answer.content.decode()


def test_a_redis_that_hangs_holds_the_probe_for_a_moment_only(nobody: Client, settings: Any, silent_url: str) -> None:
    settings.REDIS_URL = silent_url
    began = time.monotonic()
    assert nobody.get("/readyz").status_code == 503
    assert time.monotonic() - began < 20


def test_not_ready_with_a_migration_missing(nobody: Client, settings: Any, redis_url: str) -> None:
    settings.REDIS_URL = redis_url
    MigrationRecorder(connection).migration_qs.filter(app="tasks_app").delete()
    answer = nobody.get("/readyz")
    assert answer.status_code == 503
    assert "manage.py migrate" in answer.json()["checks"]["migrations"]


def test_not_ready_without_database(
    nobody: Client, settings: Any, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = redis_url

    def refused(*_args: Any, **_options: Any) -> Any:
        raise OSError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", refused)
        answer = nobody.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["database"] == "It cannot be reached."
    assert "secret" not in answer.content.decode()


def test_a_probe_by_the_process_own_address_is_answered() -> None:
    assert Client(HTTP_HOST="10.1.2.3:8000").get("/healthz").status_code == 200


def test_any_other_request_to_a_host_that_is_not_ours_is_refused_in_the_form_of_its_address(db: None) -> None:
    stranger = Client(HTTP_HOST="evil.example")
    api, page = stranger.get("/api/tasks"), stranger.get("/")
    assert (api.status_code, api["Content-Type"]) == (400, "application/problem+json")
    assert (page.status_code, page["Content-Type"]) == (400, "text/html; charset=utf-8")
