"""Brings hints from the channel layer to the sockets of this process.

One for each event loop. Sockets never touch Redis: they open, look and close whether or not it is there. The hub keeps
the subscriptions that they want, and sends itself a probe to learn whether hints arrive at all.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from .. import quiet
from .watcher import Watcher

PROBE_SECONDS = 1.0
# A call to the layer, at most: it has no limits of its own.
CALL_SECONDS = 2.0
# No probe came back for so long: hints are not relied on.
DEAF_SECONDS = 3.0
# Then everything is connected anew: the layer does not notice a connection that died without a word.
ANEW_SECONDS = 15.0


class Hub:
    def __init__(self) -> None:
        self._layer: Any = get_channel_layer()
        self._channel = f"hub.{uuid4().hex}"
        self._probe = f"probe.{uuid4().hex}"
        self._watchers: dict[str, set[Watcher]] = {self._probe: set()}
        self._joined: set[str] = set()
        self._wanted_changed = asyncio.Event()
        self._heard_at = self._connected_at = _now()
        self._tasks: list[asyncio.Task[None]] = []
        # Whether hints arrive, as far as is known.
        self.live = True

    @contextmanager
    def watching(self, group: str) -> Iterator[Watcher]:
        """An ear for the hints of a group. It is woken once more when its subscription stands."""
        watcher = Watcher()
        self._watchers.setdefault(group, set()).add(watcher)
        self._begin()
        self._wanted_changed.set()
        try:
            yield watcher
        finally:
            self._leave(group, watcher)

    def groups(self) -> set[str]:
        """Groups with at least one socket."""
        return {group for group, watchers in self._watchers.items() if watchers}

    def _leave(self, group: str, watcher: Watcher) -> None:
        self._watchers[group].discard(watcher)
        if not self._watchers[group]:
            del self._watchers[group]
            self._wanted_changed.set()

    def _begin(self) -> None:
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._keep())]

    async def _receive(self) -> None:
        while True:
            try:
                self._dispatch(await self._layer.receive(self._channel))
            except Exception as error:
                _complain(error)
                await asyncio.sleep(PROBE_SECONDS)

    def _dispatch(self, message: dict[str, Any]) -> None:
        self._heard_at = _now()
        if message["type"] == "hint":
            for watcher in self._watchers.get(message["group"], ()):
                watcher.hear(UUID(message["task_id"]))

    async def _keep(self) -> None:
        while True:
            self._wanted_changed.clear()
            try:
                await self._subscribe()
                await self._call("group_send", self._probe, {"type": "probe"})
            except Exception as error:
                _complain(error)
                # Not at once again, however many sockets come and go.
                await asyncio.sleep(PROBE_SECONDS)
            await self._judge()
            await _wait(self._wanted_changed, PROBE_SECONDS)

    async def _subscribe(self) -> None:
        """Bring the subscriptions in line with what the sockets want."""
        for group in self._watchers.keys() - self._joined:
            await self._call("group_add", group, self._channel)
            self._joined.add(group)
            self._wake(group)
        for group in self._joined - self._watchers.keys():
            # A discard that failed halfway has left the group in the layer and stays subscribed in Redis: join first.
            await self._call("group_add", group, self._channel)
            await self._call("group_discard", group, self._channel)
            self._joined.discard(group)

    async def _judge(self) -> None:
        """Tell every socket when hints stop or begin again; connect anew after a long silence."""
        live = _now() - self._heard_at < DEAF_SECONDS
        if live != self.live:
            self.live = live
            for group in self._watchers:
                self._wake(group)
        if _now() - max(self._heard_at, self._connected_at) > ANEW_SECONDS:
            await self._connect_anew()

    async def _connect_anew(self) -> None:
        self._connected_at = _now()
        self._joined.clear()
        self._tasks[0].cancel()
        await asyncio.wait([self._tasks[0]], timeout=CALL_SECONDS)
        try:
            await self._call("flush")
        except Exception as error:
            _complain(error)
        self._tasks[0] = asyncio.create_task(self._receive())

    def _wake(self, group: str) -> None:
        for watcher in self._watchers.get(group, ()):
            watcher.look_anyway()

    async def _call(self, name: str, *arguments: Any) -> None:
        await asyncio.wait_for(getattr(self._layer, name)(*arguments), CALL_SECONDS)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


def _complain(error: Exception) -> None:
    quiet.redis.warning("Hints of progress do not arrive, sockets look by themselves: Redis says %r", error)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
