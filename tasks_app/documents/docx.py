"""Text of a Word document (DOCX), as Markdown.

In it, in the document's order: the body with headings, lists with their labels, tables, text boxes (after the paragraph
to which they are anchored), formulas as plain signs, tracked insertions, the results of fields; notes at the end of the
page that refers to them; each distinct header once at the document's beginning, each distinct footer once at its end.
Left out on purpose: tracked deletions, comments, hidden text, placeholders of forms, pictures and their descriptions,
charts and diagrams, embedded files, headers and footers without a letter (page numbers), emphasis.

It has pages where it begins them itself, by a page break or a section: not where lines happen to fill a page.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lxml import etree

from tasks_app.text import clean, one_line, shorten

from .errors import DamagedWord, NotWord
from .limits import ReadLimits
from .markdown import Blocks
from .pages import Extracted
from .paging import chosen_pages
from .ranges import Ranges
from .word.names import R, W
from .word.notes import Notes
from .word.numbering import Numbering
from .word.package import Package
from .word.story import Story, section_breaks
from .word.styles import Styles

BLANK = "No text was found: the document holds nothing but pictures or white space."
TITLE = "{http://purl.org/dc/elements/1.1/}title"
TITLE_CHARACTERS = 200
# A parsed part takes about this many times its size in memory.
MEMORY_PER_BYTE = 16


def read(path: Path, limits: ReadLimits, ranges: Ranges, _password: str) -> Extracted:
    """Raises NotWord, DamagedWord, UnpacksTooLarge and what `chosen_pages` does."""
    return read_file(path, limits, ranges)


def read_file(file: Path | IO[bytes], limits: ReadLimits, ranges: Ranges) -> Extracted:
    try:
        with Package(file, limit=limits.memory_bytes // MEMORY_PER_BYTE) as package:
            texts = [clean(blocks.markdown()) for blocks in _pages(package)]
            title = _title(package)
    except RecursionError as error:
        raise DamagedWord from error
    pages = chosen_pages(texts, ranges=ranges, limits=limits, blank=BLANK)
    return Extracted(title, pages, paged=len(texts) > 1, markdown=True)


def _pages(package: Package) -> list[Blocks]:
    document = package.part(package.main)
    if document is None or document.tag != W + "document":
        raise NotWord(package.seems)
    body = document.find(W + "body")
    if body is None:
        raise DamagedWord
    read_part = _Parts(package)
    story = read_part.story(package.main, breaks=section_breaks(body))
    story.read(body)
    story.end()
    story.pages[0] = _joined([*read_part.marginal(body, "header"), story.pages[0]])
    story.pages[-1] = _joined([story.pages[-1], *read_part.marginal(body, "footer")])
    return story.pages


class _Parts:
    """What the parts of one document share."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._styles = Styles(package.named("styles", package.main))
        self._numbering = Numbering(package.named("numbering", package.main))
        self._notes = Notes({kind: package.named(f"{kind}s", package.main) for kind in ("footnote", "endnote")})

    def story(self, part: str, *, breaks: list[bool] | None = None) -> Story:
        return Story(
            styles=self._styles,
            numbering=self._numbering,
            notes=self._notes,
            links={key: target for key, (kind, target) in self._package.related(part).items() if kind == "hyperlink"},
            breaks=breaks,
        )

    def marginal(self, body: etree._Element, kind: str) -> Iterator[Blocks]:
        """The "header"s or "footer"s, each distinct text once."""
        related = self._package.related(self._package.main)
        used = [each.get(R + "id", "") for each in body.iter(f"{W}{kind}Reference")]
        seen = set()
        for name in dict.fromkeys(related[key][1] for key in used if key in related):
            root = self._package.part(name)
            if root is None:
                continue
            story = self.story(name)
            story.read(root)
            story.end()
            text = story.pages[0].markdown()
            if text not in seen and any(map(str.isalpha, text)):
                seen.add(text)
                yield story.pages[0]


def _joined(parts: list[Blocks]) -> Blocks:
    whole = Blocks()
    for part in parts:
        whole.extend(part)
    return whole


def _title(package: Package) -> str:
    root = package.named("core-properties")
    title = None if root is None else root.find(TITLE)
    return "" if title is None else shorten(one_line(title.text or ""), TITLE_CHARACTERS)
