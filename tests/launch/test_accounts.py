import json
import stat
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from project.launch.accounts import ensure_accounts
from project.launch.welcome import welcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "accounts.json"


def test_a_fresh_start_makes_a_user_and_an_operator_who_can_sign_in(kept: Path) -> None:
    passwords = ensure_accounts(kept)
    people = {user.get_username(): user for user in get_user_model().objects.all()}
    assert {name: user.is_superuser for name, user in people.items()} == {"demo": False, "operator": True}
    assert all(people[name].check_password(password or "") for name, password in passwords.items())
    assert len(set(passwords.values())) == 2


def test_the_passwords_are_kept_for_their_owner_only(kept: Path) -> None:
    passwords = ensure_accounts(kept)
    assert json.loads(kept.read_text()) == passwords
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_second_start_prints_the_same_and_resets_nothing(kept: Path) -> None:
    first = ensure_accounts(kept)
    demo = get_user_model().objects.get(username="demo")
    demo.set_password("a password of their own")
    demo.save()
    assert ensure_accounts(kept) == first
    demo.refresh_from_db()
    assert demo.check_password("a password of their own")
    assert get_user_model().objects.count() == 2


def test_an_emptied_database_gets_the_kept_passwords_again(kept: Path) -> None:
    first = ensure_accounts(kept)
    get_user_model().objects.all().delete()
    assert ensure_accounts(kept) == first
    assert get_user_model().objects.get(username="demo").check_password(first["demo"] or "")


def test_a_lost_file_is_said_and_no_password_is_changed(kept: Path) -> None:
    first = ensure_accounts(kept)
    kept.unlink()
    passwords = ensure_accounts(kept)
    assert passwords == {"demo": None, "operator": None}
    assert get_user_model().objects.get(username="demo").check_password(first["demo"] or "")
    text = welcome("http://127.0.0.1:8000", passwords=passwords, kept_in=kept)
    assert "`manage.py changepassword demo` sets a new one" in text
