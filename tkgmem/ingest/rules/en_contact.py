"""English contact details, birthdays and nicknames: "my email is", "Ana's birthday falls on", "reach Bo at 555-0100"."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_objects import through
from tkgmem.ingest.rules.en_text import Phrases

_KINDS = words.closed("new work personal current mobile cell home office phone direct business private main preferred contact")
_IS = ("is", "'s", "is now", "'s now", ":", "has changed to", "changed to")
_HEADS = (
    (("email address", "email", "e-mail address", "e-mail"), "EMAIL_IS"),
    (("phone number", "number", "phone", "mobile number", "mobile", "cell number", "cell", "extension"), "PHONE_IS"),
    (("native language", "first language", "mother tongue", "native tongue", "second language"), "SPEAKS"),
    (("birthday", "date of birth", "birth date", "birthdate"), "BIRTHDAY_ON"),
    (
        (
            "nickname",
            "alias",
            "stage name",
            "pen name",
            "maiden name",
            "real name",
            "full name",
            "given name",
            "legal name",
            "code name",
            "codename",
            "handle",
        ),
        "ALSO_KNOWN_AS",
    ),
)
_FIRST_WORDS = frozenset(head.split()[0] for heads, _ in _HEADS for head in heads)
_BEGINS = _KINDS | _FIRST_WORDS
_OPENINGS = tuple(
    ("|".join(f"{head} {link}" for head in heads for link in (*_IS, "falls", "falls on", "is on")), relation)
    for heads, relation in _HEADS
)


def contact_at(phrases: Phrases, index: int, owners: tuple[Name, ...]) -> tuple[tuple[Draft, ...], int] | None:
    """What "email is ..." behind a possessive states, and the token after it; None if no such thing stands there."""
    if phrases.low(index) not in _BEGINS:
        return None
    for at in (index, index + 1) if phrases.low(index) in _KINDS else (index,):
        for opening, relation in _OPENINGS:
            begin = _longest(phrases, at, opening)
            if begin is None or (target := value_at(phrases, begin, relation)) is None:
                continue
            drafts = tuple(Draft(owner, relation, target, "state", "now", undated=True) for owner in owners)
            return drafts, begin + 1
    return None


def _longest(phrases: Phrases, index: int, opening: str) -> int | None:
    found = [begin for option in opening.split("|") if (begin := through(phrases, index, option)) is not None]
    return max(found, default=None)


def value_at(phrases: Phrases, index: int, relation: str) -> Name | None:
    """An email address, a phone number, a date or a name, as the relation asks."""
    if index >= len(phrases.tokens):
        return None
    token = phrases.tokens[index]
    if relation == "BIRTHDAY_ON":
        return birthday(phrases, index)
    if relation == "SPEAKS":
        return phrases.span(index, index + 1) if token.capital or token.low in words.LANGUAGES else None
    if relation == "EMAIL_IS":
        return phrases.span(index, index + 1) if "@" in token.text[1:] else None
    if relation == "PHONE_IS":
        digits = sum(char.isdigit() for char in token.text)
        return phrases.span(index, index + 1) if token.when is None and digits >= 5 and "@" not in token.text else None
    named_as = phrases.name(index)
    return named_as[0] if named_as else None


def birthday(phrases: Phrases, index: int) -> Name | None:
    """A day as written, if a token is one."""
    when = phrases.tokens[index].when if index < len(phrases.tokens) else None
    named = when is not None and when.role == "point" and any(char.isdigit() for char in when.text)
    return Name(when.text, when.start, when.end) if when and named and when.precision == "day" else None
