"""One line for each drill: name, verdict, figures."""

from .registry import Figure, Figures

NAME_WIDTH = 48


def line(name: str, verdict: str, said: str) -> str:
    return f"{name:<{NAME_WIDTH}} {verdict:<7} {said}".rstrip()


def told(figures: Figures) -> str:
    """`went on after 1.62 s, calls 30`"""
    return ", ".join(map(_figure, figures))


def _figure(figure: Figure) -> str:
    name, value, unit = figure
    shown = f"{value:.3g}" if isinstance(value, float) and abs(value) < 1000 else str(value)
    return " ".join(part for part in (name, shown, unit) if part)
