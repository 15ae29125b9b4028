"""The words of English dates, and a text cut into tokens. Data only: what a phrase means is decided where it is read."""

from __future__ import annotations

import re
from typing import NamedTuple

from tkgmem.temporal.timex.holidays import HOLIDAYS


class Token(NamedTuple):
    """One word, run of digits or other sign: text in lower case, its characters [start, end) of the content.

    kind: "w" a word, "n" digits, "s" any other sign. gap: whether white space stands before it. capital: whether it began with
    an upper case letter.
    """

    kind: str
    text: str
    start: int
    end: int
    gap: bool
    capital: bool


_TOKEN = re.compile(r"(?P<n>[0-9]+)|(?P<w>[^\W\d_]+)|(?P<s>\S)")
_SIGNS = str.maketrans("–—−～’‘´", "---~'''")
"""Dashes and apostrophes that mean the same; one character each, so positions stay."""


def tokens(text: str) -> list[Token]:
    """The tokens of a text.

    >>> [token.text for token in tokens("Mar4, 3:30pm")]
    ['mar', '4', ',', '3', ':', '30', 'pm']
    """
    found, end = [], -1
    for match in _TOKEN.finditer(text.translate(_SIGNS)):
        word = match.group()
        found.append(
            Token(match.lastgroup or "s", word.lower(), match.start(), match.end(), match.start() > end, word[0].isupper())
        )
        end = match.end()
    return found


def _listed(words: str) -> list[str]:
    return words.split()


def _abbreviated(*names: str) -> dict[str, int]:
    """Each name and its first three letters, numbered from 1."""
    return {form: number for number, name in enumerate(names, 1) for form in (name, name[:3])}


MONTHS = _abbreviated(
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"
) | {"sept": 9}  # fmt: skip
AMBIGUOUS_MONTHS = frozenset(
    ("march", "may", "april", "june", "august", *(name for name in MONTHS if len(name) < 5 and name != "july"))
)
"""Also verbs, names of people, or short forms: months only where the words around them say so."""
VERB_MONTHS = frozenset(("march", "may", "mar"))

WEEKDAYS = {
    name: number for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SHORT_WEEKDAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip

UNITS = {
    form: unit
    for unit, forms in {
        "second": ("second", "seconds", "sec", "secs"),
        "minute": ("minute", "minutes", "min", "mins"),
        "hour": ("hour", "hours", "hr", "hrs"),
        "day": ("day", "days"),
        "business day": ("workday", "workdays", "weekday", "weekdays"),
        "week": ("week", "weeks", "wk", "wks"),
        "fortnight": ("fortnight", "fortnights"),
        "weekend": ("weekend", "weekends"),
        "workweek": ("workweek", "workweeks"),
        "month": ("month", "months"),
        "quarter": ("quarter", "quarters"),
        "year": ("year", "years", "yr", "yrs"),
        "decade": ("decade", "decades"),
        "century": ("century", "centuries"),
    }.items()
    for form in forms
}
CLOCK_UNITS = {"second": 1, "minute": 60, "hour": 3600}

CARDINALS = {
    word: value
    for value, word in enumerate(
        _listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen"
        )
    )
}
TENS = {word: value for value, word in enumerate(_listed("twenty thirty forty fifty sixty seventy eighty ninety"), 2)}
ORDINALS = {
    word: value
    for value, word in enumerate(
        _listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        1,
    )
} | {"thirtieth": 30}
DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))
VAGUE_COUNTS = {"couple": 2}

TURNS = {
    "last": -1,
    "previous": -1,
    "past": -1,
    "prior": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "following": 1,
    "coming": 1,
    "upcoming": 1,
}
"""Which of several is meant, seen from now."""
NEAR_TURNS = frozenset(("past", "coming", "upcoming"))
"""Turns that mean the nearest weekday and not that of the neighbouring week."""

