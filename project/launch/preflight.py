"""What must be true before anything starts: nobody else runs here, and the ports and the socket are free."""

import fcntl
import os
import socket
from pathlib import Path
from typing import IO

from django.conf import settings

from . import embedded_redis
from .errors import AlreadyRunning, PortTaken
from .programs import LOOPBACK


def check(port: int) -> None:
    """Errors: PortTaken, SocketPathTooLong, SocketInUse."""
    check_port(port, purpose="the page", variable="PORT")
    if settings.MODEL_IS_EMBEDDED:
        check_port(settings.EMBEDDED_MODEL_PORT, purpose="the embedded model", variable="LONGHAUL_EMBEDDED_MODEL_PORT")
    if embedded_redis.is_wanted():
        embedded_redis.check_socket(embedded_redis.socket_path())


def check_port(port: int, *, purpose: str, variable: str) -> None:
    with socket.socket() as probe:
        # Without this, connections of the last start that linger in TIME_WAIT would look like a listener.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OverflowError:
            raise PortTaken(port, purpose=purpose, variable=variable, reason="expected 1 to 65535") from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise PortTaken(port, purpose=purpose, variable=variable, reason=reason) from error


def hold(var_dir: Path) -> IO[str]:
    """Take the folder for this launcher; it is free again when the file is closed, however the launcher ends.

    Error: AlreadyRunning.
    """
    holder = (var_dir / "launch.lock").open("a+")
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder.close()
        raise AlreadyRunning(var_dir) from None
    holder.truncate(0)
    holder.write(f"{os.getpid()}\n")
    holder.flush()
    return holder
