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


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("insufficient_quota", None),
        ("project_spend_limit_exceeded", "insufficient_quota"),
        (None, "insufficient_quota"),
        ("billing_hard_limit_reached", None),
        ("billing_not_active", None),
        (None, "exceeded_current_quota_error"),
        ("INSUFFICIENT_CREDITS", None),
    ],
)
def test_a_spent_quota_is_not_a_rate_limit(failing: Failing, code: str | None, word: str | None) -> None:
    error = failing(status(429, error_body("You exceeded your quota", code=code, type=word)))
    assert isinstance(error, QuotaSpent)
    assert isinstance(error, Misconfigured)
    assert error.code == "quota"


@pytest.mark.parametrize(("code", "word"), [("rate_limit_exceeded", "tokens"), ("429", "rate_limit_reached_error")])
def test_a_rate_limit_by_its_words_is_one(failing: Failing, code: str, word: str) -> None:
    error = failing(status(429, error_body("You exceeded your current rate, see your plan", code=code, type=word)))
    assert isinstance(error, RateLimited)


@pytest.mark.parametrize("word", ["access_terminated_error", "account_deactivated", "invalid_api_key"])
def test_an_account_that_is_closed_goes_before_the_status(failing: Failing, word: str) -> None:
    assert isinstance(failing(status(429, error_body("no", code=word))), EndpointRefused)


@pytest.mark.parametrize("code", [400, 401, 404, 422])
def test_an_endpoint_may_ask_for_a_repeat_whatever_the_status(failing: Failing, code: int) -> None:
    error = failing(status(code, headers={"x-should-retry": "true", "Retry-After": "2"}))
    assert isinstance(error, ServerError)
    assert error.retry_after == 2


@pytest.mark.parametrize("code", [409, 429, 500, 503])
def test_an_endpoint_may_ask_for_no_repeat_whatever_the_status(failing: Failing, code: int) -> None:
    error = failing(status(code, headers={"x-should-retry": "false"}))
    assert isinstance(error, RequestRefused)
    assert str(error) == f"The model endpoint refused the request (HTTP {code}): scripted {code}"


@pytest.mark.parametrize(
    ("code", "should_retry", "kind"),
    [(500, "true", ServerError), (429, "true", RateLimited), (401, "false", EndpointRefused), (500, "?", ServerError)],
)
def test_a_wish_that_fits_the_status_changes_nothing(
    failing: Failing, code: int, should_retry: str, kind: type[Exception]
) -> None:
    assert type(failing(status(code, headers={"x-should-retry": should_retry}))) is kind


def test_a_word_goes_before_a_wish(failing: Failing) -> None:
    error = failing(status(429, error_body("no", code="insufficient_quota"), headers={"x-should-retry": "true"}))
    assert isinstance(error, QuotaSpent)


@pytest.mark.parametrize("code", [307, 400, 413, 422])
def test_another_refusal_is_permanent_and_keeps_the_endpoints_words(failing: Failing, code: int) -> None:
    error = failing(status(code, error_body("max_tokens is too large")))
    assert isinstance(error, RequestRefused)
    assert isinstance(error, PermanentError)
    assert str(error) == f"The model endpoint refused the request (HTTP {code}): max_tokens is too large"


@pytest.mark.parametrize("word", ["content_filter", "content_policy_violation"])
def test_a_filtered_prompt_is_permanent(failing: Failing, word: str) -> None:
    error = failing(status(400, error_body("The prompt was filtered", code=word)))
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
        error_body("The input (9000 tokens) is longer than the model's context length (4096 tokens)."),
        error_body("Prompt contains 9000 tokens, too large for model with 4096 maximum context length"),
        error_body("prompt is too long: 9000 tokens > 4096 maximum"),
    ],
    ids=["llama.cpp", "openai", "vllm", "sglang", "mistral", "anthropic"],
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


@pytest.mark.parametrize("code", [413, 422])
def test_a_context_that_is_too_long_may_have_another_status(failing: Failing, code: int) -> None:
    error = failing(status(code, error_body("Input exceeds the context window of the model.")))
    assert isinstance(error, ContextTooLong)
