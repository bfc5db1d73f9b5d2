"""The rows of model calls: opened before a request is sent, closed with its answer after."""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from tasks_app.models import AttemptRef, CallOutcome, ModelCall, Task
from tasks_app.models.call import ModelCallQuerySet

from .guard import touch


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """A request about to be sent. `content_key`: the same for the same request of the same step."""

    content_key: str
    endpoint: str
    model_name: str
    step_index: int | None


def answered(ref: AttemptRef, plan: CallPlan) -> ModelCall | None:
    """The row of this very request, if it was answered before and its step was not saved."""
    return _rows(ref, plan).reusable().first()


def open_call(ref: AttemptRef, plan: CallPlan) -> ModelCall:
    """Write the row of a request that is about to be sent. Raises NotOwner.

    A repeat after a crash carries the key of the call in doubt. After a received error, or a start from scratch, the
    key is another one: else the endpoint would give its old answer again.
    """
    with transaction.atomic():
        touch(ref)
        # A repeat of this very write, whose reply was lost.
        if mine := _rows(ref, plan).filter(attempt=ref.number, outcome=CallOutcome.OPEN).first():
            return mine
        owner_id, reset = Task.objects.values_list("owner_id", "reset_version").get(pk=ref.task_id)
        source = f"{ref.task_id}:{plan.content_key}:{reset}:{_rows(ref, plan).failed().count()}"
        return ModelCall.objects.create(
            owner_id=owner_id,
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


def _rows(ref: AttemptRef, plan: CallPlan) -> ModelCallQuerySet:
    return ModelCall.objects.filter(task_id=ref.task_id, content_key=plan.content_key)
