"""Which encoding a text is in: told by its bytes, for short and for long texts."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.documents.decode import decode, encoding_of
from tasks_app.documents.wide import wide_encoding
from tests.support import documents_text as texts

SHORT = [
    (texts.GERMAN, "cp1252"),
    (texts.GERMAN, "latin-1"),
    (texts.FRENCH, "cp1252"),
    (texts.SPANISH, "latin-1"),
    (texts.SWEDISH, "latin-1"),
    (texts.APOSTROPHES, "cp1252"),
    ("Größe: 3 µm", "cp1252"),
    (texts.POLISH, "cp1250"),
    (texts.POLISH, "iso8859-2"),
    (texts.CZECH, "cp1250"),
    (texts.RUSSIAN, "cp1251"),
    (texts.RUSSIAN, "koi8-r"),
    (texts.GREEK, "cp1253"),
    (texts.SHORT_CHINESE, "gb18030"),
    ("北京", "gb18030"),
    (texts.MIXED_CHINESE, "gb18030"),
    (texts.CHINESE, "gb18030"),
    (texts.TRADITIONAL, "big5"),
    (texts.SHORT_JAPANESE, "shift_jis"),
    ("東京", "shift_jis"),
    ("カタカナ", "shift_jis"),
    (texts.JAPANESE, "shift_jis"),
    (texts.JAPANESE, "euc-jp"),
    (texts.KOREAN, "cp949"),
]
UTF_16 = [texts.GERMAN, texts.RUSSIAN, texts.CHINESE, texts.JAPANESE, texts.KOREAN, texts.SHORT_CHINESE, texts.EMOJI]


@pytest.mark.parametrize(("text", "encoding"), SHORT, ids=lambda value: value[:20])
@pytest.mark.parametrize("times", [1, 500])
def test_the_encoding_of_a_text_is_found(text: str, encoding: str, times: int) -> None:
    assert decode((text * times).encode(encoding)) == text * times


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("text", UTF_16, ids=lambda text: text[:20])
def test_unicode_of_every_form_is_found_with_and_without_a_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("whole", "encoding"), [(texts.CHINESE, "gb18030"), (texts.JAPANESE, "shift_jis"), (texts.JAPANESE, "utf-16-le")]
)
def test_any_twenty_characters_are_enough(whole: str, encoding: str) -> None:
    for start in range(len(whole) - 20):
        piece = whole[start : start + 20]
        assert decode(piece.encode(encoding)) == piece


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1))
def test_every_text_in_utf_8_comes_back(text: str) -> None:
    data = text.encode()
    # Controls in a text of even length can be meant as UTF-16.
    assert decode(data) == text or wide_encoding(data)


@given(st.sampled_from([texts.GERMAN, texts.FRENCH, texts.SPANISH, texts.SWEDISH]), st.integers(0, 60))
def test_twenty_characters_of_western_languages_are_no_chinese(whole: str, start: int) -> None:
    piece = whole[start : start + 20]
    assert decode(piece.encode("cp1252")) == piece


def test_ascii_that_is_chinese_when_read_two_by_two_stays_ascii() -> None:
    assert decode(texts.BUSH.encode()) == texts.BUSH


def test_random_bytes_are_no_utf_16() -> None:
    dice = random.Random(1)
    assert not any(wide_encoding(dice.randbytes(2 * length)) for length in range(20, 2048, 4))


def test_a_broken_byte_costs_a_character_and_not_the_encoding() -> None:
    for text, encoding in ((texts.GERMAN * 5, "utf-8"), (texts.CHINESE * 5, "gb18030"), (texts.KOREAN * 5, "cp949")):
        data = text.encode(encoding)
        assert decode(data + b"\xff" + data).count("\ufffd") == 1
        assert decode(data + b"\xff" + data).replace("\ufffd", "") == text * 2


def test_a_text_cut_inside_a_character_keeps_its_encoding() -> None:
    assert decode((texts.CHINESE * 3000).encode()[:-1]).startswith(texts.CHINESE)
    assert encoding_of((texts.CHINESE * 3000).encode("gb18030")[:-1]) == "gb18030"


def test_what_the_file_declares_counts_where_it_fits() -> None:
    assert decode("наука".encode("iso8859-5"), declared="ISO-8859-5") == "наука"
    assert decode(texts.CHINESE.encode("gb18030"), declared="gb2312") == texts.CHINESE
    assert decode(texts.GERMAN.encode("cp1252"), declared="iso-8859-1") == texts.GERMAN


@pytest.mark.parametrize("declared", ["shift_jis", "utf-16", "nonsense", "base64", "punycode", "unicode_escape", ""])
def test_a_wrong_declaration_is_passed_over(declared: str) -> None:
    assert decode(texts.GERMAN.encode(), declared=declared) == texts.GERMAN


@pytest.mark.parametrize(("text", "encoding"), [(texts.CHINESE, "gb18030"), (texts.GERMAN, "cp1252"), ("abc", "ascii")])
def test_a_large_file_is_told_by_a_sample(text: str, encoding: str) -> None:
    data = b"plain ASCII\n" * 1_000_000 + text.encode(encoding) * 100_000
    began = time.monotonic()
    encoding_of(data)
    assert time.monotonic() - began < 30
