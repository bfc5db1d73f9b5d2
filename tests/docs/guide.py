"""A guide as data: what its code blocks tell the reader to write, to change and to type.

| block | means |
|---|---|
| `python` that begins with `# path.py` | write that file |
| `python` that begins with `# path.py, continued` | add to it |
| `diff` that begins with `--- path` and `+++ path` | change that file |
| `console` | type what follows each `$ `; the rest is what one sees |
| any other | nothing: it illustrates |
"""

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.py)(, continued)?\n")
DIFF = re.compile(r"--- (\S+)\n\+\+\+ \1\n")


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    text: str

    @property
    def commands(self) -> str:
        """What is typed, as one script."""
        lines = []
        goes_on = False
        for line in self.text.splitlines():
            if goes_on or line.startswith("$ "):
                lines.append(line if goes_on else line[2:])
                goes_on = line.endswith("\\")
        return "\n".join(lines)


def blocks(guide: Path) -> list[Block]:
    return [Block(language, text) for language, text in BLOCK.findall(guide.read_text())]


def write(block: Block, folder: Path) -> None:
    """What a block of Python or a diff tells to write, below `folder`."""
    if block.language == "diff":
        _change(block.text, folder)
    elif block.language == "python" and (named := FILE.match(block.text)):
        path = folder / named[1]
        before = path.read_text() if named[2] else ""
        path.write_text(before + block.text[named.end() :])


def _change(diff: str, folder: Path) -> None:
    named = DIFF.match(diff)
    assert named, f"a diff names its file: {diff}"
    path = folder / named[1]
    lines = diff[named.end() :].splitlines()
    old = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    new = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    text = path.read_text()
    assert text.count(old) == 1, f"these lines stand {text.count(old)} times in {named[1]}, and once was meant:\n{old}"
    path.write_text(text.replace(old, new))
