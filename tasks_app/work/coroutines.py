"""Functions of a kind that may be `async def`, called from the thread that makes the attempt or from a lane."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from inspect import iscoroutine
from typing import Any

from asgiref.sync import async_to_sync

from tasks_app.exceptions import Interrupt, LonghaulError


def call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What the function returns, or what the coroutine that it returns comes to.

    In an `async def` kind that is awaited in the kind's own event loop, else in one made for this call.
    """
    with ungrouped():
        result = function(*arguments, **keywords)
        return async_to_sync(_come_to)(result) if iscoroutine(result) else result


async def _come_to(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return await coroutine


@contextmanager
def ungrouped() -> Iterator[None]:
    """Of the errors that an asyncio.TaskGroup raised together, the one that decides: a stop, else the first of ours."""
    try:
        yield
    except BaseExceptionGroup as group:
        for decides in (Interrupt, LonghaulError):
            if found := _first(group, decides):
                raise found from group
        raise


def _first(group: BaseExceptionGroup[BaseException], wanted: type[BaseException]) -> BaseException | None:
    for error in group.exceptions:
        found = _first(error, wanted) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, wanted):
            return found
    return None
