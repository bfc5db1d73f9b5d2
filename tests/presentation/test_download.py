from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from django.test import AsyncRequestFactory, RequestFactory

from tasks_app.models import Task, Worker
from tasks_app.presentation.download import NotFinished, NothingYet, download, file_name
from tests.support.rows import make_task, make_user, make_worker

from .rows import begin, make_document_task, save_answer, succeed


@pytest.fixture
def request_() -> HttpRequest:
    return RequestFactory().get("/")


def body(answer: StreamingHttpResponse) -> str:
    return answer.getvalue().decode()


def test_it_is_always_an_attachment_of_its_own_type(user: Any, worker: Worker, request_: HttpRequest) -> None:
    task = succeed(begin(make_document_task(user), worker), "<script>alert(1)</script>")
    answer = download(request_, task)
    assert answer["Content-Disposition"] == f'attachment; filename="report-{task.pk.hex[-8:]}.md"'
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "no-store"
    assert body(answer) == "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("report.final.pdf", "report.final"),
        ("../../etc/passwd", "passwd"),
        ('a";\r\nSet-Cookie: x=1.pdf', "a__ Set-Cookie_ x_1"),
        ("Größe 漢字.pdf", "Größe 漢字"),
        ("...", "result"),
        ("🙂.pdf", "_"),
        ("x" * 196 + ".pdf", "x" * 100),
    ],
)
def test_a_file_name_is_harmless_and_still_readable(user: Any, name: str, stem: str) -> None:
    task = make_document_task(user, name)
    assert file_name(task, "jsonl") == f"{stem}-{task.pk.hex[-8:]}.jsonl"


def test_a_task_without_document_is_named_by_its_kind(user: Any) -> None:
    task = make_task(user, kind="prompts.batch")
    assert file_name(task, "md").startswith("prompts.batch-")


def test_an_unfinished_task_is_refused_unless_a_part_will_do(user: Any, worker: Worker, request_: HttpRequest) -> None:
    ref = begin(make_document_task(user), worker)
    save_answer(ref, 0, "One.")
    task = Task.objects.get(pk=ref.task_id)
    with pytest.raises(NotFinished, match="The task is running"):
        download(request_, task)
    assert "One." in body(download(request_, task, partial=True))


def test_nothing_is_not_an_empty_file(user: Any, request_: HttpRequest) -> None:
    with pytest.raises(NothingYet, match="no part of its result"):
        download(request_, make_task(user), partial=True)


def long_task() -> Task:
    ref = begin(make_document_task(make_user()), make_worker("gpu"))
    for index in range(5):
        save_answer(ref, index, "long " * 8_000)
    return succeed(ref)


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_by_asgi_it_is_streamed_block_by_block() -> None:
    task = await sync_to_async(long_task)()
    answer = await sync_to_async(download)(AsyncRequestFactory().get("/"), task, fmt="jsonl")
    assert answer.is_async
    blocks = [block async for block in cast(AsyncIterator[bytes], answer.streaming_content)]
    assert len(blocks) > 2
    assert b"".join(blocks).count(b"\n") == 5
    # Another thread than that of the fixture: its connection would keep the test database in use.
    await sync_to_async(lambda: connection.close())()
