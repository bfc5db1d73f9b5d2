"""What is counted: by whoever does it, in each process, and added up in Redis. Gauges are another matter: `gauges`.

Values of labels are bounded, since each makes series of its own: kinds that the process knows, queues of the settings,
states, outcomes and codes of the tables. Anything else is counted as "other".
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import product

from tasks_app.models import FINAL, ErrorCode, FiringOutcome, Status

# Of a series: the metric's name, the values of its labels, and of a histogram which of its numbers.
type Series = tuple[str, tuple[str, ...], str]
type Counts = dict[Series, float]
type Kinds = Collection[str]

SUM = "sum"


def _no_zeros(_kinds: Kinds) -> Iterable[tuple[str, ...]]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """`zeros`: series that are told of before anything was counted, so that the first event is a step of a rate too."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    zeros: Callable[[Kinds], Iterable[tuple[str, ...]]] = _no_zeros


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Of seconds. `bounds`: upper ones of its buckets."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...]


def _ends(kinds: Kinds) -> Iterable[tuple[str, ...]]:
    """A task ends in one of these ways: its state, and of a failure the code."""
    good = [(status.value, "") for status in FINAL if status != Status.FAILED]
    bad = [(Status.FAILED.value, code) for code in ErrorCode.values]
    return [(kind, *end) for kind, end in product(sorted(kinds), [*good, *bad])]


SUBMITTED = Counter(
    name="longhaul_tasks_submitted",
    text="Tasks that were submitted: by page, API, schedules and enqueue().",
    labels=("kind", "queue"),
)
FINISHED = Counter(
    name="longhaul_tasks_finished",
    text="Tasks that became final, by state and, of the failed ones, by code. A manual retry lets a task end again.",
    labels=("kind", "status", "code"),
    zeros=_ends,
)
WAIT = Histogram(
    name="longhaul_task_wait_seconds",
    text="From when a task was due until a worker took it, for each attempt.",
    labels=("kind", "queue"),
    bounds=(0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 21600),
)
ATTEMPT = Histogram(
    name="longhaul_attempt_seconds",
    text="Attempts that ended, and how long they took, by outcome.",
    labels=("kind", "outcome"),
    bounds=(0.01, 0.05, 0.25, 1, 5, 15, 60, 120, 300, 600, 1800),
)
STEP = Histogram(
    name="longhaul_step_seconds",
    text="Steps and items that were kept, and how long they took, waits between their tries included.",
    labels=("kind", "status"),
    bounds=(0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 180),
)
CALLS = Counter(
    name="longhaul_model_calls",
    text="Requests to the model endpoint that ended, by outcome: answered, or the error's code. 429: rate_limited.",
    labels=("kind", "outcome"),
)
TOKENS = Counter(
    name="longhaul_model_tokens",
    text="Tokens of answered requests, of the prompt and of the completion.",
    labels=("kind", "part"),
)
IN_DOUBT = Counter(
    name="longhaul_model_calls_in_doubt",
    text="Requests that were sent and never heard of again, since their attempt is over: perhaps paid.",
    labels=("kind",),
)
REUSED = Counter(
    name="longhaul_model_calls_reused",
    text="Requests that were not sent, since their answer was there: of an attempt before, or of an earlier task.",
    labels=("kind",),
)
RESTARTS = Counter(
    name="longhaul_child_restarts",
    text="Programs of workers that another one followed, by cause.",
    labels=("cause",),
)
FIRINGS = Counter(
    name="longhaul_schedule_firings",
    text="Due times of schedules, by what came of them; missed ones too.",
    labels=("outcome",),
    zeros=lambda _kinds: [(outcome,) for outcome in FiringOutcome.values],
)
LATENESS = Histogram(
    name="longhaul_schedule_lateness_seconds",
    text="From a due time until its task was made.",
    bounds=(0.5, 1, 2, 5, 15, 60, 300, 3600),
)

COUNTERS = (SUBMITTED, FINISHED, CALLS, TOKENS, IN_DOUBT, REUSED, RESTARTS, FIRINGS)
HISTOGRAMS = (WAIT, ATTEMPT, STEP, LATENESS)
