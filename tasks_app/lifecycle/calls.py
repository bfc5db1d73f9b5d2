"""The rows of model calls: opened before a request is sent, closed with its answer after."""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from tasks_app.models import AttemptRef, CallOutcome, ModelCall, Task
from tasks_app.signals import call_closed, call_reused, emit

from .guard import Held, touch

CALL, TASK = ModelCall._meta.db_table, Task._meta.db_table
MINE = f"SELECT * FROM {CALL} WHERE task_id = %s AND content_key = %s"  # noqa: S608
# Values: owner, content key, twice this task, how long ago.
OTHERS = f"""
SELECT * FROM (
    SELECT * FROM {CALL}
    WHERE owner_id = %s AND content_key = %s AND outcome = '{CallOutcome.ANSWERED}'
    AND task_id <> %s AND (SELECT NOT fresh FROM {TASK} WHERE id = %s) AND {{to_reuse}}
    ORDER BY id DESC LIMIT 1
) AS others
"""  # noqa: S608
# The index `call_to_reuse` serves only who asks for `superseded` in the very words of its own condition.
TO_REUSE = {
    "sqlite": "superseded = 0 AND json_extract(answer, '$.finish_reason') = 'stop' AND closed_at > datetime('now', %s)",
    "postgresql": (
        "NOT superseded AND answer ->> 'finish_reason' = 'stop' AND closed_at > statement_timestamp() + %s::interval"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """A request about to be sent. `content_key`: the same for the same request of the same step."""

    content_key: str
    endpoint: str
    model_name: str
    step_index: int | None


def open_call(ref: AttemptRef, plan: CallPlan) -> ModelCall:
    """The row of a request that is about to be sent, committed; or of the very same request, already answered.

    It may be another task's: a whole answer that its owner got lately. `Task.reused_calls` counts these, once more
    where a crash loses the step. A repeat after a crash carries the key of the call in doubt. After a received error,
    or a start from scratch, the key is another one: else the endpoint would give its old answer again. Raises NotOwner.
    """
    with transaction.atomic():
        held = touch(ref)
        found = _same_request(ref, plan, held.owner_id)
        mine = [call for call in found if call.task_id == ref.task_id]
        call = _usable(ref, mine) or _taken_over(ref, found)
        if call is not None and call.is_reusable:
            emit(call_reused, kind=held.kind)
        return call or _sent_now(ref, plan, held, mine)


def has_answer(ref: AttemptRef, plan: CallPlan) -> bool:
    """Whether `open_call` would find the request answered; asks, and writes nothing."""
    owner_id = Task.objects.filter(pk=ref.task_id).values_list("owner_id", flat=True).first()
    return any(call.is_reusable for call in _same_request(ref, plan, owner_id))


def _same_request(ref: AttemptRef, plan: CallPlan, owner_id: int | None) -> list[ModelCall]:
    """This task's calls for it, oldest first, and the last whole answer that another task of the owner got lately.

    Plain SQL and one look: the ORM takes twice as long to write it as all of `open_call` takes now.
    """
    hours = settings.LONGHAUL_REUSE_ANSWERS_HOURS
    task_id = Task._meta.pk.get_db_prep_value(ref.task_id, connection)
    sql, values = MINE, [task_id, plan.content_key]
    if owner_id is not None and hours:
        others = OTHERS.format(to_reuse=TO_REUSE[connection.vendor])
        sql = f"{MINE} UNION ALL {others}"
        values += [owner_id, plan.content_key, task_id, task_id, f"-{hours} hours"]
    return list(ModelCall.objects.raw(f"{sql} ORDER BY id", values))


def _usable(ref: AttemptRef, before: list[ModelCall]) -> ModelCall | None:
    """Of the rows of the same request: an answer whose step was not saved, or this write, whose reply was lost."""
    answered = [call for call in before if call.is_reusable]
    mine = [call for call in before if call.attempt == ref.number and call.outcome == CallOutcome.OPEN]
    return next(iter([*answered, *mine]), None)


def _taken_over(ref: AttemptRef, found: list[ModelCall]) -> ModelCall | None:
    """The answer of another task."""
    other = next((call for call in found if call.task_id != ref.task_id), None)
    if other is not None:
        Task.objects.held_by(ref).update(reused_calls=F("reused_calls") + 1)
    return other


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
        held = touch(ref)
        ModelCall.objects.filter(pk=call.pk).update(
            outcome=outcome, answer=answer, prompt_tokens=tokens[0], completion_tokens=tokens[1], closed_at=Now()
        )
        used = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
        emit(call_closed, kind=held.kind, outcome=outcome, **used)
