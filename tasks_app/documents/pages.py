"""The page, as extraction gives it and splitting takes it."""

from dataclasses import dataclass

NO_TEXT_HERE = "no text on this page"
UNREADABLE = "this page could not be read"


@dataclass(frozen=True, slots=True)
class Page:
    """`number` counts from 1; `problem`: why `text` is empty, for people. `asdict` of it is JSON."""

    number: int
    text: str
    problem: str | None = None


def page_of(number: int, text: str) -> Page:
    return Page(number, text) if text.strip() else Page(number, "", NO_TEXT_HERE)
