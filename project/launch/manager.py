"""Starts the programs in order, prefixes what they say, and ends them in order."""

import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from honcho.manager import Manager

from .ending import stages
from .errors import LaunchError, NotReady, ProgramEnded
from .program import Program
from .terminal import Terminal
from .watched import WatchedProcess

EVENT_SECONDS = 0.1


class Launcher(Manager):  # type: ignore[misc]
    """honcho's Manager with a loop of its own, which starts services first, ends them last, and knows a grace.

    `grace`, `patience`: seconds for the applications to end, and for everything to become ready.
    `welcome` is printed once, when every program does its work.
    """

    def __init__(self, programs: Iterable[Program], *, grace: float, patience: float, welcome: str) -> None:
        super().__init__(Terminal(sys.stdout, on_lost=self._note_stop_request))
        self._process_ctor = WatchedProcess
        self._programs = {program.name: program for program in programs}
        services = [name for name, program in self._programs.items() if program.is_service]
        applications = [name for name in self._programs if name not in services]
        self._to_start = [services, applications]
        self._to_end = stages(applications, services, grace=grace)
        self._patience = patience
        self._welcome = welcome
        self._ready = False
        self._stop_requests = 0
        self._reason: LaunchError | None = None
        # A program is told of its end by a watcher, and a watcher must be our own child (see lifeline): by fork,
        # which is no longer the default everywhere.
        self._fork = multiprocessing.get_context("fork")
        self.events = self._fork.Queue()
        for program in self._programs.values():
            self.add_process(program.name, program.argv, env=environment())

    def loop(self) -> None:
        """Until every program has ended. Error: the LaunchError that ended it, if it was not a request."""
        self._obey_signals()
        self._give_up_at = time.monotonic() + self._patience
        try:
            while not self._over():
                self._take_event()
                if self._terminating:
                    self._go_on_ending()
                else:
                    self._go_on_starting()
        finally:
            # Whatever broke the loop: nobody is left behind, and nobody is waited for.
            for name in self._alive(self._programs):
                self._send(signal.SIGKILL, name)
                self._processes[name]["process"].kill()
        if self._reason:
            raise self._reason

    def _obey_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # `nohup` ignores SIGHUP on purpose.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._note_stop_request)

    def _note_stop_request(self, *_: object) -> None:
        self._stop_requests += 1

    def _over(self) -> bool:
        return self._terminating and not self._alive(self._programs)

    def _take_event(self) -> None:
        # Looked up before the wait: what a watcher sent before it died comes first.
        dead = [name for name in self._alive(self._programs) if not self._processes[name]["process"].is_alive()]
        try:
            event = self.events.get(timeout=EVENT_SECONDS)
        except queue.Empty:
            for name in dead:
                self._note_end(name, -signal.SIGKILL)
            return
        if event.type == "line":
            self._printer.write(event)
        elif event.type == "start":
            self._processes[event.name]["pid"] = event.data["pid"]
        else:
            self._note_end(event.name, event.data["returncode"])

    def _note_end(self, name: str, returncode: int) -> None:
        self._processes[name]["returncode"] = returncode
        self._system_print(f"{name} ended (code {returncode})")
        if not self._terminating:
            self._end_because(ProgramEnded(name, returncode))

    # --- Starting

    def _go_on_starting(self) -> None:
        if self._stop_requests:
            self._system_print("Stopping: a task in hand may go on for a while; once more hands it over now.")
            self._end_because(None)
        elif not self._ready:
            self._start_what_is_next()

    def _start_what_is_next(self) -> None:
        waited_for = [name for name in self._started() if not self._programs[name].is_ready()]
        if waited_for and time.monotonic() > self._give_up_at:
            self._end_because(NotReady(waited_for, seconds=self._patience))
        elif not waited_for and self._to_start:
            self._start_all(self._to_start.pop(0))
        elif not waited_for:
            self._ready = True
            self._printer.write_plain(self._welcome)

    def _start_all(self, names: list[str]) -> None:
        for name in names:
            process = self._fork.Process(name=name, target=self._processes[name]["obj"].run, args=(self.events,))
            self._processes[name]["process"] = process
            process.start()

    # --- Ending

    def _end_because(self, reason: LaunchError | None) -> None:
        self._terminating = True
        self._reason = reason
        self._obeyed_requests = self._stop_requests

    def _go_on_ending(self) -> None:
        stage = next((stage for stage in self._to_end if self._alive(stage.names)), None)
        # A signal before its program has a process number would be lost.
        if stage is None or any("pid" not in self._processes[name] for name in self._alive(stage.names)):
            return
        if self._stop_requests > self._obeyed_requests:
            self._obeyed_requests += 1
            stage.hurry()
        for number in stage.due(time.monotonic()):
            for name in self._alive(stage.names):
                self._system_print(f"{number.name} to {name}")
                self._send(number, name)

    def _send(self, number: signal.Signals, name: str) -> None:
        # Its end may be known to the system and not yet to us.
        with suppress(KeyError, ProcessLookupError):
            signal_program(self._processes[name]["pid"], number)

    # --- Who is there

    def _started(self) -> list[str]:
        return [name for name in self._programs if "process" in self._processes[name]]

    def _alive(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._started() and "returncode" not in self._processes[name]]


def signal_program(pid: int, number: signal.Signals) -> None:
    """SIGKILL goes to the whole group; else the program alone is told, and tells its helpers what it thinks right."""
    if number == signal.SIGKILL:
        os.killpg(pid, number)
    else:
        os.kill(pid, number)


def environment() -> dict[str, Any]:
    # Whoever starts Longhaul this way may be writing a kind.
    return {"LONGHAUL_RELOAD": "1", **os.environ, "PYTHONUNBUFFERED": "1"}
