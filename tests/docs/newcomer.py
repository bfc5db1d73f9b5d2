"""A developer who follows a guide by the letter, in a fresh copy of the project."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.programs import PROJECT, wait_until

from .guide import Block, write

NOT_OF_THE_PROJECT = shutil.ignore_patterns(
    ".git", ".venv", "var", "demo", "__pycache__", ".hypothesis", ".*_cache", "*.sqlite3"
)
# The address that guides name, where `make run` puts the page.
USUAL = "127.0.0.1:8000"
RUN = "make run"


class Newcomer:
    def __init__(self, *, model_base_url: str) -> None:
        # Short: the path of a Unix socket has room for a hundred characters.
        self.folder = Path(tempfile.mkdtemp(prefix="lh-guide-"))
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.said = ""
        self._log = self.folder / "make-run.log"
        self._model_base_url = model_base_url
        self._launcher: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        shutil.copytree(PROJECT, self.folder, ignore=NOT_OF_THE_PROJECT, dirs_exist_ok=True)
        # Installed already.
        (self.folder / ".venv").symlink_to(sys.prefix)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._launcher is not None:
            self._launcher.send_signal(signal.SIGINT)
            self._launcher.wait(60)
        # pytest keeps it to itself unless the test failed.
        print(self.said, self._log.read_text() if self._log.exists() else "")
        shutil.rmtree(self.folder, ignore_errors=True)

    def follow(self, block: Block) -> None:
        if block.language != "console":
            write(block, self.folder)
        elif block.commands == RUN:
            self._run()
        else:
            self.type(block.commands.replace(USUAL, f"127.0.0.1:{self.port}"))

    def change(self, name: str, old: str, new: str) -> None:
        """As in an editor."""
        path = self.folder / name
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def type(self, script: str) -> str:
        """What the shell says to it; it must not fail."""
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.said += f"$ {script}\n{done.stdout}\n"
        assert done.returncode == 0, f"ended with {done.returncode}: {script}\n{done.stdout}"
        return done.stdout

    def _run(self) -> None:
        """What `make run` does once everything is installed."""
        with self._log.open("wb") as out:
            self._launcher = subprocess.Popen(
                [".venv/bin/python", "-m", "project.launch", "--end-with-parent"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        wait_until(self._is_ready, 150, what="Longhaul is ready")

    def _is_ready(self) -> bool:
        assert self._launcher is not None
        assert self._launcher.poll() is None, f"make run ended:\n{self._log.read_text()}"
        return "Longhaul is ready" in self._log.read_text()

    def _environment(self) -> dict[str, str]:
        """A shell's own: nothing of the suite's settings, of which a newcomer has none."""
        plain = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**plain, "PORT": str(self.port), "MODEL_BASE_URL": self._model_base_url}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
