"""English days and months by name, weekdays, and near days.

A weekday or a month that recurs ("every Monday", "Saturday mornings") or begins a name ("November Project") is no date.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.calendar import a_day, a_month, weekday_of_week
from tkgmem.temporal.timex.en.numbers import below_hundred, day_number, digits, ordinal, short_year, year
from tkgmem.temporal.timex.en.numeric import numeric
from tkgmem.temporal.timex.en.said import Hit, Said, When, of_stretch, of_weekday, of_year_unknown, on
from tkgmem.temporal.timex.en.words import (
    AMBIGUOUS_MONTHS,
    CLOCK_SIGNS,
    DATE_PREPOSITIONS,
    DAYPARTS,
    FUNCTION_WORDS,
    HABITS,
    MONTH_PREPOSITIONS,
    MONTHS,
    NEAR_DAYS,
    NEAR_TURNS,
    ORDINAL_ENDINGS,
    RECURRING,
    SHORT_WEEKDAYS,
    TURNS,
    VERB_MONTHS,
    WEEKDAYS,
)


def _hit(end: int, when: When | None) -> Hit | None:
    return Hit(end, when) if when else None


def _named(said: Said, i: int) -> tuple[int, int] | None:
    """The token after a month's name, and its number."""
    month = MONTHS.get(said.word(i))
    if month is None:
        return None
    short = len(said.word(i)) <= 4 and said.word(i + 1) == "." and said.glued(i + 1)
    return i + 1 + short, month


def trailing_year(said: Said, i: int) -> tuple[int, int] | None:
    """A year after a day or a month: ", 1994", "of 2020", "in 2020", "of 87", "-2018"."""
    at = said.after(said.after(i, (",", "-", "/")), ("of", "in"))
    if said.word(at) in TURNS and said.word(at + 1) == "year" and said.closes(at + 2):
        return at + 2, said.today.year + TURNS[said.word(at)]
    found = short_year(said, at, said.today.year) if said.word(at - 1) == "of" else year(said, at)
    return (found.end, found.value) if found and said.closes(found.end) else None


def _certain(said: Said, i: int, *, ordinary: bool) -> bool:
    """Whether a name is a month's and no verb: "may", "march" and "mar" in lower case need an ordinal or a number glued on."""
    return said.token(i).capital or said.word(i) not in VERB_MONTHS or not ordinary


def day_of_month(said: Said, i: int) -> Hit | None:
    """ "March 3rd, 2020", "3 March", "the 3rd of March 2020", "Dec31 , 1994", "May twenty nine"."""
    return _month_first(said, i) or _day_first(said, i)


def _month_first(said: Said, i: int) -> Hit | None:
    if (named := _named(said, i)) is None:
        return None
    at = said.after(said.after(named[0], (",", "-", "/")), ("the",))
    day = day_number(said, at)
    if day is None or (day.end == at + 1 and not said.closes(day.end)) or said.word(day.end) in ("%", ":"):
        return None
    plain = said.token(at).kind == "n" and said.word(day.end - 1) not in ORDINAL_ENDINGS and not said.glued(at)
    return _dated(said, day.end, named[1], day.value) if _certain(said, i, ordinary=plain) else None


def _day_first(said: Said, i: int) -> Hit | None:
    start = said.after(i, ("the",))
    day = day_number(said, start)
    if day is None:
        return None
    at = said.after(said.after(said.after(day.end, ("day",)), ("-", "/")), ("of",))
    at = said.after(at, ("the",)) if at > day.end else at
    named = _named(said, at)
    if named is None or (not said.token(at).gap and said.word(at - 1) not in ("-", "/")):
        return None
    return _dated(said, named[0], named[1], day.value) if _certain(said, at, ordinary=said.word(at - 1) != "of") else None


def _dated(said: Said, end: int, month: int, day: int) -> Hit | None:
    if trailing := trailing_year(said, end):
        return _hit(trailing[0], of_stretch(a_day(trailing[1], month, day), "day"))
    when = of_year_unknown(said, month, day)
    number = WEEKDAYS.get(said.word(end + 1), SHORT_WEEKDAYS.get(said.word(end + 1)))
    if when and number is not None and (said.word(end), said.word(end + 2)) == ("(", ")"):
        return Hit(end + 3, _on_weekday(said, when, number))
    return _hit(end, when)


