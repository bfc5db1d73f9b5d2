"""When a child is killed, and what is said then."""

from dataclasses import dataclass

from django.conf import settings

from tasks_app.lifecycle.claim import Claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.models import Outcome

# Beyond the time of a model call, until a step must have ended that was to be the last.
BOUNDARY_SECONDS = 5.0
MEGABYTE = 1024 * 1024


@dataclass(slots=True)
class Bounds:
    """Moments of the monotonic clock. Up to them the child ends itself; after them its worker ends it.

    `boundary_seconds`: how long a step may take until the next boundary, once a hand-over was asked for.
    """

    limit_at: float
    deadline_at: float
    boundary_seconds: float
    force_at: float | None = None

    @classmethod
    def of(cls, claim: Claim, *, now: float) -> "Bounds":
        return cls(
            limit_at=now + claim.limit_seconds,
            # Past it already: its child says so itself, and needs the grace for that.
            deadline_at=now + max(0.0, claim.deadline_seconds),
            boundary_seconds=claim.call_seconds + BOUNDARY_SECONDS,
        )

    def overrun(self, *, now: float, grace: float) -> Outcome | None:
        """What ends it now, if anything: the deadline before the limit, because nothing follows it."""
        if now >= self.deadline_at + grace:
            return Outcome.DEADLINE
        if now >= self.limit_at + grace:
            return Outcome.TIMEOUT
        return None

    def force(self, *, now: float) -> None:
        """A forced stop was asked for: the grace begins, once."""
        if self.force_at is None:
            self.force_at = now + settings.LONGHAUL_FORCED_STOP_GRACE_SECONDS

    def is_force_due(self, *, now: float) -> bool:
        return self.force_at is not None and now >= self.force_at


def seconds_for(claim: Claim) -> float:
    """What the child is told that it has: nobody begins anything after the deadline."""
    return max(0.0, min(claim.limit_seconds, claim.deadline_seconds))


def overrun_ending(outcome: Outcome, claim: Claim) -> Ending:
    if outcome == Outcome.DEADLINE:
        return Ending(outcome=outcome, code="deadline", text="It was stopped at its deadline.")
    text = f"It did not end within its limit of {claim.limit_seconds:g} s and was stopped."
    return Ending(outcome=outcome, code="timeout", text=text)


def memory_ending(limit_bytes: int, *, used: int | None = None) -> Ending:
    """`used`: resident bytes; None where the machine itself had no more memory to give."""
    if used is None:
        text = "The machine ran out of memory while it worked on this task, and it was stopped."
    else:
        allowed = f"{limit_bytes // MEGABYTE:,} MB"
        text = f"It used more memory than its queue allows ({used // MEGABYTE:,} of {allowed}) and was stopped."
    return Ending(outcome=Outcome.MEMORY, code="memory", text=text)


def lost_ending(how: str) -> Ending:
    """`how`: the end of the child's program, in words."""
    return Ending(outcome=Outcome.LOST, code="lost", text=f"Its program {how} while it worked on this task.")


def cancelled_ending() -> Ending:
    return Ending(outcome=Outcome.CANCELLED, code="cancelled", text="It was stopped by force.")
