"""The kernel's out-of-memory killer: whom it shall take, and whether it struck.

It sends SIGKILL without a word, like anybody who kills a program from outside; only its counters tell.
"""

from contextlib import suppress
from pathlib import Path

from .cgroup import ROOT, cgroup_of, figure, own_cgroup

OWN_SCORE = Path("/proc/self/oom_score_adj")
# Added to what the child was given with its start; the kernel knows -1000 to 1000.
PREFERENCE = 500
HIGHEST = 1000


def offer_this_process() -> None:
    """Where memory ends, the child and what it starts are taken before its worker, Redis and the web (Linux)."""
    # Nowhere else is there such a file, and a guarded container lets nobody write it.
    with suppress(OSError):
        OWN_SCORE.write_text(str(min(HIGHEST, int(OWN_SCORE.read_text()) + PREFERENCE)))


class OomKills:
    """The counters as they were before an attempt."""

    def __init__(self, pid: int | None = None, *, root: Path = ROOT) -> None:
        """`pid`: of the child, where it may be in another control group than its worker."""
        self._root = root
        # Kept: when the child is dead, nothing tells where it was.
        self._cgroup = own_cgroup(root) if pid is None else cgroup_of(pid, root=root)
        self._before = self._count()

    def happened(self) -> bool:
        """Whether it has killed a process since, in the child's group; in the machine where groups are not counted."""
        return self._count() > self._before

    def _count(self) -> int:
        in_group = self._cgroup.oom_kills() if self._cgroup else None
        if in_group is not None:
            return in_group
        return figure(self._root / "proc/vmstat", "oom_kill") or 0
