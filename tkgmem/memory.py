"""The facade: one Memory is one file. It reads arguments, asks the clock, and hands on; the work is done elsewhere."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import Any, Literal, Self

from tkgmem.arguments import Date, Groups, Name, checked_group, file_path, group_list, moment, told_by, zoned
from tkgmem.explaining import Explaining
from tkgmem.graph import AddResult, Fact, Source
from tkgmem.importing import Importing
from tkgmem.ingest import define, facts, pipeline, reconcile
from tkgmem.ingest.episodes import PREVIOUS, EpisodeInput, Mapped
from tkgmem.ingest.writer import Writer
from tkgmem.keeping import Keeping
from tkgmem.naming import Naming
from tkgmem.ontology import Ontology
from tkgmem.portable import reindex
from tkgmem.protocols import LLM, Clock, Embedder, Reranker
from tkgmem.reports import ReindexReport
from tkgmem.store.connection import Store
from tkgmem.store.names import clean_mapping, clean_text, searchable
from tkgmem.summing import Summing
from tkgmem.temporal.period import parse_moment
from tkgmem.temporal.relations import Relation, normalise_relation


def _shipped_embedder() -> Embedder:
    from tkgmem.providers.onnx import OnnxEmbedder  # late: not every memory has it

    return OnnxEmbedder()


def _model(llm: LLM | str | None) -> LLM | None:
    if not isinstance(llm, str):
        return llm
    from tkgmem.providers.litellm import LiteLLM  # late: litellm is loaded with the first question

    return LiteLLM(llm) if llm else None


def _system_clock() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Memory(Explaining, Summing, Naming, Keeping, Importing):
    """A bitemporal memory in one SQLite file, for one process or several, safe to share between threads.

    path: a file, made if it is missing, or ":memory:". group: the group that calls without one speak of.
    llm: what reads texts: None for rules (no key, no network), the name of a model as litellm knows it ("ollama/llama3.2",
    "gpt-4o-mini"), or an object with the members of `LLM`. log_model_calls: keep every request and response in the file.
    embedder: by default the multilingual model that ships with the package, loaded at the first use.
    reranker: what the recipe "model" asks: `OnnxReranker(folder)` of tkgmem.providers.cross_encoder, or `LLMReranker(llm)`.
    clock: a callable that tells the time as an aware datetime. read_only: refuse every write.
    log_recalls: keep what `search` and `context` are asked and what they give, see `recalls`; by default where the file is
    opened to be written to. True with read_only: it is added when the memory is closed, if that can be, and nothing else is.

    Raises NotATkgmemFile, SchemaTooNew, EmbedderMismatch, FileBusy or StoreError. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        group: str = "default",
        llm: LLM | str | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        log_model_calls: bool = True,
        log_recalls: bool | None = None,
    ) -> None:
        self.group = checked_group(group)
        self._clock = clock or _system_clock
        self._embedder = _shipped_embedder() if embedder is None else embedder
        self._reranker = reranker
        self._store = Store(file_path(path), read_only=read_only)
        self._logs = self._store.writable if log_recalls is None else log_recalls
        self._writer = Writer(self._store, self._embedder, self._now, _model(llm), log_model_calls)
        try:
            with self._store.read() as db:
                self._writer.check(db)
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last one to do so leaves a single file. Calling it again does nothing."""
        self._store.close()

    def add(
        self,
        content: str,
        *,
        reference_time: Date | None = None,
        source: Source = "text",
        name: str | None = None,
        description: str | None = None,
        speaker: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        group: str | None = None,
        uuid: str | None = None,
        extract: bool | Literal["later"] = True,
        facts: Sequence[Mapping[str, Any]] | None = None,
        ontology: Ontology | None = None,
        instructions: str | None = None,
        mapping: Mapped | None = None,
        reflexion: bool = False,
        previous: int = PREVIOUS,
    ) -> AddResult:
        """Remember a text: it is kept word for word, made searchable, and what it states becomes dated facts.

        reference_time: when it was said, now by default; relative words ("yesterday") resolve in its own calendar.
        source: "text", "message" (said by `speaker`, who "I" is) or "json" (a record, see `mapping`).
        name: the conversation or document it belongs to. extract: whether to look for facts; "later": the text is committed and
        its words are found, no model or embedder is asked, and `extract` reads it when there is time.
        facts: what was read from it already, each a mapping of source, relation, target and, where known, fact (its sentence),
        valid_at, invalid_at, planned, attributes, source_type, target_type. They are taken at their word, checked before
        anything is stored, and nothing else is read from the text. Dates may be words ("last March"), seen from the
        reference time; one with an end and no start says that something known ended then. A new relation is non-functional.
        mapping: where a record's facts are (see the README); they are made without a model. Other JSON is read like a text.
        The rest is for the model, where the memory has one. ontology: the types and relations to look for. instructions: what
        else it should know. reflexion: ask it once more what it missed. previous: how many earlier episodes of the same
        conversation it is shown.
        It is asked at most twice: to read the text (each piece of a long one), and to judge what rules leave open.
        The same text with the same group, source, reference time, speaker and name again changes nothing; a failed one is taken
        up again. Without a reference time it is told anew: to repeat a call whose outcome is not known, give one, or a uuid.

        Raises ValueError for text that cannot be kept (empty, NUL characters, lone surrogates, over 16 million characters),
        ProviderError when the model or the embedder fails: the text is kept, marked as failed, and `extract` takes it up.
        """
        episode = self._episode_input(
            content=content,
            reference_time=reference_time,
            source=source,
            name=name,
            description=description,
            speaker=speaker,
            metadata=metadata,
            group=group,
            uuid=uuid,
            extract=extract,
            facts=facts,
            ontology=ontology,
            instructions=instructions,
            mapping=mapping,
            reflexion=reflexion,
            previous=previous,
        )
        return pipeline.add_one(self._writer, episode)

    def add_many(
        self, episodes: Iterable[Mapping[str, Any]], *, progress: Callable[[int, int], object] | None = None
    ) -> list[AddResult]:
        """Remember many texts, each a mapping of `add`'s arguments, in order: faster than one by one, with the same outcome.

        All are checked before the first is written. One for which a model fails is marked as failed, with the reason in its
        result's `episode.error`, and costs the others nothing. After an interruption, call it again: what is done stays.
        progress: called with how many are done, and of how many.
        """
        inputs = []
        for number, episode in enumerate(episodes):
            try:
                inputs.append(self._episode_input(**episode))
            except (TypeError, ValueError) as error:
                raise type(error)(f"episode {number}: {error}") from error
        return pipeline.add(self._writer, inputs, progress=progress)

    def extract(
        self,
        *,
        uuid: str | Sequence[str] | None = None,
        group: Groups = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> list[AddResult]:
        """Take up the episodes that are pending or failed, in the order they were added, with what they were added with.

        uuid: only this one, or these, in their order; NotFound for one that is not in the group. Their results; those that fail
        again say so. What a model answered before is taken from the log.
        """
        wanted = None if uuid is None else [searchable(one) for one in ([uuid] if isinstance(uuid, str) else uuid)]
        return pipeline.take_up(self._writer, group_list(group, self.group), uuids=wanted, progress=progress)

    def _episode_input(
        self, *, content: str, reference_time: Date | None = None, group: str | None = None, **given: Any
    ) -> EpisodeInput:
        names = {field.name for field in fields(EpisodeInput)}
        if unknown := [name for name in given if name not in names]:
            raise TypeError(f"unknown argument {unknown[0]!r}; add takes content, {', '.join(sorted(names - {'content'}))}")
        return EpisodeInput(
            content=content,
            reference_time=zoned(told_by(self._clock) if reference_time is None else reference_time),
            group=self._one_group(group),
            **{**given, "metadata": clean_mapping(given.get("metadata"), "metadata")},
        ).checked()

    def add_fact(
        self,
        source: Name,
        relation: str,
        target: Name,
        *,
        fact: str | None = None,
        valid_at: Date | None = None,
        invalid_at: Date | None = None,
        reference_time: Date | None = None,
        episode: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        planned: bool = False,
        uuid: str | None = None,
        group: str | None = None,
    ) -> Fact:
        """Record a fact without reading any text. Unknown names make entities, an unknown relation is made non-functional.

        fact: its sentence. valid_at, invalid_at: [start, end) in the world, None unknown or open.
        reference_time: when it was said; by default that of `episode` (the uuid of its source), else now.
        planned: it is announced; without a date it is shown as planned and never as holding. uuid: names the claim.

        Raises InvalidPeriod for an empty or inverted period, NotFound for an unknown episode, AmbiguousName, ValueError.
        """
        return self._tell(
            facts.FactInput(
                kind="planned" if planned else "assert",
                source=source,
                relation=relation,
                target=target,
                group=self._one_group(group),
                fact=fact,
                valid=moment(valid_at),
                invalid=moment(invalid_at),
                reference_time=moment(reference_time),
                episode=episode,
                attributes=clean_mapping(attributes, "attributes"),
                uuid=uuid,
            )
        )

    def end_fact(
        self, source: Name, relation: str, target: Name, *, at: Date, episode: str | None = None, group: str | None = None
    ) -> Fact:
        """Record that a fact no longer holds since `at`. Other targets of the relation are not touched.

        Returns the fact that held just before, or the record that it held until then when nothing was known of it.
        """
        ending = facts.FactInput(
            kind="end",
            source=source,
            relation=relation,
            target=target,
            group=self._one_group(group),
            invalid=parse_moment(at),
            episode=episode,
        )
        return self._tell(ending)

    def _tell(self, new: facts.FactInput) -> Fact:
        row = facts.add_claim(self._writer, new)
        with self._store.read() as db:
            return facts.fact_for(db, row, valid_at=self._now())

    def retract(self, uuid: str, *, reason: str | None = None) -> None:
        """Stop believing a fact (or take back an end): the record was wrong. What it had superseded is back.

        uuid: the fact's, or that of any claim that supports it. An earlier known_at still answers what was believed then.
        Raises NotFound for one that is unknown or no longer believed.
        """
        with self._store.write() as db:
            reason = None if reason is None else clean_text(reason, "reason")
            reconcile.retract(db, searchable(uuid), clock=self._now(), reason=reason)

    def correct(
        self,
        uuid: str,
        *,
        target: Name | EllipsisType = ...,
        valid_at: Date | EllipsisType | None = ...,
        invalid_at: Date | EllipsisType | None = ...,
        episode: str | None = None,
        reason: str | None = None,
    ) -> Fact:
        """Believe a fact with another target or other bounds, from now on. `...` keeps what is there, None is unknown.

        The new claim gets its own uuid, the last of the fact's `claims`; the old ones address the fact it became.
        episode: the source of the correction; forgetting it brings the old belief back.
        Raises NotFound, InvalidPeriod, AmbiguousName.
        """
        if target is None:
            raise ValueError("a fact needs a target; leave it out to keep it, or retract the fact")
        change = facts.Change(
            target=None if isinstance(target, EllipsisType) else target,
            valid=valid_at if isinstance(valid_at, EllipsisType) else moment(valid_at),
            invalid=invalid_at if isinstance(invalid_at, EllipsisType) else moment(invalid_at),
            episode=episode,
            reason=None if reason is None else clean_text(reason, "reason"),
        )
        row = facts.correct(self._writer, searchable(uuid), change)
        with self._store.read() as db:
            return facts.fact_for(db, row, valid_at=self._now())

    def define_relation(self, name: str, *, functional: bool, aliases: Sequence[str] = (), inverse: str | None = None) -> None:
        """Say how a relation behaves from now on; an earlier known_at still sees the earlier definition.

        functional: one target at a time, so a later one supersedes. aliases: other names for it, added to those it has.
        inverse: the relation that reads it from the other end; itself where it is symmetric.
        """
        if isinstance(aliases, str):
            raise ValueError(f"aliases is a list, such as [{aliases!r}]")
        relation = Relation(
            normalise_relation(clean_text(name, "relation")),
            bool(functional),
            None if inverse is None else normalise_relation(clean_text(inverse, "inverse")),
            tuple(normalise_relation(clean_text(alias, "alias")) for alias in aliases),
        )
        with self._store.write() as db:
            define.define(db, relation, clock=self._now())

    def _one_group(self, group: str | None) -> str:
        return self.group if group is None else checked_group(group)


def reembed(
    path: str | Path, embedder: Embedder | None = None, *, progress: Callable[[int, int], object] | None = None
) -> ReindexReport:
    """Make all vectors of a memory's file anew, by another embedder (or the same), whichever made those that are there.

    embedder: by default the model that ships with the package. The new vectors are made beside the old ones, so that others go
    on reading and writing, and interrupted work goes on where it was; at the end they change places in one transaction. A
    memory that is still open with the former embedder then raises EmbedderMismatch: open it anew.
    For a while the file has two sets of vectors; the room of the former stays in it, to be used again.
    """
    return reindex.reembed(file_path(path), _shipped_embedder() if embedder is None else embedder, progress=progress)
