"""The call about queues: how far behind they are. It tells of no user's tasks."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from tasks_app.monitoring.samples import Paused, QueueFigures, figures
from tasks_app.presentation.times import iso

from .described import problems
from .schemas import QueueList

router = Router(tags=["queues"])


@router.get("", response={200: QueueList, **problems()})
def list_queues(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Every queue: what waits, who works on it, and how long that takes at the present rate."""
    return JsonResponse({"items": [_object(queue) for queue in figures()]})


def _object(queue: QueueFigures) -> dict[str, Any]:
    return {
        "name": queue.name,
        "depth": queue.depth,
        "running": queue.running,
        "workers": queue.workers,
        "completed_last_10min": queue.completions,
        "estimated_drain_minutes": queue.drain_minutes,
        "paused": _paused(queue.paused) if queue.paused else None,
    }


def _paused(paused: Paused) -> dict[str, Any]:
    return {"by": paused.by, "reason": paused.reason, "since": iso(paused.since)}
