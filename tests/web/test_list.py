from typing import Any

from django.test import Client

from tests.web.reading import visible
from tests.web.shelf import document_task


def names(page: Any) -> list[str]:
    return [shown.name for shown in page.context["listing"].tasks]


def test_it_shows_the_users_tasks_newest_first(client: Client, user: Any) -> None:
    document_task(user, name="first.pdf", status="succeeded", items=3)
    document_task(user, name="second.pdf", status="running", items=1, total=4)
    page = client.get("/")
    assert names(page) == ["second.pdf", "first.pdf"]
    assert "1 of 4 pages" in page.text
    assert "Working" in page.text


def test_a_task_of_which_nothing_is_counted_says_what_it_waits_for(client: Client, user: Any) -> None:
    document_task(user)
    assert "No worker for gpu is ready." in visible(client.get("/").text)


def test_a_task_that_is_counted_shows_its_count_while_it_waits(client: Client, user: Any) -> None:
    document_task(user, items=1, total=4)
    seen = visible(client.get("/").text)
    assert "1 of 4 pages" in seen
    assert "No worker for gpu is ready." not in seen


def test_it_shows_no_task_of_another_user(client: Client, stranger: Any) -> None:
    document_task(stranger, name="secret.pdf")
    page = client.get("/")
    assert names(page) == []
    assert "secret.pdf" not in page.text


def test_an_empty_list_helps(client: Client) -> None:
    assert "No tasks yet." in client.get("/").text


def test_older_tasks_are_on_further_pages_each_once(client: Client, user: Any) -> None:
    for number in range(45):
        document_task(user, name=f"{number}.pdf")
    seen: list[str] = []
    address = "/"
    while address:
        page = client.get(address)
        # What comes meanwhile shifts nothing.
        document_task(user, name="new.pdf")
        seen += names(page)
        older = page.context["listing"].older
        address = f"/?before={older}" if older else ""
    assert seen == [f"{number}.pdf" for number in reversed(range(45))]


def test_a_cursor_that_is_none_leads_to_the_newest(client: Client, user: Any) -> None:
    document_task(user, name="one.pdf")
    assert names(client.get("/?before=nonsense")) == ["one.pdf"]


def test_no_login_leads_to_the_login_page(nobody: Client) -> None:
    assert nobody.get("/").headers["Location"] == "/login/?next=/"


def test_it_is_kept_by_no_cache(client: Client) -> None:
    assert "no-store" in client.get("/").headers["Cache-Control"]


def test_a_hostile_name_is_text(client: Client, user: Any) -> None:
    document_task(user, name="<img src=x onerror=alert(1)>.pdf")
    page = client.get("/").text
    assert "&lt;img src=x onerror=alert(1)&gt;.pdf" in page
    assert "<img src=x" not in page
