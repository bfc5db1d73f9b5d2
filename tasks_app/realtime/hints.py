"""What publisher and consumers share: the names of groups, and a hint's shape.

A hint says "look": {"type": "hint", "group": str, "task_id": str, "version": int}. It carries no data of a task.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Hint:
    task_id: UUID
    owner_id: int | None
    version: int

    @property
    def groups(self) -> list[str]:
        """Where it is heard: by the sockets of the task, and of its owner's list."""
        mine = [task_group(self.task_id)]
        return mine if self.owner_id is None else [*mine, user_group(self.owner_id)]

    def message(self, group: str) -> dict[str, Any]:
        return {"type": "hint", "group": group, "task_id": str(self.task_id), "version": self.version}


def task_group(task_id: UUID) -> str:
    return f"task.{task_id}"


def user_group(user_id: int) -> str:
    return f"user.{user_id}"
