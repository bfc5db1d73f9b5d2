"""The web process of a drill, and a program that asks it again and again."""

import socket
from typing import Any, Self

from django.contrib.auth import get_user_model

from tasks_app.models import ApiToken, Task
from tests.support.client import Answer, ApiClient
from tests.support.programs import Program

from .ground import Ground


class Web:
    """`versions`: of a task, as they were seen."""

    program: Program

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._port = free_port()
        self.versions: list[int] = []
        self.user = get_user_model().objects.create_user("ada", password=None)
        self.api = ApiClient(f"http://127.0.0.1:{self._port}", ApiToken.issue(self.user.pk))

    def __enter__(self) -> Self:
        self.start()
        self._ground.wait_until(self.answers, 120, what="the web answers")
        return self

    def __exit__(self, *_: object) -> None:
        """Its house ends the program."""

    def start(self) -> None:
        self.program = self._ground.house.web(self._port)

    def answers(self) -> bool:
        return self.status("/healthz") == 200

    def status(self, path: str) -> int:
        """0 where nobody answers."""
        answer = self.get(path)
        return answer.status if answer else 0

    def get(self, path: str) -> Answer | None:
        """None where nobody answers."""
        try:
            return self.api.get(path)
        except OSError:
            return None

    def look(self, task: Task) -> dict[str, Any] | None:
        """The task as the API shows it; None where it does not answer."""
        answer = self.get(f"/api/tasks/{task.pk}")
        if answer is None or answer.status != 200:
            return None
        found: dict[str, Any] = answer.json
        self.versions.append(found["version"])
        return found

    def poll_until(self, task: Task, *, within: float, done: int = 0, status: str = "") -> None:
        """Until so many steps are done, or it has that status."""

        def is_so() -> bool:
            found = self.look(task)
            return found is not None and (found["status"] == status if status else self._ground.saved(task) >= done)

        self._ground.wait_until(is_so, within, what=f"the API tells of {status or done}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
