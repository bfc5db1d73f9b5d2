"""Only its owner opens a socket, and never on behalf of a foreign page; each refusal says why in the log."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from tasks_app.models import ApiToken
from tasks_app.realtime.consumers import socket as sockets_of_the_site
from tests.realtime.servers import RedisServer
from tests.realtime.sockets import HOST, PATIENCE_SECONDS, browser, do, knock, opened, program, session_of
from tests.support.rows import make_task

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/ws/tasks/"


@pytest.fixture(autouse=True)
def _redis(redis: RedisServer) -> None:
    """Sockets open on a layer that works."""


@pytest.fixture
def member(transactional_db: None, user: Any) -> Any:
    return user


def refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "refused" in record.getMessage()]


@pytest.mark.parametrize(
    "path", ["/ws/tasks/", "/ws/tasks/{id}/", "/ws/tasks/{id}/?after=1", "/ws/tasks/{id}/?after=x"]
)
def test_a_signed_in_browser_of_this_site_is_let_in(member: Any, path: str, caplog: pytest.LogCaptureFixture) -> None:
    task = make_task(member)
    assert asyncio.run(knock(path.format(id=task.pk), browser(session_of(member)))) is None
    assert refusals(caplog) == []


def test_a_program_with_a_token_needs_no_origin(member: Any) -> None:
    assert asyncio.run(knock(LIST, program(member))) is None


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "https://evil.example",
        "null",
        "http://testserver:81",
        f"http://evil.{HOST}",
        f"http://{HOST}.evil.example",
    ],
)
def test_a_session_is_not_accepted_from_a_foreign_page(
    member: Any, origin: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    assert asyncio.run(knock(LIST, browser(session_of(member), origin=origin))) == 4403
    [line] = refusals(caplog)
    assert "Origin" in line
    assert origin is None or origin in line


def test_a_trusted_origin_is_this_sites_own(member: Any, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://app.example"]
    assert asyncio.run(knock(LIST, browser(session_of(member), origin="https://app.example"))) is None


def test_behind_a_proxy_with_tls_the_sites_own_origin_is_https(member: Any, settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    session = session_of(member)
    forwarded = {"x-forwarded-proto": "https"}
    assert asyncio.run(knock(LIST, browser(session, origin=f"https://{HOST}") | forwarded)) is None
    assert asyncio.run(knock(LIST, browser(session, origin=f"http://{HOST}") | forwarded)) == 4403


def test_an_open_socket_is_closed_when_its_user_signs_out(
    member: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sockets_of_the_site, "RECHECK_SECONDS", 0.2)
    client = Client()
    client.force_login(member)

    async def watch() -> dict[str, Any]:
        async with opened(LIST, browser(client.cookies["sessionid"].value)) as socket:
            await socket.frames(lambda frame: True)
            assert await socket.is_quiet()
            await do(client.logout)
            closing: dict[str, Any] = await socket.communicator.receive_output(timeout=PATIENCE_SECONDS)
            return closing

    assert asyncio.run(watch()) == {"type": "websocket.close", "code": 4401}
    assert len(refusals(caplog)) == 1


def test_a_database_that_cannot_answer_refuses_in_words(member: Any, caplog: pytest.LogCaptureFixture) -> None:
    headers = program(member)
    table = ApiToken._meta.db_table
    with connection.schema_editor() as editor:
        editor.alter_db_table(ApiToken, table, "away")
    try:
        assert asyncio.run(knock(LIST, headers)) == 1013
    finally:
        with connection.schema_editor() as editor:
            editor.alter_db_table(ApiToken, "away", table)
    [line] = refusals(caplog)
    assert "the database cannot be read" in line


def test_a_host_that_is_not_allowed_is_told_in_the_log(member: Any, caplog: pytest.LogCaptureFixture) -> None:
    headers = browser(session_of(member), origin="http://wrong.example", host="wrong.example")
    assert asyncio.run(knock(LIST, headers)) == 4403
    assert any("wrong.example" in line for line in refusals(caplog))


def test_a_browser_without_a_session_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    assert asyncio.run(knock(LIST, {"host": HOST, "origin": f"http://{HOST}"})) == 4401
    [line] = refusals(caplog)
    assert "no session cookie" in line


def test_a_session_that_was_ended_is_refused(member: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = Client()
    client.force_login(member)
    session = client.cookies["sessionid"].value
    client.logout()
    assert asyncio.run(knock(LIST, browser(session))) == 4401
    [line] = refusals(caplog)
    assert "session is over" in line


def test_an_unknown_token_is_refused_and_does_not_reach_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert asyncio.run(knock(LIST, {"host": HOST, "authorization": "Bearer lh_secret"})) == 4401
    [line] = refusals(caplog)
    assert "token is unknown" in line
    assert "lh_secret" not in caplog.text


def test_a_wrong_token_is_not_made_good_by_a_session(member: Any) -> None:
    headers = browser(session_of(member)) | {"authorization": "Bearer lh_wrong"}
    assert asyncio.run(knock(LIST, headers)) == 4401


def test_the_token_of_a_user_who_was_shut_out_is_refused(member: Any) -> None:
    headers = program(member)
    member.is_active = False
    member.save()
    assert ApiToken.objects.filter(owner=member).exists()
    assert asyncio.run(knock(LIST, headers)) == 4401


def test_a_strangers_task_and_one_that_never_was_are_answered_alike(
    member: Any, stranger: Any, caplog: pytest.LogCaptureFixture
) -> None:
    theirs, nobodys = make_task(stranger), make_task(None)
    for task_id in (theirs.pk, nobodys.pk, uuid4()):
        assert asyncio.run(knock(f"/ws/tasks/{task_id}/", browser(session_of(member)))) == 4404
    assert [line.split(" refused: ")[1] for line in refusals(caplog)] == ["there is no such task of this user"] * 3


@pytest.mark.parametrize("path", ["/", "/ws/", "/ws/tasks/not-an-id/", "/ws/tasks", "/admin/"])
def test_an_unknown_address_is_refused_without_a_stack(
    member: Any, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert asyncio.run(knock(path, browser(session_of(member)))) == 4404
    [line] = refusals(caplog)
    assert path in line
    assert caplog.records[0].exc_info is None
