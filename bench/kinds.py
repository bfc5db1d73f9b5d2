"""A kind that a program submits as JSON."""

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
