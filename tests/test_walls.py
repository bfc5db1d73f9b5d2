"""The import walls: what each room may know. Parsed, not imported, so that a lazy import is seen too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "tasks_app"
# Known to all: they know nobody.
FLOOR = {"exceptions", "text", "conf", "signals", "storage", "redis_link"}
ROOMS: dict[str, set[str]] = {
    "models": set(),
    "lifecycle": {"models"},
    "documents": set(),
    "endpoint": set(),
    "work": {"models", "lifecycle", "endpoint"},
    "kinds": {"models", "lifecycle", "work", "endpoint", "documents", "monitoring"},
    "processes": {"models", "lifecycle", "work", "kinds", "monitoring"},
    "schedules": {"models", "lifecycle", "kinds"},
    "monitoring": {"models", "lifecycle"},
    "presentation": {"models", "lifecycle", "documents", "monitoring"},
    "realtime": {"models", "presentation"},
    "web": {"models", "lifecycle", "presentation", "kinds", "documents"},
    "api": {"models", "lifecycle", "presentation", "kinds", "documents", "monitoring"},
    "admin": {"models", "lifecycle", "kinds", "schedules", "monitoring"},
    "migrations": {"models"},
    "management": {"models", "endpoint", "lifecycle"},
}
# Libraries that one room alone may know.
ONLY = {
    "rq": {"processes"},
    "rq_scheduler": {"processes"},
    "django_rq": {"processes"},
    "channels": {"realtime"},
    "channels_redis": {"realtime"},
    "openai": {"endpoint"},
    "xllamacpp": {"endpoint"},
    "pypdfium2": {"documents"},
    "pypdf": {"documents"},
    "lxml": {"documents"},
    "semantic_text_splitter": {"documents"},
    "cryptography": {"work"},
    "ninja": {"api"},
    "cronsim": {"schedules"},
    "prometheus_client": {"monitoring"},
}
# Words that the pure rooms must not know at all.
NEVER = {
    "lifecycle": {"redis", "django.http", "django.forms", "asgiref"},
    "models": {"redis", "django.http", "django.forms"},
    "endpoint": {"django.db"},
    "documents": {"django.db"},
}


def imports(path: Path) -> Iterator[str]:
    """Full dotted names, relative ones resolved."""
    package = ["tasks_app", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, node.module] if node.module else base)
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def modules_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def test_every_room_is_listed() -> None:
    assert {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may_know(room: str) -> None:
    allowed = ROOMS[room] | FLOOR | {room}
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules_of(room)
        for name in imports(path)
        if name.startswith("tasks_app.") and name.split(".")[1] not in allowed
    ]
    assert wrong == []


def test_the_helper_for_tests_stands_outside() -> None:
    """It carries tasks out as a worker does, so it knows what a worker knows, but for processes; nobody knows it."""
    allowed = {"models", "lifecycle", "work", "kinds"} | FLOOR
    known = {name.split(".")[1] for name in imports(ROOT / "testing.py") if name.startswith("tasks_app.")}
    assert known <= allowed
    others = [path for path in ROOT.rglob("*.py") if path.name != "testing.py"]
    assert [path for path in others if any(name.startswith("tasks_app.testing") for name in imports(path))] == []


def test_the_product_knows_nothing_of_what_tries_it_out() -> None:
    outside = {"tests", "bench", "drill"}
    known = {name.split(".")[0] for path in ROOT.rglob("*.py") for name in imports(path)}
    assert known & outside == set()


@pytest.mark.parametrize("library", ONLY)
def test_a_library_is_known_to_its_room_alone(library: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(ROOT.rglob("*.py"))
        for name in imports(path)
        if name.split(".")[0] == library and path.relative_to(ROOT).parts[0] not in ONLY[library]
    ]
    assert wrong == []


@pytest.mark.parametrize("room", NEVER)
def test_the_pure_rooms_know_neither_process_nor_page(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules_of(room)
        for name in imports(path)
        if any(name == word or name.startswith(f"{word}.") for word in NEVER[room])
    ]
    assert wrong == []


def test_only_lifecycle_writes_a_status() -> None:
    """`status=` in an update or a create of a task, anywhere else, is a second writer."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] in {"lifecycle", "migrations"}:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                writes = node.func.attr in {"update", "create", "save", "bulk_update"}
                if writes and any(keyword.arg == "status" for keyword in node.keywords):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []
