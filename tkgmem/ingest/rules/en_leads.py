"""What may come before an English statement without changing it: greetings, people addressed, "
""by the way", "quick update:"."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.en_text import Phrases

INTERJECTIONS = words.closed(
    "please fyi btw update note yes yeah yep yup no nope well oh hi hey hello thanks ok okay "
    "wow haha lol aw aww ah hmm hm sure right honestly actually anyway anyways alright cheers great cool nice "
    "awesome omg gosh man dude congrats sorry reminder heads-up ps p.s nowadays news so absolutely definitely "
    "totally exactly unfortunately sadly luckily fortunately happily surprisingly incidentally basically "
    "personally speaking confirmed correction ya whoa woah yay ooh phew"
)
_PHRASES = (
    "by the way",
    "for the record",
    "looking back",
    "fun fact",
    "just so you know",
    "so you know",
    "for your information",
    "please note",
    "note",
    "i forgot to mention",
    "i forgot to say",
    "i forgot to tell you",
    "forgot to mention",
    "forgot to say",
    "i should mention",
    "i should add",
    "i should say",
    "i can confirm",
    "can confirm",
    "i 'm happy to say",
    "i am happy to say",
    "i 'm pleased to say",
    "i 'm proud to say",
    "happy to report",
    "happy to say",
    "turns out",
    "it turns out",
    "it turned out",
    "as you know",
    "as i said",
    "as i mentioned",
    "as mentioned",
    "as of now",
    "as usual",
    "these days",
    "in other news",
    "good news",
    "great news",
    "bad news",
    "big news",
    "sad news",
    "quick update",
    "small update",
    "quick note",
    "side note",
    "status update",
    "guess what",
    "you know what",
    "one more thing",
    "another thing",
    "in case you missed it",
    "in fact",
    "to be honest",
    "to tell the truth",
    "speaking of which",
    "remember",
    "as a reminder",
    "just a reminder",
    "a reminder",
    "heads up :",
    "heads up ,",
    "on a personal note",
    "on another note",
    "on a side note",
    "i have to say",
    "i must say",
    "i have to admit",
    "i must admit",
    "i admit",
    "i just wanted to say",
    "since we last spoke",
    "since we last talked",
    "since we last chatted",
    "for me",
    "in my spare time",
    "in my free time",
    "at the moment",
    "at present",
    "right now",
    "of course",
    "for now",
    "at home",
    "at work",
    "on weekends",
    "back then",
    "back in the day",
    "long ago",
    "years ago",
    "growing up",
    "as a child",
    "as a kid",
    "it is true",
    "the good news is",
    "over the years",
    "over time",
    "in the end",
    "at first",
    "to begin with",
    "early on",
    "later on",
    "after that",
    "before that",
    "after which",
    "from then on",
    "never mind",
    "i remembered",
    "i just remembered",
    "i remember",
    "i recall",
    "i realised",
    "i realized",
    "i just realised",
    "i just realized",
    "i found out",
    "i just found out",
    "we found out",
    "as it happens",
    "as luck would have it",
    "needless to say",
    "last but not least",
    "first things first",
    "a quick update",
    "a small correction",
    "to clarify",
    "to recap",
    "in short",
    "long story short",
    "believe it or not",
    "strangely enough",
    "funnily enough",
    "as it turns out",
    "since you asked",
    "since you ask",
    "to answer your question",
    "as for me",
    "about me",
    "a bit about me",
    "a little about me",
    "action items",
    "action item",
    "minutes",
    "meeting notes",
    "standup notes",
    "notes",
    "attendees",
    "standup",
    "stand-up",
    "daily standup",
    "sprint update",
    "ticket update",
    "tickets",
    "present",
    "decisions",
    "decided",
    "agreed",
    "noted",
    "status",
    "recap",
    "summary",
    "diary",
    "dear diary",
    "staff news",
    "team news",
    "staffing",
    "personnel",
    "people news",
    "for the minutes",
    "from the minutes",
    "the thing is",
    "fact is",
    "the fact is",
)


_FRONTING = words.closed("after following despite during besides alongside with within throughout amid")
_DATING = frozenset(("from", "starting", "beginning", "effective", "come", "until", "till", "between"))
_LONGEST_FRONTED = 10


def _by_first_word() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The set phrases by their first word, the longest first."""
    split = sorted((tuple(phrase.split()) for phrase in _PHRASES), key=len, reverse=True)
    return {first: tuple(words_ for words_ in split if words_[0] == first) for first in {words_[0] for words_ in split}}


_BY_FIRST = _by_first_word()


def past_leads(phrases: Phrases, index: int) -> int:
    """The index behind conjunctions, dates, adverbs, greetings and set phrases."""
    count = len(phrases.tokens)
    while index < count:
        token = phrases.tokens[index]
        low = token.low
        if token.when is not None or low in words.CONNECTORS or low in words.ADVERBS or low in "'\"!":
            index += 1
        elif after := _phrase_at(phrases, index, low) or _past_cleft(phrases, index):
            index = after
        elif low in INTERJECTIONS:
            index = _past_greeting(phrases, index)
        elif low == "where" and phrases.low(index - 1) == "," and phrases.low(index + 1) in ("he", "she", "they", "i", "we"):
            index += 1
        elif low in _DATING and index + 1 < count and phrases.tokens[index + 1].when is not None:
            index += 2
        elif low in _FRONTING and (after := _past_fronted(phrases, index)):
            index = after
        else:
            break
    return index


def _past_cleft(phrases: Phrases, index: int) -> int:
    """The index behind "It was in May 2016 that"; 0 otherwise."""
    cleft = phrases.at(index, "it", "was") and index + 3 < len(phrases.tokens) and phrases.tokens[index + 2].when is not None
    named = phrases.name(index + 2) if phrases.at(index, "it", "was") or phrases.at(index, "it", "is") else None
    if named and phrases.low(named[1]) == "who":
        return index + 2  # "It was Priscilla Yeo who"
    return index + 4 if cleft and phrases.low(index + 3) in ("that", "when") else 0


def _past_fronted(phrases: Phrases, index: int) -> int:
    """The index behind "After eight years at Corvid Media,", if no verb stands before the comma; 0 otherwise."""
    for at in range(index + 1, min(index + _LONGEST_FRONTED, len(phrases.tokens))):
        low = phrases.low(at)
        if low == ",":
            return at + 1 if at > index + 1 else 0
        if phrases.finite(low) or low in words.AUXILIARIES or low in words.OPAQUE or low in words.PRONOUNS:
            return 0
    return 0


def _phrase_at(phrases: Phrases, index: int, low: str) -> int:
    for phrase in _BY_FIRST.get(low, ()):
        if phrases.at(index, *phrase):
            after = index + len(phrase)
            return after + (phrases.low(after) == "that")
    return 0


def _past_greeting(phrases: Phrases, index: int) -> int:
    """ "Hey Caroline!" and "Thanks, Mel," are addressed to someone, not about them."""
    index += 1 + (phrases.low(index + 1) in (",", "that"))
    named = phrases.name(index)
    if named and phrases.low(named[1]) in (",", "!", ":", "-", "–", "—"):
        return named[1]
    return index
