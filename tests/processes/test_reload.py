"""Where it is switched on, a worker takes up changed code without being started again."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from project.launch.manager import environment
from tasks_app.models import Worker
from tasks_app.processes.keeper import Keeper
from tasks_app.processes.reload import Code, own_folders
from tests.support.programs import PROJECT, Program

from .conftest import Yard
from .test_keeper import Reporting

KINDS = """\
from typing import Any
from django.tasks import task
from tests.support.kinds import note, wait_for

@task(kind="test.{name}", queue_name="gpu", takes_context=True)
def changing(context: Any, *, journal: str, gate: str = "") -> str:
    if gate:
        note(journal, "begun as {line}")
        wait_for(gate)
    return note(journal, "{line}")
"""


# --- The files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "app" / "inner").mkdir(parents=True)
    for name in ("app/__init__.py", "app/tasks.py", "app/inner/__init__.py"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("name", ["app/tasks.py", "app/new.py", "app/inner/new.py", "top.py"])
def test_a_module_that_is_new_or_changed_is_a_change(package: Path, name: str) -> None:
    code = watched(package)
    (package / name).write_text("x = 1")
    assert code.has_changed()
    code.mark()
    assert not code.has_changed()


def test_a_module_that_is_gone_is_a_change(package: Path) -> None:
    code = watched(package)
    (package / "app" / "tasks.py").unlink()
    assert code.has_changed()


@pytest.mark.parametrize("name", ["app/notes.txt", "app/.tasks.py", "data/model.py"])
def test_other_files_are_no_change(package: Path, name: str) -> None:
    code = watched(package)
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("x = 1")
    assert not code.has_changed()


def test_the_folders_are_those_of_ones_own_code() -> None:
    folders = {Path(folder) for folder in own_folders()}
    assert {PROJECT, PROJECT / "project", PROJECT / "tasks_app"} <= folders
    assert not any("site-packages" in folder.parts for folder in folders)
    assert Path(pytest.__file__).parent not in folders
    assert Path(sys.modules["json"].__file__ or "").parent not in folders


def watched(folder: Path) -> Code:
    code = Code([str(folder), str(folder / "app")])
    code.mark()
    return code


# --- The keeper


class Nursery:
    def __init__(self, folder: Path, *children: Reporting) -> None:
        self.children = list(children)
        self.now = 1000.0
        self.keeper = Keeper(start=self._start, clock=lambda: self.now, code=Code([str(folder)]))  # type: ignore[arg-type]

    def _start(self) -> Reporting:
        return self.children[self.keeper.starts]

    def ready(self) -> Any:
        return self.keeper.ready(within=0)


def test_the_idle_child_makes_way_when_the_code_changes(tmp_path: Path) -> None:
    old, new = Reporting({"ready": ["a"]}), Reporting({"ready": ["a", "b"]})
    nursery = Nursery(tmp_path, old, new)
    assert nursery.ready() is nursery.ready() is old
    (tmp_path / "tasks.py").touch()
    assert nursery.ready() is new
    assert old.killed
    assert nursery.keeper.kinds == {"a", "b"}


def test_a_change_while_the_child_starts_is_not_missed(tmp_path: Path) -> None:
    slow, new = Reporting(None, {"ready": ["a"]}), Reporting({"ready": ["b"]})
    nursery = Nursery(tmp_path, slow, new)
    assert nursery.ready() is None
    (tmp_path / "tasks.py").touch()
    assert nursery.ready() is new


def test_folders_that_the_child_reports_are_watched_too(tmp_path: Path) -> None:
    (tmp_path / "late").mkdir()
    report = {"ready": ["a"], "folders": [str(tmp_path / "late")]}
    old, new = Reporting(report), Reporting(report)
    nursery = Nursery(tmp_path, old, new)
    assert nursery.ready() is nursery.ready() is old
    (tmp_path / "late" / "tasks.py").touch()
    assert nursery.ready() is new


def test_broken_code_is_told_once_and_mending_it_waits_for_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = [Reporting({"failed": "SyntaxError: half a line"}) for _ in range(10)]
    new = Reporting({"ready": ["a"]})
    nursery = Nursery(tmp_path, *broken, new)
    for _ in range(10):
        assert nursery.ready() is None
        nursery.now += 61
    assert caplog.text.count("half a line") == 1
    (tmp_path / "tasks.py").touch()
    nursery.now -= 61
    assert nursery.ready() is new


# --- A real worker


@pytest.fixture
def flux(tmp_path: Path, open_yard: Callable[..., Yard]) -> "Flux":
    return Flux(tmp_path / "code", open_yard)


class Flux:
    """A module of kinds that is written while a worker is at work."""

    def __init__(self, folder: Path, open_yard: Callable[..., Yard], **env: str) -> None:
        folder.mkdir()
        self._file = folder / "kinds_in_flux.py"
        self._edits = 0
        self.write(line="old")
        own = {"LONGHAUL_KIND_MODULES": "kinds_in_flux", "PYTHONPATH": str(folder), "LONGHAUL_RELOAD": "1"}
        self.yard = open_yard(**{**own, "LONGHAUL_IDLE_LOOK_SECONDS": "0.5", **env})

    def write(self, *, line: str, name: str = "changing") -> None:
        self.write_text(KINDS.format(name=name, line=line))

    def write_text(self, text: str) -> None:
        self._edits += 1
        # Python takes what it compiled for current when the second and the length are the same.
        self._file.write_text(f"{text}#{'.' * self._edits}\n")

    def worker(self) -> Program:
        return self.yard.house.ready_worker("gpu")

    def line_of_the_next_task(self, kind: str = "changing") -> str:
        self.yard.wait_for(self.yard.submit(kind), "succeeded", 90)
        return self.yard.lines[-1]


pytestmark = pytest.mark.django_db(transaction=True)


def test_the_next_task_uses_the_new_code(flux: Flux) -> None:
    worker = flux.worker()
    assert flux.line_of_the_next_task() == "old"
    flux.write(line="new")
    # It looks before each claim. A task that came between its look and its claim would be the last of the old code.
    flux.yard.house.wait_until(lambda: "the code has changed" in worker.said, 90)
    assert flux.line_of_the_next_task() == "new"


def test_an_attempt_in_hand_goes_on_with_the_code_that_it_began_with(flux: Flux) -> None:
    flux.worker()
    gate = flux.yard.gate()
    task = flux.yard.submit("changing", gate=str(gate))
    flux.yard.wait_for_line("begun as old")
    flux.write(line="new")
    gate.touch()
    flux.yard.wait_for(task, "succeeded")
    assert flux.yard.lines[-1] == "old"
    assert flux.yard.outcomes(task) == ["succeeded"]
    assert flux.line_of_the_next_task() == "new"


def test_a_kind_that_is_renamed_is_noticed_by_an_idle_worker(flux: Flux) -> None:
    worker = flux.worker()
    flux.write(line="old", name="renamed")
    flux.yard.house.wait_until(lambda: "test.renamed" in Worker.objects.get(pid=worker.pid).kinds, 90)
    assert "test.changing" not in Worker.objects.get(pid=worker.pid).kinds
    assert flux.line_of_the_next_task("renamed") == "old"


def test_a_broken_module_is_told_once_and_taken_up_again_when_it_is_mended(flux: Flux) -> None:
    worker = flux.worker()
    flux.write_text("def half(\n")
    flux.yard.house.wait_until(lambda: "SyntaxError" in worker.said, 90)
    task = flux.yard.submit("changing")
    # Until it has tried once more of itself.
    flux.yard.house.wait_until(lambda: Worker.objects.get(pid=worker.pid).child_restarts >= 2, 90)
    task.refresh_from_db()
    assert task.attempt == 0
    assert worker.said.count("SyntaxError") == 1
    flux.write(line="mended")
    flux.yard.wait_for(task, "succeeded", 90)
    assert flux.yard.lines == ["mended"]
    assert flux.yard.outcomes(task) == ["succeeded"]


def test_a_worker_in_production_takes_nothing_up(tmp_path: Path, open_yard: Callable[..., Yard]) -> None:
    flux = Flux(tmp_path / "code", open_yard, LONGHAUL_RELOAD="")
    flux.worker()
    flux.write(line="new")
    assert [flux.line_of_the_next_task() for _ in range(2)] == ["old", "old"]


def test_make_run_switches_it_on_where_the_environment_does_not_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LONGHAUL_RELOAD", raising=False)
    assert environment()["LONGHAUL_RELOAD"] == "1"
    monkeypatch.setenv("LONGHAUL_RELOAD", "0")
    assert environment()["LONGHAUL_RELOAD"] == "0"
