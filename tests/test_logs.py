import pytest
from django.test import Client


def test_a_request_to_a_foreign_host_is_one_line_in_the_log(db: None, caplog: pytest.LogCaptureFixture) -> None:
    Client(HTTP_HOST="evil.example").get("/")
    assert "evil.example" in caplog.text
    assert "Traceback" not in caplog.text
