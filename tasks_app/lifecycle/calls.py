"""The rows of model calls: opened before a request is sent, closed with its answer after."""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from tasks_app.models import AttemptRef, CallOutcome, ModelCall

from .guard import Held, touch


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """A request about to be sent. `content_key`: the same for the same request of the same step."""

    content_key: str
    endpoint: str
    model_name: str
    step_index: int | None


def open_call(ref: AttemptRef, plan: CallPlan) -> ModelCall:
    """The row of a request that is about to be sent, committed; or of the very same request, already answered.

    A repeat after a crash carries the key of the call in doubt. After a received error, or a start from scratch, the
    key is another one: else the endpoint would give its old answer again. Raises NotOwner.
    """
    with transaction.atomic():
        held = touch(ref)
        before = list(ModelCall.objects.filter(task_id=ref.task_id, content_key=plan.content_key).order_by("pk"))
        return _usable(ref, before) or _sent_now(ref, plan, held, before)


def _usable(ref: AttemptRef, before: list[ModelCall]) -> ModelCall | None:
    """Of the rows of the same request: an answer whose step was not saved, or this write, whose reply was lost."""
    answered = [call for call in before if call.is_reusable]
    mine = [call for call in before if call.attempt == ref.number and call.outcome == CallOutcome.OPEN]
    return next(iter([*answered, *mine]), None)


def _sent_now(ref: AttemptRef, plan: CallPlan, held: Held, before: list[ModelCall]) -> ModelCall:
    failed = sum(call.has_failed for call in before)
    source = f"{ref.task_id}:{plan.content_key}:{held.reset_version}:{failed}"
    return ModelCall.objects.create(
        owner_id=held.owner_id,
        task_id=ref.task_id,
        step_index=plan.step_index,
        attempt=ref.number,
        endpoint=plan.endpoint,
        model_name=plan.model_name,
        content_key=plan.content_key,
        idempotency_key=hashlib.sha256(source.encode()).hexdigest(),
    )


def close_call(
    ref: AttemptRef, call: ModelCall, *, outcome: str, answer: dict[str, Any] | None = None, tokens: tuple[int, int]
) -> None:
    """Close the row. `tokens`: of the prompt and of the completion. Raises NotOwner."""
    with transaction.atomic():
        touch(ref)
        ModelCall.objects.filter(pk=call.pk).update(
            outcome=outcome, answer=answer, prompt_tokens=tokens[0], completion_tokens=tokens[1], closed_at=Now()
        )
