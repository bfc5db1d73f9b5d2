"""Why `make run` could not start or had to end, each in one sentence."""

import signal
from pathlib import Path

from tasks_app.exceptions import LonghaulError


class LaunchError(LonghaulError):
    """Base: what happened and what to do, for the person at the terminal."""

    code = "launch"


class AlreadyRunning(LaunchError):
    def __init__(self, var_dir: Path) -> None:
        super().__init__(
            f"Longhaul already runs from {var_dir}: stop that one first, or give this one a folder and ports of its "
            "own (LONGHAUL_VAR_DIR, PORT, LONGHAUL_EMBEDDED_MODEL_PORT)."
        )
        self.var_dir = var_dir


class PortTaken(LaunchError):
    """`port` of loopback for `purpose`; `variable` names the environment variable that changes it."""

    def __init__(self, port: int, *, purpose: str, variable: str, reason: str) -> None:
        super().__init__(
            f"Port {port} of 127.0.0.1 is not free for {purpose} ({reason}): "
            f"stop the program that has it, or choose another with {variable}=."
        )
        self.port = port


class SocketPathTooLong(LaunchError):
    def __init__(self, path: Path, *, limit: int) -> None:
        super().__init__(
            f"The path of Redis' socket has more than the {limit} bytes that a system allows ({path}): "
            "move the folder, or set LONGHAUL_VAR_DIR to a shorter one."
        )
        self.path = path


class SocketInUse(LaunchError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"A Redis that is not ours already answers at {path}: stop it first.")
        self.path = path


class NoRedisServer(LaunchError):
    def __init__(self) -> None:
        super().__init__(
            "No Redis server found: install `redis-server`, set REDIS_URL to one that runs, "
            "or use CPython 3.12, for which one comes with the packages."
        )


class DatabaseUnusable(LaunchError):
    def __init__(self, reason: str) -> None:
        super().__init__(f"The database could not be prepared, expected one that DATABASE_URL reaches: {reason}")


class ProgramEnded(LaunchError):
    """A program ended by itself. `returncode` as subprocess has it: negative for a signal."""

    def __init__(self, name: str, returncode: int) -> None:
        killed = f"was killed ({signal.Signals(-returncode).name})" if returncode < 0 else ""
        how = killed or f"ended by itself with code {returncode}"
        super().__init__(
            f"'{name}' {how}, so the others were ended too; its last lines are above. "
            "Nothing is lost: the next start goes on where this one stopped."
        )
        self.name = name
        self.returncode = returncode


class NotReady(LaunchError):
    """`names` of the programs that run but do not answer after `seconds`."""

    def __init__(self, names: list[str], *, seconds: float) -> None:
        super().__init__(
            f"No answer from {' and '.join(names)} within {seconds:.0f} s, so all was ended: "
            "the lines above may say why."
        )
        self.names = names
