"""What was forgotten is nowhere in the bytes of the file: random memories with canaries everywhere, forgotten in random order.

A canary is a made-up word that belongs to some sources (texts, facts told by a program). When the last of them is forgotten, no
stretch of 8 bytes of it (of Chinese, no two characters) may be in the file or beside it, as it was written or folded, and no 16
bytes of a vector that went. Every scan looks for everything that was forgotten before, too. Between, the memory is asked about
canaries of any source, so that its log of questions and model calls holds them as well, and its communities are refreshed, so
that their names and summaries do.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from benchmarks.reliability.raw_bytes import hits, needles_of, vectors_in
from tkgmem import AmbiguousName, Memory, NotFound
from tkgmem.graph import Episode
from tkgmem.protocols import Request
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

SEED = 12
DIMENSION = 16
PAGES = (4096, 1024, 512)
_WORDS = (
    "we",
    "talked",
    "walking",
    "reading",
    "cooking",
    "again",
    "about",
    "gardens",
    "and",
    "rivers",
    "that",
    "nobody",
    "saw",
)
_HAN = "我们今天一起去公园散步然后吃饭聊天说到以前的事情"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_TOLD = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:
    """Random histories, and how long it takes to forget in a large memory."""
    found: dict[str, Any] = {
        "seed": seed,
        "histories": 0,
        "forgets": 0,
        "summaries": 0,
        "scans": 0,
        "bytes_scanned": 0,
        "needles": 0,
        "hits": 0,
    }
    for number in range(3 if quick else 24):
        with tempfile.TemporaryDirectory() as folder:
            history = History(Path(folder) / "me.db", random.Random(f"{seed} {number}"), PAGES[number % len(PAGES)])
            for key, count in history.run(sources=20 if quick else 60).items():
                found[key] += count
        found["histories"] += 1
    return {**found, **times(2_000 if quick else 20_000)}


# --- hiding ---


@dataclass
class Thing:
    """An entity: the sources that name it, shared with what it is merged with."""

    name: str
    group: str
    sources: set[str] = field(default_factory=set)


@dataclass
class History:
    """One memory. canaries: each with the sources that it goes with; a source is the uuid of a text or a fact."""

    path: Path
    chance: random.Random
    page: int
    canaries: list[tuple[str, set[str]]] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    live: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    dead: set[bytes] = field(default_factory=set)
    told: int = 0
    clock: FixedClock = field(default_factory=lambda: FixedClock(_TOLD, dt.timedelta(seconds=1)))

    def run(self, sources: int) -> dict[str, int]:
        """Tell so many sources, forget until nothing is left, look after each."""
        counts = {"forgets": 0, "summaries": 0, "scans": 0, "bytes_scanned": 0, "needles": 0, "hits": 0}
        self.groups = {f"plain {self.word()}": "", self.word(): ""}
        self._open().close()
        db = apsw.Connection(str(self.path))
        db.pragma("page_size", self.page)
        db.execute("VACUUM")
        db.close()
        with self._open() as memory:
            for _ in range(sources):
                with suppress(AmbiguousName, NotFound):  # by now several may go by a name, or nobody
                    self._tell(memory)
            while self.live:
                self._ask(memory)
                if self.chance.random() < 0.4:
                    counts["summaries"] += memory.refresh_communities(
                        group=self.chance.choice(sorted(set(self.live.values())))
                    ).renewed
                before = vectors_in(self.path)
                with suppress(NotFound, AmbiguousName):  # by now it may go by another name, or another by its own
                    self._forget(memory)
                if self.live and self.chance.random() < 0.3:
                    with suppress(AmbiguousName, NotFound):  # by now several may go by a name, or nobody
                        self._tell(memory)
                counts["forgets"] += 1
                gone = [word for word, owners in self.canaries if not owners & self.live.keys()]
                self.canaries = [entry for entry in self.canaries if entry[0] not in set(gone)]
                vectors = vectors_in(self.path)
                self.dead = (self.dead | before) - vectors
                self.dead.update(needle for word in gone for needle in needles_of(word))
                found, looked = hits(self.path, self.dead)
                counts["scans"] += 1
                counts["bytes_scanned"] += looked
                counts["hits"] += len(found)
                counts["needles"] = len(self.dead)
        return counts

    def _open(self) -> Memory:
        model = ScriptedLLM(self._answer)
        return Memory(self.path, embedder=HashEmbedder(DIMENSION), llm=model, clock=self.clock)

    def word(self, *owners: set[str]) -> str:
        """A new canary, of Latin letters or Chinese, that goes with the sources given."""
        if self.chance.random() < 0.3:
            word = "".join(chr(self.chance.randrange(0x4E00, 0x9FA0)) for _ in range(self.chance.randint(4, 9)))
        else:
            word = "".join(self.chance.choices(_LETTERS, k=self.chance.randint(12, 24)))
        word = word.title() if self.chance.random() < 0.5 else word
        self.canaries += [(word, of) for of in owners]
        return word

    def _filler(self) -> str:
        count = self.chance.choice([0, 5, 30, 300, 3_000 if self.chance.random() < 0.2 else 60])
        words = self.chance.choices(_WORDS if self.chance.random() < 0.6 else list(_HAN), k=count)
        return " ".join(words)

    def _thing(self, group: str, sources: set[str]) -> Thing:
        """An entity: a new one, or one that is known, which then has one more source."""
        known = [thing for thing in self.things if thing.group == group and thing.sources & self.live.keys()]
        if known and self.chance.random() < 0.4:
            thing = self.chance.choice(known)
            thing.sources |= sources
            return thing
        thing = Thing("", group, set(sources))
        thing.name = self.word(thing.sources)
        self.things.append(thing)
        return thing

    def _tell(self, memory: Memory) -> None:
        group = self.chance.choice(sorted(self.groups))
        self.told += 1
        if self.chance.random() < 0.5:
            self._text(memory, group)
        else:
            self._fact(memory, group)
        self._rename(memory, group)

    def _text(self, memory: Memory, group: str) -> None:
        own: set[str] = {f"text {self.told}"}
        [key] = own
        self.live[key] = group
        who, whom = self._thing(group, own), self._thing(group, own)
        words = [self.word(own) for _ in range(4)]
        sentence = f"{who.name} {words[0]} {whom.name}"
        content = f"{sentence}. {words[1]} {self._filler()} {words[2]}"
        entities = [
            {"id": 1, "name": who.name, "type": "Person", "aliases": [self.word(own)], "attributes": {"mood": self.word(own)}},
            {"id": 2, "name": whom.name, "type": None, "aliases": []},
        ]
        said = {"source": 1, "relation": self.word(own), "target": 2, "sentence": sentence, "kind": "assert"}
        self.answers[content] = {"entities": entities, "facts": [] if who is whom else [said], "note": self.word(own)}
        told = memory.add(
            content,
            group=group,
            source="message",
            speaker=self.word(own),
            name=self.word(own),
            description=self.word(own),
            metadata={self.word(own): {"deep": [self.word(own)]}},
            instructions=self.word(own),
        ).episode
        self._known_as(key, told)
        if who is not whom and self.chance.random() < 0.4:
            memory.add_fact(
                who.name, self.word(own), whom.name, group=group, episode=told.uuid, fact=self.word(own),
                attributes={"how": self.word(own)},
            )  # fmt: skip

    def _known_as(self, key: str, episode: Episode) -> None:
        """Let a source be called by its uuid, which was not known before it was told."""
        self.live[episode.uuid] = self.live.pop(key)
        for owners in [*(of for _, of in self.canaries), *(thing.sources for thing in self.things)]:
            if key in owners:
                owners.remove(key)
                owners.add(episode.uuid)

    def _fact(self, memory: Memory, group: str) -> None:
        uuid = f"fact {self.told}"
        own = {uuid}
        self.live[uuid] = group
        who, whom = self._thing(group, own), self._thing(group, own)
        if who.sources is whom.sources:
            whom = Thing("", group, set(own))
            whom.name = self.word(whom.sources)
            self.things.append(whom)
        memory.add_fact(
            who.name, self.word(own), whom.name, group=group, uuid=uuid, attributes={self.word(own): self.word(own)},
            fact=f"{self.word(own)} {self._filler()}" if self.chance.random() < 0.6 else None,
        )  # fmt: skip
        if self.chance.random() < 0.2:
            memory.retract(uuid, reason=self.word(own))

    def _rename(self, memory: Memory, group: str) -> None:
        """Now and then one more name for an entity, or two that are one."""
        there = [one for one in self.things if one.group == group and one.sources & self.live.keys()]
        if not there or self.chance.random() < 0.7:
            return
        one, other = self.chance.choice(there), self.chance.choice(there)
        keeping = Memory.add_alias if one.sources is other.sources else Memory.merge_entities
        if keeping is Memory.add_alias:
            memory.add_alias(one.name, self.word(one.sources), group=group)
            return
        both = one.sources | other.sources
        memory.merge_entities(one.name, other.name, group=group, reason=self.word(both))
        merged = [one.sources, other.sources]
        self.canaries = [(word, both if any(of is old for old in merged) else of) for word, of in self.canaries]
        for thing in self.things:
            if any(thing.sources is old for old in merged):
                thing.sources = both

    def _ask(self, memory: Memory) -> None:
        """Ask about canaries, of this group or of others, by words and by filters."""
        kept = self._kept()
        words = [word for word, owners in self.canaries if owners & self.live.keys() and word.casefold() in kept]
        for _ in range(self.chance.randint(0, 3) if words else 0):
            one, other = self.chance.choice(words), self.chance.choice(words)
            group = self.chance.choice(sorted(set(self.live.values())))
            query = f"{self.chance.choice(['what of', '关于', ''])} {one} {other.upper()}?"
            filters = self.chance.choice([None, {"attributes": {one: other}}, {"source": [other, "somebody"]}])
            with suppress(AmbiguousName):
                if filters is None and self.chance.random() < 0.5:
                    memory.context(query, group=group)
                else:
                    memory.search(
                        query, group=group, filters=filters, scopes=self.chance.choice([None, ["facts"], ["episodes"]])
                    )

    def _kept(self) -> str:
        """Every text in the file but the log's: a question about a word that the file does not have tells of nothing."""
        db = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '% STRICT%' AND name <> 'recalls'"
        rows = (row for (table,) in db.execute(tables).fetchall() for row in db.execute(f"SELECT * FROM {table}"))
        kept = "\n".join(value.casefold() for row in rows for value in row if isinstance(value, str))
        db.close()
        return kept

    # --- forgetting ---

    def _forget(self, memory: Memory) -> None:
        kind = self.chance.choices(["source", "several", "entity", "group"], [6, 2, 3, 0.2])[0]
        if kind == "group":
            group = self.chance.choice(sorted(set(self.live.values())))
            memory.forget(group=group)
            self._gone(key for key, of in self.live.items() if of == group)
            self.groups.pop(group)
            self.canaries.append((group.removeprefix("plain "), set()))
            self.groups[self.word()] = ""
            return
        there = [one for one in self.things if one.sources & self.live.keys()]
        if kind == "entity" and there:
            thing = self.chance.choice(there)
            with_group = memory.group
            memory.group = thing.group
            try:
                memory.forget(entity=thing.name)
            finally:
                memory.group = with_group
            self._gone(thing.sources)
            return
        count = 1 if kind == "source" else self.chance.randint(1, 1 + len(self.live) // 5)
        chosen = self.chance.sample(sorted(self.live), count)
        for what, keys in (
            ("fact", [key for key in chosen if key.startswith("fact ")]),
            ("episode", [key for key in chosen if not key.startswith("fact ")]),
        ):
            if keys:
                memory.forget(**{what: keys})
                self._gone(keys)

    def _gone(self, keys: Iterable[str]) -> None:
        for key in list(keys):
            self.live.pop(key, None)

    def _answer(self, request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": _same(one)} for one in given["mentions"]], "contradictions": []}
        return next(answer for content, answer in self.answers.items() if given["text"] in content)


def _same(mention: dict[str, Any]) -> int | None:
    """The candidate that goes by the name: in these histories a name is one thing's alone, also after a merge."""
    names = {
        name.casefold(): int(one["id"])
        for one in mention["candidates"]
        for name in (one.get("name", one.get("mention")), *one.get("aliases", ()))
    }
    return names.get(mention["name"].casefold())


# --- how long it takes ---


def times(count: int) -> dict[str, Any]:
    """The seconds it takes to forget in a memory of so many texts: one, a twentieth and a quarter of them, and an entity."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "me.db"
        with Memory(path, embedder=HashEmbedder(64)) as memory:
            uuids = [result.episode.uuid for result in memory.add_many(list(_texts(count)))]
            random.Random(count).shuffle(uuids)
            found = {"texts": count, "file_bytes": path.stat().st_size}
            few, many = count // 20, count // 4
            for name, what in (
                ("seconds_one", {"episode": uuids[0]}),
                ("seconds_twentieth", {"episode": uuids[1:few]}),
                ("seconds_quarter", {"episode": uuids[few : few + many]}),
                ("seconds_entity", {"entity": "Town 7"}),
                ("seconds_group", {"group": "default"}),
            ):
                start = time.perf_counter()
                memory.forget(**what)
                found[name] = round(time.perf_counter() - start, 3)
    return found


def _texts(count: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(count)
    for number in range(count):
        talk = " ".join(chance.choices(_WORDS, k=chance.choice([5, 20, 60])))
        name = "".join(chance.choices(_LETTERS, k=7)).title()
        yield {"content": f"{name} moved to Town {number % 97}. {talk} {number}", "name": f"talk {number // 20}"}
