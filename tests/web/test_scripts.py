"""The page under its own policy: nothing inline, nothing from elsewhere."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.web.shelf import document_task

ROOT = Path(__file__).resolve().parents[2]
INLINE = re.compile(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*(\ssrc=|type=\"application/json\"))", re.I)
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|\.style\b")
SOURCES = [*ROOT.glob("templates/*.html"), *ROOT.glob("templates/web/**/*.html")]


@pytest.mark.parametrize("template", SOURCES, ids=lambda path: path.name)
def test_no_template_has_script_or_style_in_it(template: Path) -> None:
    assert INLINE.search(template.read_text()) is None


@pytest.mark.parametrize("script", [*ROOT.glob("static/web/*.js")], ids=lambda path: path.name)
def test_no_script_makes_markup_from_text(script: Path) -> None:
    assert MARKUP.search(script.read_text()) is None


def test_every_file_that_a_page_names_is_there(client: Client, user: Any) -> None:
    task = document_task(user, status="running", items=1, total=2)
    for address in ("/", f"/tasks/{task.pk}/"):
        page = client.get(address)
        assert "default-src 'self'" in page.headers["Content-Security-Policy"]
        named = re.findall(r'(?:src|href)="/static/([^"]+)"', page.text)
        assert named
        assert [name for name in named if finders.find(name) is None] == []
