"""What the socket of one task sends: what changed since the last version that it sent."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from tasks_app.models import WAITING, StepResult, Task
from tasks_app.presentation import step_object, task_object

from ..hints import task_group
from .database import read
from .frames import frame
from .refusal import Gone
from .watcher import Waking

# Steps of one query: each may hold 64 KB.
PAGE = 50


class TaskFeed:
    """Follows one task from version `after`; None: from a snapshot.

    A snapshot's frame carries the version before its steps, and a closing task frame the version of the whole: so the
    last version that a client received is always the `after` that misses nothing.
    """

    def __init__(self, task_id: UUID, *, owner_id: int, after: int | None) -> None:
        self.group = task_group(task_id)
        self._task_id = task_id
        self._owner_id = owner_id
        self._sent = after
        # The last task frame. None: not yet one over this socket, so the first look sends one whatever `after` was: a
        # client may have been cut off between the last step and the task's own frame of the same version.
        self._shown: dict[str, Any] | None = None

    async def check(self) -> None:
        """Raises Gone where there is no such task of this user."""
        await read(self._glance)

    async def look(self, waking: Waking) -> AsyncIterator[str]:
        """Frames of what is new, in the order of versions. Raises Gone."""
        version, status = await read(self._glance)
        # A waiting task's place in its queue moves although its row does not.
        if version == self._version_shown and not (waking.periodic and status in WAITING):
            return
        task, shown = await read(self._read)
        if self._sent is None or not task.reset_version <= self._sent <= task.version:
            self._sent = task.reset_version
            yield frame("snapshot", version=self._sent, data=shown)
        async for line in self._new_steps(task.version):
            yield line
        if shown != self._shown:
            self._sent, self._shown = task.version, shown
            yield frame("task", version=task.version, data=shown)

    @property
    def _version_shown(self) -> int | None:
        return self._shown["version"] if self._shown else None

    async def _new_steps(self, version: int) -> AsyncIterator[str]:
        """Those up to `version`, which was read before them: a later one belongs to the next look."""
        more = True
        while more:
            page = await read(self._page, version)
            for step in page:
                self._sent = step["version"]
                yield frame("step", version=step["version"], data=step)
            more = len(page) == PAGE

    def _glance(self) -> tuple[int, str]:
        row: tuple[int, str] | None = self._mine().values_list("version", "status").first()
        if row is None:
            raise Gone
        return row

    def _read(self) -> tuple[Task, dict[str, Any]]:
        task = self._mine().first()
        if task is None:
            raise Gone
        return task, task_object(task)

    def _page(self, version: int) -> list[dict[str, Any]]:
        new = StepResult.objects.current().filter(task_id=self._task_id, version__gt=self._sent, version__lte=version)
        return [step_object(step) for step in new.order_by("version")[:PAGE]]

    def _mine(self) -> Any:
        return Task.objects.owned_by(self._owner_id).filter(pk=self._task_id)
