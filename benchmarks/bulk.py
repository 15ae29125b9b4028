"""Memories of any size, written in bulk: the rows are those that `add_fact` and `add` would have written, in seconds."""

from __future__ import annotations

import datetime as dt
import random
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw
import numpy as np

from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.store import shelves
from tkgmem.store.lexical import segment
from tkgmem.store.names import name_key
from tkgmem.temporal.period import to_micros
from tkgmem.testing import FixedClock

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors
    from tkgmem.store.shelves import Kind

TOLD = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
STEP = dt.timedelta(minutes=1)
TOPICS = [f"ROLE_{number}" for number in range(1, 8)]
_PER_PERSON = 3 * len(TOPICS)
_SYLLABLES = ("ba", "den", "ko", "lir", "ma", "nor", "pel", "qua", "ris", "sto", "tan", "ul", "ves", "wim", "yor", "zan")
_NOISE = 0.01
_THINGS = 30  # at least, so that nobody is told the same twice
_TALK = 20  # episodes in one conversation


class Told(NamedTuple):
    """A fact: of each three of a person the second takes the first one's place."""

    source: int
    relation: str
    target: int
    year: int
    sentence: int
    supersedes: bool


def name(number: int) -> str:
    """A made-up name of an entity, another for each number."""
    chance = random.Random(number)
    first, last = ("".join(chance.choices(_SYLLABLES, k=3)).title() for _ in range(2))
    return f"{first} {last} {number}" if number % 5 == 0 else f"{first} {last}{_SYLLABLES[number % 16]}"


