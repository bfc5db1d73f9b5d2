"""The calls about tasks. Every one looks only among the tasks of who asks: a stranger's id is as good as none."""

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.views.decorators.debug import sensitive_post_parameters
from ninja import Query, Router, Schema
from ninja.decorators import decorate_view
from pydantic import AfterValidator, Field

from tasks_app.kinds.intake import take_in
from tasks_app.lifecycle.cancel import cancel
from tasks_app.lifecycle.retry import retry
from tasks_app.models import Status, StepResult, Task
from tasks_app.models.task import TaskQuerySet
from tasks_app.presentation import attempt_objects, step_object, task_object, task_objects
from tasks_app.presentation.download import download
from tasks_app.presentation.results import Format
from tasks_app.text import clean

from .described import options_body, problems, result_body, submission_body
from .reading import idempotency_key, read_options, read_submission, refuse_oversized, refuse_unknown
from .schemas import Accepted, AttemptList, Moved, RetryIn, StepPage, TaskOut, TaskPage

router = Router(tags=["tasks"])

LARGEST_INDEX = 2**31 - 1


class ListQuery(Schema):
    status: Status | None = None
    kind: Annotated[str, AfterValidator(clean)] | None = Field(None, max_length=200)
    cursor: UUID | None = Field(None, description="`next` of the page before.")
    limit: int = Field(50, ge=1, le=200)


class StepsQuery(Schema):
    after: int | None = Field(None, ge=0, le=LARGEST_INDEX, description="Only steps with a greater index.")
    limit: int = Field(100, ge=1, le=200)


class ResultQuery(Schema):
    format: Format = "md"
    partial: bool = Field(False, description="Take what there is of an unfinished task.")


def own(request: HttpRequest) -> TaskQuerySet:
    return Task.objects.owned_by(request.auth.pk)  # type: ignore[attr-defined]


@router.post(
    "",
    response={202: Accepted, 200: Accepted, **problems(400, 403, 411, 413, 415, 422, 429)},
    openapi_extra=submission_body(),
)
@decorate_view(refuse_oversized, sensitive_post_parameters())
def submit_task(request: HttpRequest) -> HttpResponse:
    """Submit a task: 202 with its id. The same submission while the first is active: 200 with the first id.

    429 with `Retry-After` where as many of your tasks wait as may: send it again then.
    """
    key = idempotency_key(request)
    sent = read_submission(request)
    submission = take_in(
        kind=sent.envelope.kind,
        owner=request.auth,  # type: ignore[attr-defined]
        fields=sent.fields,
        file=sent.file,
        document_id=sent.envelope.document,
        idempotency_key=key,
        fresh=sent.envelope.fresh,
        priority=sent.envelope.priority,
        run_after=sent.envelope.run_after,
        expires_at=sent.envelope.expires_at,
    )
    answer = JsonResponse({"id": str(submission.task.pk)}, status=202 if submission.created else 200)
    answer["Location"] = f"/api/tasks/{submission.task.pk}"
    return answer


@router.get("", response={200: TaskPage, **problems(422)})
def list_tasks(request: HttpRequest, query: Query[ListQuery]) -> HttpResponse:
    """Your tasks, newest first. Pages stay in step while tasks are added."""
    refuse_unknown(request, ListQuery)
    tasks = own(request).select_related("document").order_by("-pk")
    if query.status:
        tasks = tasks.in_status(query.status)
    if query.kind is not None:
        tasks = tasks.filter(kind=query.kind)
    if query.cursor:
        tasks = tasks.filter(pk__lt=query.cursor)
    found = list(tasks[: query.limit + 1])
    page = found[: query.limit]
    return _json({"items": task_objects(page), "next": str(page[-1].pk) if len(found) > query.limit else None})


@router.get("/{uuid:task_id}", response={200: TaskOut, **problems(404)})
def get_task(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """One task, with why it waits, how far it is, and what it used."""
    return _json(task_object(own(request).select_related("document").get(pk=task_id)))


@router.get("/{uuid:task_id}/attempts", response={200: AttemptList, **problems(404)})
def list_attempts(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Its last 50 attempts in order: how each ended, and whether it counted."""
    return _json({"items": attempt_objects(own(request).get(pk=task_id))})


@router.get("/{uuid:task_id}/steps", response={200: StepPage, **problems(404, 422)})
def list_steps(request: HttpRequest, task_id: UUID, query: Query[StepsQuery]) -> HttpResponse:
    """Results of its steps, in order."""
    refuse_unknown(request, StepsQuery)
    task = own(request).get(pk=task_id)
    after = -1 if query.after is None else query.after
    steps = StepResult.objects.filter(task=task, index__gt=after).current().order_by("index")
    found = list(steps[: query.limit + 1])
    page = found[: query.limit]
    following = page[-1].index if len(found) > query.limit else None
    return _json({"items": [step_object(step) for step in page], "next": following})


@router.get("/{uuid:task_id}/result", response={200: None, **problems(404, 409, 422)}, openapi_extra=result_body())
def get_result(request: HttpRequest, task_id: UUID, query: Query[ResultQuery]) -> StreamingHttpResponse:
    """The result as a file, in the order of the document. With `partial=1` also of an unfinished task."""
    refuse_unknown(request, ResultQuery)
    task = own(request).select_related("document").get(pk=task_id)
    return download(request, task, fmt=query.format, partial=query.partial)


@router.post("/{uuid:task_id}/cancel", response={202: Moved, **problems(403, 404, 409)})
def cancel_task(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Stop it: at once while it waits; a running task within a second in a model call or at the end of a step."""
    status = cancel(own(request).get(pk=task_id).pk)
    return _json({"id": str(task_id), "status": status}, status=202)


@router.post(
    "/{uuid:task_id}/retry",
    response={202: Moved, **problems(400, 403, 404, 409, 415, 422)},
    openapi_extra=options_body(RetryIn),
)
def retry_task(request: HttpRequest, task_id: UUID) -> HttpResponse:
    """Begin a finished task again where it stopped: finished parts are kept and not paid again, unless from scratch."""
    task = own(request).get(pk=task_id)
    retry(task.pk, from_scratch=read_options(request, RetryIn).from_scratch)
    return _json({"id": str(task_id), "status": own(request).get(pk=task_id).status}, status=202)


def _json(value: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return JsonResponse(value, status=status)
