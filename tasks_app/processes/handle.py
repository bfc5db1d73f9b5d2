"""The worker's handle on its child."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

from django.conf import settings

from tasks_app.exceptions import LonghaulError
from tasks_app.models import AttemptRef

from .pipe import Message, Pipe, PipeClosed

# A process that has not ended so long after SIGKILL hangs in the kernel.
KILL_SECONDS = 10.0


class ChildUnkillable(LonghaulError):
    """The kernel does not let go of it: a device, a network disk."""

    code = "child_unkillable"

    def __init__(self, pid: int) -> None:
        super().__init__(f"Child {pid} did not end within {KILL_SECONDS:g} s of SIGKILL: it is stuck in the kernel.")
        self.pid = pid


class Child:
    """A fresh program in a session of its own, not a fork: it shares no socket and no database handle with us.

    Hazard: make it in the main thread; the kernel ties its life to the thread that started it.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        ends = (theirs.fileno(), lifeline)
        try:
            self._program = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "tasks_app.processes.child", *map(str, ends), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                env=_environment(),
                pass_fds=ends,
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(lifeline)
        self._pipe = Pipe(ours)

    @property
    def pid(self) -> int:
        """Also the id of its process group."""
        return self._program.pid

    @property
    def was_killed(self) -> bool:
        """Whether SIGKILL ended it, from whomever it came."""
        return self._program.returncode == -signal.SIGKILL

    @property
    def is_alive(self) -> bool:
        return self._program.poll() is None

    def hand(self, ref: AttemptRef, *, limit_seconds: float) -> None:
        """Raises PipeClosed: it knows nothing of the attempt then."""
        self._pipe.send({"task": str(ref.task_id), "number": ref.number, "limit_seconds": limit_seconds})

    def ask_to_stop(self, ref: AttemptRef, why: str) -> None:
        """`why`: "cancel" or "hand_over". A child that is gone is noticed elsewhere."""
        with suppress(PipeClosed):
            self._pipe.send({"stop": why, "of": str(ref)})

    def hear(self, *, within: float) -> Message | None:
        """Raises PipeClosed."""
        return self._pipe.receive(within=within)

    def kill(self) -> str:
        """Kill it with all that it started, wait until it is gone, and say how it ended. Raises ChildUnkillable."""
        # The group outlives the child as long as a member lives, so its number cannot be somebody else's by now.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        try:
            code = self._program.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            raise ChildUnkillable(self.pid) from None
        self._pipe.close()
        with suppress(OSError):
            os.close(self._lifeline)
        return how_it_ended(code)


def how_it_ended(code: int) -> str:
    """`code`: as subprocess tells it, negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed (signal {-code})"


def _environment() -> dict[str, str]:
    # The worker may have been started from another folder, by the path of manage.py.
    path = [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
