"""English verb groups: from auxiliaries, adverbs and a verb to one verb with a mood and a voice."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tkgmem.ingest.rules import en_verbs as verbs
from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Mood
from tkgmem.ingest.rules.en_text import Phrases


class Group(NamedTuple):
    """A verb group. after: the token behind it. begins: "started working". intends: "plans to", "is planning to".
    bare: a base form, as in "they work"."""

    lemma: str
    mood: Mood
    voice: Literal["active", "passive"]
    after: int
    begins: bool = False
    intends: bool = False
    bare: bool = False


def group_at(phrases: Phrases, index: int) -> Group | None:
    """The verb group that begins at a token, or None. An unknown verb after "plans to" has the lemma ""."""
    formerly = False
    while (
        (low := phrases.low(index)) in words.ADVERBS
        or low in ("all", "each")
        or low in words.FORMERLY
        or (low == "first" and verbs.form_of(phrases.low(index + 1), "past") is not None)
        or (low in ("much", "far") and verbs.form_of(phrases.low(index + 1), "base", "s", "past") == "prefer")
        or _is_date(phrases, index)
    ):
        formerly |= low in words.FORMERLY
        index += 1
    ended = phrases.at(index, "no", "longer")
    group = _group(phrases, index + 2 if ended else index)
    if group and (ended or formerly) and group.mood in ("now", "past", "going"):
        return group._replace(mood="over")
    return group


def _is_date(phrases: Phrases, index: int) -> bool:
    return index < len(phrases.tokens) and phrases.tokens[index].when is not None


def _group(phrases: Phrases, index: int) -> Group | None:
    low = phrases.low(index)
    if low in ("will", "'ll"):
        return _infinitive(phrases, _adverbs(phrases, index + 1), "plan")
    if low in ("do", "does", "did") and phrases.low(index + 1) in verbs.NEGATIONS:
        return _denied(phrases, _adverbs(phrases, index + 2))
    if low in ("ca", "can", "cannot"):
        return _can(phrases, index)
    return _set_phrase(phrases, index, low) or _be_or_have(phrases, index, low)


def _set_phrase(phrases: Phrases, index: int, low: str) -> Group | None:
    """ "would rather have", "used to live", "ended up joining"."""
    if low in ("'d", "would") and phrases.low(index + 1) == "rather":
        index += 2 + (phrases.low(index + 2) in ("have", "drink", "eat", "take"))
        return Group("prefer", "now", "active", index)
    if low == "used" and phrases.low(index + 1) == "to":
        return _infinitive(phrases, index + 2, "over")
    if low == "ended" and phrases.at(index + 1, "up") and (lemma := verbs.form_of(phrases.low(index + 2), "ing")):
        return Group(lemma, "past", "active", index + 3)
    return None


def _be_or_have(phrases: Phrases, index: int, low: str) -> Group | None:
    done = verbs.form_of(phrases.low(_adverbs(phrases, index + 1)), "pp") if low == "'s" else None
    if low == "'s" and (done in words.HAPPENINGS or phrases.low(_adverbs(phrases, index + 1)) == "been"):
        return _have(phrases, index)  # "she's moved", "he's been at"
    found = _be(phrases, index) if low in verbs.BE_NOW or low in verbs.BE_PAST else None
    if found or (low in verbs.BE_NOW | verbs.BE_PAST and low != "'s"):
        return found
    return _have(phrases, index) if low in verbs.HAVE_NOW or low == "had" else _plain(phrases, index)


def _adverbs(phrases: Phrases, index: int) -> int:
    while phrases.low(index) in words.ADVERBS or phrases.low(index) in words.FORMERLY:
        index += 1
    return index


def _infinitive(phrases: Phrases, index: int, mood: Mood, *, intends: bool = False) -> Group | None:
    """What follows "will" or "to": a base form, "be" and a participle, or "be" alone."""
    low = phrases.low(index)
    if low in verbs.NEGATIONS:
        mood, index = "not", _adverbs(phrases, index + 1)
        low = phrases.low(index)
    if low == "be":
        after = _adverbs(phrases, index + 1)
        if lemma := verbs.form_of(phrases.low(after), "ing"):
            return Group(lemma, mood, "active", after + 1, intends=intends)
        if lemma := verbs.form_of(phrases.low(after), "pp"):
            return Group(lemma, mood, "passive", after + 1, intends=intends)
        return Group("be", mood, "active", after, intends=intends)
    if lemma := verbs.form_of(low, "base"):
        if lemma in ("start", "begin", "stop"):
            return _aspectual(phrases, index, lemma, mood) or Group(lemma, mood, "active", index + 1, intends=intends)
        return Group(lemma, mood, "active", index + 1, intends=intends)
    return Group("", mood, "active", index, intends=True) if intends and low.isalpha() else None


def _denied(phrases: Phrases, index: int) -> Group | None:
    """ "doesn't work there anymore" has ended; "doesn't like" is a dislike; every other denial is no statement."""
    lemma = verbs.form_of(phrases.low(index), "base")
    if lemma is None:
        return None
    if _anymore(phrases, index):
        return Group(lemma, "over", "active", index + 1)
    if lemma in ("like", "love", "enjoy") and phrases.low(index + 1) != "to":
        return Group("dislike", "not" if lemma == "love" else "now", "active", index + 1)
    return Group(lemma, "not", "active", index + 1)


def _anymore(phrases: Phrases, index: int) -> bool:
    for ahead in range(index, min(index + 12, len(phrases.tokens))):
        low = phrases.low(ahead)
        if low == "anymore" or (low == "any" and phrases.low(ahead + 1) in ("more", "longer")):
            return True
        if low in (";", "and", "but"):
            return False
    return False


def _can(phrases: Phrases, index: int) -> Group | None:
    denied = phrases.low(index) == "cannot" or phrases.low(index + 1) in verbs.NEGATIONS
    after = _adverbs(phrases, index + 1 + (phrases.low(index + 1) in verbs.NEGATIONS))
    if denied and phrases.low(after) in ("stand", "bear"):
        return Group("dislike", "now", "active", after + 1)
    if phrases.low(after) == "speak":
        return Group("speak", "not" if denied else "now", "active", after + 1)
    if phrases.low(after) in ("reach", "call", "email", "text", "phone", "contact"):
        return Group("reach", "not" if denied else "now", "active", after + 1)
    if phrases.at(after, "be", "reached") or phrases.at(after, "be", "contacted"):
        return Group("reach", "not" if denied else "now", "passive", after + 2)
    return None


def _be(phrases: Phrases, index: int) -> Group | None:
    mood: Mood = "past" if phrases.low(index) in verbs.BE_PAST else "now"
    index = _adverbs(phrases, index + 1)
    if phrases.low(index) in verbs.NEGATIONS:
        mood = "over" if _anymore(phrases, index) else "not"
        index = _adverbs(phrases, index + 1)
    if phrases.at(index, "no", "longer"):
        mood, index = "over", index + 2
    return _being(phrases, index, mood) or Group("be", mood, "active", index)


def _being(phrases: Phrases, index: int, mood: Mood) -> Group | None:
    """What follows a form of "be" as a verb: "going to move", "being handled", "getting married", "working", "assigned"."""
    low = phrases.low(index)
    if low in ("going", "planning", "intending", "about", "set", "scheduled", "due") and phrases.low(index + 1) == "to":
        intends = low in ("going", "planning", "intending")
        intends &= low != "going" or phrases.low(index + 2) in words.INTENDED
        planned = _infinitive(phrases, index + 2, "plan" if mood == "now" else "not", intends=intends)
        if planned or low != "going":
            return planned
    if low in ("being", "getting", "starting") and (inner := _becoming(phrases, index, low, mood)):
        return inner
    if lemma := verbs.form_of(low, "ing"):
        return Group(lemma, "going" if mood == "now" else mood, "active", index + 1)
    if (lemma := verbs.form_of(low, "pp")) and low not in ("open", "closed", "done"):
        return Group(lemma, mood, "passive", index + 1)
    return None


def planned(phrases: Phrases, index: int) -> Group | None:
    """ "Planning to learn the accordion", without a subject."""
    if not phrases.at(index, "planning", "to"):
        return None
    return _infinitive(phrases, index + 2, "plan", intends=True)


def _becoming(phrases: Phrases, index: int, low: str, mood: Mood) -> Group | None:
    """ "(is) being handled", "getting married", "starting to use"."""
    if low == "starting":
        return _aspectual(phrases, index, "start", "going")
    after = _adverbs(phrases, index + 1)
    lemma = verbs.form_of(phrases.low(after), "pp")
    if lemma is None or lemma in ("run", "get", "have", "put", "start"):
        return None
    if low == "getting":
        mood = "going" if mood == "now" else "not"
    return Group(lemma, mood, "passive", after + 1)


def _have(phrases: Phrases, index: int) -> Group | None:
    had = phrases.low(index) == "had"
    after = _adverbs(phrases, index + 1)
    mood: Mood = "past"
    if phrases.low(after) in verbs.NEGATIONS:
        mood, after = "not", _adverbs(phrases, after + 1)
    if phrases.low(after) == "been":
        return _been(phrases, _adverbs(phrases, after + 1), "not" if mood == "not" else "past" if had else "now")
    if phrases.low(after) == "got" and not had and phrases.low(after + 1) in words.COUNTS:
        return Group("have", "now", "active", after + 1)
    if lemma := verbs.form_of(phrases.low(after), "pp"):
        if not had and mood == "past" and (lemma in words.TASTES or _lasting(phrases, after)):
            mood = "now"
        return Group(lemma, mood, "active", after + 1)
    if phrases.low(index) == "'s" or mood == "not":
        return None
    return Group("have", "past" if had else "now", "active", index + 1)


def _lasting(phrases: Phrases, index: int) -> bool:
    """ "has lived there all her life", "has worked there for years": it still holds."""
    for at in range(index, min(index + 14, len(phrases.tokens))):
        whole = phrases.low(at) == "all" and phrases.low(at + 1) in words.POSSESSIVES and phrases.low(at + 2) == "life"
        if whole or phrases.at(at, "for", "years") or phrases.at(at, "for", "ages") or phrases.at(at, "for", "decades"):
            return True
    return False


def _been(phrases: Phrases, index: int, mood: Mood) -> Group | None:
    if lemma := verbs.form_of(phrases.low(index), "ing"):
        return Group(lemma, mood, "active", index + 1)
    if lemma := verbs.form_of(phrases.low(index), "pp"):
        return Group(lemma, "past" if mood == "now" and lemma != "marry" else mood, "passive", index + 1)
    return Group("been" if phrases.low(index) == "to" else "be", mood, "active", index)


def _plain(phrases: Phrases, index: int) -> Group | None:
    low = phrases.low(index)
    if (
        verbs.form_of(low, "base", "s", "past") == "get"
        and (lemma := verbs.form_of(phrases.low(index + 1), "pp"))
        and lemma not in ("run", "get")
    ):
        return Group(lemma, "past" if low == "got" else "now", "passive", index + 2)
    past = verbs.form_of(low, "past")
    lemma = past or verbs.form_of(low, "base", "s")
    if lemma is None:
        return None
    mood: Mood = "past" if past else "now"
    if lemma in ("plan", "intend") and phrases.low(index + 1) == "to":
        planned = _infinitive(phrases, index + 2, "plan" if mood == "now" else "not", intends=True)
        return planned and planned._replace(bare=low == lemma)
    if lemma in ("start", "begin", "stop", "quit") and (inner := _aspectual(phrases, index, lemma, mood)):
        return inner
    return Group(lemma, mood, "active", index + 1, bare=past is None and verbs.form_of(low, "s") is None)


def _aspectual(phrases: Phrases, index: int, lemma: str, mood: Mood) -> Group | None:
    """ "started working", "began to use", "stopped using"."""
    inner = verbs.form_of(phrases.low(index + 1), "ing")
    after = index + 2
    if inner is None and lemma in ("start", "begin") and phrases.low(index + 1) == "to":
        inner, after = verbs.form_of(phrases.low(index + 2), "base"), index + 3
    if inner is None:
        return None
    if lemma in ("stop", "quit"):
        return Group(inner, "over" if mood == "past" else mood if mood == "not" else "not", "active", after)
    return Group(inner, mood, "active", after, begins=True)


def undeclared(phrases: Phrases, index: int) -> Group | None:
    """A participle as a predicate: "born in", "based in", "living in", "originally from"."""
    low = phrases.low(index)
    if low == "having" and (lemma := verbs.form_of(phrases.low(index + 1), "pp")):
        return Group(lemma, "past", "active", index + 2)
    if low in ("born", "based", "raised"):
        twice = phrases.low(index + 1) == "and" and phrases.low(index + 2) in ("raised", "bred", "based")
        lemma = verbs.form_of("born" if twice else low, "pp")
        return Group(lemma, "past" if lemma == "bear" else "now", "passive", index + 1 + 2 * twice) if lemma else None
    if low == "from" or (low == "originally" and phrases.low(index + 1) == "from"):
        return Group("be", "now", "active", index)
    lemma = verbs.form_of(low, "ing")
    return Group(lemma, "now", "active", index + 1) if lemma in words.STANDING else None


def moved_on(phrases: Phrases, index: int, last: Draft | None) -> Group | None:
    """ "moved to Ghent last March and then to Bruges": the verb is not said again."""
    low = phrases.low(index)
    if last is None or last.relation not in ("LIVES_IN", "WORKS_AT"):
        return None
    if low == "to" and last.aspect == "start":
        return Group("move", last.mood, "active", index)
    if last.aspect == "state" and low == ("in" if last.relation == "LIVES_IN" else "at"):
        return Group("live" if low == "in" else "work", last.mood, "active", index)
    return None
