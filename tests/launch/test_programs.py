import pytest
from pytest_django import Settings

from project.launch.programs import applications, services


@pytest.fixture(autouse=True)
def plain_environment(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    settings.VAR_DIR = tmp_path_factory.mktemp("var")
    settings.REDIS_URL = f"unix://{settings.VAR_DIR / 'redis.sock'}"
    settings.MODEL_IS_EMBEDDED = True


def names() -> list[str]:
    return [program.name for program in services()]


def test_by_default_redis_and_the_model_come_along() -> None:
    assert names() == ["redis", "model"]


def test_a_redis_of_ones_own_is_used_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://redis.example:6379/0")
    assert names() == ["model"]


def test_an_endpoint_of_ones_own_is_used_instead(settings: Settings) -> None:
    settings.MODEL_IS_EMBEDDED = False
    assert names() == ["redis"]


def test_each_queue_has_a_worker_of_its_own(settings: Settings) -> None:
    settings.TASK_QUEUES = {"gpu": {}, "cpu": {}, "mail": {}}
    assert [program.name for program in applications(8000)] == ["web", "gpu", "cpu", "mail", "scheduler"]


def test_the_page_is_served_on_loopback_only() -> None:
    web = applications(8123)[0]
    assert web.argv[1:] == (
        "-m", "daphne", "project.asgi:application", "--bind", "127.0.0.1", "--port", "8123",
    )  # fmt: skip
