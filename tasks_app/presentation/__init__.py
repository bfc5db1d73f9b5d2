"""The objects that API, WebSocket and page show: plain JSON, each below 64 KB as a frame."""

from .attempts import attempt_objects
from .progress import percent
from .steps import step_object
from .tasks import task_object, task_objects

__all__ = ["attempt_objects", "percent", "step_object", "task_object", "task_objects"]
