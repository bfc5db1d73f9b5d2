"""One Markdown document from the answers for the parts of another."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from tasks_app.text import one_line

# What Markdown would take for markup in a line that is only a name.
MARKUP = re.compile(r"([\\`*<\[])")
CUT_OFF = "> The answer was cut off at the length limit."


def merge_markdown(title: str, parts: Iterable[Mapping[str, Any]]) -> str:
    """The whole document. For the shape of a part see `markdown`."""
    return "".join(markdown(title, parts))


def markdown(title: str, parts: Iterable[Mapping[str, Any]], *, note: str = "") -> Iterator[str]:
    """The document in pieces: `note` as a quotation, the title, then the parts in their order.

    A part: {"pages": [first, last] or None, "text": str, "truncated": bool, "error": a sentence, or "" or None}.
    Neighbours from the same pages share one heading; a part without pages is named by its place.
    """
    if note:
        yield f"> {one_line(note)}\n\n"
    yield f"# {MARKUP.sub(r'\\\1', one_line(title))}\n\n"
    for name, group in groupby(enumerate(parts, start=1), key=_name):
        yield f"## {name}\n\n"
        members = [part for _, part in group]
        for part in members:
            yield from _paragraphs(part, name if len(members) == 1 else f"A part of {name.lower()}")


def _name(numbered: tuple[int, Mapping[str, Any]]) -> str:
    number, part = numbered
    if not part.get("pages"):
        return f"Part {number}"
    first, last = part["pages"]
    return f"Page {first}" if first == last else f"Pages {first}–{last}"


def _paragraphs(part: Mapping[str, Any], name: str) -> Iterator[str]:
    if error := part.get("error"):
        verb = "have" if name.startswith("Pages") else "has"
        yield f"> {name} {verb} no answer: {one_line(error)}\n\n"
        return
    yield f"{part['text'].strip()}\n\n"
    if part.get("truncated"):
        yield f"{CUT_OFF}\n\n"
