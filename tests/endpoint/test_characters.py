"""Characters that are cut at any byte come out whole (C41)."""

from collections.abc import Callable

import pytest

from tasks_app.endpoint import ModelAnswer
from tests.support.endpoint_behaviours import Behaviour, raw, text

CJK_AND_EMOJI = "漢字かな交じり文 👩‍👩‍👧‍👦 👍🏽 🇨🇭 e\u0301 \r\n ende" * 5


@pytest.mark.parametrize("piece_bytes", [1, 2, 3])
def test_a_stream_in_small_pieces(answered: Callable[[Behaviour], ModelAnswer], piece_bytes: int) -> None:
    assert answered(text(CJK_AND_EMOJI, piece_bytes=piece_bytes)).text == CJK_AND_EMOJI


def test_the_halves_of_a_surrogate_pair_in_two_chunks(answered: Callable[[Behaviour], ModelAnswer]) -> None:
    halves = 'data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n'
    halves += 'data: {"choices": [{"delta": {"content": "\\ude00"}, "finish_reason": "stop"}]}\n\n'
    assert answered(raw(halves)).text == "😀"
