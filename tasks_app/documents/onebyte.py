"""Which encoding of one byte a character some bytes are in: the one in which they spell words of a known alphabet."""

from itertools import pairwise

from .excerpt import Excerpt

ENOUGH = 0.5
SAMPLE_BYTES = 8192

RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
GREEK = "αάβγδεέζηήθιίϊΐκλμνξοόπρσςτυύϋΰφχψωώ"

# Encoding and letters beyond ASCII, a line for each language or two. Of those that fit alike the first counts.
ALPHABETS = [
    ("cp1252", "äöüßé"),
    ("cp1252", "àâçéèêëîïôùûüÿœæ"),
    ("cp1252", "áéíóúüñç¿¡ªºàèòï·"),
    ("cp1252", "ãõáâàçéêíóôúü"),
    ("cp1252", "àèéìíîòóùú"),
    ("cp1252", "åäöæøéüàóôòâê"),
    ("cp1252", "áðéíóúýþæö"),
    ("cp1250", "ąćęłńóśźż"),
    ("cp1250", "áäčďéěíĺľňóôřŕšťúůýž"),
    ("cp1250", "áéíóöőúüű"),
    ("cp1250", "ăâîşţ"),
    ("cp1250", "čćđšž"),
    ("iso8859_2", "ąćęłńóśźż"),
    ("iso8859_2", "áäčďéěíĺľňóôřŕšťúůýž"),
    ("iso8859_2", "áéíóöőúüű"),
    ("cp1254", "çğıöşüâî"),
    ("cp1257", "ąčęėįšųūž"),
    ("cp1257", "āčēģīķļņšūž"),
    ("cp1251", RUSSIAN),
    ("cp1251", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяўђјљњћџ"),
    ("koi8_r", RUSSIAN),
    ("koi8_u", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
    ("cp866", RUSSIAN),
    ("iso8859_5", RUSSIAN),
    ("cp1253", GREEK),
    ("iso8859_7", GREEK),
]
LATIN = {"cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257"}
SIGNS = set("„“”‘’‚–—…«»°§€£©®™·•²³¹µ½¼¾×±´¨¦\xa0\xad№")


def one_byte(excerpt: Excerpt) -> str | None:
    """The name of the encoding, None where no alphabet fits."""
    data = excerpt.data[:SAMPLE_BYTES]
    texts = {encoding: data.decode(encoding, "replace") for encoding, _ in ALPHABETS}
    encoding, letters = max(ALPHABETS, key=lambda pair: _score(texts[pair[0]], pair[1], latin=pair[0] in LATIN))
    return encoding if _score(texts[encoding], letters, latin=encoding in LATIN) > ENOUGH else None


def _score(text: str, letters: str, *, latin: bool) -> float:
    """1 where all fits, less for each strange character and each strange pair of neighbours, a little for capitals.

    Small letters of one Russian encoding are capitals of another.
    """
    known = SIGNS | set(letters) | set(letters.upper())
    beyond = [character for character in text if character > "\x7f"]
    strange = sum(character not in known for character in beyond)
    clashes = sum(_clash(one, other, latin=latin) for one, other in pairwise(text))
    capitals = sum(map(str.isupper, beyond))
    return (len(beyond) - 2 * strange - clashes - capitals / 10) / len(beyond)


def _clash(one: str, other: str, *, latin: bool) -> bool:
    """Two neighbours that no word has: a sign in a word, a capital after a small letter, letters of two scripts."""
    if one.isascii() and other.isascii():
        return False
    if other.isalpha() and one.isalpha():
        foreign = not latin and one.isascii() != other.isascii()
        return foreign or (one.islower() and other.isupper())
    return one in "²³¹·" and other.isalpha()
