"""While one develops: which files make up the code, and whether they have changed since the child was started."""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

# (time of the last change in ns, bytes) of each file.
type Stamps = dict[str, tuple[int, int]]

LIBRARIES = {"site-packages", "dist-packages"}
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def own_folders() -> list[str]:
    """Folders that hold the code of this process: its own modules, not Python's and not those of libraries.

    Folders and not files: a module may be new, or not loaded because it is broken. Of a package the outermost one.
    """
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    places = {os.path.dirname(file) for file in files if file} | {entry or "." for entry in sys.path}  # noqa: PTH120
    folders = {Path(place).resolve() for place in places}
    return sorted({str(_outermost(folder)) for folder in folders if folder.is_dir() and _is_own(folder)})


def _is_own(folder: Path) -> bool:
    return not (LIBRARIES.intersection(folder.parts) or folder.is_relative_to(STANDARD_LIBRARY))


def _outermost(folder: Path) -> Path:
    return _outermost(folder.parent) if (folder.parent / "__init__.py").is_file() else folder


class Code:
    """The modules in some folders, as they were when the child was started."""

    def __init__(self, folders: Iterable[str] = ()) -> None:
        self._folders = set(folders)
        self._stamps: Stamps = {}

    def mark(self) -> None:
        """Remember how they are now: before a child loads them, so that no change falls between."""
        self._stamps = _stamps(self._folders)

    def add(self, folders: Iterable[str]) -> None:
        """Watch these too: the child has modules there."""
        new = set(folders) - self._folders
        self._folders |= new
        self._stamps |= _stamps(new)

    def has_changed(self) -> bool:
        """Whether a module was changed, added or removed since the mark."""
        return _stamps(self._folders) != self._stamps


def _stamps(folders: Iterable[str]) -> Stamps:
    return {path: stamp for folder in folders for path in _modules(folder) if (stamp := _stamp(path))}


def _modules(folder: str) -> Iterator[str]:
    for place, inner, names in os.walk(folder):
        if "__init__.py" not in names:
            # What lies below is no part of a package: another program, an environment, data.
            inner.clear()
        # Hidden ones are an editor's.
        yield from (f"{place}/{name}" for name in names if name.endswith(".py") and not name.startswith("."))


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        # It went away this moment.
        return None
    return found.st_mtime_ns, found.st_size
