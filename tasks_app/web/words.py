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
    "stopping": "It was asked to stop. What is finished is kept.",
    "succeeded": "Everything is done.",
    "partly": "It is done, but some parts failed. Retry works on those alone.",
    "failed": "It could not be finished.",
    "cancelled": "It was stopped at your request.",
}
# Instead of the sentence of a failure, where its code says more; what exactly happened stands below it.
FAILURES = {
    "deadline_exceeded": "It was not done in the time that it had.",
    "expired": "It waited too long and never began.",
    "memory_exceeded": "It needs more memory than it may use. A smaller input may fit.",
    "interruptions_exhausted": "It was interrupted too often, so it was given up.",
    "unknown_kind": "Nothing that runs here knows how to do it. Retry when that has changed.",
}
# Instead of the sentence of a waiting state, by what it waits for.
WAITS = {
    "unknown_kind": "It is safe here and starts when a worker comes that can do it.",
    "no_worker": "It is safe here and starts when a worker comes.",
    "paused": "It is safe here and starts when the pause is over.",
}
# Instead of any of those, once it has begun, and after the sentence of an end before all was done.
BEGUN = "It has begun already, and goes on by itself."
KEPT = "What was finished is kept: a retry goes on from there."
# Of a task that goes on although it should not.
OVERRUNS = {
    "limit": "Over its time limit of {limit} s: this attempt is being stopped.",
    "deadline": "Past its deadline: it is being stopped.",
    "stop": "It has not reacted yet. At its time limit of {limit} s it is ended in any case.",
}
# How an attempt ended; with "-counted", where it is one of those that may fail.
OUTCOMES = {
    "none": "at work",
    "succeeded": "done",
    "error": "failed",
    "timeout": "time was up, goes on",
    "timeout-counted": "time was up before anything new was finished",
    "memory": "used too much memory",
    "lost": "interrupted",
    "waiting": "had to wait",
    "handed_over": "its worker was updated, goes on",
    "cancelled": "stopped at your request",
    "deadline": "the time for all of it was up",
}
# Those whose reason is told besides.
REASONED = ("error", "lost", "waiting")
COUNTED = {"attempt": "counts as failed attempt {number} of {of}", "lost": "counts as interruption {number} of {of}"}
# What stands below the numbers, each for one and for several.
SPENDING = {
    "reused": ["1 answer reused (not paid again)", "{n} answers reused (not paid again)"],
    "in_doubt": [
        "1 call in doubt: perhaps paid, its answer was lost",
        "{n} calls in doubt: perhaps paid, their answers were lost",
    ],
}
# What a start from scratch costs.
SCRATCH = {
    "thrown": "The finished results are thrown away.",
    "again": "Everything is done again.",
    "paid": "Everything is done and paid again: {calls}, about {tokens} tokens so far.",
    "unknown": "Everything is done and paid again: {calls}.",
}
CALLS = ["1 model call", "{n} model calls"]
REUSED = ["1 of them was reused, and is paid this time.", "{n} of them were reused, and are paid this time."]
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
    "failures": FAILURES,
    "waits": WAITS,
    "begun": BEGUN,
    "kept": KEPT,
    "overruns": OVERRUNS,
    "outcomes": OUTCOMES,
    "reasoned": REASONED,
    "counted": COUNTED,
    "spending": SPENDING,
    "scratch": SCRATCH,
    "calls": CALLS,
    "reused": REUSED,
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


def several(forms: list[str], count: int) -> str:
    """The form for one, or that for several with their number in it."""
    return forms[0] if count == 1 else forms[1].replace("{n}", f"{count:,}")


def about(count: int) -> int:
    """Two digits of it: more would promise too much."""
    step: int = 10 ** max(0, len(str(count)) - 2)
    return (count + step // 2) // step * step


def duration(seconds: float) -> str:
    """ "42 s", "3 min 05 s", "1 h 02 min"."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


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
