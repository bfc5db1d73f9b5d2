"""What extraction gives and splitting takes: the pages of a document, and what is known of the whole."""

from dataclasses import dataclass

NO_TEXT_HERE = "no text on this page"


@dataclass(frozen=True, slots=True)
class Page:
    """`asdict` of it is JSON.

    `number` counts from 1. `problem`: why `text` is empty, for people. `heading`: title of the section in which the
    page lies, where the file's own outline names it.
    """

    number: int
    text: str
    problem: str | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """`title`: the file's own, cleaned, "" without one. `pages`: in order, at least one with text.

    `paged`: False where the file knows no pages, then there is one Page. `markdown`: the texts are Markdown.
    """

    title: str
    pages: list[Page]
    paged: bool
    markdown: bool


def page_of(number: int, text: str) -> Page:
    return Page(number, text) if text.strip() else Page(number, "", NO_TEXT_HERE)
