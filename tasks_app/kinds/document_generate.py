"""`document.generate`: an instruction applied to a document, part by part or as a whole, and one merged result."""

from functools import partial
from typing import Any

from django.conf import settings
from django.tasks import task

from tasks_app.documents.merge import merge_markdown
from tasks_app.work.context import Context
from tasks_app.work.files import SourceDocument
from tasks_app.work.secrets import Secret
from tasks_app.work.steps import Item

from .asking import ask
from .combining import combine, count_combinations
from .document_form import DocumentForm, instruction_text
from .document_parts import Unit, split_document, tell_unread


# The stubs do not know that a backend may bring arguments of its own.
@task(  # type: ignore[call-overload,untyped-decorator]
    kind="document.generate",
    title="Ask about a document",
    queue_name="gpu",
    takes_context=True,
    form=DocumentForm,
)
def generate_from_document(
    context: Context,
    *,
    document: SourceDocument,
    preset: str,
    language: str,
    instruction: str,
    unit: Unit,
    pages: str = "",
    with_context: bool = False,
    password: Secret | None = None,
) -> str:
    """The merged Markdown. Items, each of which may fail alone: {"pages": [first, last] or None, "text", "truncated"};
    combinations have "parts" and "whole" besides.
    """
    context.progress(message="Reading the document")
    found = context.step(
        "split", split_document, context, document, unit, settings.LONGHAUL_CHUNK_TOKENS, pages, password
    )
    tell_unread(context, found["unread"])
    parts = prepared(found, unit=unit, with_context=with_context)
    wish = instruction_text(preset=preset, language=language, instruction=instruction)
    context.progress(total=_calls(len(parts), unit), message="Working on the parts")
    answers = context.map(
        "generate",
        partial(generate, context, wish),
        parts,
        concurrency=settings.LONGHAUL_MODEL_CONCURRENCY,
        failures="collect",
    )
    whole = None
    if unit == "whole":
        context.progress(message="Combining the answers")
        whole = merged_whole(combine(context, wish, parts, answers), found, answers)
    context.progress(message="Merging the answers")
    merged: str = context.step("merge", merge_markdown, document.name, merged_parts(found, answers), whole)
    return merged


def prepared(found: dict[str, Any], *, unit: Unit, with_context: bool) -> list[dict[str, Any]]:
    """The parts as they are worked on: {"pages", "text"}, with "title" and "heading" if their context was asked for.

    "whole" marks the only part of a document that is asked about as a whole: nothing is left to combine.
    """
    wanted = ("pages", "text", "heading") if with_context else ("pages", "text")
    title = {"title": found["title"]} if with_context and found["title"] else {}
    parts = [{name: part[name] for name in wanted} | title for part in found["parts"]]
    if unit == "whole" and len(parts) == 1:
        parts[0]["whole"] = True
    return parts


def _calls(parts: int, unit: Unit) -> int:
    if unit != "whole":
        return parts
    return parts + count_combinations(parts, together=settings.LONGHAUL_COMBINED_ANSWERS)


def generate(context: Context, wish: str, part: dict[str, Any]) -> dict[str, Any]:
    """One item. Raises what the endpoint's client does."""
    found = ask(context, with_surroundings(wish, part), [part["text"]])
    answer = {"pages": part["pages"], "text": found.text, "truncated": found.truncated}
    return answer | ({"whole": True} if part.get("whole") else {})


def with_surroundings(wish: str, part: dict[str, Any]) -> str:
    lines = [
        f"{label}: {part[name]}"
        for name, label in (("title", "The document is called"), ("heading", "The text is from the section"))
        if part.get(name)
    ]
    return "\n".join([wish, *(["", *lines] if lines else [])])


def merged_parts(found: dict[str, Any], answers: list[Item]) -> list[dict[str, Any]]:
    """What the merged document says of each part, and of each page that gave no text, in the document's order."""
    parts = [
        {"pages": part["pages"], "error": answer.error_text} if answer.failed else {**answer.value, "error": ""}
        for part, answer in zip(found["parts"], answers, strict=True)
    ]
    # A document without pages has no pages without text either.
    return sorted([*parts, *found["unread"]], key=lambda part: part["pages"]) if found["unread"] else parts


def merged_whole(whole: Item, found: dict[str, Any], answers: list[Item]) -> dict[str, Any]:
    """What the merged document says of the whole. `without`: how many parts and pages it knows nothing of."""
    if whole.failed:
        return {"error": whole.error_text}
    without = sum(answer.failed for answer in answers) + sum(
        last - first + 1 for first, last in (page["pages"] for page in found["unread"])
    )
    return {**whole.value, "error": "", "without": without}
