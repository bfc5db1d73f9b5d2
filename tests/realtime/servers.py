"""Real servers of the tests' own: Redis on a socket in a folder, the web server on the tests' database."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.db import connection
from redis import Redis
from redis.exceptions import RedisError

from tests.support.house import START_SECONDS
from tests.support.programs import wait_until

ROOT = Path(__file__).resolve().parents[2]


class Server:
    """A process that can be started again, suspended, and killed."""

    def __init__(self, command: list[str], *, log: Path, environment: dict[str, str] | None = None) -> None:
        self._command = command
        self._environment = environment
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=subprocess.STDOUT
            )

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self.process.wait()

    def lines(self) -> list[str]:
        return self.log.read_text(errors="replace").splitlines()


class RedisServer(Server):
    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(folder)]
        super().__init__(["redis-server", *options], log=folder / "redis.log")

    def start(self) -> None:
        super().start()
        wait_until(self._answers)

    def client(self) -> Redis:
        return Redis.from_url(self.url, decode_responses=True)

    def clients(self) -> int:
        with self.client() as client:
            return len(client.client_list())

    def subscriptions(self, pattern: str) -> set[str]:
        with self.client() as client:
            return set(client.pubsub_channels(pattern))

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except RedisError:
            return False


class Site(Server):
    """Daphne on a free port, with the tests' database."""

    def __init__(self, folder: Path, *, redis_url: str, **env: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        # Daphne's own 5 s to accept a socket are too few on a loaded machine, for fifty at once.
        options = ["-b", "127.0.0.1", "-p", str(self.port), "--websocket_connect_timeout", "60"]
        command = [sys.executable, "-m", "daphne", *options, "project.asgi:application"]
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "REDIS_URL": redis_url,
            "SECRET_KEY": settings.SECRET_KEY,
            "LONGHAUL_VAR_DIR": str(folder / "var"),
            "ALLOWED_HOSTS": "127.0.0.1",
            **env,
        }
        super().__init__(command, log=folder / "site.log", environment=environment)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def address(self, path: str) -> str:
        return f"ws://127.0.0.1:{self.port}{path}"

    def start(self) -> None:
        super().start()
        wait_until(self._listens, START_SECONDS)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def memory_bytes(self) -> int:
        """Resident set."""
        assert self.process is not None
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def database_url() -> str:
    """The tests' own database, for another process."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    return f"postgres://{values['USER']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"
