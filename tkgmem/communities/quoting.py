"""Which turns of a conversation tell most of what it is about: SumBasic (Nenkova and Vanderwende 2005). Pure.

A turn is worth the mean probability of its words; once it is taken these count less, so that the next tells something else.
Talk is full of "thanks" and "great": what is said in many turns does not count, and a turn of few words is worth less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, groupby

from tkgmem.store.words import is_function_word, segment

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_ENOUGH, _FULL = 3, 8
"""Words that a turn should have, if any turn has; those from which on it is not worth less for having few."""
_COMMON, _AT_LEAST = 0.05, 5
"""The share of turns, and the number of them, past which a word does not count."""


def words_of(text: str, without: Collection[str] = ()) -> list[str]:
    """The words that a text is about: no function words, no single characters, none of `without`."""
    return [word for word in segment(text).split() if len(word) > 1 and word not in without and not is_function_word(word)]


def stretches(key: str, most: int = 8) -> set[str]:
    """What may be a name in a text, given as names are compared: every stretch of up to so many words; of CJK, of characters.

    >>> sorted(stretches("ana met bo", 2))
    ['ana', 'ana met', 'bo', 'met', 'met bo']
    """
    words = [match.span() for match in _WORD.finditer(key)]
    return {key[start:end] for place, (start, _) in enumerate(words) for _, end in words[place : place + most]}


def telling(said: Sequence[Sequence[str]], most: int, *, may: Callable[[int], bool]) -> list[int]:
    """The places of the turns to quote, in their order. said: the words of each. may: whether one (its place) can be quoted.

    Of equals the first is taken, and of turns with the same words only one.

    >>> turns = [["tea", "again"], ["jazz", "jazz"], ["green", "tea"], ["green", "tea"]]
    >>> telling(turns, 2, may=lambda place: True)
    [1, 2]
    """
    said = _uncommon(said)
    counted = Counter(word for words in said for word in words)
    total = sum(counted.values())
    chance = {word: number / total for word, number in counted.items()}
    left = {place for place, words in enumerate(said) if len(words) >= _ENOUGH}
    left = left or {place for place, words in enumerate(said) if words}
    having: dict[str, list[int]] = defaultdict(list)
    for place in sorted(left):
        for word in dict.fromkeys(said[place]):
            having[word].append(place)
    taken: list[int] = []
    while left and len(taken) < most:
        best = _next(said, chance, having, left, may)
        if best is None:
            break
        taken.append(best)
        left -= {place for place in having[said[best][0]] if said[place] == said[best]}
        for word in set(said[best]):
            chance[word] **= 2
    return sorted(taken)


def _uncommon(said: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The words of each turn without those of many turns; with them, if no turn has another."""
    turns = Counter(word for words in said for word in set(words))
    most = max(_AT_LEAST, _COMMON * len(said))
    kept = [[word for word in words if turns[word] <= most] for words in said]
    return kept if any(kept) else said


def _next(
    said: Sequence[Sequence[str]],
    chance: Mapping[str, float],
    having: Mapping[str, list[int]],
    left: set[int],
    may: Callable[[int], bool],
) -> int | None:
    """Of the turns with the likeliest word the best that can be quoted; those that cannot are left out from here on."""
    for _, words in groupby(sorted(having, key=lambda word: -chance[word]), key=lambda word: chance[word]):
        some = left.intersection(chain.from_iterable(having[word] for word in words))
        for place in sorted(some, key=lambda place: (-_worth(said[place], chance), place)):
            if may(place):
                return place
            left.discard(place)
    return None


def _worth(words: Sequence[str], chance: Mapping[str, float]) -> float:
    return sum(chance[word] for word in words) / max(len(words), _FULL)
