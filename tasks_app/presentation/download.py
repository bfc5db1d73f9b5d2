"""A result as an attachment of an HTTP answer, the same for page and API."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import PurePath

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

from tasks_app.exceptions import LonghaulError
from tasks_app.models import Status, StepResult, Task
from tasks_app.text import one_line

from .results import MEDIA_TYPES, Format, render

BLOCK_CHARACTERS = 64 * 1024
STEM_CHARACTERS = 100
# Left in a file's name: letters and digits of any language, and these.
OTHER = re.compile(r"[^\w .,()+-]")


class NotFinished(LonghaulError):
    """The task is not in a final state, and no partial result was asked for (409)."""

    code = "not_finished"

    def __init__(self, status: str) -> None:
        super().__init__(f"The task is {status}; expected one that is finished, or partial=1 for what there is so far.")
        self.status = status


class NothingYet(LonghaulError):
    """No part of the result exists (404)."""

    code = "no_result"

    def __init__(self, status: str) -> None:
        super().__init__(f"The task is {status} and no part of its result exists.")
        self.status = status


def download(
    request: HttpRequest,
    task: Task,
    *,
    fmt: Format = "md",
    partial: bool = False,
) -> StreamingHttpResponse:
    """The attachment, streamed. `partial`: what there is so far will do. Raises NotFinished, NothingYet."""
    if not task.is_final and not partial:
        raise NotFinished(task.status)
    if task.status != Status.SUCCEEDED and not StepResult.objects.filter(task=task).items().exists():
        raise NothingYet(task.status)
    blocks = _blocks(render(task, fmt, partial=task.status != Status.SUCCEEDED))
    # Django would read all of a plain iterator into memory first when it serves by ASGI.
    content = _in_its_thread(blocks) if isinstance(request, ASGIRequest) else blocks
    response = StreamingHttpResponse(content, content_type=MEDIA_TYPES[fmt])
    disposition = content_disposition_header(True, file_name(task, fmt))
    response["Content-Disposition"] = disposition or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response


def file_name(task: Task, fmt: Format) -> str:
    """<stem of the document's name>-<end of the task's id>.<format>, with nothing in it that a shell or disk minds."""
    name = PurePath(one_line(task.document.name)).stem if task.document else task.kind
    stem = OTHER.sub("_", name)[:STEM_CHARACTERS].strip(" .-") or "result"
    return f"{stem}-{task.pk.hex[-8:]}.{fmt}"


def _blocks(pieces: Iterator[str]) -> Iterator[str]:
    block: list[str] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK_CHARACTERS:
            yield "".join(block)
            block, size = [], 0
    yield "".join(block)


async def _in_its_thread(blocks: Iterator[str]) -> AsyncIterator[str]:
    while (block := await sync_to_async(lambda: next(blocks, None))()) is not None:
        yield block
