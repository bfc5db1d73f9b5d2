"""A call that goes well, and what is written in the ledger for it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from tasks_app.endpoint import ModelAnswer, complete
from tasks_app.exceptions import AttemptTimeUp
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import Behaviour, cut_after_finish, finish_length, ok


def test_the_answer_comes_back_whole_with_its_tokens(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    assert complete(context, page(7)) == ModelAnswer("R-0007", "stop", prompt_tokens=7, completion_tokens=1)


def test_pieces_are_joined_in_order(answered: Callable[[Behaviour], ModelAnswer]) -> None:
    assert answered(ok(latency=0.05, pieces=6)).text == "R-0001"


def test_the_call_is_closed_with_its_answer(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    answer = complete(context, page(1))
    assert [(call.outcome, call.answer) for call in context.calls] == [("answered", answer)]


def test_the_idempotency_key_of_the_ledger_is_sent(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    complete(context, page(1))
    complete(context, page(2))
    assert [call.idempotency_key for call in endpoint.calls] == ["key-1", "key-2"]


def test_a_saved_answer_is_used_and_nothing_is_sent(endpoint: ModelEndpoint) -> None:
    saved = ModelAnswer("saved", "stop", 1, 1)
    assert complete(MemoryContext(saved=saved), page(1)) == saved
    assert endpoint.calls == []


def test_an_attempt_without_time_opens_no_call(endpoint: ModelEndpoint) -> None:
    context = MemoryContext(seconds=0)
    with pytest.raises(AttemptTimeUp):
        complete(context, page(1))
    assert context.calls == []
    assert endpoint.calls == []


def test_a_finish_for_length_is_left_to_the_caller(answered: Callable[[Behaviour], ModelAnswer]) -> None:
    answer = answered(finish_length(0.8))
    assert (answer.text, answer.finish_reason) == ("R-00", "length")


def test_an_answer_that_has_finished_is_kept_when_the_connection_breaks_after_it(
    answered: Callable[[Behaviour], ModelAnswer],
) -> None:
    assert answered(cut_after_finish()) == ModelAnswer("R-0001", "stop", 0, 0)


def test_sixteen_lanes_share_one_client(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    endpoint.hold()
    with ThreadPoolExecutor(16) as lanes:
        answers = lanes.map(lambda number: complete(context, page(number)).text, range(1, 17))
        endpoint.wait_for(lambda: endpoint.in_flight == 16)
        endpoint.release()
        assert list(answers) == [f"R-{number:04d}" for number in range(1, 17)]
    assert endpoint.max_in_flight == 16


def test_no_thread_is_left_after_a_call(endpoint: ModelEndpoint, context: MemoryContext) -> None:
    for number in range(1, 21):
        complete(context, page(number))
        assert "model-call-limit" not in [thread.name for thread in threading.enumerate()]


def test_another_endpoint_takes_the_next_call(
    endpoint: ModelEndpoint, context: MemoryContext, settings: Settings
) -> None:
    complete(context, page(1))
    with ModelEndpoint() as other:
        settings.MODEL_BASE_URL = other.base_url
        complete(context, page(2))
        assert [call.marker for call in other.calls] == ["PAGE-0002"]
    assert [call.marker for call in endpoint.calls] == ["PAGE-0001"]
    assert context.calls[1].endpoint == other.base_url
