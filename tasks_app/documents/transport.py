"""How the reader program hands over what it read: a file of JSON lines, one error, or a head and a line a page."""

import json
from collections.abc import Iterable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

from tasks_app.text import clean_json, shorten

from .errors import DocumentError
from .pages import Extracted, Page

# A hostile file may have taken the program over: what it hands over is bounded here again.
SHORT_CHARACTERS = 1000
LARGEST_NUMBER = 10**7


class Malformed(Exception):
    """The lines are not what this module writes."""


def write_result(path: Path, result: Extracted | DocumentError) -> None:
    lines = _error_lines(result) if isinstance(result, DocumentError) else _extracted_lines(result)
    # Half a surrogate pair passes: reading cleans it.
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _error_lines(error: DocumentError) -> Iterator[Any]:
    kind = type(error)
    yield {"error": kind.__name__, "data": {name: getattr(error, name) for name in signature(kind).parameters}}


def _extracted_lines(extracted: Extracted) -> Iterator[Any]:
    yield {
        "title": extracted.title,
        "paged": extracted.paged,
        "markdown": extracted.markdown,
        "pages": len(extracted.pages),
    }
    yield from ([page.number, page.text, page.problem, page.heading] for page in extracted.pages)


def read_result(lines: Iterable[bytes]) -> Extracted:
    """Raises the DocumentError that was handed over, and Malformed."""
    try:
        return _extracted(clean_json(json.loads(line)) for line in lines)
    except (ValueError, TypeError, LookupError, StopIteration, RecursionError) as error:
        raise Malformed(f"{type(error).__name__}: {error}") from error


def _extracted(rows: Iterable[Any]) -> Extracted:
    head, *lines = rows
    if "error" in head:
        _raise_again(head)
    pages = [_page(*line) for line in lines]
    numbers = [page.number for page in pages]
    if numbers != sorted(set(numbers)) or not 1 <= numbers[0] <= numbers[-1] <= LARGEST_NUMBER:
        raise ValueError("pages are out of order")
    if len(pages) != head["pages"] or not any(page.text.strip() for page in pages):
        raise ValueError("pages are missing")
    return Extracted(_short(head["title"]), pages, paged=bool(head["paged"]), markdown=bool(head["markdown"]))


def _page(number: int, text: str, problem: str | None, heading: str) -> Page:
    return Page(int(number), str(text), None if problem is None else _short(problem), _short(heading))


def _short(text: str) -> str:
    return shorten(str(text), SHORT_CHARACTERS)


def _raise_again(head: dict[str, Any]) -> NoReturn:
    data = {name: _short(value) if isinstance(value, str) else value for name, value in head["data"].items()}
    raise {kind.__name__: kind for kind in _kinds(DocumentError)}[head["error"]](**data)


def _kinds(kind: type[DocumentError]) -> Iterator[type[DocumentError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)
