"""What the styles of a Word document say that matters to its text: headings, hidden text, page breaks, lists."""

from dataclasses import dataclass
from functools import cache

from lxml import etree

from .names import W, is_on, number, value

# A style may rest on one that rests on another; a file can make a circle of it.
MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Style:
    """`level`: of a heading, from 1, 0 for none. `list_id`: of its list, "" without."""

    level: int = 0
    hidden: bool = False
    breaks_page: bool = False
    list_id: str = ""
    list_level: int = 0


class Styles:
    def __init__(self, root: etree._Element | None) -> None:
        """`root`: of the styles part, None without one."""
        styles = [] if root is None else root.findall(W + "style")
        self._styles = {value(style, "styleId"): style for style in styles}
        defaults = [value(style, "styleId") for style in styles if _is_default(style)]
        self._default = defaults[0] if defaults else ""
        self.of = cache(self._of)

    def paragraph(self, properties: etree._Element | None) -> Style:
        """Of a paragraph with these properties, which count more than its style."""
        style = self.of(_reference(properties, "pStyle") or self._default)
        return style if properties is None else _with(properties, style)

    def hides(self, properties: etree._Element | None, *, hidden: bool) -> bool:
        """Whether a run with these properties is hidden; `hidden`: its paragraph's style hides it."""
        direct = is_on(properties, "vanish")
        return hidden or self.of(_reference(properties, "rStyle")).hidden if direct is None else direct

    def _of(self, style_id: str) -> Style:
        found = Style()
        for style in reversed(self._chain(style_id)):
            properties = style.find(W + "pPr")
            level = _named_level(value(style.find(W + "name")))
            found = _with(properties, found) if properties is not None else found
            found = Style(
                level=level or found.level,
                hidden=_either(is_on(style.find(W + "rPr"), "vanish"), found.hidden),
                breaks_page=found.breaks_page,
                list_id=found.list_id,
                list_level=found.list_level,
            )
        return found

    def _chain(self, style_id: str) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while (style := self._styles.get(style_id)) is not None and len(chain) < MAX_CHAIN:
            chain.append(style)
            style_id = value(style.find(W + "basedOn"))
        return chain


def _is_default(style: etree._Element) -> bool:
    return value(style, "type") == "paragraph" and value(style, "default") in {"1", "true", "on"}


def _reference(properties: etree._Element | None, name: str) -> str:
    return "" if properties is None else value(properties.find(W + name))


def _with(properties: etree._Element, style: Style) -> Style:
    outline = number(value(properties.find(W + "outlineLvl")))
    listed = properties.find(f"{W}numPr/{W}numId")
    list_level = number(value(properties.find(f"{W}numPr/{W}ilvl")))
    return Style(
        level=style.level if outline is None else outline + 1 if 0 <= outline < 9 else 0,
        hidden=style.hidden,
        breaks_page=_either(is_on(properties, "pageBreakBefore"), style.breaks_page),
        # 0 takes a paragraph out of the list of its style.
        list_id=style.list_id if listed is None else value(listed).removeprefix("0"),
        list_level=style.list_level if list_level is None else list_level,
    )


def _either(direct: bool | None, inherited: bool) -> bool:
    return inherited if direct is None else direct


def _named_level(name: str) -> int:
    """Of Word's own headings, whose names are the same in every language."""
    match name.lower().split():
        case ["title"]:
            return 1
        case ["heading", level] if level.isdecimal():
            return int(level)
    return 0
