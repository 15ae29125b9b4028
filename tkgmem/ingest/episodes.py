"""Episodes as given: checked once, stored raw before anything else, and taken up again with all that they were given with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from tkgmem.graph import Source
from tkgmem.ingest import given
from tkgmem.ingest.record_mapping import check
from tkgmem.ontology import Ontology
from tkgmem.store import lexical, passages, read, write
from tkgmem.store.connection import Connection
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import clean_mapping, clean_name, clean_text
from tkgmem.temporal.period import to_micros

MAX_CONTENT = 16_000_000
PREVIOUS = 4
"""How many earlier episodes of the conversation a model is shown, unless told otherwise."""

MOST_PREVIOUS = 100

Mapped = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class EpisodeInput:
    """A checked episode, ready to be stored."""

    content: str
    reference_time: dt.datetime
    group: str
    source: Source = "text"
    name: str | None = None
    description: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    uuid: str | None = None
    extract: bool | Literal["later"] = True
    ontology: Ontology | None = None
    instructions: str | None = None
    mapping: Mapped | None = None
    reflexion: bool = False
    previous: int = PREVIOUS
    facts: Sequence[Mapping[str, Any]] | None = None

    def checked(self) -> EpisodeInput:
        """Itself, if it can be stored exactly; ValueError naming what is wrong."""
        if not clean_text(self.content, "content").strip():
            raise ValueError("content is empty; an episode needs words")
        if len(self.content) > MAX_CONTENT:
            raise ValueError(f"content has {len(self.content)} characters, the limit is {MAX_CONTENT}; add it in parts")
        if self.source not in get_args(Source):
            raise ValueError(f"unknown source {self.source!r}; use one of {', '.join(get_args(Source))}")
        for what in ("name", "description", "uuid", "instructions"):
            if getattr(self, what) is not None:
                clean_text(getattr(self, what), what)
        if self.speaker is not None:
            clean_name(self.speaker, "speaker")
        self._check_reading()
        return self if self.facts is None else replace(self, facts=self._checked_facts(self.facts))

    def _check_reading(self) -> None:
        if self.ontology is not None and not isinstance(self.ontology, Ontology):
            raise ValueError(f"ontology must be a tkgmem.Ontology, not {self.ontology!r}")
        if not isinstance(self.previous, int) or isinstance(self.previous, bool) or not 0 <= self.previous <= MOST_PREVIOUS:
            raise ValueError(f"previous must be a whole number from 0 to {MOST_PREVIOUS}, not {self.previous!r}")
        if not isinstance(self.extract, bool) and self.extract != "later":
            raise ValueError(f'extract must be True, False or "later", not {self.extract!r}')
        if not isinstance(self.reflexion, bool):
            raise ValueError(f"reflexion must be True or False, not {self.reflexion!r}")
        if self.mapping is None:
            return
        if self.source != "json":
            raise ValueError(f'a mapping is for source="json", not {self.source!r}')
        check(self.mapping)
        clean_mapping({"mapping": self.mapping}, "mapping")

    def _checked_facts(self, facts: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        for what in ("mapping", "ontology", "instructions"):
            if getattr(self, what) is not None:
                raise ValueError(f"facts are given, so nothing is read by {what}; leave one of the two out")
        if not self.extract:
            raise ValueError("facts are given, and extract=False says to record none; leave one of the two out")
        return given.checked(facts, self.reference_time)

    @property
    def id(self) -> str:
        """The uuid given, else one made of what makes it this episode."""
        parts = ["episode", self.group, self.source, to_micros(self.reference_time), self.content]
        if self.speaker is not None or self.name is not None:
            parts += [self.speaker, self.name]  # two people may say "Thanks!" at the same minute
        return self.uuid or make_uuid(*parts)

    @property
    def settings(self) -> dict[str, Any]:
        """What its extraction is asked with, as plain JSON; what is as usual is left out."""
        asked: dict[str, Any] = {}
        if self.ontology is not None:
            asked["ontology"] = self.ontology.spec()
        if self.instructions is not None:
            asked["instructions"] = self.instructions
        if self.mapping is not None:
            asked["mapping"] = self.mapping
        if self.reflexion:
            asked["reflexion"] = True
        if self.previous != PREVIOUS:
            asked["previous"] = self.previous
        if self.facts is not None:
            asked["facts"] = list(self.facts)
        return asked


def store(db: Connection, episode: EpisodeInput, clock: int) -> int:
    """Store a raw episode as pending; its row. One that is there keeps its words; an unfinished one takes the new settings."""
    found = read.episode(db, episode.id)
    if found is not None:
        if found[1].state != "done":
            write.set_settings(db, found[0], episode.settings)
        return found[0]
    offset = episode.reference_time.utcoffset() or dt.timedelta(0)
    row = write.insert_episode(
        db,
        {
            "uuid": episode.id,
            "group_id": write.group(db, episode.group),
            "source": episode.source,
            "name": episode.name,
            "description": episode.description,
            "speaker": episode.speaker,
            "content": episode.content,
            "metadata": dict(episode.metadata),
            "reference_time": to_micros(episode.reference_time),
            "reference_offset": int(offset.total_seconds()),
            "extract": int(bool(episode.extract)),
            "created_at": write.now(db, clock),
        },
    )
    write.set_settings(db, row, episode.settings)
    if episode.extract == "later":  # its words are found at once
        lexical.index_episode(db, row, passages.episode_passage(episode.content, episode.speaker))
    return row


def stored(db: Connection, row: int) -> EpisodeInput:
    """A stored episode as it was given: what is in the file counts, whatever a later call with the same uuid says."""
    [episode] = read.episodes(db, [row]).values()
    kept = read.settings(db, row)
    ontology = kept.pop("ontology", None)
    return EpisodeInput(
        content=episode.content,
        reference_time=episode.reference_time,
        group=episode.group,
        source=episode.source,
        name=episode.name,
        description=episode.description,
        speaker=episode.speaker,
        metadata=episode.metadata,
        uuid=episode.uuid,
        extract=read.wants_extraction(db, row),
        ontology=None if ontology is None else Ontology.of(ontology),
        **kept,
    )


def check_uuids(db: Connection, episodes: Sequence[EpisodeInput]) -> None:
    """ValueError if a uuid that was given stands for another text, in the file or among these."""
    seen: dict[str, EpisodeInput] = {}
    for number, episode in enumerate(episodes):
        if episode.uuid is None:
            continue
        found = read.episode(db, episode.uuid)
        there = found[1] if found else seen.setdefault(episode.uuid, episode)
        if (there.group, there.content) != (episode.group, episode.content):
            where = f"episode {number}: " if len(episodes) > 1 else ""
            raise ValueError(f"{where}the uuid {episode.uuid} is taken by another text; leave it out, or give another")
