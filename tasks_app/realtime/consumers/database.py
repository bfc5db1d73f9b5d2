from collections.abc import Callable

from channels.db import database_sync_to_async


async def read[**P, R](query: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The answer of a query, made in the one thread that serves all sockets: one connection, closed after it."""
    answer: R = await database_sync_to_async(query)(*args, **kwargs)
    return answer
