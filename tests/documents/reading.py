"""Reads bytes as a document, in this process, with limits that no test but one about limits meets."""

from pathlib import Path

from tasks_app.documents.extract import extract
from tasks_app.documents.limits import ReadLimits
from tasks_app.documents.pages import Extracted
from tasks_app.documents.ranges import Ranges

LIMITS = ReadLimits(max_pages=2000, max_characters=20_000_000, memory_bytes=1024**3)


def read(
    folder: Path,
    data: bytes,
    media_type: str,
    *,
    ranges: Ranges | None = None,
    password: str = "",
    limits: ReadLimits = LIMITS,
) -> Extracted:
    path = folder / "document"
    path.write_bytes(data)
    return extract(path, media_type=media_type, ranges=ranges or [], password=password, limits=limits)
