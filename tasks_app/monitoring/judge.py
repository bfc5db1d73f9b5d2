"""Judging the queues by their samples: which alerts open, which are over."""

from collections import defaultdict
from datetime import timedelta

from django.conf import settings

from tasks_app.lifecycle.clock import database_now
from tasks_app.models import Alert, AlertRule, QueueSample

from . import words
from .alerts import open_alert, resolve_alert
from .rules import RULES, Rule, longest_look, opens, resolves

# A sample that is older says nothing of now.
FRESH = timedelta(seconds=10)
QUEUE_RULES = [rule.rule for rule in RULES]


def judge() -> int:
    """Open and resolve the alerts of all queues; returns how many were opened or resolved now."""
    open_now = set(Alert.objects.open().filter(rule__in=QUEUE_RULES).values_list("rule", "subject"))
    samples = _samples()
    done = sum(_judge(rule, rows, is_open=(rule.rule, rows[0].queue) in open_now) for rows in samples for rule in RULES)
    return done + _forget(open_now)


def _samples() -> list[list[QueueSample]]:
    """Of each queue, newest first; none of a queue that has no fresh one."""
    now = database_now()
    rows: defaultdict[str, list[QueueSample]] = defaultdict(list)
    span = QueueSample.objects.filter(at__gt=now - longest_look() - FRESH, at__lte=now)
    for sample in span.filter(queue__in=settings.TASK_QUEUES).order_by("-at"):
        rows[sample.queue].append(sample)
    return [of_queue for of_queue in rows.values() if now - of_queue[0].at < FRESH]


def _judge(rule: Rule, samples: list[QueueSample], *, is_open: bool) -> bool:
    newest = samples[0]
    if is_open:
        return resolves(rule, samples) and resolve_alert(rule.rule, newest.queue, words.now(newest))
    return opens(rule, samples) and open_alert(rule.rule, newest.queue, rule.text(newest))


def _forget(open_now: set[tuple[str, str]]) -> int:
    """Resolve what is about a queue that there no longer is."""
    gone = [(rule, queue) for rule, queue in open_now if queue not in settings.TASK_QUEUES]
    return sum(
        resolve_alert(AlertRule(rule), queue, f"{queue}: this queue is no longer set up.") for rule, queue in gone
    )
