"""The test endpoint is the judge of how many calls were made: it must itself be right, in both of its forms."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from openai import OpenAI

from tests.support.endpoint import EndpointControl, ModelEndpoint, RemoteModelEndpoint
from tests.support.endpoint_behaviours import ok, status


@pytest.fixture(params=[ModelEndpoint, RemoteModelEndpoint], ids=["thread", "program"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EndpointControl]:
    with request.param(log=tmp_path / "calls.log") as endpoint:
        yield endpoint


def ask(endpoint: EndpointControl, *messages: str) -> str:
    """The answer by the SDK, without streaming; the status code when there is none."""
    client = OpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0)
    answer = client.chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": message} for message in messages]
    )
    return answer.parse().choices[0].message.content or ""


def statuses(endpoint: EndpointControl, marker: str, times: int) -> list[str]:
    found = []
    for _ in range(times):
        try:
            found.append(ask(endpoint, marker))
        except Exception as error:
            found.append(str(getattr(error, "status_code", error)))
    return found


def test_the_marker_of_the_last_user_message_is_answered(both: EndpointControl) -> None:
    assert ask(both, "PAGE-0001", "PAGE-0002 and PAGE-0003") == "R-0002"


def test_a_prompt_without_a_marker_is_answered_with_its_hash(both: EndpointControl) -> None:
    answer = ask(both, "hello")
    assert answer == f"R-{both.calls[0].body_hash[:8]}"
    assert answer != ask(both, "hello again")


def test_a_script_is_used_up_in_order_and_by_its_own_marker_only(both: EndpointControl) -> None:
    both.script("PAGE-0001", [status(429), status(500), ok()])
    assert statuses(both, "PAGE-0002", 1) == ["R-0002"]
    assert statuses(both, "PAGE-0001", 4) == ["429", "500", "R-0001", "R-0001"]
    assert [call.behaviour for call in both.calls_of("PAGE-0001")] == ["status", "status", "ok", "ok"]


def test_a_gate_holds_calls_in_flight_until_it_is_opened(both: EndpointControl) -> None:
    both.hold("PAGE-0001")
    with ThreadPoolExecutor(2) as lanes:
        held = lanes.submit(ask, both, "PAGE-0001")
        both.wait_for(lambda: both.in_flight == 1)
        assert ask(both, "PAGE-0002") == "R-0002"
        assert not held.done()
        both.release("PAGE-0001")
        assert held.result(timeout=45) == "R-0001"
    assert both.max_in_flight == 2


def test_a_reset_forgets_everything(both: EndpointControl) -> None:
    both.script("PAGE-0001", [status(500)])
    both.hold()
    both.default(latency=60)
    both.reset()
    assert ask(both, "PAGE-0001") == "R-0001"
    assert len(both.calls) == 1


def test_each_request_has_one_line_in_the_log(both: EndpointControl, tmp_path: Path) -> None:
    statuses(both, "PAGE-0001", 2)
    lines = [line.split() for line in (tmp_path / "calls.log").read_text().splitlines()]
    assert [(line[1], line[2]) for line in lines] == [(c.marker, c.body_hash[:16]) for c in both.calls]
    assert len(lines) == 2


def test_models_and_health_are_served(both: EndpointControl) -> None:
    client = OpenAI(base_url=both.base_url, api_key="none", max_retries=0)
    assert [model.id for model in client.models.list()] == ["scripted"]


def test_another_marker_can_be_chosen() -> None:
    with ModelEndpoint(marker=r"CHUNK-\d+") as endpoint:
        assert ask(endpoint, "PAGE-0001 CHUNK-17") == "R-17"


def test_the_program_is_no_member_of_our_process_group() -> None:
    with RemoteModelEndpoint() as endpoint:
        assert os.getpgid(endpoint.pid) != os.getpgid(0)
        os.kill(endpoint.pid, signal.SIGSTOP)
        os.kill(endpoint.pid, signal.SIGCONT)
        assert ask(endpoint, "PAGE-0001") == "R-0001"


def test_a_wait_that_fails_says_so(both: EndpointControl) -> None:
    with pytest.raises(TimeoutError, match=r"not so after 0\.1 s"):
        both.wait_for(lambda: len(both.calls) == 1, timeout=0.1)
