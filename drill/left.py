"""What an attempt may have left behind: processes, work folders, files."""

import os
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tasks_app.models import StepResult, Task
from tasks_app.storage import DRAFTS
from tests.support.programs import Program

from .ground import Ground
from .registry import expect


def group(number: int) -> list[int]:
    """Living processes of a process group."""
    return [pid for pid in psutil.pids() if _is_of(pid, number)]


def child_now(worker: Program) -> int | None:
    """The child that it has at the moment."""
    children = [one for one in worker.children() if _is_of(one.pid, one.pid)]
    return children[0].pid if children else None


def expect_nothing(ground: Ground, task: Task) -> None:
    """Of its attempts, but for files that finished steps name. Raises DrillFailed."""
    ground.wait_until(lambda: not work_folders(ground, task), 60, what="no work folder is left")
    expect(not drafts(ground), f"half-written files are left: {drafts(ground)}")
    named = set(StepResult.objects.filter(task=task).exclude(value_file="").values_list("value_file", flat=True))
    found = result_files(ground, task)
    expect(found == named, f"result files {found}, expected those that its finished steps name: {named}")


def work_folders(ground: Ground, task: Task) -> list[str]:
    return [folder.name for folder in (ground.house.folder / "work").glob(f"{task.pk}-*")]


def drafts(ground: Ground) -> list[str]:
    return [file.name for file in (_store(ground) / DRAFTS).glob("*")]


def result_files(ground: Ground, task: Task) -> set[str]:
    """As rows name them."""
    store = _store(ground)
    return {str(file.relative_to(store)) for file in (store / "results" / str(task.pk)).glob("*.json")}


def _store(ground: Ground) -> Path:
    return ground.house.folder / "files"


def _is_of(pid: int, number: int) -> bool:
    try:
        return os.getpgid(pid) == number and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (ProcessLookupError, PermissionError, psutil.Error):
        return False
