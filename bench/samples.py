"""Numbers from samples. Times are seconds."""

import time
from collections.abc import Callable, Iterable
from math import ceil
from statistics import median
from typing import Any


def timed(action: Callable[[], Any]) -> float:
    """How long it took."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def percentile(samples: Iterable[float], percent: float) -> float:
    """The smallest sample that at least `percent` of them do not exceed."""
    ordered = sorted(samples)
    return ordered[max(ceil(len(ordered) * percent / 100), 1) - 1]


def ratio_of_medians(above: list[list[float]], below: list[list[float]]) -> float:
    """The median over the rounds of median / median: one disturbed round does not move it."""
    return median(median(one) / median(other) for one, other in zip(above, below, strict=True))


def spread(samples: Iterable[float]) -> str:
    """`p50 2.31, p99 4.02 ms (n 500)`"""
    all_of_them = list(samples)
    low, high = percentile(all_of_them, 50), percentile(all_of_them, 99)
    return f"p50 {in_ms(low)}, p99 {in_ms(high)} ms (n {len(all_of_them)})"


def in_ms(seconds: float) -> str:
    """Three digits that say something."""
    value = seconds * 1000
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
