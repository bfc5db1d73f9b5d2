"""The program that reads one document: `python -m tasks_app.documents.reader`. Started by `reading.py`.

A parser that a hostile file takes over, fills with memory or sends into a loop ends with this program. It knows no
settings and no database, and its request comes by stdin, so that a password stands in no list of processes.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from .errors import DocumentError, ReaderOutOfMemory, Unreadable
from .extract import extract
from .limits import ReadLimits
from .pages import Extracted
from .transport import write_result

PR_SET_PDEATHSIG = 1
OPEN_FILES = 64
# Of one character of text as JSON in UTF-8: a control character is \u001f. The rest is for all that is no text.
BYTES_OF_A_CHARACTER = 6
BYTES_BESIDES = 16 * 2**20


def main() -> None:
    # A service manager sends its signal to all processes; whoever started this one decides when it goes.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    request = json.load(sys.stdin)
    limits = ReadLimits(**request["limits"])
    _end_with_parent(request["parent"])
    _bound(limits, seconds=request["seconds"])
    result = Path(request["result"])
    try:
        write_result(result, _read(request, limits))
    except MemoryError:
        write_result(result, ReaderOutOfMemory(limit=limits.memory_bytes))


def _read(request: dict[str, Any], limits: ReadLimits) -> Extracted | DocumentError:
    """Raises MemoryError, and ImportError where a library is missing: that is no fault of the document."""
    try:
        return extract(
            Path(request["path"]),
            media_type=request["media_type"],
            ranges=[(first, last) for first, last in request["ranges"]],
            password=request["password"],
            limits=limits,
        )
    except DocumentError as error:
        return error
    except (MemoryError, ImportError):
        raise
    except Exception:
        # Whatever a parser's library raises on a file that it does not understand: the log tells, people are told less.
        traceback.print_exc()
        return Unreadable()


def _end_with_parent(parent: int) -> None:
    """Hazard: the kernel follows the parent's *thread* that started us; that one waits for us."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def _bound(limits: ReadLimits, *, seconds: int) -> None:
    """Processor time, output and open files; memory where the kernel can (macOS cannot)."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, limits.max_characters * BYTES_OF_A_CHARACTER + BYTES_BESIDES)
    if sys.platform == "linux":
        _limit(resource.RLIMIT_AS, limits.memory_bytes)


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
    # Processor time: SIGXCPU at the first, SIGKILL at the second, which a parser cannot put off.
    resource.setrlimit(which, (lowered, lowered + (which == resource.RLIMIT_CPU and lowered == value)))


if __name__ == "__main__":
    main()
