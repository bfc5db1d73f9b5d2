"""What the reader program writes arrives as it was, and what it cannot have written is refused."""

import json
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from tasks_app.documents import errors
from tasks_app.documents.errors import DocumentError
from tasks_app.documents.pages import Extracted, Page
from tasks_app.documents.transport import Malformed, read_result, write_result

FOUND = Extracted(
    "A “title”", [Page(3, "one\r\n\u2028two\n"), Page(4, "", "empty", "Head")], paged=True, markdown=False
)

ERRORS: list[DocumentError] = [
    errors.NotWord("an Excel workbook"),
    errors.UnpacksTooLarge(limit=2**26),
    DocumentError("It is odd."),
    errors.EmptyFile("a.pdf"),
    errors.FileTooLarge("a.pdf", limit=100),
    errors.UnsupportedFile("a.pdf", seems="a PNG image", accepted=["PDF", "HTML"]),
    errors.PasswordNeeded("PDF", wrong=True),
    errors.TooManyPages(pages=7, limit=3),
    errors.NotAmongPages(count=3, what="parts"),
    errors.TooMuchText(limit=7),
    errors.TooManyParts(limit=7),
    errors.NoText("No text was found.", pages=4),
    errors.ReaderOutOfMemory(limit=2**28),
    errors.ReaderTooSlow(limit=1.5),
]


def kinds(kind: type[DocumentError]) -> Iterator[type[DocumentError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from kinds(narrower)


def passed_on(folder: Path, result: Extracted | DocumentError) -> Extracted:
    path = folder / "result"
    write_result(path, result)
    with path.open("rb") as file:
        return read_result(file)


def test_pages_arrive_as_they_were(tmp_path: Path) -> None:
    assert passed_on(tmp_path, FOUND) == FOUND


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_arrives_as_it_was(tmp_path: Path, error: DocumentError) -> None:
    with pytest.raises(type(error)) as caught:
        passed_on(tmp_path, error)
    assert (str(caught.value), vars(caught.value)) == (str(error), vars(error))


def test_every_error_that_needs_data_is_tried_above() -> None:
    tried = {type(error) for error in ERRORS}
    assert [kind for kind in set(kinds(DocumentError)) - tried if signature(kind).parameters] == []


def test_what_cannot_be_stored_is_cleaned_on_its_way(tmp_path: Path) -> None:
    found = passed_on(tmp_path, Extracted("\ud83d", [Page(1, "o\x00\ud83der")], paged=True, markdown=True))
    assert (found.title, found.pages[0].text) == ("\ufffd", "o\ufffd\ufffder")


HEAD = {"title": "", "paged": True, "markdown": False, "pages": 1}


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="nothing"),
        pytest.param([b"\xff\xfe{"], id="bytes"),
        pytest.param([HEAD], id="a page too few"),
        pytest.param([HEAD, [1, "a", None, ""], [2, "b", None, ""]], id="a page too many"),
        pytest.param([HEAD, [1, "a", None]], id="half a page"),
        pytest.param([HEAD, ["one", "a", None, ""]], id="no number"),
        pytest.param([HEAD, [1, " ", None, ""]], id="no text"),
        pytest.param([HEAD, 7], id="no list"),
        pytest.param([HEAD, [-5, "a", None, ""]], id="a page before the first"),
        pytest.param([HEAD, [10**400, "a", None, ""]], id="a page beyond all books"),
        pytest.param([HEAD | {"pages": 2}, [1, "a", None, ""], [1, "a", None, ""]], id="a page twice"),
        pytest.param([[]], id="no head"),
        pytest.param([{"pages": 0}], id="half a head"),
        pytest.param([{"error": "SystemExit", "data": {}}], id="no error of ours"),
        pytest.param([{"error": "NoPages", "data": {"a": 1}}], id="other data"),
        pytest.param([b"[" * 100_000], id="deep"),
    ],
)
def test_anything_else_is_malformed(lines: list[Any]) -> None:
    with pytest.raises(Malformed):
        read_result(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)


def test_a_program_that_was_taken_over_cannot_flood_what_people_read(tmp_path: Path) -> None:
    long = "x" * 100_000
    found = passed_on(tmp_path, Extracted(long, [Page(1, "a", None, long)], paged=True, markdown=True))
    assert len(found.title) == len(found.pages[0].heading) == 1000
    with pytest.raises(DocumentError) as caught:
        passed_on(tmp_path, DocumentError(long))
    assert len(str(caught.value)) == 1000
