"""Programs that a test starts, with what they say kept in files."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil  # type: ignore[import-untyped]

PROJECT = Path(__file__).resolve().parents[2]
# Every process that a house starts carries this in its environment, whatever session it flees to.
MARK = "LONGHAUL_HOUSE"
# For what must come: a loaded machine is ten times slower than an idle one, and who is not late waits for nothing.
PATIENCE_SECONDS = 45.0


class Program:
    def __init__(self, name: str, command: Sequence[str], *, env: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.log = log
        with log.open("ab") as out:
            self._popen = subprocess.Popen(
                command, cwd=PROJECT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """To the program alone, not to what it started."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """As the kernel would: without a word, and only this one."""
        self._popen.kill()
        self._popen.wait()

    def stop(self, *, within: float = PATIENCE_SECONDS) -> int:
        """SIGTERM; its exit code. Raises subprocess.TimeoutExpired."""
        self._popen.terminate()
        return self._popen.wait(within)

    def wait(self, within: float = PATIENCE_SECONDS) -> int:
        return self._popen.wait(within)

    def children(self) -> list[psutil.Process]:
        """Those it started directly."""
        return list(psutil.Process(self.pid).children())


def marked(mark: str) -> list[psutil.Process]:
    """Every living process that carries the mark."""
    return [process for process in psutil.process_iter() if _carries(process, mark)]


def _carries(process: psutil.Process, mark: str) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark)
    except psutil.Error:
        return False


def wait_until[T](predicate: Callable[[], T], within: float = PATIENCE_SECONDS, *, what: str = "") -> T:
    """What `predicate` says as soon as it is true."""
    until = time.monotonic() + within
    while not (found := predicate()):
        if time.monotonic() > until:
            raise AssertionError(f"not so after {within} s: {what or predicate}")
        time.sleep(0.03)
    return found
