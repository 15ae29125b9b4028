"""How alike two names are: the step of entity resolution between the exact name and the judge.

"same" is safe to merge without asking. Names that differ in a number, an initial or a generation, names that are only a part of
the other, short names and names of few characters (Chinese, Korean) never are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from tkgmem.ingest.similar import given, tables
from tkgmem.ingest.similar.edit import Place, distance, is_near, is_other_ending, is_pinyin, is_slip, spelling
from tkgmem.ingest.similar.parts import Parts, take_apart
from tkgmem.store.names import name_key

Likeness = Literal["same", "maybe", "different"]
Role = Literal["person", "organization", "thing"]
Tie = Literal["spelling", "short", "initial", "slip", "near", "unlike"]

_LETTERS = 8
_ENTROPY = 2.25
_SLIP_LETTERS = 10


def compare(first: str, second: str, *, kind: str | None = None) -> Likeness:
    """Whether two names name one thing: "same" (merge), "maybe" (ask; two things if nobody can tell) or "different".

    kind: what both are, where it is known, such as "person" or "organization"; any other type is a thing. Symmetric.
    Names in different scripts are compared where letters can be transliterated (Cyrillic, Greek), else they are "different":
    only an alias can tell.

    >>> compare("Volkswagen GmbH", "Volkswagen Gesellschaft mit beschränkter Haftung"), compare("Duarte", "Ines Duarte")
    ('same', 'maybe')
    >>> compare("Bay 41", "Bay 42"), compare("李明", "李鸣")
    ('different', 'different')
    """
    return compare_all(first, [second], kind=kind)[0]


def compare_all(name: str, others: Sequence[str], *, kind: str | None = None) -> list[Likeness]:
    """How alike a name is to each of the others, in their order: `compare`, but the name is taken apart once."""
    parts = take_apart(name)
    return [_compare(name, parts, other, kind) for other in others]


def _compare(first: str, one: Parts, second: str, kind: str | None) -> Likeness:
    if name_key(first) == name_key(second):
        return "same"
    two = take_apart(second)
    if one.dense != two.dense or not one.words or not two.words or _contradict(one, two):
        return "different"
    role = _role(one, two, kind)
    if one.whole == two.whole and len(one.whole) >= _LETTERS and (one.numbers, one.titles) == (two.numbers, two.titles):
        return "same"
    likeness = _dense(one, two, role) if one.dense else _words(one, two, role)
    if likeness == "different" and not one.dense and (_abbreviates(first, two) or _abbreviates(second, one)):
        return "maybe"
    return "maybe" if likeness == "same" and not _agree(one, two, role) else likeness


def _role(one: Parts, two: Parts, kind: str | None) -> Role:
    """What the names are names of: as told, else as their words tell."""
    if kind is not None:
        folded = name_key(kind)
        known: Role = "person" if folded in tables.PERSON_KINDS else "thing"
        return "organization" if folded in tables.ORGANIZATION_KINDS else known
    if any(parts.forms or tables.ORGANIZATION_WORDS & set(parts.words) for parts in (one, two)):
        return "organization"
    if any(_is_personal(parts) for parts in (one, two)):
        return "person"
    return "thing"


def _is_personal(parts: Parts) -> bool:
    return bool(
        parts.titles
        or parts.words[0] in given.GIVEN_NAMES
        or any(word.endswith(tables.PATRONYMICS) or word in ("bin", "ibn", "van", "von") for word in parts.words[1:-1])
    )


def _contradict(one: Parts, two: Parts) -> bool:
    """Whether something beside the words says that these are two."""
    return bool(
        (one.numbers and two.numbers and one.numbers != two.numbers)
        or (one.generation and two.generation and one.generation != two.generation)
        or any(a.titles & tables.MALE and b.titles & tables.FEMALE for a, b in ((one, two), (two, one)))
    )


def _agree(one: Parts, two: Parts, role: Role) -> bool:
    """Whether what stands beside the words allows a merge: a thing left out by one name may be left out, but not any."""
    if one.numbers != two.numbers or one.generation != two.generation:
        return False
    single = len(one.words) == 1 or len(two.words) == 1
    if single and one.titles != two.titles and not (one.dense and min(one.letters, two.letters) > 2):
        return False
    if one.forms == two.forms:
        return True
    if one.forms and two.forms:
        return one.forms <= two.forms or two.forms <= one.forms
    if one.dense:
        return role == "organization" and min(one.letters, two.letters) > 3
    return not single and one.words[0] not in given.GIVEN_NAMES


def _words(one: Parts, two: Parts, role: Role) -> Likeness:
    """How alike the names' own words are."""
    if one.words == two.words:
        return "same" if one.spelt == two.spelt or _informative(one.words) else "maybe"
    joined = ["".join(parts.words) for parts in (one, two)]
    if joined[0] == joined[1]:
        return "same" if len(joined[0]) >= 5 else "maybe"
    if sorted(one.words) == sorted(two.words):
        certain = one.ordered or two.ordered or (role == "person" and len(one.words) > 2)
        return "same" if certain and _informative(one.words) else "maybe"
    left, right = _unshared(one.words, two.words), _unshared(two.words, one.words)
    shared = [word for word in one.words if word not in left]
    if not left or not right:
        return _part(one, two, left or right, role)
    if len(left) != len(right):
        left, right = _without_left_out(left, right, one), _without_left_out(right, left, two)
    if len(left) != len(right):
        return _some_pair(left, right, shared)
    return _pairs(one, two, list(zip(left, right, strict=True)), role)


