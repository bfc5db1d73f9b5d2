"""A whole Longhaul for one test: real Redis, real workers, schedulers and web, one database, nothing mocked.

    with House(LONGHAUL_WORKER_SILENT_SECONDS="2") as house:
        worker = house.worker("gpu")
        house.wait_until(lambda: ...)

The database is the test's own: use it under `django_db(transaction=True)`. The model endpoint is the scriptable one.
"""

import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from django.db import connection
from redis import Redis

from project.launch.embedded_redis import answers, binary
from tests.support.endpoint import ModelEndpoint
from tests.support.programs import MARK, PATIENCE_SECONDS, PROJECT, Program, marked, wait_until

# A test waits for nothing longer than it must.
BRISK = {
    "LONGHAUL_TICK_SECONDS": "0.2",
    "LONGHAUL_HEARTBEAT_SECONDS": "0.5",
    "LONGHAUL_SHUTDOWN_GRACE_SECONDS": "1",
    "LONGHAUL_KILL_GRACE_SECONDS": "0.5",
    "LONGHAUL_SCHEDULER_LOCK_SECONDS": "2",
}
# For programs that start on a loaded machine, and for those that end with their parents there.
START_SECONDS = 90.0
OUTLIVE_SECONDS = 15.0


class House:
    def __init__(self, **env: str) -> None:
        """`env`: settings of every program, over the brisk ones."""
        self.folder = Path(tempfile.mkdtemp(prefix="lh-"))
        self.redis_socket = self.folder / "redis.sock"
        self.redis_url = f"unix://{self.redis_socket}"
        self.endpoint = ModelEndpoint()
        self.programs: list[Program] = []
        self._mark = uuid.uuid4().hex
        self._env = BRISK | env

    def __enter__(self) -> Self:
        self.endpoint.__enter__()
        self.redis = self.start_redis()
        return self

    def __exit__(self, *_: object) -> None:
        left = self._end_all()
        self.endpoint.__exit__()
        # pytest keeps it to itself unless the test failed.
        self.show_logs()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, f"these outlived their house: {left}"

    # -- Redis

    @property
    def redis_client(self) -> Redis:
        return Redis.from_url(self.redis_url)

    def start_redis(self) -> Program:
        """Also after `self.redis.kill()`: it comes back empty."""
        options = f"--port 0 --unixsocket {self.redis_socket} --dir {self.folder} --appendonly no --save".split()
        self.redis = self._start("redis", [binary(), *options, ""])
        wait_until(lambda: answers(self.redis_socket), what="Redis answers")
        return self.redis

    # -- Programs

    def worker(self, *arguments: str, **env: str) -> Program:
        """`manage.py rqworker`, its child not yet ready."""
        return self.manage("rqworker", *arguments, **env)

    def ready_worker(self, *arguments: str, **env: str) -> Program:
        worker = self.worker(*arguments, **env)
        wait_until(lambda: "is ready for" in worker.said, START_SECONDS, what="the worker's child is ready")
        return worker

    def scheduler(self, **env: str) -> Program:
        return self.manage("rqscheduler", **env)

    def web(self, port: int, **env: str) -> Program:
        daphne = ["-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "project.asgi:application"]
        return self._start("web", [sys.executable, *daphne], **env)

    def manage(self, command: str, *arguments: str, **env: str) -> Program:
        manage = [sys.executable, str(PROJECT / "manage.py"), command]
        return self._start(command, [*manage, *arguments], **env)

    def wait_until(self, predicate: Callable[[], object], within: float = PATIENCE_SECONDS, *, what: str = "") -> None:
        wait_until(predicate, within, what=what)

    def show_logs(self) -> None:
        for program in self.programs:
            print(f"===== {program.name} {program.pid}\n{program.said}")

    def environment(self, **env: str) -> dict[str, str]:
        own = {
            MARK: self._mark,
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "DATABASE_URL": database_url(),
            "REDIS_URL": self.redis_url,
            "MODEL_BASE_URL": self.endpoint.base_url,
            "LONGHAUL_VAR_DIR": str(self.folder),
            "LONGHAUL_KIND_MODULES": "tests.support.kinds",
            "PYTHONUNBUFFERED": "1",
        }
        return os.environ | own | self._env | env

    def _start(self, name: str, command: list[str], **env: str) -> Program:
        log = self.folder / f"{len(self.programs)}-{name}.log"
        program = Program(name, command, env=self.environment(**env), log=log)
        self.programs.append(program)
        return program

    def _end_all(self) -> list[Any]:
        """End everything, Redis last; returns what did not end with its parents."""
        for program in reversed(self.programs):
            program.kill()
        try:
            wait_until(lambda: not marked(self._mark), OUTLIVE_SECONDS)
        except AssertionError:
            left = marked(self._mark)
            for process in left:
                process.kill()
            return left
        return []


def database_url() -> str:
    """The test database, as DATABASE_URL names it."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    account = settings["USER"] + (f":{settings['PASSWORD']}" if settings["PASSWORD"] else "")
    return f"postgres://{account}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
