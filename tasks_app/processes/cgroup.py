"""The control group that bounds a process's memory (Linux): what it holds, and what the kernel killed in it.

Version 2 is one tree below `/sys/fs/cgroup`; version 1 has a tree of its own for memory. Where both are mounted,
memory is bounded by version 1.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Tests bring a tree of their own.
ROOT = Path("/")


@dataclass(frozen=True, slots=True)
class Cgroup:
    """`folder`: its figures, as files. Every figure is None where the kernel tells none."""

    folder: Path
    is_first_version: bool

    def held_bytes(self) -> int | None:
        """What its processes hold, less the files that the kernel only keeps at hand."""
        name = "memory.usage_in_bytes" if self.is_first_version else "memory.current"
        used = _number(_text(self.folder / name))
        if used is None:
            return None
        at_hand = "total_inactive_file" if self.is_first_version else "inactive_file"
        return max(0, used - (self._figure("memory.stat", at_hand) or 0))

    def oom_kills(self) -> int | None:
        """How many of its processes the kernel has killed for want of memory, here or in the whole machine."""
        return self._figure("memory.oom_control" if self.is_first_version else "memory.events", "oom_kill")

    def pids(self) -> list[int]:
        return [int(pid) for pid in _text(self.folder / "cgroup.procs").split()]

    def _figure(self, file: str, name: str) -> int | None:
        return figure(self.folder / file, name)


def cgroup_of(pid: int | str, *, root: Path = ROOT) -> Cgroup | None:
    """None where there is none, or none that we can see."""
    lines = [line.split(":", 2) for line in _text(root / f"proc/{pid}/cgroup").splitlines()]
    mount = root / "sys/fs/cgroup"
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return _existing(mount / "memory", path, is_first_version=True)
    for number, _, path in lines:
        if number == "0":
            return _existing(mount, path, is_first_version=False)
    return None


@cache
def own_cgroup(root: Path = ROOT) -> Cgroup | None:
    """Of this process, which nobody moves to another while it works."""
    return cgroup_of("self", root=root)


def figure(file: Path, name: str) -> int | None:
    """A figure of a file with a name and a number on each line."""
    for line in _text(file).splitlines():
        found, _, value = line.partition(" ")
        if found == name:
            return _number(value)
    return None


def _existing(mount: Path, path: str, *, is_first_version: bool) -> Cgroup | None:
    # A container may see its own group as the root of the tree, and be told its path in the host's.
    folders = (mount / path.lstrip("/"), mount)
    found = next((folder for folder in folders if (folder / "cgroup.procs").is_file()), None)
    return Cgroup(found, is_first_version) if found else None


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
