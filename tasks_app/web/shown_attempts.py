"""An attempt as the templates want it. The script says the same from the same object (static/web/attempts.js)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import words


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """`data`: the API's object."""

    data: dict[str, Any]

    @property
    def end(self) -> str:
        """ "time was up, goes on"; with the reason where people can use it."""
        outcome = self.data["outcome"] or "none"
        key = f"{outcome}-counted" if self.data["counts"] else outcome
        said = words.OUTCOMES.get(key) or words.OUTCOMES[outcome]
        reason = self.data["text"] if outcome in words.REASONED else ""
        return f"{said}: {reason}" if reason else said

    @property
    def counted(self) -> str:
        counts = self.data["counts"]
        if not counts:
            return ""
        return words.COUNTED[counts["as"]].format(number=counts["number"], of=counts["of"])

    @property
    def begun(self) -> datetime:
        return datetime.fromisoformat(self.data["started_at"])

    @property
    def took(self) -> str:
        if not self.data["finished_at"]:
            return ""
        return words.duration((datetime.fromisoformat(self.data["finished_at"]) - self.begun).total_seconds())
