"""The reader program from outside: start it, wait for its end, never longer than agreed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import Any

LOOK_SECONDS = 0.5
# Between the end of what it says and its own end.
END_SECONDS = 2
# Of what it says on stderr: as much is kept, the latest.
SAID_BYTES = 8192
ROOT = Path(__file__).parents[2]
# No key and no address of ours is any business of a program that a hostile file may take over.
PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True, slots=True)
class End:
    """`code`: as `subprocess` has it, below 0 for a signal; None: it was killed because the time was up."""

    code: int | None
    said: str


def perform(request: dict[str, Any], *, until: float, keep_going: Callable[[], None]) -> End:
    """`until`: a moment of the monotonic clock. When `keep_going` raises, the program is killed and it is passed on."""
    said = bytearray()
    with _started() as program:
        _tell(program, request)
        in_time = _listen(program, said, until=until, keep_going=keep_going)
        if in_time:
            with suppress(subprocess.TimeoutExpired):
                program.wait(END_SECONDS)
    return End(program.returncode if in_time else None, said.decode(errors="replace").strip())


@contextmanager
def _started() -> Iterator[subprocess.Popen[bytes]]:
    """It stays in our process group: who kills the group kills it too."""
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", f"{__package__}.reader"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def _tell(program: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
    assert program.stdin
    # It may be dead already; its end will say so.
    with suppress(BrokenPipeError), program.stdin as stdin:
        stdin.write(json.dumps(request).encode())


def _listen(program: subprocess.Popen[bytes], said: bytearray, *, until: float, keep_going: Callable[[], None]) -> bool:
    """Whether it fell silent before `until`, as a program does at its end."""
    assert program.stderr
    look_at = monotonic()
    with DefaultSelector() as selector:
        selector.register(program.stderr, EVENT_READ)
        while (now := monotonic()) < until:
            if now >= look_at:
                keep_going()
                look_at = now + LOOK_SECONDS
            if selector.select(max(0.0, min(look_at, until) - monotonic())):
                block = os.read(program.stderr.fileno(), 65536)
                if not block:
                    return True
                said[:] = (said + block)[-SAID_BYTES:]
    return False
