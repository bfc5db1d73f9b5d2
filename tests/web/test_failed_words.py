"""A failed task in people's words: what it means, above what exactly happened."""

from typing import Any

import pytest
from django.test import Client

from tasks_app.models import ErrorCode
from tests.web.reading import visible
from tests.web.shelf import document_task


@pytest.mark.parametrize(
    ("code", "text", "sentence"),
    [
        (ErrorCode.ERROR, "It broke.", "It could not be finished."),
        (ErrorCode.ATTEMPTS_EXHAUSTED, "All 3 attempts were spent. Last: It broke.", "It could not be finished."),
        (
            ErrorCode.MEMORY_EXCEEDED,
            "It used more memory than its queue allows (2,048 MB) and was stopped.",
            "It needs more memory than it may use. A smaller input may fit.",
        ),
        (
            ErrorCode.INTERRUPTIONS_EXHAUSTED,
            "Its worker process died 3 times.",
            "It was interrupted too often, so it was given up.",
        ),
        (ErrorCode.DEADLINE_EXCEEDED, "It was not done in 1800 s.", "It was not done in the time that it had."),
        (
            ErrorCode.UNKNOWN_KIND,
            "No worker of the queue “gpu” has known the kind “x” for 10 minutes.",
            "Nothing that runs here knows how to do it. Retry when that has changed.",
        ),
        (ErrorCode.EXPIRED, "It was not started before it expired.", "It waited too long and never began."),
    ],
)
def test_each_code_has_a_sentence_and_keeps_its_reason(
    client: Client, user: Any, code: str, text: str, sentence: str
) -> None:
    said = visible(
        client.get(f"/tasks/{document_task(user, status='failed', error_code=code, error_text=text).pk}/").text
    )
    assert text in said
    assert sentence in said
