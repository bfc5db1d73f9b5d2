"""Kinds that programs submit."""

import time
from collections.abc import Callable
from typing import Any

from django import forms, tasks

# The stubs do not know that a backend may bring arguments of its own.
task: Callable[..., Callable[[Callable[..., Any]], Any]] = tasks.task


class WordsForm(forms.Form):
    text = forms.CharField()


@task(kind="bench.words", queue_name="cpu", takes_context=True, form=WordsForm)
def words(context: Any, *, text: str) -> int:
    """How many there are."""
    found: int = context.step("count", len, text.split())
    return found


@task(kind="bench.noop", queue_name="cpu")
def noop() -> None:
    """Nothing: what is left is what a task costs."""


@task(kind="bench.moment", queue_name="cpu")
def moment() -> float:
    """When it began, by the machine's clock."""
    return time.time()


@task(kind="bench.many_steps", queue_name="cpu", takes_context=True)
def many_steps(context: Any, *, count: int) -> list[float]:
    """Seconds of each of so many steps that do nothing."""
    seconds = []
    for number in range(count):
        began = time.perf_counter()
        context.step("nothing", int, number)
        seconds.append(time.perf_counter() - began)
    return seconds
