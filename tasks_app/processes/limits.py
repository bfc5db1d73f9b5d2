"""When a child is killed for time, and what is said then."""

from dataclasses import dataclass

from tasks_app.lifecycle.claim import Claim
from tasks_app.lifecycle.ending import Ending
from tasks_app.models import Outcome


@dataclass(frozen=True, slots=True)
class Bounds:
    """Moments of the monotonic clock. Up to them the child ends itself; after them its worker ends it."""

    limit_at: float
    deadline_at: float

    @classmethod
    def of(cls, claim: Claim, *, now: float) -> "Bounds":
        return cls(limit_at=now + claim.limit_seconds, deadline_at=now + claim.deadline_seconds)

    def overrun(self, *, now: float, grace: float) -> Outcome | None:
        """What ends it now, if anything: the deadline before the limit, because nothing follows it."""
        if now >= self.deadline_at + grace:
            return Outcome.DEADLINE
        if now >= self.limit_at + grace:
            return Outcome.TIMEOUT
        return None


def seconds_for(claim: Claim) -> float:
    """What the child is told that it has: nobody begins anything after the deadline."""
    return max(0.0, min(claim.limit_seconds, claim.deadline_seconds))


def overrun_ending(outcome: Outcome, claim: Claim) -> Ending:
    if outcome == Outcome.DEADLINE:
        return Ending(outcome=outcome, code="deadline", text="It was stopped at its deadline.")
    text = f"It did not end within its limit of {claim.limit_seconds:.0f} s and was stopped."
    return Ending(outcome=outcome, code="timeout", text=text)


def lost_ending(how: str) -> Ending:
    """`how`: the end of the child's program, in words."""
    return Ending(outcome=Outcome.LOST, code="lost", text=f"Its program {how} while it worked on this task.")


def handed_over_ending() -> Ending:
    return Ending(outcome=Outcome.HANDED_OVER, code="handed_over", text="Its worker was told to leave.")
