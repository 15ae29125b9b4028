"""Wide questions about a LoCoMo conversation: whether the best community is about the person who was asked about.

The facts are what the data set's own observations state, cut into triples by a rule of thumb: who, verb, words after it. The
sentences are kept as they are. Text is printed to the terminal only; numbers alone are kept.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.locomo import conversations, passages
from tkgmem import Memory
from tkgmem.protocols import Embedder

_QUESTIONS = (
    "What is going on in {}'s life?",
    "What are {}'s hobbies?",
    "What does {} do for work or study?",
    "Tell me about {}'s family and friends.",
    "What has {} been planning lately?",
)
_SHOWN = 3
_STOP = re.compile(r"[,.;:]|\b(?:and|that|which|who|to|for|because|since|when|while|as|in|on|at|with|by|from|after|during)\b")
_SMALL = frozenset(("a", "an", "the", "her", "his", "their", "some", "been", "is", "was", "has", "had", "about", "of"))
_SESSION = re.compile(r"session_(\d+)")


def measured(data: Path | None, embedder: Embedder, *, quick: bool) -> dict[str, Any]:
    """Tell one conversation and its observations, keep the communities, ask."""
    talk = conversations(data)[0]
    told = list(passages(talk, sessions=3 if quick else None))
    speakers = (talk["conversation"]["speaker_a"], talk["conversation"]["speaker_b"])
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "me.db", embedder=embedder) as memory:
        memory.add_many({**turn, "extract": False} for turn in told)
        facts = 0
        for source, relation, target, sentence, when in observations(talk, 3 if quick else None):
            memory.add_fact(source, relation, target, fact=sentence, reference_time=when, valid_at=when)
            facts += 1
        report = memory.refresh_communities()
        asked, right, first = 0, 0, 0
        for speaker in speakers:
            for question in (pattern.format(speaker) for pattern in _QUESTIONS):
                found = memory.search(question, scopes=["communities"], limit=3).communities
                asked += 1
                right += any(speaker in hit.item.summary for hit in found)
                first += bool(found) and speaker in found[0].item.summary
                if found:
                    print(f"{question}\n  {found[0].item.name}: {found[0].item.summary}\n", file=sys.stderr)
    return {
        "turns": len(told),
        "facts": facts,
        "communities": report.communities,
        "questions": asked,
        "best_names_the_person": first,
        "of_the_first_3_one_does": right,
    }


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
    words = sentence.removeprefix(speaker).strip().split()
    while words and words[0].lower() in _SMALL:
        words.pop(0)
    if not sentence.startswith(speaker) or len(words) < 2:
        return None
    rest = " ".join(words[1:])
    cut = _STOP.split(rest)
    target = next((part.strip() for part in cut if len(part.strip()) > 2), "")
    kept = [word for word in target.split() if word.lower() not in _SMALL][-4:]
    return (words[0].upper(), " ".join(kept)) if kept else None
