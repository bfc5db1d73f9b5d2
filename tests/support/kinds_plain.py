"""`@task` functions as any Django application writes them, in a queue of Django's own name."""

import asyncio
from typing import Any

from django.tasks import task

from tests.support.kinds import note


@task
def add(a: Any, b: Any) -> Any:
    return a + b


@task()
def echo(*args: Any, **kwargs: Any) -> list[Any]:
    return [list(args), kwargs]


@task
def divide(a: int, b: int) -> float:
    return a / b


@task
def write(journal: str, line: str) -> str:
    return note(journal, line)


@task
async def add_slowly(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


@task
def nothing() -> None:
    return None


@task
def unstorable() -> object:
    return object()


@task(takes_context=True)
def told(context: Any, word: str) -> list[Any]:
    """What Django documents of a context."""
    result = context.task_result
    return [word, context.attempt, result.id, result.status, result.attempts, result.kwargs]
