"""Trees of control groups as the kernel would show them, below a folder of the test's own."""

from collections.abc import Iterable
from pathlib import Path


class Tree:
    def __init__(self, root: Path, *, version: int) -> None:
        self.root = root
        self._version = version
        self._mount = root / "sys/fs/cgroup" / ("memory" if version == 1 else "")
        self.vmstat(0)
        self.group("/")

    def join(self, pid: int | str, path: str) -> None:
        """`pid`: "self" is the worker."""
        lines = {1: f"5:cpu:/elsewhere\n4:memory:{path}\n0::/\n", 2: f"0::{path}\n"}
        self._write(self.root / f"proc/{pid}/cgroup", lines[self._version])

    def group(
        self, path: str, *, held: int = 0, at_hand: int = 0, oom_kills: int = 0, pids: Iterable[int] = ()
    ) -> None:
        folder = self._mount / path.lstrip("/")
        self._write(folder / "cgroup.procs", "".join(f"{pid}\n" for pid in pids))
        if self._version == 1:
            self._write(folder / "memory.usage_in_bytes", f"{held}\n")
            self._write(folder / "memory.stat", f"inactive_file 1\ntotal_inactive_file {at_hand}\n")
            self._write(folder / "memory.oom_control", f"oom_kill_disable 0\nunder_oom 0\noom_kill {oom_kills}\n")
        else:
            self._write(folder / "memory.current", f"{held}\n")
            self._write(folder / "memory.stat", f"anon 1\ninactive_file {at_hand}\n")
            self._write(folder / "memory.events", f"low 0\noom 9\noom_kill {oom_kills}\noom_group_kill 0\n")

    def uncount(self, path: str) -> None:
        """As the root of version 2 and old kernels have it: no counter of kills."""
        for name in ("memory.oom_control", "memory.events"):
            (self._mount / path.lstrip("/") / name).unlink(missing_ok=True)

    def vmstat(self, oom_kills: int) -> None:
        self._write(self.root / "proc/vmstat", f"nr_free_pages 7\noom_kill {oom_kills}\n")

    @staticmethod
    def _write(file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
