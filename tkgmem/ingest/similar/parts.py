"""A name taken apart for comparison: its own words, and the titles, legal forms, numbers and generation around them.

Nothing that tells two bearers apart is lost: what is taken off a name is kept beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from tkgmem.ingest.similar import tables
from tkgmem.store.names import name_key

_INITIALISM = re.compile(r"(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)\.?")
_APOSTROPHES = re.compile("['’‘ʼʻ`´]")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670]")
_DENSE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]")
_DIGITS = re.compile(r"\d+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")


@dataclass(frozen=True, slots=True)
class Parts:
    """words: the name's own words, family name last where a comma says so; spelt: the same with diacritics.

    whole: all of it without the titles, as one word. numbers: every number in it, in order, whatever it is written in.
    forms, titles: their classes. generation: "jr" or "sr". dense: it is written without spaces (Chinese, Japanese, Korean);
    `words` then holds one text. ordered: a comma or capitals tell which word is the family name.
    """

    words: tuple[str, ...]
    spelt: tuple[str, ...]
    whole: str
    numbers: tuple[int, ...] = ()
    forms: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    generation: str | None = None
    dense: bool = False
    ordered: bool = False

    @property
    def letters(self) -> int:
        """How many characters its own words have."""
        return sum(map(len, self.words))


def take_apart(name: str) -> Parts:
    """The parts of a name.

    >>> take_apart("Dr. SHOIGU, Sergey").words, take_apart("Crystalord Ltd").forms, take_apart("Mark II").numbers
    (('sergey', 'shoigu'), frozenset({'ltd'}), (2,))
    """
    key = name_key(name)
    if _DENSE.search(key):
        return _dense(key)
    shown = unicodedata.normalize("NFKC", name)
    numerals = {word.casefold() for word in re.findall(r"\w+", shown) if word.isupper() or shown.islower()}
    head, comma, tail = key.partition(",")
    first, last = _words(head), _words(tail)
    swapped = bool(comma and first and last) and not _is_suffix(last) and not _strip_form(first)[1]
    (first, titles), (last, more) = _titles(first), _titles(last)
    words = _without_repeats([*last, *first] if swapped else [*first, *last])
    whole = "".join(map(_folded, words))
    words, forms = _forms(words)
    generation = tables.GENERATIONS.get(_folded(words[-1])) if len(words) > 1 else None
    words = words[:-1] if generation else words
    spelt, numbers = _numbered(words, numerals)
    folded = tuple(tables.ABBREVIATIONS.get(word, word) for word in map(_folded, spelt))
    return Parts(folded, spelt, whole, numbers, forms, titles | more, generation, ordered=swapped or _capital_family(shown))


def fold(text: str) -> str:
    """A casefolded text in plain Latin letters: diacritics, Cyrillic and Greek folded; Arabic spellings united.

    Marks of scripts in which they are letters of their own (Thai, Devanagari) stay.
    """
    if text.isascii():
        return text
    return _MARKS.sub("", unicodedata.normalize("NFKD", text.translate(tables.LATIN))).translate(tables.LATIN)


def _folded(word: str) -> str:
    return fold(word) or word


def _words(text: str) -> list[str]:
    """The words of a casefolded text: a hyphen, dot or slash parts them, an apostrophe does not; signs such as + are kept."""
    text = _INITIALISM.sub(lambda found: found.group().replace(".", ""), _APOSTROPHES.sub("", text)).replace("&", " and ")
    kept = (" " if _parts(sign) else sign for sign in text)
    return [word for word in "".join(kept).split() if word not in tables.ARTICLES]


def _parts(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PZ" and sign not in "#%@"


def _is_suffix(words: list[str]) -> bool:
    """Whether what follows a comma only closes the name: "Apple, Inc.", "King, Jr."."""
    return (
        all(tables.GENERATIONS.get(word) or word in tables.CLOSING_TITLES or word in tables.ROMAN for word in words)
        or not _strip_form([*words])[0]
    )


def _without_repeats(words: list[str]) -> list[str]:
    kept = [word for index, word in enumerate(words) if not index or word != words[index - 1]]
    return kept if len(kept) > 1 else words


def _capital_family(shown: str) -> bool:
    """Whether one word alone is written in capitals, as family names are: "SHOIGU Sergey"."""
    words = [word for word in re.findall(r"\w+", shown) if len(word) > 2]
    return len(words) > 1 and sum(word.isupper() for word in words) == 1


def _titles(words: list[str]) -> tuple[list[str], frozenset[str]]:
    found = set()
    while len(words) > 1 and (title := tables.TITLES.get(_folded(words[0]))):
        found.add(title)
        words = words[1:]
    while len(words) > 1 and words[-1] in tables.CLOSING_TITLES:
        found.add(words[-1])
        words = words[:-1]
    return words, frozenset(found)


def _forms(words: list[str]) -> tuple[list[str], frozenset[str]]:
    found: set[str] = set()
    while True:
        rest, form = _strip_form(words)
        if form is None or not rest:
            return words, frozenset(found)
        found.add(form)
        words = rest


def _strip_form(words: list[str]) -> tuple[list[str], str | None]:
    """The words without the longest legal form that closes or opens them, and its class."""
    folded = [_folded(word) for word in words]
    for length in range(min(6, len(words)), 0, -1):
        closing, opening = " ".join(folded[-length:]), " ".join(folded[:length])
        if form := tables.LEGAL_FORMS.get(closing):
            rest = words[:-length]
            return (rest[:-1] if rest and rest[-1] == "and" else rest), form
        if opening in tables.LEADING_FORMS:
            return words[length:], tables.LEGAL_FORMS[opening]
    return words, None


def _numbered(words: list[str], numerals: set[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words with numbers in digits ("forty four", "IV", "2nd"), and the numbers."""
    plain: list[str] = []
    for index, word in enumerate(words):
        value = tables.NUMBER_WORDS.get(word)
        ordinal = _ORDINAL.fullmatch(word)
        if index and word in tables.ROMAN and word in numerals and (len(word) > 1 or index == len(words) - 1):
            value = tables.ROMAN[word]
        if value is None:
            plain.append(ordinal[1] if ordinal else word)
        elif value < 10 and index and tables.NUMBER_WORDS.get(words[index - 1], 0) >= 20:
            plain[-1] = str(int(plain[-1]) + value)
        else:
            plain.append(str(value))
    return tuple(plain), tuple(int(digits) for digits in _DIGITS.findall(" ".join(plain)))


def _dense(key: str) -> Parts:
    """A name without spaces: titles and legal forms taken off its ends, simplified characters, punctuation dropped."""
    text = "".join(sign for sign in key.translate(tables.TRADITIONAL) if not _parts(sign))
    numbers = tuple(int(digits) for digits in _DIGITS.findall(text))
    whole = text
    text, forms = _cut(text, tables.DENSE_FORMS, least=2)
    text, titles = _cut(text, tables.DENSE_TITLES, least=1)
    return Parts((text,), (text,), whole, numbers, forms, titles, dense=True)


def _cut(text: str, endings: Iterable[str], least: int) -> tuple[str, frozenset[str]]:
    """The text without the longest of the endings, if at least so many characters are left."""
    for ending in sorted(endings, key=len, reverse=True):
        if text.endswith(ending) and len(text) - len(ending) >= least:
            return text[: -len(ending)], frozenset({ending})
    return text, frozenset()
