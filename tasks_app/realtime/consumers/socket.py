"""One WebSocket from its handshake to its end, as an ASGI application."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from django.conf import settings
from django.db import Error as DatabaseError

from tasks_app.signals import send as tell
from tasks_app.signals import socket_closed, socket_opened

from .. import quiet
from .database import read
from .hub import Hub, hub
from .identity import user_of
from .refusal import Gone, Refused
from .watcher import Waking, Watcher

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

NOT_FOUND = 4404
TRY_AGAIN_LATER = 1013
# Looks without hints, while Redis is away: the last state must not be late by much.
BLIND_LOOK_SECONDS = 2.0
# An open socket's session or token is looked at again this often.
RECHECK_SECONDS = 10.0

logger = logging.getLogger(__name__)


class Feed(Protocol):
    """What a socket sends. `group`: whose hints wake it."""

    group: str

    async def check(self) -> None: ...

    def look(self, waking: Waking) -> AsyncIterator[str]: ...


class Socket:
    """Opens for the right user, then sends what its feed finds until the client leaves.

    Refused before it opens (HTTP 403): 4401 no user, 4403 foreign origin, 4404 no such task or address, 1013 no
    database. Closed later: 4404 when its task was deleted, 4401 when its user signed out. What the
    client says is ignored.
    """

    def __init__(self, feed_of: Callable[[Scope, int], Feed]) -> None:
        self._feed_of = feed_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        try:
            feed = await self._open(scope)
        except Refused as refusal:
            await _refuse(scope, send, refusal)
            return
        await send({"type": "websocket.accept"})
        with _told_of(), hub().watching(feed.group) as watcher:
            await _first_of(_until_closed(receive), _follow(feed, watcher, hub(), send), _until_signed_out(scope, send))

    async def _open(self, scope: Scope) -> Feed:
        try:
            feed = self._feed_of(scope, await read(user_of, scope))
            await feed.check()
        except Gone as gone:
            raise Refused("there is no such task of this user", code=NOT_FOUND) from gone
        except DatabaseError as error:
            raise Refused(f"the database cannot be read: {error}", code=TRY_AGAIN_LATER) from error
        return feed


@contextmanager
def _told_of() -> Iterator[None]:
    """Whoever counts open sockets hears of this one."""
    tell(socket_opened)
    try:
        yield
    finally:
        tell(socket_closed)


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """The socket of an address where there is none."""
    await receive()
    await _refuse(scope, send, Refused("there is no such address", code=NOT_FOUND))


async def _refuse(scope: Scope, send: Send, refusal: Refused) -> None:
    client = (scope.get("client") or ["?"])[0]
    logger.warning("WebSocket %r of %s refused: %s", scope["path"], client, refusal.reason)
    await send({"type": "websocket.close", "code": refusal.close_code})


async def _until_closed(receive: Receive) -> None:
    while (await receive())["type"] != "websocket.disconnect":
        """Whatever it says."""


async def _until_signed_out(scope: Scope, send: Send) -> None:
    while True:
        await asyncio.sleep(RECHECK_SECONDS)
        try:
            await read(user_of, scope)
        except Refused as refusal:
            await _refuse(scope, send, refusal)
            return
        except DatabaseError as error:
            quiet.database.warning("The user of a socket could not be looked up: %s", error)


async def _follow(feed: Feed, watcher: Watcher, ears: Hub, send: Send) -> None:
    """Look and send, over and over; a slow reader is waited for, and what it misses becomes one look."""
    while True:
        sent = False
        try:
            async for line in feed.look(watcher.take()):
                await send({"type": "websocket.send", "text": line})
                sent = True
        except Gone:
            await send({"type": "websocket.close", "code": NOT_FOUND})
            return
        except DatabaseError as error:
            quiet.database.warning("The sockets of %s could not look: %s", feed.group, error)
            watcher.look_anyway()
            await asyncio.sleep(BLIND_LOOK_SECONDS)
        if sent:
            # A look that found nothing must not hold the event that comes right after it.
            await asyncio.sleep(1 / settings.LONGHAUL_EVENTS_PER_SECOND)
        watch: float = settings.LONGHAUL_WATCH_SECONDS
        await watcher.wait(watch if ears.live else min(watch, BLIND_LOOK_SECONDS))


async def _first_of(*coroutines: Any) -> None:
    """Until one of them ends; the others are cancelled. Raises what the ended one raised."""
    tasks = [asyncio.ensure_future(one) for one in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
