"""A step of a long task next to a step of a short one: what a task has done must not make the rest dearer."""

import itertools
from statistics import median

from django.db import connection

from .kinds import many_steps
from .samples import ratio_of_medians, spread
from .scale import Scale
from .site import Works
from .table import Row, Table

AIM = 1.1
SHORT_STEPS = 10


def measure(scale: Scale) -> Table:
    """Rounds: one long task between two halves of as many short ones as make a tenth of its steps."""
    shorts: list[list[float]] = []
    longs: list[list[float]] = []
    with Works() as works:
        works.house.scheduler()
        works.house.ready_worker("cpu")
        _steps(works, SHORT_STEPS)
        half = max(scale.long_steps // SHORT_STEPS // 20, 1)
        for _ in range(scale.rounds):
            before = [_steps(works, SHORT_STEPS) for _ in range(half)]
            longs.append(_steps(works, scale.long_steps))
            after = [_steps(works, SHORT_STEPS) for _ in range(half)]
            shorts.append(list(itertools.chain(*before, *after)))
    return Table(
        title=f"A step of a task with {scale.long_steps} steps, {connection.display_name}",
        how=f"Steps that do nothing, in a real worker, seconds by the kind's own clock; {scale.rounds} rounds of one "
        f"long task with {2 * half} short ones around it.",
        rows=_rows(shorts, longs, scale.long_steps),
    )


def _steps(works: Works, count: int) -> list[float]:
    """Seconds of each step of a new task."""
    found: list[float] = works.ended(many_steps.enqueue(count=count).id, within=300).load()
    return found


def _rows(shorts: list[list[float]], longs: list[list[float]], count: int) -> list[Row]:
    ratio = ratio_of_medians(longs, shorts)
    tenth = max(count // 10, 1)
    growth = ratio_of_medians([one[-tenth:] for one in longs], [one[:tenth] for one in longs])
    return [
        Row(what=f"a step of a task of {SHORT_STEPS}", measured=spread(itertools.chain(*shorts))),
        Row(
            what=f"a step of a task of {count}",
            measured=spread(itertools.chain(*longs)),
            ratio=f"{ratio:.2f} x of {SHORT_STEPS}",
            aim=f"<= {AIM} x",
            is_met=ratio <= AIM,
        ),
        Row(
            what=f"its last {tenth} steps next to its first",
            measured=f"p50 {median(itertools.chain(*(one[-tenth:] for one in longs))) * 1000:.2f} ms",
            # Seconds apart, so that what else the machine does counts: the row above is what decides.
            ratio=f"{growth:.2f} x",
        ),
    ]
