"""What the list socket sends: a snapshot of its user's newest tasks, then each task that changed."""

from collections.abc import AsyncIterator, Collection, Iterable
from itertools import batched
from typing import Any
from uuid import UUID

from tasks_app.models import WAITING, Task
from tasks_app.presentation import task_objects

from ..hints import user_group
from .database import read
from .frames import frame, list_snapshot
from .watcher import Waking

PAGE = 50
# Objects remembered for one socket; what is forgotten is sent once more.
REMEMBERED = 200


class ListFeed:
    """Follows the tasks of one user: the newest page by itself, older ones by their hints."""

    def __init__(self, owner_id: int) -> None:
        self.group = user_group(owner_id)
        self._owner_id = owner_id
        self._begun = False
        self._shown: dict[str, dict[str, Any]] = {}

    async def check(self) -> None:
        """A user's list always exists."""

    async def look(self, waking: Waking) -> AsyncIterator[str]:
        """Frames of the tasks that changed; at first a snapshot."""
        if not self._begun:
            for line in await read(self._snapshot):
                yield line
            self._begun = True
            return
        if waking.periodic:
            async for line in self._changes_of(await read(self._stale)):
                yield line
        async for line in self._changes_of(waking.task_ids):
            yield line

    def _snapshot(self) -> list[str]:
        objects = task_objects(list(self._newest()))
        self._shown = {one["id"]: one for one in objects}
        return list_snapshot(objects)

    async def _changes_of(self, task_ids: Collection[UUID]) -> AsyncIterator[str]:
        for some in batched(sorted(task_ids), PAGE):
            for one in await read(self._read, some):
                if self._is_news(one):
                    self._remember(one)
                    yield frame("task", version=one["version"], data=one)

    def _read(self, task_ids: Iterable[UUID]) -> list[dict[str, Any]]:
        return task_objects(list(self._mine().filter(pk__in=task_ids).order_by("pk")))

    def _stale(self) -> list[UUID]:
        """Of the newest page: those of another version than shown, and those whose wait is shown."""
        return [
            task_id
            for task_id, version, status in self._newest().values_list("pk", "version", "status")
            if status in WAITING or self._version_shown(task_id) != version
        ]

    def _is_news(self, one: dict[str, Any]) -> bool:
        before = self._shown.get(one["id"])
        return before is None or (one["version"] >= before["version"] and one != before)

    def _version_shown(self, task_id: UUID) -> int:
        shown = self._shown.get(str(task_id))
        return int(shown["version"]) if shown else 0

    def _remember(self, one: dict[str, Any]) -> None:
        self._shown.pop(one["id"], None)
        self._shown[one["id"]] = one
        for oldest in list(self._shown)[:-REMEMBERED]:
            del self._shown[oldest]

    def _newest(self) -> Any:
        return self._mine().order_by("-pk")[:PAGE]

    def _mine(self) -> Any:
        return Task.objects.owned_by(self._owner_id)
