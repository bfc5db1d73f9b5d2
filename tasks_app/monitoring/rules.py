"""When an alert about a queue opens, and when it is over. Everything is read from samples, the newest first, so that
every scheduler knows since when something is so, after a restart too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

from tasks_app.models import AlertRule, QueueSample
from tasks_app.models.worker import silent_after

from . import words

# Between two samples. In a longer silence nobody knows how it was: what is so afterwards is so only since then.
LONGEST_SILENCE = timedelta(seconds=30)
# The alert about the oldest task is over when the oldest has waited this share of what opened it.
OLDEST_OVER_SHARE = 0.5

type Check = Callable[[QueueSample], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """`holds`: something is wrong in that sample; it opens once that was so for `after()` without a break.

    `is_over`: nothing is wrong any more, by the lower threshold; it resolves once that was so for `calm()`.
    """

    rule: AlertRule
    holds: Check
    is_over: Check
    after: Callable[[], timedelta]
    calm: Callable[[], timedelta]
    text: Callable[[QueueSample], str]


def opens(rule: Rule, samples: Sequence[QueueSample]) -> bool:
    """`samples`: of one queue, newest first."""
    return _was_so_for(rule.holds, samples, rule.after())


def resolves(rule: Rule, samples: Sequence[QueueSample]) -> bool:
    return _was_so_for(rule.is_over, samples, rule.calm())


def longest_look() -> timedelta:
    """Older samples than this say nothing."""
    return max(max(rule.after(), rule.calm()) for rule in RULES) + LONGEST_SILENCE


def _was_so_for(check: Check, samples: Sequence[QueueSample], span: timedelta) -> bool:
    later = samples[0]
    for sample in samples:
        if later.at - sample.at > LONGEST_SILENCE or not check(sample):
            return False
        if samples[0].at - sample.at >= span:
            return True
        later = sample
    return False


def _workable(sample: QueueSample) -> int:
    """What waits for a worker and has one."""
    return sample.depth - sample.held - sample.unserved


def _drains_slower_than(sample: QueueSample, minutes: float) -> bool:
    return sample.drain_minutes is None or sample.drain_minutes > minutes


def _drain_holds(sample: QueueSample) -> bool:
    # Without a worker it is another alert's, and one is enough.
    return _workable(sample) > 0 and _drains_slower_than(sample, settings.LONGHAUL_ALERT_DRAIN_MINUTES)


def _drain_is_over(sample: QueueSample) -> bool:
    return _waits_for_nobody(sample) or not _drains_slower_than(sample, settings.LONGHAUL_ALERT_DRAIN_RESOLVED_MINUTES)


def _waits_for_nobody(sample: QueueSample) -> bool:
    return sample.depth == sample.held


def _oldest_holds(sample: QueueSample) -> bool:
    return _workable(sample) > 0 and sample.oldest_seconds > 60 * settings.LONGHAUL_ALERT_OLDEST_MINUTES


def _oldest_is_over(sample: QueueSample) -> bool:
    limit = 60 * settings.LONGHAUL_ALERT_OLDEST_MINUTES * OLDEST_OVER_SHARE
    return _waits_for_nobody(sample) or sample.oldest_seconds <= limit


def _after() -> timedelta:
    return timedelta(seconds=settings.LONGHAUL_ALERT_AFTER_SECONDS)


def _idle_calm() -> timedelta:
    return timedelta(seconds=settings.LONGHAUL_ALERT_IDLE_WORKER_SECONDS)


def _at_once() -> timedelta:
    return timedelta()


RULES = (
    Rule(AlertRule.DRAIN, _drain_holds, _drain_is_over, after=_after, calm=_at_once, text=words.drain),
    Rule(
        AlertRule.NO_WORKER,
        lambda sample: sample.unserved > 0,
        lambda sample: sample.unserved == 0,
        after=_after,
        # A worker that is killed again at once looks alive for as long.
        calm=silent_after,
        text=words.no_worker,
    ),
    Rule(
        AlertRule.IDLE_WORKER,
        lambda sample: sample.idle_workers > 0,
        lambda sample: sample.idle_workers == 0,
        # That it lasts is part of what is counted.
        after=_at_once,
        calm=_idle_calm,
        text=words.idle,
    ),
    Rule(AlertRule.OLDEST, _oldest_holds, _oldest_is_over, after=_after, calm=_at_once, text=words.oldest),
)
