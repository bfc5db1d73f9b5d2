"""What the page says for codes. The scripts get the same table, so a row changes without changing its words."""

from typing import Any

from tasks_app.kinds.document_form import DocumentForm

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
UNITS = {"page": "pages", "chunk": "parts"}
EACH = {"page": "page by page", "chunk": "chunk by chunk"}
# Steps that are no items: they are named, not counted.
STEPS = {"split": "Document read", "merge": "Answers merged"}
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
    "downloads": DOWNLOADS,
    "marks": MARKS,
}

FORMATS = [("md", "Markdown"), ("json", "JSON"), ("jsonl", "JSONL")]

# A hint for the file dialogue only; what a file is, its content says.
FILE_DIALOGUE = "application/pdf,text/plain,text/markdown,.pdf,.txt,.md,.markdown,.text"


def preset_choices() -> list[tuple[str, str]]:
    return _choices("preset")


def unit_choices() -> list[tuple[str, str]]:
    return _choices("unit")


def _choices(field: str) -> list[tuple[str, str]]:
    # The widget of a choice field is a select; the page shows its choices side by side.
    return [(str(value), str(label)) for value, label in DocumentForm.base_fields[field].choices]  # type: ignore[attr-defined]


def size(count: int) -> str:
    """ "12 bytes", "3 KB", "1.2 MB"."""
    if count < 1024:
        return f"{count} bytes"
    if count < 1024**2:
        return f"{count / 1024:.0f} KB"
    return f"{round(count / 1024**2, 1):g} MB"
