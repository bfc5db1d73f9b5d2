"""What a submission says besides the input of its kind."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from django.conf import settings
from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, ValidationInfo, field_validator

from tasks_app.text import clean

FARTHEST = timedelta(days=366)


class Envelope(Schema):
    model_config = ConfigDict(extra="forbid", title="Submission")

    kind: Annotated[str, AfterValidator(clean)] = Field(max_length=200, examples=["document.generate"])
    document: UUID | None = Field(
        None, description="Id of a document that you uploaded before, instead of a file: `document.id` of its task."
    )
    priority: int = Field(
        0, ge=-100, le=100, description="Orders your own tasks: the higher goes first. It does not pass other users'."
    )
    fresh: bool = Field(
        False,
        description="Ask the model anew. Otherwise a request that you made lately (in the last 24 hours, unless the "
        "site sets another time) is answered with the answer it got then, without cost.",
    )
    expires_at: AwareDatetime | None = Field(
        None, description="Fails the task if it has not started by then.", examples=["2026-12-31T18:00:00Z"]
    )
    run_after: AwareDatetime | None = Field(
        None, description="Not before this time.", examples=["2026-12-31T08:00:00Z"]
    )

    @field_validator("expires_at")
    @classmethod
    def _expires_in_time(cls, moment: datetime | None) -> datetime | None:
        if moment is not None and moment <= datetime.now(UTC):
            raise ValueError("This time is past; expected one that is still to come.")
        return _not_too_far(moment)

    @field_validator("run_after")
    @classmethod
    def _runs_before_it_expires(cls, moment: datetime | None, info: ValidationInfo) -> datetime | None:
        if moment is None or "expires_at" not in info.data:
            return moment
        expires_at = info.data["expires_at"] or _default_expiry()
        if _not_too_far(moment) is not None and moment >= expires_at:
            raise ValueError(
                f"It would expire before that, at {expires_at:%Y-%m-%d %H:%M %Z}: give a later expires_at."
            )
        return moment


class JsonSubmission(Envelope):
    input: dict[str, Any] = Field(
        default_factory=dict,
        description="The fields of the kind. For a kind that reads a document, give `document` as well, or send the "
        "file as multipart/form-data.",
    )


def _default_expiry() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=settings.LONGHAUL_EXPIRY_SECONDS)


def _not_too_far(moment: datetime | None) -> datetime | None:
    if moment is not None and moment > datetime.now(UTC) + FARTHEST:
        raise ValueError(f"This time is too far away; expected one within {FARTHEST.days} days.")
    return moment