DAYPARTS = {"morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24)}
"""Hours [from, to) that a part of the day covers."""
NEAR_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "tonight": 0, "tonite": 0}

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The first of the three months of a northern season."""

PARTS = {
    "early": "early", "beginning": "early", "start": "early", "mid": "mid", "middle": "mid", "late": "late", "end": "late",
}  # fmt: skip

SINCE = ("since", "starting", "beginning", "effective", "as of", "as early as", "ever since", "starting from", "starting on",
         "starting in", "beginning in", "beginning on", "effective from", "any time from")  # fmt: skip
UNTIL = ("until", "till", "up to", "through", "as late as", "no later than", "not later than", "up until")
BEFORE = ("before", "prior to", "earlier than")
AFTER = ("after", "later than", "greater than")
NOT_DATES_AFTER_COUNT = frozenset(
    ("walk", "drive", "ride", "run", "break", "long", "old", "away", "late", "early", "flat", "each", "every")
)
"""Words after "in 5 minutes" or "10 years" that make it a length and not a date."""

COUNTED_THINGS = frozenset(
    _listed(
        "people users items words times miles meters metres km kg steps hours minutes days weeks months years dollars "
        "euros pounds cases calories points copies members employees students files lines rows pages units pieces units "
        "votes kids books songs square feet different small new more other"
    )
)
"""What follows a number that counts and is no year."""
COMPOUNDS = frozenset(
    _listed(
        "tree trees dinner lunch party parties gift gifts present presents card cards decoration decorations egg eggs "
        "lights carol carols market markets movie movies song songs costume costumes parade sale sales shopping cookies "
        "spirit season bunny music concert themed theme decor celebration celebrations traditions tradition feast"
    )
)
"""What a holiday's name only describes: a Christmas tree has no date."""

DATE_PREPOSITIONS = frozenset(
    _listed("on by from between to until till since before after and starting beginning of through next this")
)
MONTH_PREPOSITIONS = frozenset(
    _listed(
        "in since during until till before after by early late mid around of end start beginning from through between "
        "last this next about"
    )
)
BEFORE_YEAR = frozenset(
    _listed(
        "in since during until till before after by early late mid around circa of year spring summer fall autumn winter "
        "between to through or from"
    )
)

HOLIDAY_WORDS = frozenset(name.replace("'", " ").replace(".", " ").split()[0] for name in HOLIDAYS)
CORES = frozenset((
    *MONTHS, *WEEKDAYS, *SHORT_WEEKDAYS, *UNITS, *CARDINALS, *TENS, *ORDINALS, *DECADES, *DAYPARTS, *NEAR_DAYS, *SEASONS,
    *HOLIDAY_WORDS, "noon", "midday", "midnight", "eod", "eoy", "eom", "half", "couple", "now", "present", "current",
))  # fmt: skip
"""Words one of which every date has."""
LEADS = frozenset((
    *TURNS, *PARTS, *(phrase.split()[0] for phrase in (*SINCE, *UNTIL, *BEFORE, *AFTER)), "a", "an", "the", "in",
    "from", "between", "within", "for", "at", "by", "on",
    "more", "less", "later", "earlier", "rest", "remaining", "remainder", "quarter",
    "'", "q", "h", "w",
))  # fmt: skip
"""Words that a date may begin with before any of its `CORES`."""

FUNCTION_WORDS = frozenset(
    _listed(
        "at from to and or we i he she they it you for with in by until around about because when but so between is was "
        "were are will would this last next if as after before on s"
    )
)
"""Words that may follow a date without being described by it."""
RECURRING = frozenset(["every", "each", "most"])
"""Words before a weekday that make it one of many."""
HABITS = frozenset(
    _listed(
        "mornings afternoons evenings nights classes class sessions meetings workouts lessons practices practice shifts "
        "runs rides group groups"
    )
)
"""Words after a weekday that make it one of many."""
ZONES = frozenset(_listed("utc gmt est edt et cst cdt ct mst mdt mt pst pdt pt cet cest bst"))
"""Names of time zones, passed over and not read: several of them mean more than one."""
CLOCK_SIGNS = ("am", "pm", "a", "p", ":", "o", "oclock", "hours", "people")
"""What makes the number before it no day."""
