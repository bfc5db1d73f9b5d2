"""What goes along with a part when its surroundings are asked for."""

from typing import Any

from tasks_app.kinds.document_generate import prepared, with_surroundings
from tasks_app.models import StepResult
from tests.support.endpoint import ModelEndpoint

from .conftest import Generate

FOUND = {
    "title": "Harbour report",
    "parts": [{"pages": [1, 1], "text": "One", "heading": ""}, {"pages": [2, 2], "text": "Two", "heading": "Storms"}],
    "unread": [],
}


def test_title_and_section_go_along_where_they_are_known() -> None:
    first, second = prepared(FOUND, unit="page", with_context=True)
    assert with_surroundings("Sum it up.", first) == "Sum it up.\n\nThe document is called: Harbour report"
    assert with_surroundings("Sum it up.", second).endswith(
        "called: Harbour report\nThe text is from the section: Storms"
    )


def test_nothing_goes_along_unasked() -> None:
    parts = prepared(FOUND, unit="page", with_context=False)
    assert parts == [{"pages": [1, 1], "text": "One"}, {"pages": [2, 2], "text": "Two"}]
    assert with_surroundings("Sum it up.", parts[1]) == "Sum it up."


def test_a_heading_before_a_part_is_found_in_the_text(
    generate: Generate, endpoint: ModelEndpoint, settings: Any
) -> None:
    settings.LONGHAUL_CHUNK_TOKENS = 60
    text = (
        b"# Harbour\n\n" + b"The mole was built of granite. " * 8 + b"\n\n## Storms\n\n" + b"It was a wet winter. " * 8
    )
    task = generate(text, name="report.md", unit="chunk", with_context=True)
    split = StepResult.objects.get(task=task, name="split").load()
    headings = [part["heading"] for part in split["parts"]]
    assert headings[0] == "Harbour"
    assert headings[-1] == "Storms"
