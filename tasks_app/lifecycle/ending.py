from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tasks_app.models import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What the writer of an end saw.

    `code`, `text`: of the failure, for people. `error_class`, `traceback`: for operators. `retry`: an error that may
    pass. `delay`: until the next attempt, where the writer knows it. `value`: columns of a StoredValue, `visited`:
    number of step indexes that the succeeding attempt used.
    """

    outcome: Outcome
    code: str = ""
    text: str = ""
    error_class: str = ""
    traceback: str = ""
    retry: bool = False
    delay: timedelta | None = None
    value: dict[str, Any] = field(default_factory=dict)
    visited: int = 0


def handed_over(why: str = "Its worker was told to leave.") -> Ending:
    """`why`: for people, a sentence."""
    return Ending(outcome=Outcome.HANDED_OVER, code="handed_over", text=why)
