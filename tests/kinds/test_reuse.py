"""The same document again: its owner's answers are there already, and nobody pays for them twice."""

from typing import Any

import pytest

from tasks_app.lifecycle.retry import cost_of_scratch, retry
from tasks_app.models import ModelCall, Status, Task
from tests.support.documents import marker, marker_pdf
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import finish_length, status

from .conftest import Generate


def test_the_same_document_again_makes_no_call_and_has_the_same_result(
    generate: Generate, endpoint: ModelEndpoint
) -> None:
    first = generate(marker_pdf(3))
    second = generate(marker_pdf(3))
    assert (second.status, second.load()) == (Status.SUCCEEDED, first.load())
    assert (len(endpoint.calls), second.reused_calls) == (3, 3)
    assert not ModelCall.objects.filter(task=second).exists()


def test_only_what_was_not_answered_whole_is_asked_again(generate: Generate, endpoint: ModelEndpoint) -> None:
    endpoint.script(marker(1), [status(500)] * 3)
    endpoint.script(marker(2), [finish_length(0.8)])
    generate(marker_pdf(3))
    second = generate(marker_pdf(3))
    assert (second.status, second.failed_items, second.reused_calls) == (Status.SUCCEEDED, 0, 1)
    assert len(endpoint.calls) == 3 + 1 + 1 + 2


@pytest.mark.parametrize("other", [{"instruction": "Say it in verse."}, {"preset": "summarise", "instruction": ""}])
def test_another_wish_is_asked(generate: Generate, endpoint: ModelEndpoint, other: dict[str, Any]) -> None:
    generate(marker_pdf(2))
    assert generate(marker_pdf(2), **other).reused_calls == 0
    assert len(endpoint.calls) == 4


@pytest.mark.parametrize("setting", ["MODEL_NAME", "LONGHAUL_MODEL_MAX_OUTPUT_TOKENS"])
def test_another_model_or_another_limit_is_asked(
    generate: Generate, endpoint: ModelEndpoint, settings: Any, setting: str
) -> None:
    generate(marker_pdf(2))
    setattr(settings, setting, {"MODEL_NAME": "other", "LONGHAUL_MODEL_MAX_OUTPUT_TOKENS": 77}[setting])
    generate(marker_pdf(2))
    assert len(endpoint.calls) == 4


def test_from_scratch_pays_for_what_was_taken_over_too(generate: Generate, endpoint: ModelEndpoint) -> None:
    generate(marker_pdf(2))
    second = generate(marker_pdf(2))
    assert cost_of_scratch(second.pk).calls == 2
    Task.objects.filter(pk=second.pk).update(status=Status.FAILED, error_code="error")
    retry(second.pk, from_scratch=True)
    generate(task=second)
    assert (second.status, len(endpoint.calls)) == (Status.SUCCEEDED, 4)
