"""What an `async def` kind awaits: the context's own methods under Django's `a` names, and nothing more.

The database work happens in the thread that makes the attempt, over its one connection, while the event loop goes on.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from asgiref.sync import sync_to_async

from tasks_app.exceptions import StepInsideStep

# How often a wait looks whether it is still wanted.
LOOK_SECONDS = 0.5


class AsyncContext(ABC):
    # The kind's event loop while it awaits a step or a map: lanes await their items there.
    loop: asyncio.AbstractEventLoop | None = None
    # The map in hand was cancelled by the kind itself: a timeout, or a TaskGroup whose other task failed.
    is_abandoned = False

    async def astep(self, name: str, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """As `step`. One after the other: two at once would have no fixed order."""
        with self._alone():
            return await sync_to_async(self.step)(name, function, *arguments, **keywords)

    async def amap(
        self,
        name: str,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        *,
        concurrency: int = 1,
        failures: Literal["raise", "collect"] = "raise",
    ) -> list[Any]:
        """As `map`. Cancelled, it stops when the items in hand have ended."""
        with self._alone():
            lanes = sync_to_async(self.map)(name, function, items, concurrency=concurrency, failures=failures)
            work = asyncio.ensure_future(lanes)
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                # Its lanes need this loop until they have stopped.
                self.is_abandoned = True
                await asyncio.wait({work})
                raise

    async def aprogress(self, *, total: int | None = None, message: str | None = None) -> None:
        await sync_to_async(self.progress)(total=total, message=message)

    async def acheckpoint(self) -> None:
        await sync_to_async(self.checkpoint)()

    async def asleep(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := until - loop.time()) > 0:
            await self.acheckpoint()
            await asyncio.sleep(min(left, LOOK_SECONDS))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self.loop is not None:
            raise StepInsideStep("A step cannot begin while another is in hand: await one, then the next, or use amap.")
        self.loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            self.loop = None
            self.is_abandoned = False

    @abstractmethod
    def step(self, *arguments: Any, **keywords: Any) -> Any: ...

    @abstractmethod
    def map(self, *arguments: Any, **keywords: Any) -> list[Any]: ...

    @abstractmethod
    def progress(self, *, total: int | None = None, message: str | None = None) -> None: ...

    @abstractmethod
    def checkpoint(self) -> None: ...
