"""Processes that ask for permits, each by a throttle of its own, without calling anything."""

import uuid
from dataclasses import dataclass, field
from typing import ClassVar

from tasks_app.endpoint.throttle.shared import Answer, Asked, Outcome, Verdict
from tasks_app.endpoint.throttle.throttle import Throttle
from tasks_app.redis_link import RedisLink


@dataclass
class Ticket:
    asked: Asked
    answer: Answer

    @property
    def is_granted(self) -> bool:
        return self.answer.verdict is Verdict.GRANTED


@dataclass
class Process:
    # Of the test in hand: what another left behind is renewed as long as this process lives.
    endpoint: ClassVar[str] = ""
    throttle: Throttle = field(init=False)

    def __post_init__(self) -> None:
        self.throttle = Throttle(redis=RedisLink(timeout=2), endpoint=self.endpoint, model_name="m")

    def ask(self, *, task: str = "a-task", request: str = "", tokens: int = 0) -> Ticket:
        asked = Asked(permit=uuid.uuid4().hex, holder=task, request=request or uuid.uuid4().hex, tokens=tokens)
        return Ticket(asked, self.throttle.enter(asked, waited=0.0))

    def ask_again(self, ticket: Ticket) -> Ticket:
        ticket.answer = self.throttle.enter(ticket.asked, waited=0.0)
        return ticket

    def end(
        self, ticket: Ticket, outcome: Outcome = Outcome.ANSWERED, *, retry_after: float = 0.0, used: int = -1
    ) -> float | None:
        """Seconds since when the endpoint fails for everyone, if that is why it failed."""
        return self.throttle.leave(ticket.asked, ticket.answer, outcome, retry_after=retry_after, used=used)

    def call(self, outcome: Outcome = Outcome.ANSWERED, *, task: str = "a-task", request: str = "") -> float | None:
        ticket = self.ask(task=task, request=request)
        assert ticket.is_granted
        return self.end(ticket, outcome)
