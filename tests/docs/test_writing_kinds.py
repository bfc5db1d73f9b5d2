"""The guide for developers, followed by the letter in a scratch copy of the project, with real processes."""

import ast
import json
import re
from collections.abc import Iterator

import pytest

from tests.support.client import ApiClient
from tests.support.endpoint import ModelEndpoint
from tests.support.endpoint_behaviours import text
from tests.support.programs import PROJECT, wait_until

from .guide import FILE, Block, blocks
from .newcomer import Newcomer
from .visitor import Visitor

GUIDE = PROJECT / "docs" / "writing-kinds.md"
REVIEWS = ("reviews.txt", b"Boils in a minute.\nBroke on the second day.\n")
KIND, TITLE = "reviews.report", "Report on customer reviews"
FIELDS = {"product": "Kettle", "examples": "1"}
ID = re.compile(r'"id": "([0-9a-f-]{36})"')


@pytest.fixture
def newcomer() -> Iterator[Newcomer]:
    with ModelEndpoint() as endpoint, Newcomer(model_base_url=endpoint.base_url) as newcomer:
        endpoint.script("", [text("positive"), text("negative")] * 10)
        yield newcomer


@pytest.mark.timeout(400)
def test_the_guide_followed_by_the_letter_gives_a_kind_on_page_api_and_admin(newcomer: Newcomer) -> None:
    for block in blocks(GUIDE):
        newcomer.follow(block)
    # The tests of the guide: those of the first kind, then those of both.
    assert re.findall(r"Ran (\d+) tests", newcomer.said) == ["4", "6"]
    assert newcomer.said.count("\nOK\n") == 2
    token = re.findall(r"lh_\S+", newcomer.type(".venv/bin/python manage.py apitoken demo"))[-1]
    api = ApiClient(newcomer.base, token)
    assert_done(api, ID.findall(newcomer.said)[-1])
    accounts = json.loads((newcomer.folder / "var" / "accounts.json").read_text())
    on_the_page(newcomer, api, password=accounts["demo"])
    in_admin(newcomer, password=accounts["operator"])


def assert_done(api: ApiClient, task_id: str, *, begins: str = "# Reviews of Kettle\n") -> None:
    wait_until(lambda: api.task(task_id)["status"] not in {"pending", "queued", "running"}, 90, what="it ends")
    assert api.task(task_id)["status"] == "succeeded", api.task(task_id)
    assert api.get(f"/api/tasks/{task_id}/result").body.decode().startswith(begins)


def on_the_page(newcomer: Newcomer, api: ApiClient, *, password: str) -> None:
    with Visitor(newcomer.base) as visitor:
        visitor.sign_in("/login/", username="demo", password=password)
        assert TITLE in visitor.see("/")
        assert "What the reviews are about." in visitor.see(f"/?kind={KIND}")
        assert 'type="password"' in visitor.see("/?kind=reviews.fetch")
        place = visitor.send(f"/?kind={KIND}", {"kind": KIND, **FIELDS}, files={"file": REVIEWS})
        assert_done(api, place.split("/")[2])
        assert TITLE in visitor.see(place)
        newcomer.change("reviews/tasks.py", "# Reviews of", "# What people say about")
        place = visitor.send(f"/?kind={KIND}", {"kind": KIND, **FIELDS}, files={"file": REVIEWS})
        assert_done(api, place.split("/")[2], begins="# What people say about Kettle\n")


def in_admin(newcomer: Newcomer, *, password: str) -> None:
    adding = f"/admin/tasks_app/task/add/?kind={KIND}"
    with Visitor(newcomer.base) as visitor:
        visitor.sign_in("/admin/login/?next=/admin/", username="operator", password=password)
        assert TITLE in visitor.see("/admin/tasks_app/task/add/")
        form = visitor.see(adding)
        assert "What the reviews are about." in form
        owner = re.findall(r'<input[^>]*name="task-owner"[^>]*value="(\d+)"|value="(\d+)"[^>]*name="task-owner"', form)
        sent = {**FIELDS, "task-owner": "".join(owner[0])}
        place = visitor.send(adding, sent, files={"task-file": REVIEWS})
        wait_until(lambda: ">Succeeded<" in visitor.see(place), 90, what="it is done")


def illustrations() -> list[Block]:
    return [block for block in blocks(GUIDE) if block.language == "python" and not FILE.match(block.text)]


@pytest.mark.parametrize("block", illustrations(), ids=lambda block: block.text.splitlines()[0])
def test_what_only_illustrates_is_python_at_least(block: Block) -> None:
    ast.parse(block.text)


def test_every_fence_of_the_guide_is_a_block() -> None:
    assert GUIDE.read_text().count("```") == 2 * len(blocks(GUIDE))
    assert {block.language for block in blocks(GUIDE)} == {"python", "diff", "console"}
