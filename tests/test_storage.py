"""Files in the store are whole, and what was begun and never finished goes away."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from tasks_app.exceptions import AttemptTimeUp
from tasks_app.storage import DRAFTS, remove_drafts_of, sweep_drafts


@pytest.fixture(autouse=True)
def store(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


def drafts(store: Path) -> list[str]:
    return sorted(draft.name for draft in (store / DRAFTS).iterdir())


def draft_of(host: str, pid: int, store: Path) -> str:
    (store / DRAFTS).mkdir(exist_ok=True)
    draft = store / DRAFTS / f"{host}.{pid}.unique"
    draft.touch()
    return draft.name


class TornOff(ContentFile):  # type: ignore[type-arg]
    """Content whose reading is interrupted."""

    def chunks(self, chunk_size: int | None = None) -> Any:
        yield b"half"
        raise AttemptTimeUp


def test_a_saved_file_is_in_its_place_and_leaves_no_draft(store: Path) -> None:
    name = default_storage.save("results/one/0-1.json", ContentFile(b"whole"))
    assert (store / name).read_bytes() == b"whole"
    assert drafts(store) == []


def test_a_write_that_is_interrupted_leaves_nothing(store: Path) -> None:
    with pytest.raises(AttemptTimeUp):
        default_storage.save("results/one/0-1.json", TornOff(b"half, whole"))
    assert [path for path in store.rglob("*") if path.is_file()] == []


def test_of_a_killed_process_the_drafts_are_removed_and_of_nobody_else(store: Path) -> None:
    host = os.uname().nodename
    ours, of_another, elsewhere = (draft_of(*whose, store) for whose in ((host, 4711), (host, 4712), ("else", 4711)))
    remove_drafts_of(4711)
    assert drafts(store) == sorted([of_another, elsewhere])
    assert ours not in drafts(store)


def test_a_sweep_removes_what_dead_processes_of_this_machine_left(store: Path) -> None:
    host = os.uname().nodename
    dead = subprocess.Popen(["true"])
    dead.wait()
    draft_of(host, dead.pid, store)
    left = sorted([draft_of(host, os.getpid(), store), draft_of("else", dead.pid, store)])
    assert sweep_drafts() == 1
    assert drafts(store) == left


def test_nothing_was_ever_stored(store: Path) -> None:
    assert sweep_drafts() == 0