def facts(count: int, sentences: int) -> Iterator[Told]:
    """So many facts between a tenth as many entities, a third of them superseded."""
    chance = random.Random(count)
    people = -(-count // _PER_PERSON)
    things = max(_THINGS, count // 10 - people)
    for number in range(count):
        person, place = divmod(number, _PER_PERSON)
        topic, step = divmod(place, 3)
        relation = "LIKES" if step == 2 else TOPICS[topic]
        target = people + (number * 7 + step) % things
        yield Told(person, relation, target, 2010 + topic + 3 * step, chance.randrange(sentences), supersedes=step == 1)


def text(fact: Told, sentences: Sequence[str]) -> str:
    """What is said: both names and a sentence."""
    return f"{name(fact.source)} and {name(fact.target)}: {sentences[fact.sentence]}"


def talk(episode: int) -> str:
    """The conversation that an episode is part of."""
    return f"talk {episode // _TALK}"


def build(
    path: Path,
    count: int,
    sentences: Sequence[str],
    vectors: Vectors,
    embedder: Embedder,
    *,
    told: Sequence[Told] | None = None,
) -> None:
    """Write the file. vectors: of the sentences; each row gets one with a little noise. told: instead of `facts`."""
    with Memory(path, embedder=embedder, clock=FixedClock(TOLD - STEP)) as memory:
        for topic in TOPICS:
            memory.define_relation(topic, functional=True)
        memory.add_fact("One", "LIKES", "Two", valid_at="2000", group="other")  # the embedder's fingerprint
        store = memory._store  # noqa: SLF001 - rows are written below what a user can reach
        told = list(facts(count, len(sentences))) if told is None else told
        with store.write() as db:
            group = _group(db)
            _rows(db, group, told, sentences)
            noise = np.random.default_rng(count)
            entities = sorted({end for fact in told for end in (fact.source, fact.target)})
            _vectors(db, group, "entity", len(entities), vectors[np.arange(len(entities)) % len(vectors)], noise)
            _vectors(db, group, "claim", count, vectors[[fact.sentence for fact in told]], noise)
            _vectors(db, group, "episode", count // 10, vectors[np.arange(count // 10) % len(vectors)], noise)


def _group(db: apsw.Connection) -> int:
    db.execute("INSERT INTO groups (name) VALUES ('default')")
    return db.last_insert_rowid()


def _rows(db: apsw.Connection, group: int, told: Sequence[Told], sentences: Sequence[str]) -> None:
    rows: dict[int, int] = {}
    first = int(db.execute("SELECT max(id) FROM claims").get) + 1
    known = int(db.execute("SELECT max(id) FROM entities").get) + 1
    names, claims, versions, supports, ticks, words = [], [], [], [], [], []
    for number, fact in enumerate(told):
        at = to_micros(TOLD + number * STEP)
        claim = first + number
        for end in (fact.source, fact.target):
            if end not in rows:
                rows[end] = known + len(rows)
                names.append((rows[end], _uuid("entity", end), group, name(end), name_key(name(end)), at))
        ends = rows[fact.source], fact.relation, rows[fact.target]
        since = to_micros(dt.datetime(fact.year, 1, 1, tzinfo=dt.UTC))
        said = text(fact, sentences)
        ticks.append((at, group))
        claims.append((claim, _uuid("claim", number), group, *ends, said, since, at, at))
        words.append((claim, segment(said)))
        supports.append((claim, claim, at))
        if fact.supersedes:
            earlier = versions.pop()
            versions.append((*earlier[:-1], at))
            versions.append((*earlier[:6], since, "year", "superseded", claim, at, at, None))
        versions.append((claim, group, *ends, since, None, None, None, None, None, at, None))
    db.executemany("INSERT INTO transactions (created_at, verb, group_id) VALUES (?, 'assert', ?)", ticks)
    for row, identifier, _, shown, key, at in names:
        db.execute(
            "INSERT INTO entities (id, uuid, group_id, name, created_at) VALUES (?, ?, ?, ?, ?)",
            (row, identifier, group, shown, at),
        )
        db.execute(
            "INSERT INTO aliases (id, entity_id, group_id, name, key, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            (row, row, group, shown, key, at),
        )
    db.executemany("INSERT INTO entity_text (rowid, text) VALUES (?, ?)", [(row[0], segment(row[3])) for row in names])
    db.executemany(
        "INSERT INTO claims (id, uuid, group_id, kind, source_id, relation, target_id, fact, valid_at, valid_precision,"
        " reference_time, attributes, made_by, position, created_at)"
        " VALUES (?, ?, ?, 'assert', ?, ?, ?, ?, ?, 'year', ?, '{}', 'user', 0, ?)",
        claims,
    )
    db.executemany("INSERT INTO claim_text (rowid, text) VALUES (?, ?)", words)
    db.executemany("INSERT INTO supports (claim_id, fact_id, created_at) VALUES (?, ?, ?)", supports)
    db.executemany(
        "INSERT INTO versions (fact_id, group_id, source_id, relation, target_id, valid_at, valid_precision, invalid_at,"
        " invalid_precision, cause, cause_id, learned_at, created_at, expired_at)"
        " VALUES (?, ?, ?, ?, ?, ?, 'year', ?, ?, ?, ?, ?, ?, ?)",
        versions,
    )
    episodes = []
    for number in range(len(told) // 10):
        at = to_micros(TOLD + 10 * number * STEP)
        episodes.append((number + 1, _uuid("episode", number), group, sentences[number % len(sentences)], talk(number), at, at))
    db.executemany(
        "INSERT INTO episodes (id, uuid, group_id, source, content, name, reference_time, reference_offset, extract,"
        " created_at, state) VALUES (?, ?, ?, 'text', ?, ?, ?, 0, 0, ?, 'done')",
        episodes,
    )
    db.executemany("INSERT INTO episode_text (rowid, text) VALUES (?, ?)", [(row[0], segment(row[3])) for row in episodes])


def _uuid(kind: str, number: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind} {number}"))


def _vectors(db: apsw.Connection, group: int, kind: Kind, count: int, rows: Vectors, noise: np.random.Generator) -> None:
    """Vectors of the last `count` rows of a table, on one shelf, with its frame and signatures."""
    if not count:
        return
    table = {"entity": "entities", "claim": "claims", "episode": "episodes"}[kind]
    last = int(db.execute(f"SELECT max(id) FROM {table}").get)
    shelf = shelves.at(db, kind, group, "latin")
    start = int(db.execute("SELECT coalesce(max(id), 0) FROM passages").get)
    for at in range(0, count, 10_000):
        some = rows[at : at + 10_000] + _NOISE * noise.standard_normal(rows[at : at + 10_000].shape, dtype=np.float32)
        some /= np.linalg.norm(some, axis=1, keepdims=True)
        places = range(at, at + len(some))
        db.executemany(
            f"INSERT INTO passages (id, {kind}_id, shelf_id) VALUES (?, ?, ?)",
            [(start + place + 1, last - count + place + 1, shelf.id) for place in places],
        )
        blobs = [(start + place + 1, row.tobytes()) for place, row in zip(places, some, strict=True)]
        db.executemany("INSERT INTO vectors (id, vector) VALUES (?, ?)", blobs)
    db.execute("UPDATE shelves SET size = ?, last = ? WHERE id = ?", (count, start + count, shelf.id))
    if count >= 64:
        shelves.reframe(db, shelf._replace(size=count, last=start + count), rows.shape[1])
