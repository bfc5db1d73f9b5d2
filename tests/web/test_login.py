from typing import Any

from django.test import Client

PASSWORD = "correct horse battery"


def test_the_right_password_leads_to_where_one_wanted_to_go(nobody: Client, user: Any) -> None:
    answer = nobody.post("/login/", {"username": "ada", "password": PASSWORD, "next": "/?before=x"})
    assert answer.headers["Location"] == "/?before=x"


def test_a_wrong_password_is_said_and_the_name_kept(nobody: Client, user: Any) -> None:
    answer = nobody.post("/login/", {"username": "ada", "password": "wrong"})
    assert "Please enter a correct user name and password." in answer.text
    assert 'value="ada"' in answer.text
    assert "wrong" not in answer.text.replace('class="wrong"', "")


def test_nobody_is_led_to_another_site(nobody: Client, user: Any) -> None:
    answer = nobody.post("/login/", {"username": "ada", "password": PASSWORD, "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/"


def test_who_is_signed_in_is_led_on(client: Client) -> None:
    assert client.get("/login/").headers["Location"] == "/"


def test_signing_out_leads_to_the_login_page(client: Client) -> None:
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert client.get("/").headers["Location"] == "/login/?next=/"


def test_a_link_signs_nobody_out(client: Client) -> None:
    assert client.get("/logout/").status_code == 405
