"""In the child: attempts in the main thread, one after another, and a thread that hears what the worker says."""

import queue
import threading
from dataclasses import dataclass, field
from uuid import UUID

from tasks_app.exceptions import CancelRequested, HandOver, Interrupt
from tasks_app.kinds.perform import perform
from tasks_app.models import AttemptRef
from tasks_app.monitoring import counters
from tasks_app.work.interruption import Interruption

from .leftovers import Leftovers, adopt_orphans
from .oom import offer_this_process
from .pipe import Message, Pipe, PipeClosed

REASONS: dict[str, type[Interrupt]] = {"cancel": CancelRequested, "hand_over": HandOver}


@dataclass(frozen=True, slots=True)
class Handed:
    """One attempt to make."""

    ref: AttemptRef
    limit_seconds: float
    interruption: Interruption = field(default_factory=Interruption)


def make_attempts(pipe: Pipe, *, ready: Message) -> None:
    """Until the worker is gone."""
    handed: queue.SimpleQueue[Handed | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=[pipe, handed], name="listener", daemon=True).start()
    adopt_orphans()
    offer_this_process()
    leftovers = Leftovers()
    pipe.send(ready)
    while (attempt := handed.get()) is not None:
        perform(attempt.ref, limit_seconds=attempt.limit_seconds, interruption=attempt.interruption)
        spoiled = _spoiled(attempt.interruption, leftovers)
        pipe.send({"done": str(attempt.ref), "spoiled": spoiled, "counts": counters.hand_over()})


def _spoiled(interruption: Interruption, leftovers: Leftovers) -> str:
    left = leftovers.clear()
    if interruption.reason is not None:
        # It was torn out of its work: who knows what else that left behind.
        return "; ".join(filter(None, [f"its attempt was interrupted ({type(interruption.reason).__name__})", left]))
    return left


def _listen(pipe: Pipe, handed: "queue.SimpleQueue[Handed | None]") -> None:
    """Passes attempts on to the main thread, and what concerns the one in hand to its interruption."""
    in_hand: Handed | None = None
    while True:
        try:
            message = pipe.receive()
        except PipeClosed:
            handed.put(None)
            return
        if message is None:
            continue
        if "task" in message:
            ref = AttemptRef(UUID(message["task"]), message["number"])
            in_hand = Handed(ref, message["limit_seconds"])
            handed.put(in_hand)
        elif in_hand is not None and message["of"] == str(in_hand.ref):
            in_hand.interruption.ask(REASONS[message["stop"]]())
