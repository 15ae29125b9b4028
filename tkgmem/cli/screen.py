"""Answers for people: tables and sentences in plain words.

Text of users is never markup, and what could drive a terminal is made visible. Into a pipe nothing is cut, wrapped or coloured.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tkgmem.cli import dates
from tkgmem.cli.dates import Zone
from tkgmem.cli.harmless import harmless
from tkgmem.graph import Community, Entity, Episode, Fact, Version
from tkgmem.temporal.period import Precision

UNBOUNDED = 1_000_000
"""Columns of something that is not a terminal."""
PREVIEW = 300
"""Characters of a text shown in a table on a terminal."""

_BECAUSE = {
    None: "",
    "stated": "as stated",
    "ended": "ended",
    "superseded": "replaced",
    "judged": "contradicted",
}


_MEMBERS = 8
"""Members of a community that are listed."""


class Screen:
    """Where a person reads. zone: in which dates are shown."""

    def __init__(self, stream: TextIO, zone: Zone) -> None:
        terminal = stream.isatty()
        self.zone = zone
        self.terminal = terminal
        self.console = Console(
            file=stream, markup=False, emoji=False, highlight=False, soft_wrap=True, width=None if terminal else UNBOUNDED
        )

    # --- words ---

    def text(self, value: str, style: str = "") -> Text:
        """A user's text, harmless to a terminal."""
        return Text(harmless(value), style)

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line of text, each part plain or with a style."""
        pieces = [(part, "") if isinstance(part, str) else part for part in parts]
        self.console.print(Text.assemble(*((harmless(value), style) for value, style in pieces)))

    def indented(self, *parts: str | tuple[str, str], indent: int) -> None:
        """The same at an indent, which on a terminal the rest of a long line keeps."""
        pieces = [(part, "") if isinstance(part, str) else part for part in parts]
        text = Text.assemble(*((harmless(value), style) for value, style in pieces))
        if self.terminal:
            for line in text.wrap(self.console, max(self.console.width - indent, 1)):
                line.rstrip()
                self.console.print(Text(" " * indent).append_text(line))
        else:
            self.line(" " * indent, *pieces)

    @property
    def plain(self) -> bool:
        """Whether only ASCII is safe to draw with."""
        return not self.console.encoding.startswith("utf")

    def title(self, text: str, *, zone: bool = True) -> None:
        """The line above an answer; it names the zone of the dates below, unless a line above has."""
        self.indented((text, "bold"), *([(f"  (dates in {self.zone.name})", "dim")] if zone else []), indent=0)

    def short(self, value: dt.datetime | None, precision: Precision | None = None) -> str:
        """A date for a table."""
        return dates.short(value, precision, self.zone)

    def triple(self, fact: Fact | Version) -> str:
        """A fact without its dates, in words."""
        return f"{fact.source.name} {relation_words(fact.relation)} {fact.target.name}"

    def stretch(self, fact: Fact | Version) -> str:
        """When a fact holds, in words."""
        if fact.planned and fact.valid_at is None:
            return "planned, without a date"
        words = dates.stretch(fact.valid_at, fact.invalid_at, (fact.valid_precision, fact.invalid_precision), self.zone)
        return f"planned, from {words.removeprefix('since ').removeprefix('from ')}" if fact.planned else words

    # --- tables ---

    def facts(self, facts: Sequence[Fact], *, ids: bool = False) -> None:
        """Facts with their dates and their sentence, one a row."""
        told = any(fact.fact != self.triple(fact) for fact in facts)
        self.table(
            [
                "source",
                "relation",
                "target",
                "from",
                "until",
                "learned",
                *(["said"] if told else []),
                *(["uuid"] if ids else []),
            ],
            (
                [
                    fact.source.name,
                    relation_words(fact.relation),
                    fact.target.name,
                    *self._period(fact),
                    self.short(fact.created_at),
                    *([self._preview(fact.fact)] if told else []),
                    *([fact.uuid] if ids else []),
                ]
                for fact in facts
            ),
        )

    def timeline(self, versions: Sequence[Version], *, ids: bool = False) -> None:
        """What is believed, by the time at which it holds."""
        self.table(
            ["from", "until", "fact", "ends because", "believed since", *(["uuid"] if ids else [])],
            (
                [
                    *self._period(version),
                    self.triple(version),
                    _BECAUSE.get(version.cause, version.cause or ""),
                    self.short(version.created_at),
                    *([version.uuid] if ids else []),
                ]
                for version in versions
            ),
        )

    def history(self, versions: Sequence[Version], *, ids: bool = False) -> None:
        """What was believed, by the time at which it was."""
        self.table(
            [
                "believed from",
                "believed until",
                "fact",
                "holds from",
                "holds until",
                "ends because",
                *(["uuid"] if ids else []),
            ],
            (
                [
                    self.short(version.created_at),
                    self.short(version.expired_at) if version.expired_at else "now",
                    self.triple(version),
                    *self._period(version),
                    _BECAUSE.get(version.cause, version.cause or ""),
                    *([version.uuid] if ids else []),
                ]
                for version in versions
            ),
        )

    def episodes(self, episodes: Sequence[Episode], *, ids: bool = False) -> None:
        """Texts as they were told."""
        unfinished = any(episode.state != "done" for episode in episodes)
        named = any(episode.name for episode in episodes)
        self.table(
            ["told", "by", *(["in"] if named else []), "text", *(["state"] if unfinished else []), *(["uuid"] if ids else [])],
            (
                [
                    self.short(episode.reference_time),
                    episode.speaker or "",
                    *([episode.name or ""] if named else []),
                    self._preview(episode.content),
                    *([_state(episode)] if unfinished else []),
                    *([episode.uuid] if ids else []),
                ]
                for episode in episodes
            ),
        )

    def entities(self, entities: Sequence[Entity], *, ids: bool = False) -> None:
        """Names, with the other names they go by."""
        self.table(
            ["name", "also called", *(["uuid"] if ids else [])],
            ([entity.name, ", ".join(entity.aliases), *([entity.uuid] if ids else [])] for entity in entities),
        )

    def communities(self, communities: Sequence[Community], *, ids: bool = False) -> None:
        """What each is called, what holds there, and who and what is in it; an empty line between two."""
        for place, community in enumerate(communities):
            if place:
                self.line()
            number = len(community.members)
            self.line((community.name, "bold"), f"  {number:,} members", *([f"  {community.uuid}"] if ids else []))
            if community.summary:
                self.indented(community.summary, indent=0)
            more = f" and {number - _MEMBERS:,} more" if number > _MEMBERS else ""
            shown = ", ".join(member.name for member in community.members[:_MEMBERS])
            self.indented(("members: ", "dim"), shown + more, indent=0)

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        """A name and a value a row."""
        self.table(None, rows)

    def table(self, columns: Sequence[str] | None, rows: Iterable[Sequence[str]]) -> None:
        """A table; the cells are plain text. Where a terminal is too narrow, each row is a block of lines."""
        cells = [[self.text(cell) for cell in row] for row in rows]
        floors = [_floor(name, [row[index] for row in cells]) for index, name in enumerate(columns or ())]
        if columns and sum(floors) + 3 * len(floors) > self.console.width:
            for row in cells:
                self._print(None, [[Text(name, "dim"), cell] for name, cell in zip(columns, row, strict=True) if cell])
                self.line()
        else:
            self._print(dict(zip(columns, floors, strict=True)) if columns else None, cells)

    def _print(self, columns: Mapping[str, int] | None, rows: Iterable[Sequence[Text]]) -> None:
        table = Table(box=SIMPLE_HEAD if columns else None, show_header=columns is not None, show_edge=False)
        for name, floor in (columns or {}).items():
            table.add_column(name, overflow="fold", min_width=floor)
        for _ in range(0 if columns else 2):
            table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.console.print(table, soft_wrap=False)

    def _period(self, fact: Fact | Version) -> tuple[str, str]:
        if fact.planned:
            return (
                f"planned {self.short(fact.valid_at, fact.valid_precision)}" if fact.valid_at else "planned",
                self.short(fact.invalid_at, fact.invalid_precision) if fact.invalid_at else "",
            )
        begun = fact.valid_at is None or fact.valid_at <= dt.datetime.now(dt.UTC)
        end = "now" if begun else "open"
        return (
            self.short(fact.valid_at, fact.valid_precision),
            self.short(fact.invalid_at, fact.invalid_precision) if fact.invalid_at else end,
        )

    def _preview(self, text: str) -> str:
        line = " ".join(text.split())
        return line[: PREVIEW - 1] + "…" if self.terminal and len(line) > PREVIEW else line


_DATES = frozenset(
    {
        "from",
        "until",
        "learned",
        "told",
        "when",
        "believed since",
        "believed from",
        "believed until",
        "holds from",
        "holds until",
        "uuid",
    }
)
_LONG_WORD = 24


def _floor(name: str, cells: Sequence[Text]) -> int:
    """The narrowest that a column may get: dates and uuids stay whole, and so do words that are not unusually long."""
    if name in _DATES:
        return max(cell_len(text) for text in (name.rsplit(maxsplit=1)[-1], *(cell.plain for cell in cells)))
    return min(
        _LONG_WORD, max(cell_len(word) for text in (name, *(cell.plain for cell in cells)) for word in text.split() or [""])
    )


def relation_words(relation: str) -> str:
    """A relation's name as words.

    >>> relation_words("WORKS_AT")
    'works at'
    """
    return relation.replace("_", " ").lower()


def _state(episode: Episode) -> str:
    return f"{episode.state}: {episode.error}" if episode.error else episode.state
