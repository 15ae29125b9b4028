"""English tokens and the phrases between the verbs: names, things, roles. Every phrase keeps its characters in "
"the content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Name, is_deadline
from tkgmem.ingest.rules.en_verbs import FORMS
from tkgmem.temporal.timex import TimeExpression

_TOKEN = re.compile(
    r"(?:Dr|Mr|Mrs|Ms|Prof|St|Sgt|Capt|Lt)\.(?=\s)|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,32}){1,4}"
    r"|(?:[A-Z]\.){1,4}(?=\s[A-Z])"
    r"|\+?\(?\d[\d() .-]{4,20}\d|[^\W_](?:\w|['’.+/-](?=\w)|\+\+|#(?!\w))*|[^\w\s]"
)
_CLITIC = re.compile(r"(.+?)(n['’]t|['’](?:s|m|re|ve|ll|d))\Z", re.IGNORECASE)
_TICKET = re.compile(r"[A-Z][A-Z0-9]{0,9}-\d{1,7}")
_LOWER_PART = re.compile(r"-[a-z]")
_NUMBER = re.compile(r"\d{1,3}[A-Z]?")
_FOR = re.compile(
    r"(?<!scheduled )(?<!planned )(?<!booked )(?<!set )(?<!slated )\b(?:for|from) (?:the )?(?:early |late |mid-?)?\Z",
    re.IGNORECASE,
)
_YEARS = re.compile(r"\d{4}s?\Z|s\Z")
_MADE_IN = re.compile(r"\b(?:an?|my|his|her|our|the|vintage|old)\s\Z", re.IGNORECASE)
_OPENING_PREPOSITIONS = frozenset(
    ("in", "on", "back", "at", "during", "around", "since", "for", "of", "by", "due", "early", "late", "mid")
)


class Token(NamedTuple):
    """A word, a mark, or a whole date (with the prepositions before it); offsets are in the content."""

    text: str
    low: str
    start: int
    end: int
    when: TimeExpression | None = None
    deadline: bool = False

    @property
    def capital(self) -> bool:
        return self.when is None and self.text[0].isupper()

    @property
    def word(self) -> bool:
        return self.when is None and self.text[0].isalnum()


Phrase = tuple[Name, int]
"""A phrase and the index of the token after it."""


def tokens(content: str, start: int, end: int, dates: Sequence[TimeExpression]) -> list[Token]:
    """The tokens of content[start:end]; each date is one token."""
    result: list[Token] = []
    position = start
    for date in dates:
        if _is_vintage(content, date, end):
            continue
        result += _words(content, position, date.start)
        first = date.start
        deadline = is_deadline(content, date) or _meant_for(content, date)
        while result and result[-1].low in _OPENING_PREPOSITIONS and not content[result[-1].end : first].strip():
            first = result.pop().start
        result.append(Token(content[first : date.end], "", first, date.end, date, deadline))
        position = date.end
    return [*result, *_words(content, position, end)]


def _meant_for(content: str, date: TimeExpression) -> bool:
    """ "groceries for next week" are not bought then, nor "a bottle from the 1990s"; "scheduled for May" is a date."""
    link = _FOR.search(content, max(0, date.start - 24), date.start) if date.role == "point" else None
    return link is not None and (link.group().lower().startswith("for") or _YEARS.search(date.text) is not None)


def _is_vintage(content: str, date: TimeExpression, end: int) -> bool:
    """ "a 1972 Saab" is not said of 1972."""
    if not (len(date.text) == 4 and date.text.isdigit()) or not _MADE_IN.search(content, max(0, date.start - 8), date.start):
        return False
    return content[date.end : min(end, date.end + 2)].strip().isalpha()


def _words(content: str, start: int, end: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(content, start, end):
        text, first = match.group(), match.start()
        clitic = _CLITIC.fullmatch(text)
        if clitic:
            cut = first + len(clitic[1])
            yield Token(clitic[1], clitic[1].lower(), first, cut)
            yield Token(clitic[2], clitic[2].lower().replace("’", "'"), cut, match.end())
        else:
            yield Token(text, text.lower(), first, match.end())


class Phrases:
    """Reads phrases out of one sentence's tokens. Every reader takes a token index and returns a phrase or None."""

    def __init__(self, content: str, sentence: Sequence[Token]) -> None:
        self._content = content
        self.tokens = sentence

    def low(self, index: int) -> str:
        """The lower-cased word at `index`; empty for a date and past the end."""
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""

    def at(self, index: int, *sequence: str) -> bool:
        """Whether these words stand at `index`."""
        for word in sequence:
            if self.low(index) != word:
                return False
            index += 1
        return True

    def span(self, first: int, after: int) -> Name:
        """The characters from one token up to another, as a name without outer quotes."""
        start, end = self.tokens[first].start, self.tokens[after - 1].end
        return Name(self._content[start:end], start, end)

    @staticmethod
    def is_ticket(text: str) -> bool:
        """Whether a text is a ticket number."""
        return _TICKET.fullmatch(text) is not None

    def ticket(self, index: int) -> Phrase | None:
        """A ticket number, with or without the word ticket before it."""
        if self.low(index) in words.ARTICLES:
            index += 1
        if self.low(index) in ("ticket", "issue", "task", "bug", "case", "story", "pr"):
            index += 1
        if index < len(self.tokens) and _TICKET.fullmatch(self.tokens[index].text):
            return self.span(index, index + 1), index + 1
        return None

    def name(self, index: int) -> Phrase | None:
        """A capitalised name without its article: titles, particles ("of", "van") and a number at the end belong to it."""
        if self.low(index) == "the" or (self.low(index) in ("a", "an") and not self._capital(index + 1)):
            index += 1
        quoted = self.low(index) in ("'", '"', "“", "‘")
        first = index = index + quoted
        if not self._capital(index) or (self.low(index) in words.NOT_NAMES and not self._capital(index + 1)):
            return None
        if _LOWER_PART.search(self.tokens[index].text) or (index == 0 and self._participle(index)):
            return None
        if self.low(index) in ("i", "it", "he", "she", "we", "you", "they", "what", "my", "this", "that"):
            return None
        index += 1
        while index < len(self.tokens) and index - first < 7 and (step := self._name_goes_on(index)):
            index += step
        if self.nickname(index) and (family := self.name(index + 3)):
            return Name(f"{self.span(first, index).text} {family[0].text}"), family[1]
        return self.span(first, index), index + (quoted and self.low(index) in ("'", '"', "”", "’"))

    def nickname(self, index: int) -> Name | None:
        """The nickname whose opening mark stands inside a name: Penelope "Nell" Ashcroft, Penelope (Nell) Ashcroft."""
        marks = self.low(index) + self.low(index + 2)
        called = marks in ('""', "''", "“”", "‘’", "()") and self._capital(index - 1) and self._capital(index + 1)
        if not called or not self._capital(index + 3):
            return None
        return self.span(index + 1, index + 2)

    def _participle(self, index: int) -> bool:
        """ "Accompanied by his wife": a word that begins a sentence, and no name."""
        low = self.low(index)
        return low.endswith(("ed", "ing")) and self.low(index + 1) in words.PHRASE_END | words.ARTICLES | words.POSSESSIVES

    def _name_goes_on(self, index: int) -> int:
        """How many tokens from `index` on still belong to a name that began before it."""
        token = self.tokens[index]
        if token.when is None and (token.capital or _NUMBER.fullmatch(token.text)):
            return 0 if token.low == "i" and token.text == "I" and self.low(index + 1) else 1
        if token.low in words.PARTICLES and self._capital(index + 1) and self.low(index + 1) != "i":
            return 2
        if token.low == "of" and self.low(index + 1) == "the" and self._capital(index + 2):
            return 3
        # "Heron's Rest", but not "Ana's Sunday run": only a capital right behind makes it part of a name.
        if token.low == "'s" and self._capital(index + 1) and self._called(index):
            return 2
        return 0

    def _called(self, index: int) -> bool:
        before = {self.low(back) for back in range(max(0, index - 4), index)}
        return bool(before & {"called", "named", "at", "visited", "to", "from", "joined", "in", "founded", "opened"})

    def _capital(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].capital

    def name_before(self, index: int) -> Name | None:
        """The name that ends right before a token, or before the comma there."""
        end = index - (self.low(index - 1) == ",")
        for first in range(max(0, end - 4), end):
            found = self.name(first)
            if found and found[1] == end:
                return found[0]
        return None

    def titled(self, index: int) -> Phrase | None:
        """An organisation: a name, with the lower-case words that complete it "
        "("the Larchwood post office", "Tate gallery")."""
        found = self.name(index)
        if not found:
            return None
        name, after = found
        definite = self.low(index) == "the"
        end = after
        while definite and end - after < 2 and end < len(self.tokens) and self.plain(end):
            end += 1
        return (self.span(after - (after - self._first(name)), end), end) if end > after else found

    def _first(self, name: Name) -> int:
        return next(i for i, token in enumerate(self.tokens) if token.start == name.start)

    def plain(self, index: int) -> bool:
        """Whether a token may belong to a noun phrase: no mark, date, verb, adverb or small word."""
        if index >= len(self.tokens):
            return False
        token = self.tokens[index]
        return (
            token.word
            and token.low not in words.PHRASE_END
            and token.low not in words.PRONOUNS
            and token.low not in words.ADVERBS
            and token.low not in words.CONNECTORS
            and not (token.low.endswith("ly") and len(token.low) > 5 and token.low not in ("family", "butterfly", "italy"))
            and not self.finite(token.low)
        )

    def finite(self, low: str) -> bool:
        """Whether a word is more likely the verb of a clause than part of a phrase."""
        return low not in words.NOUNS and any(form.kind != "ing" for form in FORMS.get(low, ()))

    def thing(self, index: int, *, longest: int = 4, subject: bool = False) -> Phrase | None:
        """A noun phrase without its determiner; a name that follows "called" or "named" is taken instead.

        subject: a verb may follow; elsewhere that means that the phrase is the subject of another clause.
        """
        if self.low(index) in words.COUNTS or self.low(index) in words.POSSESSIVES:
            index += 1
        first = index
        while index < len(self.tokens) and index - first < longest + 1 and self._part_of_thing(index, first):
            index += 1
        cut_short = self.low(index) in ("'s", "'", "’", "one", "ones") or (not subject and self.finite(self.low(index)))
        if index == first or index - first > longest or cut_short:
            return None
        if self.low(index) in ("called", "named"):
            return self.name(index + 1)
        return self.span(first, index), index

    def liked(self, index: int) -> Phrase | None:
        """Something one can like; an activity only when it is said in full "
        "("curling up with a book" is not just "curling")."""
        if self.low(index).endswith("ing") and len(self.low(index)) > 4 and not self._capital(index):
            return self.activity(index)
        if self.low(index) in ("their", "his", "her", "its", "your"):
            return None
        found = self.thing(index)
        if found is None or found[1] >= len(self.tokens):
            return found
        token = self.tokens[found[1]]
        loose = not token.word or token.low in words.LOOSE_ENDS
        if any(self.low(at).endswith("ing") for at in range(index, found[1])):
            return found if loose else None
        return (
            None if token.low in ("that", "which", "who", "'s", "is", "are", "to") or token.low in words.POSSESSIVES else found
        )

    def activity(self, index: int) -> Phrase | None:
        """An activity in its own words ("hiking in the Alps"), to its end; None if it leans on what was said before."""
        first = index
        while index < len(self.tokens) and index - first < 9:
            token = self.tokens[index]
            joined = token.low == "and" and index >= first + 2 and self._joins_nouns(index + 1)
            if token.when is not None or not token.word or token.low in words.OPAQUE:
                break
            if token.low in words.LOOSE_ENDS | {"right"} and token.low != "for" and not joined:
                break
            if token.low in words.PRONOUNS or token.low in ("your", "his", "her", "its", "their", "'s", "been"):
                return None
            index += 1
        cut = index - first == 9 or self.low(index) in ("'s", "'ve", "n't", "'m", "'re", "that", "which", "'ll", "'d")
        cut |= index == first or self.low(first) in words.ADVERBS or self._adjectives_go_on(index)
        particle = index - first == 2 and self.low(index - 1) in ("up", "out", "off", "down")  # "washing up"
        cut |= self.low(index - 1) in words.PHRASE_END | words.ARTICLES | words.POSSESSIVES and not particle
        return None if cut else (self.span(first, index), index)

    def _adjectives_go_on(self, index: int) -> bool:
        """ "a safe, inviting place": the comma does not end the phrase."""
        following = self.low(index + 1)
        return self.low(index) == "," and self.low(index - 2) in ("a", "an") and following not in ("and", "or", "but")

    def _joins_nouns(self, index: int) -> bool:
        """Whether "and" goes on inside an activity ("the feelings and plots") and not with a further one."""
        return index < len(self.tokens) and self.plain(index) and not self.low(index).endswith("ing")

    def _part_of_thing(self, index: int, first: int) -> bool:
        if self.low(index) in ("called", "named"):
            return False
        if self.low(index) == "of":
            return index > first and index + 1 < len(self.tokens) and self.plain(index + 1)
        return self.plain(index)

    def listed(self, index: int, read: Callable[[int], Phrase | None]) -> tuple[list[Name], int]:
        """One or more phrases joined by commas and "and"."""
        found: list[Name] = []
        after = index
        while (phrase := read(index)) and self._ends_cleanly(phrase[1], bool(found)):
            found.append(phrase[0])
            after = index = phrase[1]
            index += self.low(index) == ","
            if self.low(index) in ("and", "or", "&"):
                index += 1
            if index == after:
                break
        return found, after

    def _ends_cleanly(self, index: int, further: bool) -> bool:
        """A further item that is followed by a verb is the subject of the next clause."""
        if not further or index >= len(self.tokens):
            return True
        low = self.low(index)
        return not (low in ("is", "are", "was", "were", "has", "have", "'s", "will", "does", "did") or low in FORMS)

    def _part_of_role(self, index: int) -> bool:
        return self.low(index) != "of" and (self.plain(index) or self.low(index) in ("head", "lead", "model"))

    def role(self, index: int, *, known: bool) -> Phrase | None:
        """An occupation or office without its article; with `known` its last word must be one of the listed occupations."""
        if self.low(index) in words.ARTICLES:
            index += 1
        first = index
        while index < len(self.tokens) and index - first < 5 and self._part_of_role(index):
            index += 1
        if index == first:
            return None
        last = self.low(index - 1)
        loose = last in words.LOOSE_ROLES and index - first > 1 and self.low(index) not in ("at", "for", "of", "in")
        if known and (not words.is_role(last) or loose or self.low(first) == "fellow"):
            return None
        if last in words.ROLES and self.low(index) == "of" and last in ("head", "director", "chief", "captain", "vp", "dean"):
            tail = self.thing(index + 1, longest=3)
            index = tail[1] if tail else index
        return self.span(first, index), index
