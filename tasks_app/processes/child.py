"""The warm child: a program of its own that makes one attempt after another, as its worker hands them over.

`python -m tasks_app.processes.child SOCKET LIFELINE PARENT`: two file descriptors and the worker's process id.

| direction | message |
|---|---|
| to the worker | {"ready": [kind, ...], "folders": [...]} once, or {"failed": traceback, "folders"} and an exit |
| to the child | {"task": id, "number": n, "limit_seconds": s} |
| to the child | {"stop": "cancel" or "hand_over", "of": "id#n"} during that attempt |
| to the worker | {"done": "id#n", "spoiled": why, "counts": [...]} when the attempt is over, whatever came of it |

`spoiled`: why this process must not be used again; empty: it may. `counts`: for the metrics, what Redis does not have
yet: this process may be killed at any moment, its worker ends more seldom.
"""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Collection

from .lifeline import end_with_parent, guard_group
from .pipe import Message, Pipe
from .reload import own_folders


def main(arguments: list[str]) -> None:
    end, lifeline, parent = (int(argument) for argument in arguments)
    end_with_parent(parent)
    # A service manager sends its signal to all processes; the worker decides when the child goes. A handler and not
    # SIG_IGN, which the programs that a kind starts would inherit.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    guard_group(lifeline)
    # What a kind starts must not hold the worker's pipe open.
    os.set_inheritable(end, False)
    pipe = Pipe(socket.socket(fileno=end))
    kinds = sorted(_warm_up(pipe))
    from .attempts import make_attempts

    make_attempts(pipe, ready={"ready": kinds, "folders": own_folders()})


def _warm_up(pipe: Pipe) -> Collection[str]:
    try:
        from .warm_up import warm_up

        return warm_up()
    except BaseException:
        failed: Message = {"failed": traceback.format_exc(), "folders": own_folders()}
        pipe.send(failed)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main(sys.argv[1:])