def _informative(words: Sequence[str]) -> bool:
    """Whether a name has so many different letters that another with nearly the same is unlikely (Shannon entropy, bits)."""
    text = "".join(words)
    counts = Counter(text).values()
    entropy = -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
    return len(text) >= _LETTERS and entropy >= _ENTROPY


def _unshared(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that the others do not have, repetitions counted, in order."""
    left = Counter(others)
    kept = []
    for word in words:
        if left[word]:
            left[word] -= 1
        else:
            kept.append(word)
    return kept


def _part(one: Parts, two: Parts, extra: list[str], role: Role) -> Likeness:
    """One name has all words of the other and some more: only what custom leaves out may be missing in the middle."""
    short, long = sorted((one, two), key=lambda parts: len(parts.words))
    if not any(len(word) > 1 for word in short.words):
        return "different"
    ends = len(short.words) > 1 and short.words[0] == long.words[0] and short.words[-1] == long.words[-1]
    if not ends or not _informative(short.words):
        return "maybe"
    if role == "organization":
        return "same" if set(extra) <= {"of", "and", "for"} else "maybe"
    whole = len(short.words) > 2 and len(extra) == 1
    return "same" if whole or all(_left_out(word) for word in extra) else "maybe"


def _left_out(word: str) -> bool:
    """Whether a word in the middle of a personal name may be left out: an initial, a patronymic, a particle."""
    return (len(word) == 1 and word.isalpha()) or word in tables.PARTICLES or word.endswith(tables.PATRONYMICS)


def _without_left_out(words: list[str], others: list[str], parts: Parts) -> list[str]:
    """The words, without those in the middle that the others may have left out if that makes them as many."""
    inner = parts.words[1:-1]
    kept = [word for word in words if not (word in inner and _left_out(word))]
    return kept if len(words) > len(others) == len(kept) else words


def _some_pair(left: list[str], right: list[str], shared: list[str]) -> Likeness:
    """Words left on both sides, more on one: alike only if each of the fewer has its like on the other side, in order."""
    few, many = sorted((left, right), key=len)
    ties: list[Tie] = []
    others = iter(many)
    for word in few:
        tie = next((tie for other in others if (tie := _tie(word, other, "given")) != "unlike"), None)
        if tie is None:
            return "different"
        ties.append(tie)
    told = [tie for tie in ties if tie != "initial"]
    return "maybe" if shared or (told and len(few) > 1) or ties[0] in ("short", "spelling") else "different"


def _pairs(one: Parts, two: Parts, pairs: list[tuple[str, str]], role: Role) -> Likeness:
    """As many words left on both sides: each pair must be the same word, and at most one may be mistyped."""
    ties = [_tie(first, second, _place(first, one, role)) for first, second in pairs]
    if "unlike" in ties:
        return "different"
    shared = [word for word in one.words if word in two.words and len(word) > 2]
    soft = [(tie, *pair) for tie, pair in zip(ties, pairs, strict=True) if tie != "spelling"]
    if len(soft) < 2 and _informative(one.words) and _informative(two.words) and _is_sure(one, two, soft, shared, role):
        return "same"
    alone = len(pairs) == len(one.words) == 1 and (ties[0] in ("spelling", "short", "slip") or one.forms & two.forms)
    return "maybe" if shared or alone or len(soft) < len(ties) else "different"


def _is_sure(one: Parts, two: Parts, soft: Sequence[tuple[Tie, str, str]], shared: list[str], role: Role) -> bool:
    """Whether names that differ in spellings and at most one softer tie are one name."""
    if not soft:
        return len(one.words) > 1
    tie, first, second = soft[0]
    if tie == "slip":
        syllables = any(all(map(is_pinyin, parts.words)) for parts in (one, two))
        alone = len(one.words) == 1 and (role != "organization" or bool(one.forms & two.forms))
        letters = min(one.letters, two.letters) + (1 if one.forms & two.forms else 0)
        return not syllables and letters >= _SLIP_LETTERS and (bool(shared) or alone)
    if tie == "initial":
        return one.words[0] == two.words[0] and one.words[-1] == two.words[-1]
    return tie == "short" and role == "person" and any(len(word) > 3 for word in shared) and _only_short_for(first, second)


def _only_short_for(first: str, second: str) -> bool:
    """Whether one is a short form of the other given name and of no other."""
    return any(given.SHORT_FOR.get(a) == frozenset({given.VARIANTS.get(b, b)}) for a, b in ((first, second), (second, first)))


def _formal(word: str) -> frozenset[str]:
    """The given names that a word may be or stand for."""
    return given.SHORT_FOR.get(word, frozenset()) | {given.VARIANTS.get(word, word)}


def _place(word: str, parts: Parts, role: Role) -> Place:
    if role != "person":
        return role
    return "given" if word == parts.words[0] else "family"


def _tie(first: str, second: str, place: Place) -> Tie:
    """What binds two words that are not equal."""
    if len(first) == 1 or len(second) == 1:
        return "initial" if place in ("given", "family") and first[0] == second[0] else "unlike"
    if given.VARIANTS.get(first, first) == given.VARIANTS.get(second, second):
        return "spelling"
    if place == "given" and (tie := _given_tie(first, second)):
        return tie
    if spelling(first) == spelling(second):
        return "spelling"
    if is_slip(first, second, place):
        return "slip"
    return "near" if is_near(first, second) else "unlike"


def _given_tie(first: str, second: str) -> Tie | None:
    """What is known of two given names; None if nothing is."""
    if _formal(first) & _formal(second):
        return "short"
    if first in given.GIVEN_NAMES and second in given.GIVEN_NAMES:
        return "near" if spelling(first) == spelling(second) else "unlike"
    return "unlike" if is_other_ending(first, second) and spelling(first) != spelling(second) else None


def _abbreviates(name: str, parts: Parts) -> bool:
    """Whether a name is made of the first letters of the other's words."""
    key = name_key(name).replace(".", "")
    initials = "".join(word[0] for word in parts.words)
    content = "".join(word[0] for word in parts.words if word not in ("of", "and", "for", "de"))
    return len(key) > 1 and key in (initials, content)


def _dense(one: Parts, two: Parts, role: Role) -> Likeness:
    """Names without spaces: a character is a word, so one other character is another name."""
    first, second = one.words[0], two.words[0]
    if first == second:
        return "same" if len(first) > 1 or one.titles == two.titles else "maybe"
    short, long = sorted((first, second), key=len)
    if long.endswith(short) or long.startswith(short):
        return "maybe"
    if any(a[0] in tables.DENSE_PET_PREFIXES and a[1:] and a[1:] in b for a, b in ((first, second), (second, first))):
        return "maybe"
    letters = iter(long)
    if len(short) > 1 and role != "person" and short[0] == long[0] and all(sign in letters for sign in short):
        return "maybe"
    return "maybe" if len(short) > 5 and distance(first, second, 1) is not None else "different"
