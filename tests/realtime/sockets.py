"""Sockets of the tests: inside this process, on the application that the web server serves."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.db import connections
from django.test import Client

from project.asgi import application
from tasks_app.models import ApiToken

HOST = "testserver"
# For what must come, on a loaded machine too. Where a test is about hints, a socket looks by itself less often.
PATIENCE_SECONDS = 45.0
Frame = dict[str, Any]


def session_of(user: Any) -> str:
    client = Client()
    client.force_login(user)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def browser(session: str, *, origin: str | None = f"http://{HOST}", host: str = HOST) -> dict[str, str]:
    """Headers of a browser that is signed in."""
    headers = {"host": host, "cookie": f"{settings.SESSION_COOKIE_NAME}={session}"}
    return headers if origin is None else headers | {"origin": origin}


def program(user: Any) -> dict[str, str]:
    """Headers of a program with a token."""
    return {"host": HOST, "authorization": f"Bearer {ApiToken.issue(user.pk)}"}


class InnerSocket:
    def __init__(self, path: str, headers: dict[str, str]) -> None:
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        self.communicator = WebsocketCommunicator(application, path, headers=pairs)

    async def frames(self, until: Callable[[Frame], bool], *, seconds: float = PATIENCE_SECONDS) -> list[Frame]:
        """Frames up to and with the first for which `until` holds."""
        heard: list[Frame] = []
        end = time.monotonic() + seconds
        while not heard or not until(heard[-1]):
            assert time.monotonic() < end, f"not heard within {seconds} s; heard {heard[-3:]}"
            heard.append(json.loads(await self.communicator.receive_from(timeout=seconds)))
        return heard

    async def is_quiet(self, *, seconds: float = 0.5) -> bool:
        return bool(await self.communicator.receive_nothing(timeout=seconds))


async def knock(path: str, headers: dict[str, str]) -> int | None:
    """The code with which the socket is refused; None when it opens."""
    socket = InnerSocket(path, headers)
    opened, code = await socket.communicator.connect(timeout=PATIENCE_SECONDS)
    await _leave(socket)
    return None if opened else int(code)


@asynccontextmanager
async def opened(path: str, headers: dict[str, str]) -> AsyncIterator[InnerSocket]:
    socket = InnerSocket(path, headers)
    is_open, code = await socket.communicator.connect(timeout=PATIENCE_SECONDS)
    assert is_open, code
    try:
        yield socket
    finally:
        await _leave(socket)


async def _leave(socket: InnerSocket) -> None:
    await socket.communicator.disconnect()
    # The communicator keeps the sockets' database connection open; the tests' database could not be removed.
    await sync_to_async(connections.close_all)()


async def do[**P, R](action: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Do something that uses the database while sockets are open."""
    done: R = await database_sync_to_async(action)(*args, **kwargs)
    return done


async def wait(ready: Callable[[], Any], *, seconds: float = PATIENCE_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"waited {seconds} s in vain"
        await asyncio.sleep(0.02)
