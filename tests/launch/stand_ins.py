"""Stand-in programs, and a launcher process over them: `python -m tests.launch.stand_ins GRACE PATIENCE SPEC...`.

A spec is `name:role:code`: role `service` or `application`, and a line of Python for the program.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil  # type: ignore[import-untyped, unused-ignore]

from project.launch.errors import LaunchError
from project.launch.manager import Launcher
from project.launch.program import Program

ROOT = Path(__file__).resolve().parent.parent.parent
# Says so when it runs and when it is told to end.
OBEDIENT = (
    "import signal,sys,time; "
    "signal.signal(signal.SIGTERM, lambda *_: (print('leaving', flush=True), sys.exit(0))); "
    "print('running', flush=True); time.sleep(600)"
)
# Says what it hears and stays.
STUBBORN = (
    "import signal,time; "
    "signal.signal(signal.SIGTERM, lambda *_: print('heard', flush=True)); "
    "print('running', flush=True)\nwhile True: time.sleep(1)"
)


def program(spec: str) -> Program:
    name, role, code = spec.split(":", 2)
    command = (code.removeprefix("exec "),) if code.startswith("exec ") else (sys.executable, "-c", code)
    if role == "never-ready":
        return Program(name=name, argv=command, is_ready=lambda: False)
    return Program(name=name, argv=command, is_service=role == "service")


class Running:
    """A launcher process and all that it has said so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []

    def read_until(self, text: str, *, times: int = 1) -> None:
        while sum(text in line for line in self.lines) < times:
            line = self._stdout.readline()
            assert line, f"ended before {text!r} was said {times} times: {self.lines}"
            self.lines.append(line.rstrip("\n"))

    def finish(self) -> int:
        """Wait for its end; gives its exit code."""
        self.lines += [line.rstrip("\n") for line in self._stdout]
        return self.process.wait(timeout=90)

    def close_output(self) -> None:
        self._stdout.close()

    def position(self, text: str) -> int:
        """Where in the lines `text` is said for the first time."""
        return next(index for index, line in enumerate(self.lines) if text in line)

    def descendants(self) -> list[psutil.Process]:
        found: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        return found

    @property
    def _stdout(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout


@contextmanager
def launcher(*specs: str, grace: float = 60, patience: float = 60) -> Iterator[Running]:
    command = [sys.executable, "-m", "tests.launch.stand_ins", str(grace), str(patience), *specs]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.wait()


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    grace, patience, *specs = sys.argv[1:]
    try:
        Launcher(
            [program(spec) for spec in specs],
            grace=float(grace),
            patience=float(patience),
            welcome="all ready",
        ).loop()
    except LaunchError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
