"""What each HTTP status of the endpoint means."""

import pytest

from tasks_app.endpoint import (
    ContentFiltered,
    ContextTooLong,
    EndpointNotFound,
    EndpointRefused,
    QuotaSpent,
    RateLimited,
    RequestRefused,
    ServerError,
)
from tasks_app.exceptions import Misconfigured, PermanentError, RetryableError, Unavailable
from tests.endpoint.conftest import Failing, error_body
from tests.support.endpoint_behaviours import status


@pytest.mark.parametrize("code", [408, 409, 500, 501, 502, 503, 504, 529])
def test_trouble_of_the_server_is_retryable(failing: Failing, code: int) -> None:
    error = failing(status(code))
    assert isinstance(error, ServerError)
    assert isinstance(error, RetryableError)
    assert not isinstance(error, Unavailable)
    assert error.code == "server_error"
    assert str(error) == f"The model endpoint could not answer (HTTP {code}): scripted {code}"


@pytest.mark.parametrize("code", [401, 403])
def test_a_wrong_key_says_where_to_look_and_does_not_show_the_key(failing: Failing, code: int) -> None:
    error = failing(status(code, error_body("Incorrect API key provided: sk-very-secret-key")))
    assert isinstance(error, EndpointRefused)
    assert isinstance(error, Misconfigured)
    assert error.code == "endpoint_refused"
    assert "check MODEL_API_KEY" in str(error)
    assert "***" in str(error)


def test_an_unknown_model_or_address_says_which_settings_to_check(failing: Failing) -> None:
    error = failing(status(404, error_body("The model `scripted` does not exist")))
    assert isinstance(error, EndpointNotFound)
    assert "MODEL_BASE_URL and MODEL_NAME" in str(error)
    assert "The model `scripted` does not exist" in str(error)


def test_a_rate_limit_is_retryable(failing: Failing) -> None:
    error = failing(status(429))
    assert isinstance(error, RateLimited)
    assert error.code == "rate_limited"


def test_a_spent_quota_is_not_a_rate_limit(failing: Failing) -> None:
    error = failing(status(429, error_body("You exceeded your quota", code="insufficient_quota", type="x")))
    assert isinstance(error, QuotaSpent)
    assert isinstance(error, Misconfigured)
    assert error.code == "quota"


@pytest.mark.parametrize("code", [307, 400, 413, 422])
def test_another_refusal_is_permanent_and_keeps_the_endpoints_words(failing: Failing, code: int) -> None:
    error = failing(status(code, error_body("max_tokens is too large")))
    assert isinstance(error, RequestRefused)
    assert isinstance(error, PermanentError)
    assert str(error) == f"The model endpoint refused the request (HTTP {code}): max_tokens is too large"


def test_a_filtered_prompt_is_permanent(failing: Failing) -> None:
    error = failing(status(400, error_body("The prompt was filtered", code="content_filter")))
    assert isinstance(error, ContentFiltered)


@pytest.mark.parametrize(
    "body",
    [
        error_body("too long", type="exceed_context_size_error", code=400, n_prompt_tokens=9000, n_ctx=4096),
        error_body(
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
            code="context_length_exceeded",
        ),
        error_body("This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."),
    ],
    ids=["llama.cpp", "openai", "vllm"],
)
def test_a_context_that_is_too_long_holds_its_numbers(failing: Failing, body: dict[str, object]) -> None:
    error = failing(status(400, body))
    assert isinstance(error, ContextTooLong)
    assert isinstance(error, PermanentError)
    assert (error.prompt_tokens, error.context_tokens) == (9000, 4096)


def test_a_context_that_is_too_long_needs_no_numbers(failing: Failing) -> None:
    error = failing(status(400, error_body("too long", code="context_length_exceeded")))
    assert isinstance(error, ContextTooLong)
    assert (error.prompt_tokens, error.context_tokens) == (None, None)
