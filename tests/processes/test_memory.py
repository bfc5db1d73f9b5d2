"""What a child holds is measured with all that it started, once each."""

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tasks_app.processes.cgroup import own_cgroup
from tasks_app.processes.memory import MemoryLimit, child_cgroup, held_bytes, session_bytes, shared_once_bytes
from tests.support.cgroups import Tree

MEGABYTE = 1024 * 1024
# Says that it is there, and ends with its input.
HOLDS = "import sys; kept = bytearray(b'x') * (int(sys.argv[1]) << 20); print('ready', flush=True); sys.stdin.read()"
STARTS = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
SHARES = f"""
import mmap, os, sys
kept = mmap.mmap(-1, 60 * {MEGABYTE}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
kept.write(b"x" * len(kept))
for _ in range(3):
    if not os.fork():
        sum(kept[::{mmap.PAGESIZE}])
        sys.stdin.read()
        os._exit(0)
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def program(*arguments: str) -> Iterator[int]:
    """In a session of its own, as a child is; its process id, once it holds what it is to hold."""
    with subprocess.Popen(
        [sys.executable, "-c", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        assert started.stdout
        assert started.stdout.readline() == "ready\n"
        yield started.pid
        assert started.stdin
        started.stdin.close()


def test_a_child_alone_is_measured_as_its_resident_set() -> None:
    with program(HOLDS, "50") as pid:
        resident = psutil.Process(pid).memory_info().rss
        assert session_bytes(pid) == pytest.approx(resident, rel=0.05)
        assert held_bytes(pid) > 50 * MEGABYTE


def test_what_the_child_started_counts_with_it() -> None:
    with program(STARTS, sys.executable, "-c", HOLDS, "80") as pid:
        assert psutil.Process(pid).memory_info().rss < 80 * MEGABYTE
        assert MemoryLimit(80 * MEGABYTE).exceeded(pid)
        assert MemoryLimit(300 * MEGABYTE).exceeded(pid) is None


def test_nobody_elses_memory_counts() -> None:
    with ExitStack() as stack:
        pid = stack.enter_context(program(HOLDS, "1"))
        stack.enter_context(program(HOLDS, "80"))
        assert held_bytes(pid) < 80 * MEGABYTE


def test_what_forks_share_counts_once_for_the_limit() -> None:
    with program(SHARES) as pid:
        assert session_bytes(pid) > 240 * MEGABYTE
        assert 60 * MEGABYTE < shared_once_bytes(pid) < 120 * MEGABYTE
        assert MemoryLimit(150 * MEGABYTE).exceeded(pid) is None
        exceeded = MemoryLimit(50 * MEGABYTE).exceeded(pid)
        assert exceeded is not None
        assert 60 * MEGABYTE < exceeded < 120 * MEGABYTE


def test_a_child_that_is_gone_exceeds_nothing() -> None:
    with program(HOLDS, "1") as pid:
        pass
    assert MemoryLimit(1).exceeded(pid) is None


@pytest.fixture(params=[1, 2])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    """The worker is in the group /worker; so is the child, which is this process, until a test moves it."""
    tree = Tree(tmp_path, version=request.param)
    tree.group("/worker", held=900 * MEGABYTE, pids=[os.getpid()])
    tree.join("self", "/worker")
    return tree


def test_the_child_in_a_group_of_its_own_is_measured_by_the_kernel(tree: Tree) -> None:
    with program(HOLDS, "1") as pid:
        tree.join(pid, "/worker/child")
        tree.group("/worker/child", held=500 * MEGABYTE, at_hand=100 * MEGABYTE, pids=[pid])
        limit = MemoryLimit(300 * MEGABYTE, root=tree.root)
        assert limit.exceeded(pid) == 400 * MEGABYTE
        # Files that the kernel only keeps at hand are nobody's fault.
        tree.group("/worker/child", held=500 * MEGABYTE, at_hand=300 * MEGABYTE, pids=[pid])
        assert limit.exceeded(pid) is None


def test_the_workers_own_group_and_one_with_others_in_it_measure_no_child(tree: Tree) -> None:
    with program(HOLDS, "1") as pid:
        limit = MemoryLimit(300 * MEGABYTE, root=tree.root)
        tree.join(pid, "/worker")
        assert limit.exceeded(pid) is None
        tree.join(pid, "/all-children")
        tree.group("/all-children", held=900 * MEGABYTE, pids=[pid, os.getpid()])
        assert limit.exceeded(pid) is None


def test_a_group_that_cannot_be_seen_measures_nothing(tree: Tree) -> None:
    with program(HOLDS, "1") as pid:
        tree.join(pid, "/of/the/host")
        assert child_cgroup(pid, root=tree.root) is None


def test_the_control_group_of_this_machine_is_read_where_there_is_one() -> None:
    with program(HOLDS, "1") as pid:
        # It was born into ours.
        assert child_cgroup(pid) is None
    cgroup = own_cgroup()
    if cgroup is None or (held := cgroup.held_bytes()) is None:
        # The whole machine is one group, whose memory nobody counts.
        assert cgroup is None or cgroup.folder in {Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory")}
        return
    assert os.getpid() in cgroup.pids()
    assert held > psutil.Process().memory_full_info().uss / 2
