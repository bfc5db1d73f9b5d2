"""`document.generate`: an instruction applied to each page or chunk of a document, and one merged result."""

from functools import partial
from typing import Any, Literal

from django.conf import settings
from django.tasks import task

from tasks_app.documents.extract import extract
from tasks_app.documents.formats import MARKDOWN
from tasks_app.documents.merge import merge_markdown
from tasks_app.documents.split import split
from tasks_app.endpoint import ModelRequest
from tasks_app.work.context import Context
from tasks_app.work.files import SourceDocument
from tasks_app.work.steps import Item

from .document_form import DocumentForm, instruction_text

SYSTEM = "You are a careful assistant. You answer about the text you are given, and only from that text."


# The stubs do not know that a backend may bring arguments of its own.
@task(kind="document.generate", queue_name="gpu", takes_context=True, form=DocumentForm)  # type: ignore
def generate_from_document(
    context: Context,
    *,
    document: SourceDocument,
    preset: str,
    language: str,
    instruction: str,
    unit: Literal["page", "chunk"],
) -> str:
    """The merged Markdown. Items: {"pages": [first, last], "text", "truncated"}; each may fail alone."""
    context.progress(message="Reading the document")
    found = context.step("split", split_document, document, unit, settings.LONGHAUL_CHUNK_CHARACTERS)
    context.progress(message="Working on the parts")
    request = instruction_text(preset=preset, language=language, instruction=instruction)
    answers = context.map(
        "generate",
        partial(generate, context, request),
        found["parts"],
        concurrency=settings.LONGHAUL_MODEL_CONCURRENCY,
        failures="collect",
    )
    context.progress(message="Merging the answers")
    merged: str = context.step("merge", merge_markdown, document.name, delivered(found, answers))
    return merged


def split_document(
    document: SourceDocument, unit: Literal["page", "chunk"], max_characters: int
) -> dict[str, list[dict[str, Any]]]:
    """{"parts": [{"pages": [first, last], "text"}], "unread": [{"pages", "error"}]}, in the document's order.

    Raises InvalidInput.
    """
    pages = extract(document.local_path(), media_type=document.media_type)
    parts = split(pages, unit=unit, max_characters=max_characters, markdown=document.media_type == MARKDOWN)
    return {
        "parts": [{"pages": [part.first_page, part.last_page], "text": part.text} for part in parts],
        "unread": [{"pages": [page.number] * 2, "error": page.problem} for page in pages if page.problem],
    }


def generate(context: Context, instruction: str, part: dict[str, Any]) -> dict[str, Any]:
    # Here, so that the web and the worker that watches do not load the SDK.
    from tasks_app.endpoint import complete

    answer = complete(
        context,
        ModelRequest(
            messages=(
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": f"{instruction}\n\n{part['text'].strip()}"},
            ),
            max_tokens=settings.LONGHAUL_MODEL_MAX_OUTPUT_TOKENS,
        ),
    )
    return {"pages": part["pages"], "text": answer.text, "truncated": answer.finish_reason == "length"}


def delivered(found: dict[str, list[dict[str, Any]]], answers: list[Item]) -> list[dict[str, Any]]:
    """What the merged document says of each part, and of each page that gave no text, in the document's order."""
    parts = [
        {"pages": part["pages"], "error": answer.error_text} if answer.failed else {**answer.value, "error": ""}
        for part, answer in zip(found["parts"], answers, strict=True)
    ]
    return sorted([*parts, *found["unread"]], key=lambda part: part["pages"])
