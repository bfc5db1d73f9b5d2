"""A second look, by pypdf, at pages of which pdfium shows nothing: does their content say why?"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject

from tasks_app.text import one_line, shorten

# What PDF allows around the operators of a page; Crypt is part of an encrypted file.
FILTERS = {
    *("/FlateDecode", "/Fl", "/LZWDecode", "/LZW", "/ASCIIHexDecode", "/AHx"),
    *("/ASCII85Decode", "/A85", "/RunLengthDecode", "/RL", "/Crypt"),
}
DAMAGED = "could not be read: its content is damaged"
# Of processor time, for all pages together: the look is a courtesy, and pypdf can loop.
SECONDS = 5
AGAIN_SECONDS = 0.2


class _TimeUp(BaseException):
    """Not an Exception: pypdf swallows many of those."""


def content_faults(path: Path, numbers: list[int], *, password: str) -> dict[int, str]:
    """By page number, what is wrong with the content, for people; nothing of a page where nothing is seen."""
    faults: dict[int, str] = {}
    # pypdf raises whatever comes: RecursionError, AttributeError, NotImplementedError and classes of its own.
    with suppress(Exception, _TimeUp), _processor_time(SECONDS) as is_up:
        reader = PdfReader(path, strict=False, password=password or None)
        for number in numbers:
            if is_up.is_set():
                break
            with suppress(Exception):
                if fault := next(_faults(reader.pages[number - 1]), None):
                    faults[number] = fault
    return faults


def _faults(page: Any) -> Iterator[str]:
    contents = page["/Contents"].get_object()
    for stream in contents if isinstance(contents, ArrayObject) else [contents]:
        yield from _faults_of_stream(stream.get_object())


def _faults_of_stream(stream: Any) -> Iterator[str]:
    named = stream.get("/Filter", [])
    names = [str(name) for name in (named if isinstance(named, list) else [named])]
    strange = [name for name in names if name not in FILTERS]
    if strange:
        yield f"could not be read: unsupported filter {shorten(one_line(strange[0]), 40)}"
    # pypdf keeps the length nowhere else.
    elif stream._data and not _decodes(stream):
        yield DAMAGED


def _decodes(stream: Any) -> bool:
    try:
        return bool(stream.get_data())
    except Exception:
        return False


@contextmanager
def _processor_time(seconds: float) -> Iterator[Event]:
    """Raises _TimeUp inside after so much of it, and sets what it yields. Main thread only."""
    is_up = Event()

    def stop(_signum: int, _frame: FrameType | None) -> None:
        is_up.set()
        raise _TimeUp

    before = signal.signal(signal.SIGVTALRM, stop)
    # Again and again, and a flag besides: what is raised inside a finaliser is lost.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECONDS)
    try:
        yield is_up
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
