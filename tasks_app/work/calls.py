"""The ledger of model calls, as the endpoint's client uses it through the context."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from tasks_app.endpoint import CallPlan, ModelAnswer
from tasks_app.lifecycle import calls
from tasks_app.models import AttemptRef, ModelCall

from .persist import persist
from .values import digest

if TYPE_CHECKING:
    from .steps import StepBook


class LedgerCall:
    """A call's row. `saved`: the answer, where this very request was answered before a crash."""

    def __init__(self, row: ModelCall) -> None:
        self.row = row
        self.idempotency_key = row.idempotency_key
        self.saved = ModelAnswer.from_json(row.answer) if row.answer is not None else None


class Ledger(ABC):
    """Opens and closes the rows of calls for the step that the calling thread executes."""

    ref: AttemptRef
    _book: "StepBook"

    @abstractmethod
    def time_left(self) -> float:
        """Seconds that the attempt may still use."""

    @property
    def holder(self) -> str:
        return str(self.ref.task_id)

    def has_answer(self, plan: CallPlan) -> bool:
        return persist(lambda: calls.has_answer(self.ref, self._of_step(plan)), time_left=self.time_left)

    def open_call(self, plan: CallPlan) -> LedgerCall:
        """Commit the row of a request that is about to be sent. Raises NotOwner."""
        return LedgerCall(persist(lambda: calls.open_call(self.ref, self._of_step(plan)), time_left=self.time_left))

    def _of_step(self, plan: CallPlan) -> calls.CallPlan:
        index = self._book.index_in_hand
        return calls.CallPlan(
            content_key=digest(plan.content_key, index),
            endpoint=plan.endpoint,
            model_name=plan.model_name,
            step_index=index,
        )

    def close_call(self, call: LedgerCall, *, outcome: str, answer: ModelAnswer | None = None) -> None:
        """Keep how the call ended. Raises NotOwner."""
        tokens = (answer.prompt_tokens, answer.completion_tokens) if answer else (0, 0)
        saved = answer.to_json() if answer else None
        persist(
            lambda: calls.close_call(self.ref, call.row, outcome=outcome, answer=saved, tokens=tokens),
            time_left=self.time_left,
        )
