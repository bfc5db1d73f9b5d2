"""honcho's process, without a shell, tied to the launcher's life."""

import os
import signal
import subprocess
from typing import Any

from honcho.process import Popen, Process

from .lifeline import end_with_parent

COULD_NOT_START = 127


class WatchedProcess(Process):  # type: ignore[misc]
    """Runs in a process of its own, the watcher, which passes on the lines of its one program and reports its end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._child_ctor = start
        self._launcher = os.getpid()

    def run(self, events: Any = None, ignore_signals: bool = True) -> None:
        # Before anything else: Ctrl-C reaches the watcher too, and it must outlive its program.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        end_with_parent(self._launcher, signal.SIGKILL)
        self._events = events
        try:
            super().run(events, ignore_signals=ignore_signals)
        except OSError as error:
            self._send_message(f"{error.strerror}: {error.filename}")
            self._send_message({"returncode": COULD_NOT_START}, type="stop")


def start(argv: tuple[str, ...], **options: Any) -> Any:
    """honcho's Popen (own session, output in one pipe) for `argv`."""
    watcher = os.getpid()

    def tie() -> None:
        # What the watcher ignores would be ignored by its program as well.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        end_with_parent(watcher, signal.SIGKILL)

    return Popen(argv, shell=False, stdin=subprocess.DEVNULL, preexec_fn=tie, **options)
