"""The verbs on the whole file: forget what is in it, copy it, carry it, look after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from tkgmem.arguments import Date, Groups, Name, checked_group, group_list, moment, whole_number
from tkgmem.graph import Entity
from tkgmem.ingest import forget, undo
from tkgmem.ingest.writer import Writer
from tkgmem.portable import exchange
from tkgmem.portable import share as sharing
from tkgmem.portable.backup import backup
from tkgmem.portable.doctor import doctor
from tkgmem.portable.reindex import reindex
from tkgmem.protocols import LLM
from tkgmem.reports import CopyReport, DoctorReport, ForgetReport, MergeReport, ReindexReport, ReplayReport, UndoReport
from tkgmem.store.connection import Store
from tkgmem.store.names import clean_text, searchable
from tkgmem.temporal.period import parse_moment


class Keeping:
    """The verbs of a memory that concern its file."""

    group: str
    _store: Store
    _writer: Writer
    _now: Callable[[], int]

    def forget(
        self,
        *,
        episode: str | Sequence[str] | None = None,
        fact: str | Sequence[str] | None = None,
        entity: Name | None = None,
        group: str | None = None,
        dry_run: bool = False,
    ) -> ForgetReport:
        """Delete for good what one of the arguments names: the bytes go, and answers become as if it had never been said.

        episode: a uuid or several. A text, its facts, names and calls in the log go; a fact that another source supports stays.
        fact: a uuid or several. Every claim of the fact goes; the texts that state it stay: forget them as well if their words
        should go.
        entity: a name, uuid or Entity of the memory's own group. Everything that was ever said of it goes, by whichever name:
        its claims at either end, those of all that is merged with it now, its names, types and attributes; and every text that
        names it, is spoken by it or states a fact of it, with what these texts alone support about others, since their words
        hold its name. What other sources support stays; so does its name in texts where nobody recognised it: search for it.
        group: all that is in it, and its name. Other groups stay as they are; so does a relation that somebody defined.

        Several uuids go in one transaction; an unknown one leaves everything as it was. Answers at an earlier known_at change
        too. dry_run: count what would go, and change nothing.

        The words go from the rows, the full text, the vectors, the log and the unused bytes of the file, which is written anew:
        that takes memory and for a while space for one more copy of it, and a second or so for each 100 MB, however much is
        forgotten; meanwhile others can read, and wait to write. So give many uuids at once.
        `in_use` in the report: others were reading; what they read stays in the file and its -wal until they close it.

        Raises NotFound, AmbiguousName, and ValueError unless just one thing is named; an empty text or list names nothing.
        """
        asked = forget.Asked(self.group, episode, fact, entity, group).checked()
        if group is not None:
            checked_group(group)
        return forget.forget(self._writer, asked, dry_run=dry_run)

    def forget_recalls(self, *, group: Groups = None) -> int:
        """Delete the recall log for good, or what was asked of some groups; how many entries went. Answers stay as they are."""
        return forget.forget_recalls(self._store, None if group is None else group_list(group, self.group))

    def undo(
        self,
        *,
        episode: str | None = None,
        change: int | None = None,
        since: Date | None = None,
        until: Date | None = None,
        group: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> UndoReport:
        """Take back what a text, a change or a span of system time told, and keep the history (rule R11).

        episode: the uuid of a text: the claims, ends, corrections, names, merges and judgements that it made; it is hidden too.
        change: the number of one change of belief, as `changes` lists them and reports of imports and undos name them.
        since, until: everything told in the system time [since, until) in `group`, imports too; until: now by default.
        What only that supported is no longer believed, and what it had superseded, ended or corrected is back. What was changed
        again later stays as it is. An earlier known_at answers as before. `undo(change=report.change)` undoes the undo.
        reason: kept with the change. dry_run: tell what would be taken back, and change nothing.

        Raises NotFound, InvalidPeriod for an empty span, and ValueError unless just one thing is named, or for a forget.
        """
        asked = undo.Asked(
            group=self.group if group is None else checked_group(group),
            episode=None if episode is None else searchable(episode),
            change=None if change is None else whole_number(change, "change", least=1),
            since=None if since is None else parse_moment(since).micros,
            until=None if until is None else parse_moment(until).micros,
            reason=None if reason is None else clean_text(reason, "reason"),
        )
        return undo.undo(self._writer, asked, dry_run=dry_run)

    def replay(
        self,
        path: str | Path | None = None,
        *,
        llm: LLM | str | None = None,
        rules: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> ReplayReport:
        """Make the whole memory again from its texts, in the order of its system time and by its clock, and compare.

        As it stands, with no model: each text is read by what read it then, by rules or by what the log has of the model's
        answers, and everything that programs told is told again. Facts, versions, names and all else are to be the same.
        llm: read every text anew by this model (an `LLM`, or a name that litellm knows) instead; rules: by the rules of today.
        What is believed now is then compared by names and dates.
        path: a new file for what was made, which is a memory of its own; without it nothing is left.
        This memory is not changed, and whoever uses it does not wait. Raises StoreError if `path` is taken or cannot be
        written, ValueError for both llm and rules.
        """
        from tkgmem.ingest import replay  # late: seldom asked for, and made of many modules

        if llm and rules:
            raise ValueError("llm and rules exclude each other; choose what is to read the texts")
        if isinstance(llm, str):
            from tkgmem.providers.litellm import LiteLLM  # late: litellm is loaded with the first question

            llm = LiteLLM(llm) if llm else None
        return replay.replay(self._store, self._writer.embedder, path, llm=llm, rules=rules, progress=progress)

    def backup(self, path: str | Path, *, password: str | None = None) -> CopyReport:
        """Copy the whole file to a new one, as it is at this moment, while others go on reading and writing.

        One file, checked after it was written; nothing is ever overwritten. password: seal it (age format; needs the extra
        `seal`); `tkgmem.restore` opens it again. Raises StoreError (taken, full, damaged), ValueError for an empty password.
        """
        return backup(self._store, path, password=password)

    def export(
        self,
        path: str | Path | IO[str],
        *,
        format: exchange.ExportFormat = "jsonl",  # noqa: A002  the name is a contract
        vectors: bool = False,
        logs: bool = True,
        group: Groups = None,
    ) -> CopyReport:
        """Write everything as JSON lines: every claim with both clocks, its source, names, definitions; lossless.

        path: a new file, or a text stream. vectors: those too, so that an import need not make them. logs: the model-call log
        too. The format is described in `tkgmem.portable.format`.
        format="csv": a new folder with nodes and edges for graph databases, of all groups or some (`group`); see
        `tkgmem.portable.graph_csv`. Raises StoreError if the path is taken or cannot be written.
        """
        groups = None if group is None else group_list(group, self.group)
        return exchange.export(self._store, path, form=format, vectors=vectors, logs=logs, groups=groups)

    def merge(self, path: str | Path) -> MergeReport:
        """Take in the memory of another file, which is only read: claims, texts, entities, definitions; derived again.

        Entities are the same by uuid, else by a name that each file gives to just one. Claims keep their system times, so an
        earlier known_at then means what the two files together believed. The two may be merged in either order with the same
        answers, and again without a change. What one file has forgotten comes back if the other still has it.
        What they tell differently is settled by the rules, and reported. Raises NotATkgmemFile, SchemaTooNew, StoreError,
        WriteConflict; nothing is written then.
        """
        return exchange.merge(self._store, self._writer.embedder, path, now=self._now())

    def share(
        self,
        path: str | Path,
        *,
        group: Groups = None,
        entities: Sequence[Name] | None = None,
        since: Date | None = None,
        until: Date | None = None,
        episodes: bool = True,
        password: str | None = None,
    ) -> CopyReport:
        """Write a part of the memory to a new file of its own, in which nothing else ever was: no logs, no reasons, no rest.

        entities: what is told at either end of these (names or uuids), with the texts that say so; by default all of the group.
        since, until: only what was told in this time. episodes: False leaves out texts and the sentences taken from them: each
        fact is its triple and dates, without a source. password: seal it, as in `backup`.
        Other entities that come along have the names that these texts use. Raises NotFound where nothing fits, AmbiguousName.
        """
        if isinstance(entities, str | Entity):
            raise ValueError(f"entities is a list, such as [{entities!r}]")
        first, last = moment(since), moment(until)
        return sharing.share(
            self._store,
            self._writer.embedder,
            path,
            groups=group_list(group, self.group),
            entities=None
            if entities is None
            else [searchable(one.uuid if isinstance(one, Entity) else one) for one in entities],
            since=None if first is None else first.micros,
            until=None if last is None else last.micros,
            episodes=episodes,
            password=password,
            now=self._now(),
        )

    def doctor(self, *, repair: bool = False, progress: Callable[[int, int], object] | None = None) -> DoctorReport:
        """Check the whole file: SQLite's own checks, references, values, who is in which group, names; the full text, the
        vectors and every version against what was recorded. Nobody else has to wait.

        repair: make again what is derived, where it is wrong; what was recorded is never touched. If something else is wrong,
        restore a backup. Raises StoreError for a repair of what can only be read.
        """
        return doctor(self._store, self._writer.embedder, repair=repair, progress=progress)

    def reindex(self, *, progress: Callable[[int, int], object] | None = None) -> ReindexReport:
        """Make the full text again from the rows, and the vectors that are missing or wrong. What is right stays as it is, so
        that every answer stays the same. It can be interrupted at any moment.
        """
        return reindex(self._store, self._writer.embedder, progress=progress)