def month(said: Said, i: int) -> Hit | None:
    """ "May 2020", "Dec-2018", "April of 87"; a month's name alone counts where a preposition or its capital letter says so."""
    start = said.after(i, ("the",))
    if (named := _named(said, start)) is None or (start == i and _numbered(said, i - 1)):
        return None
    if not _certain(said, start, ordinary=said.word(start - 1) not in MONTH_PREPOSITIONS):
        return None
    if trailing := trailing_year(said, named[0]):
        return _hit(trailing[0], of_stretch(a_month(trailing[1], named[1]), "month"))
    when = of_year_unknown(said, named[1], None)
    if when is None or (start > i and said.word(start) in AMBIGUOUS_MONTHS and not said.token(start).capital):
        return _hit(named[0], when) if said.word(i - 1) == "in" and said.word(start) != "may" else None
    return _hit(named[0], replace(when, weak=not _stands_as_month(said, start)))


def _begins_name(said: Said, i: int) -> bool:
    """Whether a capital goes on from the token before: "November Project", "Sunday Riley"."""
    token = said.token(i)
    return token.kind == "w" and token.gap and token.capital and token.text not in (*FUNCTION_WORDS, *MONTHS, *DAYPARTS, *TURNS)


def _one_of_many(said: Said, i: int) -> bool:
    """Whether a weekday at i recurs: "every Monday, Wednesday and Friday", "Saturday mornings"."""
    at = i + 1
    while at < i + 8 and (said.word(at) in WEEKDAYS or said.word(at) in (",", "and", "or", "&", "/")):
        at += 1
    if said.word(at) in HABITS:
        return True
    at = i - 1
    while at > i - 12 and (said.word(at) in WEEKDAYS or said.word(at) in (",", "and", "or", "&", "/")):
        at -= 1
    return said.word(at) in RECURRING


def _numbered(said: Said, i: int) -> bool:
    """Whether the token at i ends the number of a day: "30 February" is no February."""
    return (said.token(i).kind == "n" and len(said.word(i)) < 3) or (said.word(i) in ORDINAL_ENDINGS and said.glued(i))


def _stands_as_month(said: Said, i: int) -> bool:
    word, capital = said.word(i), said.token(i).capital
    if word not in AMBIGUOUS_MONTHS:
        return said.word(i - 1) in MONTH_PREPOSITIONS or not _begins_name(said, i + 1)
    return said.word(i - 1) in MONTH_PREPOSITIONS and (capital or (len(word) > 4 and word not in VERB_MONTHS) or word == "june")


def weekday_name(said: Said, i: int) -> int | None:
    """The number of the weekday named at i; a short form needs a word that asks for it, or a capital and a number."""
    word = said.word(i)
    if word in WEEKDAYS:
        return WEEKDAYS[word]
    if word not in SHORT_WEEKDAYS or said.word(i - 1) == "-":
        return None
    before, following = said.word(i - 1), said.word(i + 1)
    asked = before in TURNS or before in ("on", "week", "(") or (said.token(i).capital and before in DATE_PREPOSITIONS)
    numbered = (said.token(i).capital or word in ("tues", "thurs")) and (
        said.token(i + 1).kind == "n" or following in MONTHS or following == "the" or said.word(i + 2) in MONTHS
    )
    return SHORT_WEEKDAYS[word] if asked or numbered else None


def weekday(said: Said, i: int) -> Hit | None:
    """ "Monday", "last Friday", "this past Wednesday", "Friday the 26th", "Tue May 9", "Friday 5/12"."""
    at = said.after(i, ("on",)) if said.word(i - 1) == "week" else i
    turn = said.word(at) if said.word(at) in TURNS else None
    name = at + (turn is not None)
    if turn == "this" and said.word(name) in NEAR_TURNS and weekday_name(said, name + 1) is not None:
        turn, name = said.word(name), name + 1
    number = weekday_name(said, name)
    if number is None or (turn is None and _one_of_many(said, i)):
        return None
    end = said.after(name + 1, (".",)) if said.word(name) in SHORT_WEEKDAYS else name + 1
    if dated := _with_date(said, end, number):
        return dated
    if turn is None:
        named = _begins_name(said, end) and said.word(i - 1) not in DATE_PREPOSITIONS
        return None if named else _hit(end, of_weekday(said, number))
    return _hit(end, _turned(said, number, turn))


def _turned(said: Said, number: int, turn: str) -> When | None:
    if turn in NEAR_TURNS:
        away = (
            (number - said.today.weekday() - 1) % 7 + 1 if TURNS[turn] > 0 else -((said.today.weekday() - number - 1) % 7 + 1)
        )
        return on(said.today + dt.timedelta(away))
    return of_stretch(weekday_of_week(said.today, TURNS[turn], number), "day")


