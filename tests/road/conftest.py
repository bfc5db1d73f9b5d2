import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tasks_app.models import ApiToken, Task
from tests.support.client import ApiClient
from tests.support.house import House
from tests.support.rows import make_user


@dataclass
class Road:
    """A whole Longhaul with its web process, and a program that uses its API."""

    house: House
    api: ApiClient
    user: Any

    def submit(self, content: bytes, **options: Any) -> str:
        """The id of a new task."""
        answer = self.api.submit(content, name="report.pdf", instruction="Say what you see.", **options)
        assert answer.status == 202, answer.body
        task_id: str = answer.json["id"]
        return task_id

    def wait_for_end(self, task_id: str, within: float = 60) -> Any:
        # Looked up in the row: asking the API all the time would take the processor from the work itself.
        ended = Task.objects.finished().filter(pk=task_id)
        self.house.wait_until(ended.exists, within, what="the task has ended")
        return self.api.task(task_id)

    def merged(self, task_id: str) -> str:
        answer = self.api.get(f"/api/tasks/{task_id}/result?format=md")
        assert answer.status == 200, answer.body
        return answer.body.decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def road(transactional_db: None) -> Iterator[Road]:
    user = make_user()
    token = ApiToken.issue(user.pk)
    port = free_port()
    with House(LONGHAUL_WORKER_SILENT_SECONDS="3") as house:
        house.web(port)
        api = ApiClient(f"http://127.0.0.1:{port}", token)
        house.wait_until(lambda: _answers(api), 20, what="the page answers")
        yield Road(house, api, user)


def _answers(api: ApiClient) -> bool:
    try:
        return api.get("/healthz").status == 200
    except OSError:
        return False
