"""Reads a document in a program of its own, so that a hostile file ends that program and no worker."""

import logging
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import ceil
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from django.conf import settings

from tasks_app.exceptions import AttemptTimeUp

from .errors import ReaderCrashed, ReaderFailed, ReaderOutOfMemory, ReaderTooSlow, Unreadable
from .limits import ReadLimits
from .pages import Extracted
from .ranges import Ranges
from .reader_program import End, perform
from .transport import Malformed, read_result

logger = logging.getLogger(__name__)

# So a program ends by what it does itself, or because we or the kernel (out of memory) end it.
CRASHES = {signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS}


def read_document(
    path: Path,
    *,
    media_type: str,
    workdir: Path,
    ranges: Ranges | None = None,
    password: str = "",
    seconds: float,
    keep_going: Callable[[], None],
) -> Extracted:
    """The pages asked for, at least one with text.

    `workdir`: for a draft, which is removed. `keep_going` is called about twice a second and may raise: the program
    is killed and the error passed on. `seconds`: what the attempt has left.
    Raises a DocumentError for all that is the document's fault, a program that crashed on it or took too much
    memory or time included; ReaderFailed where it is the machine's; AttemptTimeUp; FileNotFoundError.
    """
    path.stat()
    limits = _limits()
    allowed = settings.LONGHAUL_READER_SECONDS
    request = {
        "path": str(path.absolute()),
        "media_type": media_type,
        "ranges": ranges or [],
        "password": password,
        "limits": asdict(limits),
        "seconds": ceil(allowed),
        "parent": os.getpid(),
    }
    with _draft(workdir) as draft:
        end = perform(
            {**request, "result": draft.name}, until=monotonic() + min(seconds, allowed), keep_going=keep_going
        )
        _log(end, path)
        if end.code is None and seconds <= allowed:
            raise AttemptTimeUp
        _judge(end, memory=limits.memory_bytes, seconds=allowed)
        return _result(draft)


def _limits() -> ReadLimits:
    return ReadLimits(
        max_pages=settings.LONGHAUL_MAX_PAGES,
        max_characters=settings.LONGHAUL_MAX_DOCUMENT_CHARACTERS,
        memory_bytes=settings.LONGHAUL_READER_MEMORY_BYTES,
    )


@contextmanager
def _draft(workdir: Path) -> Iterator[BinaryIO]:
    """An empty file, open for reading, that is gone afterwards. Its `name` is its absolute path."""
    handle, name = tempfile.mkstemp(dir=workdir.absolute(), prefix="reader-", suffix=".jsonl")
    os.close(handle)
    try:
        # Before the program starts: what it may put in the file's place is not read.
        with Path(name).open("rb") as draft:
            yield draft
    finally:
        Path(name).unlink(missing_ok=True)


def _log(end: End, path: Path) -> None:
    if end.code != 0 or end.said:
        level = logging.WARNING if end.code else logging.INFO
        logger.log(level, "The reader of %s ended with %s. It said: %s", path, end.code, end.said or "nothing")


def _judge(end: End, *, memory: int, seconds: float) -> None:
    """Raises unless the program came to its regular end. `memory`: bytes."""
    if end.code == 0:
        return
    if end.code is None or end.code == -signal.SIGXCPU:
        raise ReaderTooSlow(limit=seconds)
    if end.code == -signal.SIGABRT:
        # So pdfium ends where it gets no memory; Python raises MemoryError, which the program reports itself.
        raise ReaderOutOfMemory(limit=memory)
    if -end.code in CRASHES:
        raise ReaderCrashed
    # Any other signal came from outside, as from a service manager that stops all programs.
    raise ReaderFailed


def _result(draft: BinaryIO) -> Extracted:
    try:
        return read_result(draft)
    except Malformed as error:
        logger.warning("The reader's result is not in order: %s", error)
        raise Unreadable from error
