"""An answer about the whole: the answers of the parts are combined level by level, until one is left."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.conf import settings

from tasks_app.exceptions import PermanentError
from tasks_app.work.context import Context
from tasks_app.work.steps import Item

from .asking import Asked, ask

REQUEST = (
    "Different parts of one document were given to different people, each with this request:\n\n{wish}\n\n"
    "Their answers follow, in the order of the document. Make one answer to the request out of them, "
    "about the document as a whole. Do not mention the parts."
)

type Group = dict[str, Any]


class NothingToCombine(PermanentError):
    code = "nothing_to_combine"

    def __init__(self) -> None:
        super().__init__("None of the parts that were to be combined here has an answer.")


def sizes(count: int, *, together: int) -> list[int]:
    """How many of `count` answers each group gets: as even as can be, never one alone among larger ones."""
    groups = -(-count // together)
    return [count // groups + (1 if number < count % groups else 0) for number in range(groups)]


def count_combinations(parts: int, *, together: int) -> int:
    """Calls that combine `parts` answers into one: known before the first, so that a bar never runs backwards."""
    total = 0
    while parts > 1:
        parts = len(sizes(parts, together=together))
        total += parts
    return total


def combine(context: Context, wish: str, parts: Sequence[dict[str, Any]], answers: Sequence[Item]) -> Item:
    """The answer about the whole: of the last combination, or of the only part."""
    level = [
        {"pages": part["pages"], "parts": [number, number], "answers": _texts(answer)}
        for number, (part, answer) in enumerate(zip(parts, answers, strict=True), start=1)
    ]
    items = list(answers)
    while len(items) > 1:
        groups = _groups(level)
        items = context.map(
            "combine",
            partial(combine_group, context, wish),
            groups,
            concurrency=settings.LONGHAUL_MODEL_CONCURRENCY,
            failures="collect",
        )
        level = [{**group, "answers": _texts(item)} for group, item in zip(groups, items, strict=True)]
    return items[0]


def combine_group(context: Context, wish: str, group: Group) -> dict[str, Any]:
    """{"pages": [first, last] or None, "parts": [first, last], "whole", "text", "truncated"}.

    Raises NothingToCombine, and what the endpoint's client does.
    """
    if not group["answers"]:
        raise NothingToCombine
    request = REQUEST.format(wish=wish)
    found = ask(context, request, group["answers"])
    if len(found.texts) > 1:
        # They did not fit together: what became of them is shorter.
        again = ask(context, request, found.texts)
        found = Asked(again.texts, again.truncated or found.truncated)
    place = {name: group[name] for name in ("pages", "parts", "whole")}
    return {**place, "text": found.text, "truncated": found.truncated}


def _texts(answer: Item) -> list[str]:
    return [] if answer.failed else [answer.value["text"]]


def _groups(level: list[Group]) -> list[Group]:
    """The next level's inputs, each over neighbours of this one."""
    counts = sizes(len(level), together=settings.LONGHAUL_COMBINED_ANSWERS)
    members = iter(level)
    return [_group([next(members) for _ in range(count)], whole=len(counts) == 1) for count in counts]


def _group(members: list[Group], *, whole: bool) -> Group:
    pages = [page for member in members if member["pages"] for page in member["pages"]]
    return {
        "pages": [min(pages), max(pages)] if pages else None,
        "parts": [members[0]["parts"][0], members[-1]["parts"][1]],
        "answers": [text for member in members for text in member["answers"]],
        "whole": whole,
    }
