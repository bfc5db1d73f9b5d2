"""A child that the kernel killed for want of memory is told from one that somebody killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks_app.processes.cgroup import own_cgroup
from tasks_app.processes.oom import OomKills
from tests.support.cgroups import Tree
from tests.support.programs import PROJECT


@pytest.fixture(params=[1, 2])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    """The worker is in the group /worker."""
    tree = Tree(tmp_path, version=request.param)
    tree.join("self", "/worker")
    tree.group("/worker", oom_kills=3)
    return tree


def test_a_kill_in_the_workers_group_happened_and_an_earlier_one_did_not(tree: Tree) -> None:
    kills = OomKills(root=tree.root)
    assert not kills.happened()
    tree.group("/worker", oom_kills=4)
    assert kills.happened()
    assert not OomKills(root=tree.root).happened()


def test_a_kill_elsewhere_in_the_machine_is_not_the_childs(tree: Tree) -> None:
    kills = OomKills(root=tree.root)
    tree.group("/another", oom_kills=1)
    tree.vmstat(1)
    assert not kills.happened()


def test_the_group_of_a_child_that_is_gone_is_remembered(tree: Tree) -> None:
    tree.join(4711, "/worker/child")
    tree.group("/worker/child")
    kills = OomKills(4711, root=tree.root)
    (tree.root / "proc/4711/cgroup").unlink()
    tree.group("/worker/child", oom_kills=1)
    assert kills.happened()


def test_a_group_that_counts_no_kills_is_asked_of_the_whole_machine(tree: Tree) -> None:
    tree.uncount("/worker")
    kills = OomKills(root=tree.root)
    assert not kills.happened()
    tree.vmstat(1)
    assert kills.happened()


def test_a_container_that_is_told_its_path_on_the_host_finds_its_group_at_the_root(tree: Tree) -> None:
    tree.join("self", "/docker/0123456789abcdef")
    kills = OomKills(root=tree.root)
    tree.group("/", oom_kills=1)
    assert kills.happened()


def test_a_machine_that_counts_nothing_knows_of_no_kill(tmp_path: Path) -> None:
    assert not OomKills(root=tmp_path).happened()


def test_this_machine_is_read_without_error() -> None:
    assert not OomKills().happened()
    assert not OomKills(os.getpid()).happened()
    cgroup = own_cgroup()
    assert cgroup is None or cgroup.folder.is_dir()


OFFER = """
from tasks_app.processes.oom import OWN_SCORE, offer_this_process
print(OWN_SCORE.read_text() if OWN_SCORE.exists() else "0")
offer_this_process()
print(OWN_SCORE.read_text() if OWN_SCORE.exists() else "500")
"""


def test_a_child_is_taken_before_others() -> None:
    said = subprocess.run([sys.executable, "-c", OFFER], cwd=PROJECT, capture_output=True, text=True, check=True)
    before, after = (int(score) for score in said.stdout.split())
    assert after == min(1000, before + 500)
