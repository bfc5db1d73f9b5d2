"""What a person sees of a page, as text."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "img", "br"}


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._depth = 0
        self._hidden_from: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        self._depth += 1
        unseen = tag in {"template", "script", "head"} or any(name == "hidden" for name, _ in attrs)
        if unseen and self._hidden_from is None:
            self._hidden_from = self._depth

    def handle_endtag(self, tag: str) -> None:
        if self._hidden_from == self._depth:
            self._hidden_from = None
        self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._hidden_from is None and data.strip():
            self.texts.append(data.strip())


def visible(page: str) -> list[str]:
    """The pieces of text that are not hidden."""
    parser = _Visible()
    parser.feed(page)
    return parser.texts
