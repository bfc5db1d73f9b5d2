"""The objects that API, WebSocket and page show: plain JSON, each below 64 KB as a frame."""

from .progress import percent
from .steps import step_object
from .tasks import task_object, task_objects

__all__ = ["percent", "step_object", "task_object", "task_objects"]
