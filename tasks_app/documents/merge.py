"""One Markdown document from the answers for the parts of another."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from tasks_app.text import one_line

# What Markdown would take for markup in a line that is only a name.
MARKUP = re.compile(r"([\\`*<\[])")
CUT_OFF = "> The answer was cut off at the length limit."
WHOLE = "The whole document"


def merge_markdown(title: str, parts: Iterable[Mapping[str, Any]], whole: Mapping[str, Any] | None = None) -> str:
    """The whole document. For the shape of a part see `markdown`; `whole` is one about all of them."""
    return "".join(markdown(title, parts, whole=whole))


def markdown(
    title: str, parts: Iterable[Mapping[str, Any]], *, note: str = "", whole: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """The document in pieces: `note` as a quotation, the title, the whole, then the parts in their order.

    `whole`: a part without "pages"; "without": how many parts it knows nothing of.

    A part: {"pages": [first, last] or None, "text": str, "truncated": bool, "error": a sentence, or "" or None}.
    Neighbours from the same pages share one heading; a part without pages is named by its place, unless it has a
    "name" of its own.
    """
    if note:
        yield f"> {one_line(note)}\n\n"
    yield f"# {MARKUP.sub(r'\\\1', one_line(title))}\n\n"
    if whole is not None:
        yield f"## {WHOLE}\n\n"
        yield from _paragraphs(whole, WHOLE)
        if count := whole.get("without"):
            parts_of_it = f"{count} {'part' if count == 1 else 'parts'} of it"
            yield f"> {parts_of_it}, named below, could not be taken into account.\n\n"
    for name, group in groupby(enumerate(parts, start=1), key=_name):
        yield f"## {name}\n\n"
        members = [part for _, part in group]
        for part in members:
            yield from _paragraphs(part, name if len(members) == 1 else f"A part of {name.lower()}")


def joined_text(pages: Iterable[Mapping[str, Any]]) -> str:
    """The text of the pages and nothing else; where they have numbers, a comment before each says which it is."""
    numbered = sorted(pages, key=lambda page: page["pages"] or [0])
    return "\n\n".join(_with_its_number(page) for page in numbered) + "\n"


def _with_its_number(page: Mapping[str, Any]) -> str:
    if not page["pages"]:
        return str(page["text"]).strip("\n")
    name = _name((0, page))
    if error := page.get("error"):
        return f"<!-- {name}: {one_line(error)} -->"
    return f"<!-- {name} -->\n\n{page['text'].strip('\n')}"


def _name(numbered: tuple[int, Mapping[str, Any]]) -> str:
    number, part = numbered
    if name := part.get("name"):
        return str(name)
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
