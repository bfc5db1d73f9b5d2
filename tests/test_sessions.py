import pytest
from django.conf import settings
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize("key", ['"\\000aaaaaaaaaa"', "../../etc/passwd", "a" * 500])
def test_a_session_key_that_is_none_is_a_visitor_who_is_not_signed_in(key: str) -> None:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = "x"
    answer = client.get("/", headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={key}"})
    assert answer.status_code == 302
