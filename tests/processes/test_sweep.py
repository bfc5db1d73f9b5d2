"""Work folders of killed workers go; those of attempts that own their task stay."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tasks_app.lifecycle.ending import Ending
from tasks_app.lifecycle.ends import end
from tasks_app.models import AttemptRef, Outcome, Worker
from tasks_app.processes import sweep
from tasks_app.processes.sweep import sweep_work_folders
from tasks_app.work.files import work_folder
from tests.support.rows import make_task, start


@pytest.fixture(autouse=True)
def var(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path


def make_folder(ref: AttemptRef) -> Path:
    folder = work_folder(ref)
    folder.mkdir(parents=True)
    (folder / "document").write_text("half of it")
    return folder


def test_only_folders_whose_attempt_owns_its_task_stay(user: Any, worker: Worker) -> None:
    running, ended = (start(make_task(user), worker).ref for _ in range(2))
    end(ended, Ending(outcome=Outcome.LOST))
    waiting = make_task(user)
    deleted = AttemptRef(uuid4(), 1)
    earlier = AttemptRef(running.task_id, running.number + 1)
    gone = [make_folder(ref) for ref in (ended, waiting.ref, deleted, earlier)]
    kept = make_folder(running)
    assert sweep_work_folders() == 4
    assert not any(folder.exists() for folder in gone)
    assert (kept / "document").exists()
    assert sweep_work_folders() == 0


def test_a_folder_that_is_made_while_it_sweeps_stays(
    user: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch, var: Path
) -> None:
    old = make_folder(AttemptRef(uuid4(), 1))
    made: list[Path] = []

    def folders() -> dict[AttemptRef, Path]:
        listed = real()
        made.append(make_folder(start(make_task(user), worker).ref))
        return listed

    real = sweep._folders
    monkeypatch.setattr(sweep, "_folders", folders)
    assert sweep_work_folders() == 1
    assert not old.exists()
    assert made[0].exists()


@pytest.mark.django_db
def test_what_is_no_work_folder_is_left_alone_and_a_missing_place_is_fine(var: Path) -> None:
    assert sweep_work_folders() == 0
    strange = [var / "work" / name for name in ("notes", f"{uuid4()}", f"{uuid4()}-x", f"..{uuid4()}-1")]
    for folder in strange:
        folder.mkdir(parents=True)
    assert sweep_work_folders() == 0
    assert all(folder.exists() for folder in strange)


@pytest.mark.django_db
def test_one_sweep_is_bounded(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "AT_ONCE", 3)
    for _ in range(5):
        make_folder(AttemptRef(uuid4(), 1))
    assert [sweep_work_folders() for _ in range(3)] == [3, 2, 0]