def _with_date(said: Said, i: int, number: int) -> Hit | None:
    """The date that a weekday's name stands before; its own words decide, except for a bare day of some month."""
    at = said.after(said.after(i, (",", "-", "(")), ("the",))
    if full := day_of_month(said, at) or numeric(said, at):
        dashed = said.word(at + 1) == "-"  # "Monday 6-8" is rather two hours
        when = full.when if dashed else _on_weekday(said, full.when, number)
        fits = when.grain == "day" and (not dashed or when.day.weekday() == number)
        return Hit(full.end, replace(when, weak=False)) if fits else None
    bare = ordinal(said, at) or (digits(said, at, 2) if at == i and said.closes(i + 1) else None)
    if bare is None or not 1 <= bare.value <= 31 or said.word(bare.end) in (*CLOCK_SIGNS, "-", "to"):
        return None
    return _hit(bare.end, _weekday_on(said, number, bare.value))


def _on_weekday(said: Said, when: When, number: int) -> When:
    """The date in the other direction, or a year on, where only that falls on the weekday."""
    if when.again is None or when.day.weekday() == number:
        return when
    ahead = said.prefer == "future"
    year_on = said.today + dt.timedelta(366 if ahead else -366)
    others = (when.again(said.today, not ahead), when.again(year_on, ahead))
    return next((other for other in others if other and other.day.weekday() == number), when)


def _weekday_on(said: Said, number: int, day: int) -> When | None:
    """The nearest day of that number that falls on that weekday."""
    ahead = said.prefer != "past"
    for months in range(48):
        found = a_month(said.today.year, said.today.month + (months if ahead else -months))
        stretch = a_day(found.first.year, found.first.month, day) if found else None
        passed = stretch and (stretch.first >= said.today if ahead else stretch.first <= said.today)
        if stretch and passed and stretch.first.weekday() == number:
            return of_stretch(stretch, "day")
    return None


def near_day(said: Said, i: int) -> Hit | None:
    """Today, yesterday, tomorrow, the day before yesterday, the day after tomorrow."""
    start = said.after(i, ("the",))
    words = tuple(said.word(start + step) for step in range(3))
    if words in (("day", "before", "yesterday"), ("day", "after", "tomorrow")):
        return Hit(start + 3, on(said.today + dt.timedelta(-2 if words[1] == "before" else 2)))
    if words[:2] == ("current", "date"):
        return Hit(start + 2, on(said.today))
    if said.word(i) not in NEAR_DAYS or (said.word(i) == "yesterday" and "like" in (said.word(i - 1), said.word(i - 2))):
        return None
    return Hit(i + 1, on(said.today + dt.timedelta(NEAR_DAYS[said.word(i)])))


def day_alone(said: Said, i: int) -> Hit | None:
    """ "on the 4th": a day of this or a neighbouring month."""
    if said.word(i) != "the" or said.word(i - 1) not in DATE_PREPOSITIONS:
        return None
    day = ordinal(said, i + 1)
    if (
        day is None
        or not said.closes(day.end)
        or (said.token(day.end).kind == "w" and said.word(day.end) not in FUNCTION_WORDS)
    ):
        return None
    return _hit(day.end, day_near(said, day.value))


def day_near(said: Said, day: int) -> When | None:
    """The latest such day up to today, the next one, or that of this month, as the preference says."""
    step = {"past": -1, "future": 1, "same_year": 0}[said.prefer]
    for months in range(3):
        month = a_month(said.today.year, said.today.month + months * step)
        found = a_day(month.first.year, month.first.month, day) if month else None
        if found and (step == 0 or (found.first - said.today).days * step >= 0):
            return of_stretch(found, "day")
    return None


def listed_day(said: Said, i: int) -> Hit | None:
    """The first day of "18 and 19 June"."""
    first = spelled_month_day(said, i)
    if first is None or said.word(first[0]) not in ("and", "or", "&", ",") or said.token(i).kind != "n":
        return None
    second = _day_first(said, first[0] + 1)
    if second is None or second.when.day.day <= first[1]:
        return None
    day = dt.datetime.combine(second.when.day.replace(day=first[1]), dt.time())
    return Hit(first[0], replace(second.when, first=day, after=day + dt.timedelta(1), again=None))


def spelled_month_day(said: Said, i: int) -> tuple[int, int] | None:
    """A bare day number that may be the side of a range whose other side names the month."""
    found = day_number(said, said.after(i, ("the",)), words=False) or below_hundred(said, i)
    return (found.end, found.value) if found and 1 <= found.value <= 31 else None
