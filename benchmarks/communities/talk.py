"""Wide questions about a LoCoMo conversation: whether the best community is the one of the person who was asked about.

The facts are what the data set's own observations state, cut into triples by a rule of thumb: who, verb, words after it. The
sentences are kept as they are. Text is printed to the terminal only; numbers alone are kept.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from benchmarks.locomo import conversations, passages
from benchmarks.numbers import mean
from tkgmem import Community, Memory
from tkgmem.protocols import Embedder

_QUESTIONS = (
    "What is going on in {}'s life?",
    "What are {}'s hobbies?",
    "What does {} do for work or study?",
    "Tell me about {}'s family and friends.",
    "What has {} been planning lately?",
)
_SEVERAL = 1
"""The category of the questions that put several turns together, most of them into a list: the widest the data set has."""
_STOP = re.compile(
    r"[,.;:]|\b(?:and|that|which|who|to|for|because|since|when|while|as|in|on|at|with|by|from|after|during|about|of|where|how)\b"
)
_SMALL = frozenset((
    "a", "an", "the", "her", "his", "their", "some", "been", "is", "are", "was", "were", "has", "have", "had", "also", "about",
    "of", "currently", "recently", "really", "always", "still", "never", "and", "or", "not", "but", "for", "from", "with", "to",
))  # fmt: skip
_SESSION = re.compile(r"session_(\d+)")


def measured(data: Path | None, embedder: Embedder, *, quick: bool) -> dict[str, Any]:
    """Tell one conversation and its observations, keep the communities, ask."""
    talk = conversations(data)[0]
    sessions = 3 if quick else None
    told = list(passages(talk, sessions=sessions))
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "me.db", embedder=embedder) as memory:
        memory.add_many({**turn, "extract": False} for turn in told)
        facts = list(observations(talk, sessions))
        for source, relation, target, sentence, when in facts:
            memory.add_fact(source, relation, target, fact=sentence, reference_time=when, valid_at=when)
        report = memory.refresh_communities()
        return {
            "turns": len(told),
            "facts": len(facts),
            "communities": report.communities,
            **_wide(memory, _speakers(talk)),
            "with_answers": _answered(memory, talk),
        }


def _speakers(talk: dict[str, Any]) -> tuple[str, str]:
    return talk["conversation"]["speaker_a"], talk["conversation"]["speaker_b"]


def _wide(memory: Memory, speakers: Collection[str]) -> dict[str, int]:
    """The questions above, of each speaker. What is found is printed."""
    asked = right = named = 0
    for speaker in speakers:
        for question in (pattern.format(speaker) for pattern in _QUESTIONS):
            asked += 1
            best = _best(memory, question)
            if best is not None:
                right += _is_of(best, speaker, speakers)
                named += speaker in best.summary
                print(f"{question}\n  {best.name}: {best.summary}\n", file=sys.stderr)
    return {"questions": asked, "best_is_that_of_the_person": right, "its_summary_names_the_person": named}


def _answered(memory: Memory, talk: dict[str, Any]) -> dict[str, Any]:
    """The data set's own wide questions about one of the speakers: how much of the answer is in the best community.

    And, for comparison, in the one of the others that has most of it.
    """
    speakers = _speakers(talk)
    every = memory.communities()
    right, told, there, elsewhere = [], [], [], []
    for item in talk["qa"]:
        about = [speaker for speaker in speakers if speaker in item["question"]]
        wanted = _words(str(item.get("answer", ""))) - _words(item["question"])
        if item["category"] != _SEVERAL or len(about) != 1 or not wanted:
            continue
        best = _best(memory, item["question"])
        right.append(float(best is not None and _is_of(best, about[0], speakers)))
        told.append(_share(wanted, "" if best is None else best.summary))
        there.append(0.0 if best is None else _share(wanted, _all_of(best)))
        others = [one for one in every if best is None or one.uuid != best.uuid]
        elsewhere.append(max((_share(wanted, _all_of(one)) for one in others), default=0.0))
    return {
        "questions": len(right),
        "best_is_that_of_the_person": int(sum(right)),
        "answer_words_in_its_summary": _rounded(told),
        "answer_words_in_it_or_its_members": _rounded(there),
        "answer_words_in_another_or_its_members": _rounded(elsewhere),
    }


def _best(memory: Memory, question: str) -> Community | None:
    found = memory.search(question, scopes=["communities"], limit=1).communities
    return found[0].item if found else None


def _all_of(community: Community) -> str:
    return " ".join((community.summary, *(member.name for member in community.members)))


def _is_of(community: Community, speaker: str, speakers: Collection[str]) -> bool:
    """Whether it is named after the speaker and no other."""
    return all((other in community.name) == (other == speaker) for other in speakers)


def _words(text: str) -> set[str]:
    """The words that say something, without a plural's s."""
    return {word.removesuffix("s") for word in re.findall(r"\w+", text.casefold()) if len(word) > 2 and word not in _SMALL}


def _share(wanted: Collection[str], text: str) -> float:
    return len(_words(text).intersection(wanted)) / len(wanted)


def _rounded(shares: list[float]) -> float | None:
    value = mean(shares)
    return None if value is None else round(value, 3)


def observations(talk: dict[str, Any], sessions: int | None) -> Iterator[tuple[str, str, str, str, str]]:
    """Triples of the observations: source, relation, target, the sentence, and the day of the session."""
    days = {turn["metadata"]["dia_id"].split(":")[0].removeprefix("D"): turn["reference_time"][:10] for turn in passages(talk)}
    for key, by_speaker in talk["observation"].items():
        number = match[1] if (match := _SESSION.match(key)) else ""
        if number not in days or (sessions is not None and int(number) > sessions):
            continue
        for speaker, listed in by_speaker.items():
            for sentence, *_ in listed:
                triple = _triple(speaker, sentence)
                if triple is not None:
                    yield speaker, *triple, sentence, days[number]


def _triple(speaker: str, sentence: str) -> tuple[str, str] | None:
    """The verb and what follows it, up to the first small word that begins something else."""
    words = sentence.removeprefix(f"{speaker} ").split()
    while words and words[0].lower() in _SMALL:
        words.pop(0)
    if not sentence.startswith(f"{speaker} ") or len(words) < 2 or not words[0].isalpha():
        return None
    for part in _STOP.split(" ".join(words[1:])):
        kept = [word for word in part.split() if word.lower() not in _SMALL][-3:]
        if kept and any(len(word) > 2 for word in kept):
            return words[0].upper(), " ".join(kept)
    return None
