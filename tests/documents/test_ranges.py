"""Which pages are asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.documents.ranges import Ranges, chosen, parse_ranges, within

RANGES = st.lists(
    st.tuples(st.integers(1, 30), st.none() | st.integers(0, 10)).map(
        lambda pair: (pair[0], None if pair[1] is None else pair[0] + pair[1])
    ),
    max_size=6,
)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("", []),
        ("  ", []),
        ("7", [(7, 7)]),
        ("5-20", [(5, 20)]),
        ("1-3, 7", [(1, 3), (7, 7)]),
        ("12-", [(12, None)]),
        (" 1 – 3 ;9— ", [(1, 3), (9, None)]),
    ],
)
def test_ranges_are_read(text: str, ranges: Ranges) -> None:
    assert parse_ranges(text) == ranges


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", "“a” names no pages. Write pages as in “5-20”"),
        ("-3", "names no pages"),
        ("1--3", "names no pages"),
        ("1.5", "names no pages"),
        ("٣", "names no pages"),
        ("9" * 50, "names no pages"),
        ("1,,2", "missing beside a comma"),
        ("0", "counted from 1"),
        ("0-3", "counted from 1"),
        ("20-5", "“20-5” ends before it begins"),
        ("1," * 100 + "1", "101 ranges are too many: 100 at most"),
    ],
)
def test_what_names_no_pages_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_ranges(text)


@given(RANGES, st.integers(0, 40))
def test_chosen_are_the_numbers_within_rising_and_each_once(ranges: Ranges, count: int) -> None:
    numbers = [number for span in chosen(ranges, count=count) for number in span]
    assert numbers == [number for number in range(1, count + 1) if within(ranges, number)]


@pytest.mark.timeout(5)
def test_millions_of_pages_cost_nothing() -> None:
    spans = chosen([(1, None), (2, 9_999_999), (5, None)] * 30, count=9_999_999)
    assert sum(map(len, spans)) == 9_999_999
