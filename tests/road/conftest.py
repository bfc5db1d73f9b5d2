import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tasks_app.models import ApiToken, Task
from tests.support.client import ApiClient
from tests.support.house import START_SECONDS, House
from tests.support.page import PageVisitor
from tests.support.programs import Program
from tests.support.rows import make_user


@dataclass
class Road:
    """A whole Longhaul with its web process, and a program that uses its API."""

    house: House
    api: ApiClient
    user: Any

    def submit(self, content: bytes, **options: Any) -> str:
        """The id of a new task."""
        given = {"name": "report.pdf", "instruction": "Say what you see.", **options}
        answer = self.api.submit(content, **given)
        assert answer.status == 202, answer.body
        task_id: str = answer.json["id"]
        return task_id

    def wait_for_end(self, task_id: str, within: float = 110) -> Any:
        # Looked up in the row: asking the API all the time would take the processor from the work itself.
        ended = Task.objects.finished().filter(pk=task_id)
        self.house.wait_until(ended.exists, within, what="the task has ended")
        return self.api.task(task_id)

    def visitor(self, name: str = "bob") -> PageVisitor:
        """Another user, at the page."""
        return PageVisitor(self.api.base, make_user(name))

    def merged(self, task_id: str) -> str:
        answer = self.api.get(f"/api/tasks/{task_id}/result?format=md")
        assert answer.status == 200, answer.body
        return answer.body.decode()


def child_of(worker: Program) -> psutil.Process:
    """The warm child of a worker that is ready."""
    (child,) = [process for process in worker.children() if "tasks_app.processes.child" in process.cmdline()]
    return child


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def serve(house: House, port: int, **env: str) -> str:
    """Start a web process; its address, as soon as it answers."""
    base = f"http://127.0.0.1:{port}"
    house.web(port, **env)
    house.wait_until(lambda: _answers(ApiClient(base, "")), START_SECONDS, what="the page answers")
    return base


@pytest.fixture
def road(transactional_db: None) -> Iterator[Road]:
    user = make_user()
    token = ApiToken.issue(user.pk)
    # Calls are counted, also of tasks that ask for the same, and of workers that only wait for their turn on a loaded
    # machine: those are not taken for dead.
    with House(LONGHAUL_WORKER_SILENT_SECONDS="8", LONGHAUL_REUSE_ANSWERS_HOURS="0") as house:
        yield Road(house, ApiClient(serve(house, free_port()), token), user)


def _answers(api: ApiClient) -> bool:
    try:
        return api.get("/healthz").status == 200
    except OSError:
        return False
