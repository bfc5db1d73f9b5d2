"""The parts of the OpenAPI document that no signature can say."""

from typing import Any

from ninja import Schema

from .envelope import Envelope, JsonSubmission
from .inputs import described_inputs
from .schemas import ProblemOut

DESCRIPTION = """
Submit long tasks, watch them, and fetch their results.

A token comes from `manage.py apitoken USER` and goes into the header `Authorization: Bearer TOKEN`.
Times are UTC. Every error is `application/problem+json` with a sentence in `detail` and a stable `code`.

    curl -H "Authorization: Bearer $TOKEN" -F kind=document.generate -F file=@report.pdf \\
         -F instruction="Summarise this page." http://127.0.0.1:8000/api/tasks
"""

EXAMPLE = {"kind": "document.generate", "preset": "summarise", "unit": "page"}


def problems(*statuses: int) -> dict[int, type[ProblemOut]]:
    """Those of an operation, 401 included."""
    return dict.fromkeys((401, *statuses), ProblemOut)


def with_problem_type(schema: dict[str, Any]) -> dict[str, Any]:
    """The document with the right media type for the answers that are problems."""
    for path in schema["paths"].values():
        for operation in path.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400 and "application/json" in answer.get("content", {}):
                    answer["content"]["application/problem+json"] = answer["content"].pop("application/json")
    return schema


def with_inputs(schema: dict[str, Any]) -> dict[str, Any]:
    """The document with the fields of every kind that this process knows, in the description of a submission."""
    schema["paths"]["/api/tasks"]["post"]["description"] += f"\n\n{described_inputs()}"
    return schema


def submission_body() -> dict[str, Any]:
    form = Envelope.model_json_schema()
    form["properties"]["file"] = {"type": "string", "format": "binary", "description": "The document."}
    # The other fields are the kind's own input.
    form |= {"title": "SubmissionForm", "additionalProperties": {"type": "string"}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {"schema": form, "example": EXAMPLE},
                "application/json": {"schema": JsonSubmission.model_json_schema()},
            },
        },
        "parameters": [
            {
                "in": "header",
                "name": "Idempotency-Key",
                "required": False,
                "schema": {"type": "string", "maxLength": 200},
                "description": "For 24 hours the same key means the same task, whatever became of it.",
            }
        ],
    }


def options_body(schema: type[Schema]) -> dict[str, Any]:
    return {"requestBody": {"required": False, "content": {"application/json": {"schema": schema.model_json_schema()}}}}


def result_body() -> dict[str, Any]:
    media_types = ("text/markdown", "application/json", "application/jsonl")
    content = {media_type: {"schema": {"type": "string"}} for media_type in media_types}
    return {"responses": {200: {"description": "The file, as an attachment", "content": content}}}
