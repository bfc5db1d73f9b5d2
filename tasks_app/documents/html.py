"""Text of an HTML page, as Markdown: headings, paragraphs, lists, tables, quotations, code and links.

Left out on purpose: scripts, styles, templates, what stands in for scripts, hidden elements, lists to choose from,
pictures and their descriptions; emphasis; of links into the page, to scripts and to data all but the text.
"""

import re
from pathlib import Path

from lxml import etree

from tasks_app.text import clean, one_line, shorten

from .decode import decode
from .html_target import PageTarget
from .limits import ReadLimits
from .pages import Extracted
from .paging import chosen_pages
from .parsing import refuse_out_of_memory
from .ranges import Ranges

BLANK = "No text was found: the page shows nothing but pictures, or its text is made by a script."
TITLE_CHARACTERS = 200
DECLARED_WITHIN = 4096
DECLARED = re.compile(rb"(?:<meta\s[^>]*?charset|<\?xml\s[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
FEED_BYTES = 64 * 1024


def read(path: Path, limits: ReadLimits, ranges: Ranges, _password: str) -> Extracted:
    """One page. Raises UnknownEncoding, TooMuchText and NoText."""
    data = path.read_bytes()
    declared = DECLARED.search(data, 0, DECLARED_WITHIN)
    title, markdown = to_markdown(
        decode(data, declared=declared[1].decode() if declared else ""), max_characters=limits.max_characters
    )
    pages = chosen_pages([markdown], ranges=ranges, limits=limits, blank=BLANK)
    return Extracted(title, pages, paged=False, markdown=True)


def to_markdown(html: str, *, max_characters: int) -> tuple[str, str]:
    """Title and Markdown of a page, "" where there is none. Raises TooMuchText."""
    target = PageTarget(max_characters)
    # No tree is built: neither its depth nor its size matters. libxml2 expands no entities of the page's own in HTML.
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    data = clean(html).encode()
    try:
        for start in range(0, len(data), FEED_BYTES):
            parser.feed(data[start : start + FEED_BYTES])
        parser.close()
    except etree.LxmlError as error:
        refuse_out_of_memory(error)
        # Nothing in it that could be parsed: what was read until then counts.
        target.close()
    return shorten(one_line(target.title), TITLE_CHARACTERS), target.markdown
