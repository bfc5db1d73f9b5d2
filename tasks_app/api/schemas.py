"""What the API answers, described for people and generators of clients."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import ConfigDict, Field

from tasks_app.models import Outcome, Status, StepStatus


class Answer(Schema):
    # A member that is not described here is a mistake, and the tests say so.
    model_config = ConfigDict(extra="forbid")


class Accepted(Answer):
    id: UUID = Field(examples=["019f2c1e-7a40-7c11-9a52-3f0d5a7c2b91"])


class Moved(Answer):
    id: UUID
    status: Status = Field(description="The state now. A running task keeps it until it has stopped.")


class ErrorText(Answer):
    code: str = Field(description="Stable, for programs.", examples=["attempts_exhausted"])
    message: str = Field(description="For people.", examples=["All 3 attempts were spent."])


class Progress(Answer):
    done: int = Field(examples=[12])
    total: int = Field(description="0 while it is not known.", examples=[200])
    message: str = Field(examples=["Working on the parts"])
    percent: int | None = Field(description="At most 99 before the task succeeded.", examples=[6])


class Cost(Answer):
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Usage(Answer):
    calls: int = Field(description="Requests really sent to the model endpoint; refused connections do not count.")
    prompt_tokens: int
    completion_tokens: int
    reused: int = Field(description="Answers taken from an earlier task of yours: not paid again.")
    in_doubt: int = Field(description="Calls whose answer was lost in a crash: perhaps paid.")


class Waiting(Answer):
    reason: str = Field(
        description="slot, queue, paused, no_worker, unknown_kind, not_yet, retry or endpoint.", examples=["queue"]
    )
    text: str = Field(examples=["3 tasks ahead of it. Starts in about 3 to 8 minutes."])
    ahead: int | None = Field(
        description="How many tasks go first: of its queue, or while it waits for a slot of your own. 1000 stands for "
        "as many or more; null where it waits for something else.",
        examples=[3],
    )
    eta_seconds: int | None = Field(
        description="It starts within that time, as far as the last ten minutes tell; null where they tell too little.",
        examples=[480],
    )


class PausedOut(Answer):
    by: str = Field(description="A user's name; empty where nobody is known.", examples=["ada"])
    reason: str = Field(examples=["model upgrade"])
    since: datetime


class QueueOut(Answer):
    model_config = ConfigDict(extra="forbid", title="Queue")

    name: str = Field(examples=["gpu"])
    depth: int = Field(description="Tasks of all users that are due and wait.")
    running: int
    workers: int
    completed_last_10min: int = Field(description="Tasks that had been started.")
    estimated_drain_minutes: float | None = Field(
        description="Until what waits is done at the present rate: 0 where nothing waits, null where there is no rate."
    )
    paused: PausedOut | None


class QueueList(Answer):
    items: list[QueueOut]


class SourceDocument(Answer):
    id: UUID = Field(description="As `document` of another submission it is used again, without a file.")
    name: str = Field(examples=["report.pdf"])
    size: int = Field(description="Bytes.")


class Can(Answer):
    """Which verbs the state allows."""

    cancel: bool
    retry: bool
    download: bool


class TaskOut(Answer):
    model_config = ConfigDict(extra="forbid", title="Task")

    id: UUID
    url: str
    kind: str = Field(examples=["document.generate"])
    queue: str = Field(examples=["gpu"])
    status: Status
    stopping: bool = Field(description="It runs, and was asked to stop.")
    cancel_requested_at: datetime | None
    fresh: bool = Field(description="It uses no answer that an earlier task got.")
    input: dict[str, Any] = Field(description="What was submitted, but for secrets such as a password.")
    document: SourceDocument | None
    progress: Progress
    failed_items: int
    attempts: int = Field(description="Attempts spent, of max_attempts.")
    max_attempts: int
    attempt_number: int = Field(description="Of the last attempt; 0 before the first.")
    attempt_started_at: datetime | None = Field(description="Of the attempt in hand; null unless it runs.")
    attempt_timeout_seconds: float = Field(
        description="What one attempt may take. An attempt that is older, or past deadline_at, is being stopped.",
        examples=[300],
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime | None
    error: ErrorText | None
    waiting: Waiting | None
    usage: Usage
    scratch: Cost | None = Field(
        description="Its answers so far, which a retry with `from_scratch` pays once more, besides what is still "
        "missing. Reused ones are among `calls`; their tokens are not known. null where the state allows no retry."
    )
    can: Can
    version: int = Field(description="Raised by every change.")
    reset_version: int = Field(description="The version since which earlier steps no longer count.")


class Counts(Answer):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    as_: Literal["attempt", "lost"] = Field(alias="as", description="Spent by a failure, or lost with its worker.")
    number: int = Field(description="Which of those it was.", examples=[2])
    of: int = Field(description="So many fail the task.", examples=[3])


class AttemptOut(Answer):
    model_config = ConfigDict(extra="forbid", title="Attempt")

    number: int
    outcome: Outcome | None = Field(description="null while it lasts.")
    started_at: datetime
    finished_at: datetime | None
    counts: Counts | None = Field(description="null where it was free, or lies before the last manual retry.")
    text: str = Field(description="Why it ended, for people.")


class AttemptList(Answer):
    items: list[AttemptOut]


class TaskPage(Answer):
    items: list[TaskOut]
    next: str | None = Field(description="The `cursor` of the next page; null on the last.")


class StepOut(Answer):
    model_config = ConfigDict(extra="forbid", title="Step")

    index: int
    name: str = Field(examples=["generate"])
    is_item: bool = Field(description="One of the parts that progress counts.")
    status: StepStatus
    pages: list[int] | None = Field(description="First and last.", examples=[[3, 4]])
    parts: list[int] | None = Field(description="Of a combination: the first and the last part that it combines.")
    whole: bool = Field(description="It is about the whole document.")
    text: str | None = Field(description="The first 16 KB of the part's text.")
    value: Any = Field(description="What is small and no text. `unread`: pages that gave no text, and why.")
    cut: bool = Field(description="There is more than is shown here; the result has it all.")
    truncated: bool = Field(description="The endpoint's answer was cut off at the length limit.")
    tries: int
    attempt: int
    duration_seconds: float
    error: ErrorText | None
    version: int
    created_at: datetime


class StepPage(Answer):
    items: list[StepOut]
    next: int | None = Field(description="The `after` of the next page; null on the last.")


class ProblemOut(Schema):
    """RFC 9457."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Unprocessable Content"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["instruction: Write what should be done with each page."])
    code: str = Field(description="Stable, for programs.", examples=["invalid_input"])
    errors: dict[str, list[str]] | None = Field(None, description="Sentences by field, where fields are wrong.")
    id: UUID | None = Field(None, description="Of the active twin, where one stands in the way.")


class RetryIn(Schema):
    model_config = ConfigDict(extra="forbid", title="Retry")

    from_scratch: bool = Field(
        False,
        description="Throw finished parts away and do them again, with a new answer to every call. What they cost so "
        "far, `scratch` of the task, is paid once more. Without it finished parts are kept, and nothing is paid twice.",
    )
