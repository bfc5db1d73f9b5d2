"""Which pages of a document are asked for: "5-20", "1-3, 7", "12-"."""

import re

type Ranges = list[tuple[int, int | None]]
"""First and last page of each, both included; None: up to the end. [] means all pages."""

ONE = re.compile(r"(\d{1,7})(?:\s*([-–—])\s*(\d{1,7})?)?", re.ASCII)
EXPECTED = "Write pages as in “5-20”, “1-3, 7” or “12-”."
MAX_RANGES = 100


def parse_ranges(text: str) -> Ranges:
    """The ranges that `text` names, in its order; "" is all pages. Raises ValueError with a sentence for people."""
    parts = [part.strip() for part in re.split("[,;]", text)] if text.strip() else []
    if len(parts) > MAX_RANGES:
        raise ValueError(f"{len(parts):,} ranges are too many: {MAX_RANGES} at most.")
    return [_range(part) for part in parts]


def _range(text: str) -> tuple[int, int | None]:
    if not text:
        raise ValueError(f"A page is missing beside a comma. {EXPECTED}")
    match = ONE.fullmatch(text)
    if not match:
        raise ValueError(f"“{text[:40]}” names no pages. {EXPECTED}")
    first, dash, last = match.groups()
    begin = int(first)
    end = int(last) if last else None if dash else begin
    if not begin or end == 0:
        raise ValueError("Pages are counted from 1.")
    if end is not None and end < begin:
        raise ValueError(f"“{text}” ends before it begins. {EXPECTED}")
    return begin, end


def within(ranges: Ranges, number: int) -> bool:
    """Whether `number` is asked for."""
    return not ranges or any(first <= number and (last is None or number <= last) for first, last in ranges)


def chosen(ranges: Ranges, *, count: int) -> list[range]:
    """The numbers from 1 to `count` that are asked for, rising, each once. It costs the same however many they are."""
    spans: list[range] = []
    for first, last in sorted(
        (first, count if last is None else min(last, count)) for first, last in ranges or [(1, None)]
    ):
        begin = max(first, spans[-1].stop if spans else 1)
        if begin <= last:
            spans.append(range(begin, last + 1))
    return spans
