from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks_app.models import Schedule, Worker
from tasks_app.monitoring import counters
from tests.support.rows import make_user, make_worker


@pytest.fixture(autouse=True)
def files(settings: Any, tmp_path: Path) -> Path:
    """The folder of this test's stored files."""
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "files"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Without the shipped schedules, which would fire in whatever house has a scheduler at the time."""
    with django_db_blocker.unblock():
        Schedule.objects.all().delete()


@pytest.fixture(scope="session", autouse=True)
def counted() -> Iterator[None]:
    """What the tests count is sent nowhere, and nobody complains of that when they are over."""
    yield
    counters.renew()


@pytest.fixture
def user(db: None) -> Any:
    return make_user("ada")


@pytest.fixture
def stranger(db: None) -> Any:
    return make_user("eve")


@pytest.fixture
def worker(db: None) -> Worker:
    """A live worker of the queue gpu."""
    return make_worker("gpu")
