"""The first step of every kind that reads a document: what the file says, cut into parts."""

from collections.abc import Callable
from itertools import groupby
from time import monotonic
from typing import Any, Literal

from django.conf import settings

from tasks_app.documents.errors import TooManyParts
from tasks_app.documents.pages import Extracted, Page
from tasks_app.documents.ranges import parse_ranges
from tasks_app.documents.reading import read_document
from tasks_app.documents.sizes import estimated_tokens
from tasks_app.documents.split import Part, split
from tasks_app.documents.split import Unit as CutUnit
from tasks_app.work.context import Context
from tasks_app.work.files import SourceDocument
from tasks_app.work.secrets import Secret

LOOK_SECONDS = 0.5
# No text has more for each token.
CHARACTERS_OF_A_TOKEN = 16

type Unit = Literal["page", "chunk", "whole"]


def read(context: Context, document: SourceDocument, pages: str, password: Secret | None) -> Extracted:
    """Raises InvalidInput for all that is wrong with the document, and what ends the attempt."""
    return read_document(
        document.local_path(),
        media_type=document.media_type,
        workdir=context.workdir,
        ranges=parse_ranges(pages),
        password=password.reveal() if password else "",
        seconds=context.time_left(),
        keep_going=context.checkpoint,
    )


def split_document(
    context: Context, document: SourceDocument, unit: Unit, tokens: int, pages: str, password: Secret | None
) -> dict[str, Any]:
    """{"title", "parts": [{"pages": [first, last] or None, "text", "heading"}], "unread": [{"pages", "error"}]}.

    In the document's order; at most `tokens` a part. `unread`: pages without text. Raises InvalidInput.
    """
    # Here, so that the web and the worker that watches do not load the SDK.
    from tasks_app.endpoint import token_counter

    found = read(context, document, pages, password)
    with token_counter(otherwise=estimated_tokens) as size:
        parts = _parts(found, unit, tokens, pages, _watched(context, size))
    return {
        "title": found.title,
        "parts": [{"pages": pages_of(part), "text": part.text, "heading": part.heading} for part in parts],
        "unread": unread_pages(found.pages),
    }


def _watched(context: Context, size: Callable[[str], int]) -> Callable[[str], int]:
    """`size`, which stops where the attempt should: a large document is asked about for minutes."""
    look_at = monotonic()

    def watched(text: str) -> int:
        nonlocal look_at
        if monotonic() >= look_at:
            context.checkpoint()
            look_at = monotonic() + LOOK_SECONDS
        return size(text)

    return watched


def _parts(found: Extracted, unit: Unit, tokens: int, pages: str, size: Callable[[str], int]) -> list[Part]:
    limit = settings.LONGHAUL_MAX_PARTS
    # Before anybody is asked for sizes, which takes its time.
    if sum(len(page.text) for page in found.pages) > limit * tokens * CHARACTERS_OF_A_TOKEN:
        raise TooManyParts(limit=limit)
    each: CutUnit = "chunk" if unit == "chunk" else "page"
    parts = split(found, unit=each, limit=tokens, size=size, ranges=parse_ranges(pages))
    if len(parts) > limit:
        raise TooManyParts(limit=limit)
    return parts


def pages_of(part: Part) -> list[int] | None:
    if part.first_page is None or part.last_page is None:
        return None
    return [part.first_page, part.last_page]


def unread_pages(pages: list[Page]) -> list[dict[str, Any]]:
    """The pages that gave no text, and why: neighbours with the same reason as one."""
    groups = [(problem, list(group)) for problem, group in groupby(pages, key=lambda page: page.problem)]
    return [{"pages": [group[0].number, group[-1].number], "error": problem} for problem, group in groups if problem]


def tell_unread(context: Context, pages: list[dict[str, Any]]) -> None:
    """Show at once which pages gave no text: a small step of its own, because the text itself is shown to nobody."""
    if pages:
        context.step("unread", _told, pages)


def _told(pages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"unread": pages}
