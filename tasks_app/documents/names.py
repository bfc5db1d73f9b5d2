"""The name under which a user's file is shown and downloaded; never where it is stored."""

import re
from pathlib import PurePath

from tasks_app.text import clean

MAX_CHARACTERS = 200
NAMELESS = "document"

# Controls, line and paragraph separators, and the marks that turn the reading direction ("exe.fdp" shown as "pdf.exe").
INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def clean_name(name: str) -> str:
    """`name` without folders and invisible characters, 1 to 200 characters, its suffix kept."""
    last = re.split(r"[/\\]", name)[-1]
    visible = INVISIBLE.sub("", clean(last)).strip()
    if not visible.strip("."):
        return NAMELESS
    suffix = PurePath(visible).suffix[:20]
    return visible.removesuffix(suffix)[: MAX_CHARACTERS - len(suffix)] + suffix
