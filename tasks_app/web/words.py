"""What the page says for codes. The scripts get the same table, so a row changes without changing its words."""

from typing import Any

from tasks_app.documents.formats import ACCEPTED
from tasks_app.kinds import registry
from tasks_app.kinds.document_options import TRY_FIRST as FIRST_PAGES

STATES = {
    "pending": "Waiting",
    "queued": "In line",
    "running": "Working",
    "stopping": "Stopping",
    "succeeded": "Done",
    "partly": "Done with gaps",
    "failed": "Failed",
    "cancelled": "Stopped",
}
SENTENCES = {
    "pending": "It is safe here and will start when it is its turn.",
    "queued": "It starts as soon as a worker is free.",
    "running": "You can close this page: the work goes on, and the results stay here.",
    "stopping": "It stops after the parts that are in hand.",
    "succeeded": "Everything is done.",
    "partly": "It is done, but some parts failed. Retry works on those alone.",
    "failed": "It could not be finished.",
    "cancelled": "It was stopped at your request.",
}
# Instead of the sentence of a waiting state, and after that of an end before all was done.
BEGUN = "It has begun already, and goes on by itself."
KEPT = "What was finished before is kept."
RETRIES = {"missing": "Retry what is missing", "again": "Try again", "start": "Start it again"}
SCRATCH_BUTTONS = {"some": "Throw away and start again", "none": "Start from scratch"}
NO_RESULTS = {"active": "No results yet.", "final": "There are no results.", "further": "There are no further results."}
PRESETS = {
    "summarise": "Summary",
    "translate": "Translation",
    "key_points": "Key points",
    "questions": "Questions and answers",
}
# What is counted, by the unit that was asked for, or by the kind. About the whole: pages and combinations together.
UNITS = {"page": "pages", "chunk": "parts", "whole": "steps", "document.extract": "pages"}
EACH = {"page": "page by page", "chunk": "chunk by chunk", "whole": "about the whole"}
# Steps that are no items: they are named, not counted.
STEPS = {
    "split": "Document read",
    "extract": "Document read",
    "unread": "Pages without text",
    "merge": "Answers merged",
    "join": "Text put together",
}
# In place of the answer about the whole document while there is none.
WHOLE = {
    "active": "Combined from the answers below, when they are done.",
    "final": "There is none: it ended before the answers below could be combined.",
}
# In the list of results, in place of the answer that stands above it.
ABOVE = "About the whole document: shown above."
# Of an error: another try with the password can succeed.
IS_LOCKED = "needs a password"
TRY_FIRST = f"Try on the first {FIRST_PAGES.rpartition('-')[2]} pages"
DOWNLOADS = {
    "active": "Download so far",
    "succeeded": "Download",
    "failed": "Download what there is",
    "cancelled": "Download what there is",
}
MARKS = {
    "live": "Live",
    "reconnecting": "Reconnecting…",
    "polling": "Looking every 2 seconds",
    "gone": "This task no longer exists",
    "signed-out": "You are signed out: reload to sign in",
}

WORDS: dict[str, Any] = {
    "states": STATES,
    "sentences": SENTENCES,
    "begun": BEGUN,
    "kept": KEPT,
    "retries": RETRIES,
    "scratchButtons": SCRATCH_BUTTONS,
    "noResults": NO_RESULTS,
    "presets": PRESETS,
    "units": UNITS,
    "each": EACH,
    "steps": STEPS,
    "whole": WHOLE,
    "above": ABOVE,
    "locked": IS_LOCKED,
    "downloads": DOWNLOADS,
    "marks": MARKS,
}

FORMATS = [("md", "Markdown"), ("json", "JSON"), ("jsonl", "JSONL")]

# A hint for the file dialogue only; what a file is, its content says.
FILE_DIALOGUE = ",".join([*ACCEPTED, ".pdf", ".txt", ".text", ".md", ".markdown", ".html", ".htm", ".docx"])


def of_page() -> dict[str, Any]:
    """All that a page's scripts say, with the titles of the kinds that this process knows."""
    titles = {name: title(name) for name in sorted(registry.known_kinds())}
    return WORDS | {"kinds": titles}


def title(kind: str) -> str:
    known = registry.find(kind)
    return known.title if known else kind


def file_sorts() -> str:
    """ "PDF, plain text or Markdown"."""
    sorts = list(ACCEPTED.values())
    return f"{', '.join(sorts[:-1])} or {sorts[-1]}"


def size(count: int) -> str:
    """ "12 bytes", "3 KB", "1.2 MB"."""
    if count < 1024:
        return f"{count} bytes"
    if count < 1024**2:
        return f"{count / 1024:.0f} KB"
    return f"{round(count / 1024**2, 1):g} MB"
