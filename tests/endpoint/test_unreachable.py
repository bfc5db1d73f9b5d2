"""An endpoint that nobody can reach is nobody's fault."""

import socket

import pytest
from pytest_django import Settings

from tasks_app.endpoint import complete
from tasks_app.exceptions import Unavailable
from tests.endpoint.conftest import Failing, check_message
from tests.endpoint.fakes import MemoryContext, page
from tests.support.endpoint_behaviours import drop


def refused(settings: Settings, base_url: str) -> Unavailable:
    settings.MODEL_BASE_URL = base_url
    context = MemoryContext()
    with pytest.raises(Unavailable) as caught:
        complete(context, page(1))
    assert context.outcomes == ["endpoint_unavailable"]
    check_message(str(caught.value))
    return caught.value


def test_a_port_where_nobody_listens(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    error = refused(settings, f"http://127.0.0.1:{port}/v1")
    assert str(error).startswith(f"The model endpoint at http://127.0.0.1:{port}/v1 cannot be reached: ")


def test_a_name_that_does_not_exist(settings: Settings) -> None:
    assert "no-such-host.invalid" in str(refused(settings, "http://no-such-host.invalid/v1"))


def test_the_password_in_an_address_is_not_shown(settings: Settings) -> None:
    refused(settings, "http://user:secret@no-such-host.invalid/v1")


def test_a_server_without_tls_at_an_https_address(settings: Settings, endpoint: object) -> None:
    refused(settings, settings.MODEL_BASE_URL.replace("http:", "https:"))


def test_a_connection_reset_before_any_answer(failing: Failing) -> None:
    error = failing(drop())
    assert isinstance(error, Unavailable)
    assert error.retry_after is None
