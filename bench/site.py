"""A whole Longhaul to be measured: the product's own limits, an endpoint in a process of its own, one user."""

import socket
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.contrib.auth import get_user_model

from tasks_app.models import ApiToken, Task
from tasks_app.processes import doorbell
from tasks_app.realtime import publisher
from tests.support.client import ApiClient
from tests.support.endpoint import RemoteModelEndpoint
from tests.support.house import House

# Over those that make a house brisk for tests.
OWN_LIMITS = {
    "LONGHAUL_TICK_SECONDS": "1",
    "LONGHAUL_HEARTBEAT_SECONDS": "5",
    "LONGHAUL_SHUTDOWN_GRACE_SECONDS": "60",
    "LONGHAUL_KILL_GRACE_SECONDS": "5",
    "LONGHAUL_SCHEDULER_LOCK_SECONDS": "10",
    "LONGHAUL_KIND_MODULES": "bench.kinds",
}


class Works:
    """Redis and endpoint, no web; `house` starts workers and scheduler besides. `env`: settings of every program."""

    def __init__(self, **env: str) -> None:
        self.endpoint = RemoteModelEndpoint()
        own = {"MODEL_BASE_URL": self.endpoint.base_url, "SECRET_KEY": settings.SECRET_KEY}
        self.house = House(**(OWN_LIMITS | own | env))

    def __enter__(self) -> Self:
        self.house.__enter__()
        self._hear_this_process()
        self.user = get_user_model().objects.create_user("ada", password=None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.house.__exit__(kind, error, trace)
        self.endpoint.stop()

    def ended(self, task_id: str, *, within: float) -> Task:
        """The row when it is final. Raises RuntimeError where it did not succeed."""
        # Looked up in the row: the page must not be kept busy.
        self.house.wait_until(Task.objects.finished().filter(pk=task_id).exists, within, what="the task has ended")
        task = Task.objects.get(pk=task_id)
        if task.status != "succeeded" or task.failed_items:
            raise RuntimeError(f"{task} ended as {task.status} with {task.failed_items} failed items")
        return task

    def _hear_this_process(self) -> None:
        """Its hints and its doorbells."""
        layer: dict[str, Any] = settings.CHANNEL_LAYERS["default"]
        layer["CONFIG"]["hosts"] = [self.house.redis_url]
        publisher.renew()
        settings.REDIS_URL = self.house.redis_url
        doorbell.ringing.cache_clear()


class Site(Works):
    """With the web besides."""

    def __enter__(self) -> Self:
        super().__enter__()
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.web = self.house.web(port)
        self.api = ApiClient(self.base, ApiToken.issue(self.user.pk))
        self.house.wait_until(self._answers, 30, what="the page answers")
        return self

    def submit(self, content: bytes, **fields: str) -> str:
        """The id of a new task of the user."""
        answer = self.api.submit(content, name="report.pdf", **fields)
        if answer.status != 202:
            raise RuntimeError(f"expected 202 of a submission, got {answer.status}: {answer.body!r}")
        task_id: str = answer.json["id"]
        return task_id

    def _answers(self) -> bool:
        try:
            return self.api.get("/healthz").status == 200
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
