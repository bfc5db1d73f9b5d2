"""Addresses of the sockets.

| address | sends |
|---|---|
| /ws/tasks/{id}/?after=VERSION | one task and its steps |
| /ws/tasks/ | the user's tasks |
"""

from typing import Any
from urllib.parse import parse_qs

from channels.routing import URLRouter
from django.urls import path, re_path

from .consumers.list_feed import ListFeed
from .consumers.socket import Socket, refuse
from .consumers.task_feed import TaskFeed


def _task_feed(scope: dict[str, Any], user_id: int) -> TaskFeed:
    return TaskFeed(scope["url_route"]["kwargs"]["task_id"], owner_id=user_id, after=_after(scope))


def _list_feed(_scope: dict[str, Any], user_id: int) -> ListFeed:
    return ListFeed(user_id)


def _after(scope: dict[str, Any]) -> int | None:
    """The version in `?after=`; what is no number is as good as none."""
    text = parse_qs(scope["query_string"].decode("latin-1")).get("after", [""])[-1]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


# Typed for Django's views; the router takes ASGI applications.
_list: Any = Socket(_list_feed)
_task: Any = Socket(_task_feed)
_nothing: Any = refuse

websocket = URLRouter([path("ws/tasks/", _list), path("ws/tasks/<uuid:task_id>/", _task), re_path("", _nothing)])
