from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tasks_app.models import ApiToken


def test_it_prints_the_token_alone_and_the_token_works(user: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("apitoken", "ada", "--name", "the nightly script")
    printed = capsys.readouterr().out
    token = printed.rstrip("\n")
    assert printed == f"{token}\n"
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/api/tasks").status_code == 200
    assert ApiToken.objects.get().name == "the nightly script"


def test_each_call_makes_another_token(user: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("apitoken", "ada")
    call_command("apitoken", "ada")
    assert len(set(capsys.readouterr().out.split())) == 2


def test_a_user_that_is_not_there_is_said_in_a_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="There is no user 'bob'"):
        call_command("apitoken", "bob")


def test_a_user_who_was_switched_off_gets_none(user: Any) -> None:
    user.is_active = False
    user.save()
    with pytest.raises(CommandError, match="not active"):
        call_command("apitoken", "ada")
    assert not ApiToken.objects.exists()


def test_a_name_that_is_too_long_is_said_in_a_sentence(user: Any) -> None:
    with pytest.raises(CommandError, match="100 characters"):
        call_command("apitoken", "ada", "--name", "x" * 101)
