# The types of AsyncMemory, made by `python -m tests.aio_stub` from Memory.
# ruff: noqa: A002

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import IO, Any, Literal, Self

from tkgmem.arguments import Date, Groups, Name
from tkgmem.graph import (
    AddResult,
    Community,
    Entity,
    EntityView,
    Episode,
    Fact,
    Membership,
    ModelCall,
    SearchResult,
    Source,
    Summary,
    Version,
)
from tkgmem.importers.reading import TextFormat
from tkgmem.ingest.episodes import Mapped
from tkgmem.ontology import Ontology
from tkgmem.portable import exchange
from tkgmem.portable.exchange import ImportFormat
from tkgmem.protocols import LLM, Clock, Embedder, Reranker
from tkgmem.reasons import Axis, Change, Diff, How, Recall, Recalled, Succession, Why
from tkgmem.reports import (
    CommunityReport,
    CopyReport,
    DoctorReport,
    ForgetReport,
    MergeReport,
    ReindexReport,
    ReplayReport,
    Stats,
    SummaryReport,
    UndoReport,
)
from tkgmem.search.filters import Filters
from tkgmem.search.recipes import Recipe

class AsyncMemory:
    def __init__(
        self,
        path: str | Path,
        *,
        group: str = ...,
        llm: LLM | str | None = ...,
        embedder: Embedder | None = ...,
        reranker: Reranker | None = ...,
        clock: Clock | None = ...,
        read_only: bool = ...,
        log_model_calls: bool = ...,
        log_recalls: bool | None = ...,
    ) -> None: ...
    async def add(
        self,
        content: str,
        *,
        reference_time: Date | None = ...,
        source: Source = ...,
        name: str | None = ...,
        description: str | None = ...,
        speaker: str | None = ...,
        metadata: Mapping[str, Any] | None = ...,
        group: str | None = ...,
        uuid: str | None = ...,
        extract: bool | Literal["later"] = ...,
        facts: Sequence[Mapping[str, Any]] | None = ...,
        ontology: Ontology | None = ...,
        instructions: str | None = ...,
        mapping: Mapped | None = ...,
        reflexion: bool = ...,
        previous: int = ...,
    ) -> AddResult: ...
    async def add_alias(self, entity: Name, alias: str, *, group: str | None = ...) -> Entity: ...
    async def add_fact(
        self,
        source: Name,
        relation: str,
        target: Name,
        *,
        fact: str | None = ...,
        valid_at: Date | None = ...,
        invalid_at: Date | None = ...,
        reference_time: Date | None = ...,
        episode: str | None = ...,
        attributes: Mapping[str, Any] | None = ...,
        planned: bool = ...,
        uuid: str | None = ...,
        group: str | None = ...,
    ) -> Fact: ...
    async def add_many(
        self, episodes: Iterable[Mapping[str, Any]], *, progress: Callable[[int, int], object] | None = ...
    ) -> list[AddResult]: ...
    async def as_of(
        self,
        valid_at: Date,
        *,
        known_at: Date | None = ...,
        source: Name | None = ...,
        relation: str | None = ...,
        target: Name | None = ...,
        group: Groups = ...,
    ) -> list[Fact]: ...
    async def backup(self, path: str | Path, *, password: str | None = ...) -> CopyReport: ...
    async def believed_at(
        self, t: Date, *, source: Name | None = ..., relation: str | None = ..., target: Name | None = ..., group: Groups = ...
    ) -> list[Fact]: ...
    async def changes(
        self, *, limit: int = ..., since: Date | None = ..., until: Date | None = ..., group: Groups = ...
    ) -> list[Change]: ...
    async def close(self) -> None: ...
    async def communities(
        self,
        *,
        entity: Name | None = ...,
        valid_at: Date | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
        limit: int = ...,
    ) -> list[Community]: ...
    async def context(
        self,
        query: str,
        *,
        max_tokens: int = ...,
        style: str = ...,
        ids: bool = ...,
        valid_at: Date | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
    ) -> str: ...
    async def correct(
        self,
        uuid: str,
        *,
        target: Name | EllipsisType = ...,
        valid_at: Date | EllipsisType | None = ...,
        invalid_at: Date | EllipsisType | None = ...,
        episode: str | None = ...,
        reason: str | None = ...,
    ) -> Fact: ...
    async def define_relation(
        self, name: str, *, functional: bool, aliases: Sequence[str] = ..., inverse: str | None = ...
    ) -> None: ...
    async def diff(
        self,
        a: Date,
        b: Date | None = ...,
        axis: Axis = ...,
        *,
        entity: Name | None = ...,
        query: str | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
    ) -> Diff: ...
    async def doctor(self, *, repair: bool = ..., progress: Callable[[int, int], object] | None = ...) -> DoctorReport: ...
    async def end_fact(
        self, source: Name, relation: str, target: Name, *, at: Date, episode: str | None = ..., group: str | None = ...
    ) -> Fact: ...
    async def entity(
        self, name_or_uuid: Name, *, valid_at: Date | None = ..., known_at: Date | None = ..., group: Groups = ...
    ) -> EntityView: ...
    async def episodes(
        self,
        *,
        uuid: str | None = ...,
        name: str | None = ...,
        state: str | None = ...,
        known_at: Date | None = ...,
        taken_back: bool = ...,
        group: Groups = ...,
        limit: int = ...,
        offset: int = ...,
    ) -> list[Episode]: ...
    async def export(
        self,
        path: str | Path | IO[str],
        *,
        format: exchange.ExportFormat = ...,
        vectors: bool = ...,
        logs: bool = ...,
        group: Groups = ...,
    ) -> CopyReport: ...
    async def extract(
        self,
        *,
        uuid: str | Sequence[str] | None = ...,
        group: Groups = ...,
        progress: Callable[[int, int], object] | None = ...,
    ) -> list[AddResult]: ...
    async def forget(
        self,
        *,
        episode: str | Sequence[str] | None = ...,
        fact: str | Sequence[str] | None = ...,
        entity: Name | None = ...,
        group: str | None = ...,
        dry_run: bool = ...,
    ) -> ForgetReport: ...
    async def forget_recalls(self, *, group: Groups = ...) -> int: ...
    async def held(
        self,
        since: Date | None,
        until: Date | EllipsisType | None = ...,
        *,
        how: How = ...,
        known_at: Date | None = ...,
        source: Name | None = ...,
        relation: str | None = ...,
        target: Name | None = ...,
        group: Groups = ...,
    ) -> list[Fact]: ...
    async def history(self, fact_or_entity: Name | Fact, *, group: Groups = ...) -> list[Version]: ...
    async def import_(
        self,
        path: str | Path | IO[str],
        *,
        format: ImportFormat | TextFormat | None = ...,
        group: str | None = ...,
        speaker: str | None = ...,
        extract: bool | Literal["later"] = ...,
        mapping: Mapped | None = ...,
        told_at: str | None = ...,
        dry_run: bool = ...,
        progress: Callable[[int, int], object] | None = ...,
    ) -> MergeReport: ...
    async def memberships(
        self, entity_or_community: Name | Community, *, known_at: Date | None = ..., group: Groups = ...
    ) -> list[Membership]: ...
    async def merge(self, path: str | Path) -> MergeReport: ...
    async def merge_entities(
        self, keep: Name, other: Name, *, group: str | None = ..., reason: str | None = ..., dry_run: bool = ...
    ) -> Entity: ...
    async def model_calls(self, *, episode: str | None = ..., group: Groups = ...) -> list[ModelCall]: ...
    async def recalled(self, query: str, *, at: Date | None = ..., group: Groups = ...) -> Recalled: ...
    async def recalls(
        self,
        *,
        query: str | None = ...,
        limit: int = ...,
        since: Date | None = ...,
        until: Date | None = ...,
        group: Groups = ...,
    ) -> list[Recall]: ...
    async def refresh_communities(
        self, *, whole: bool | None = ..., max_calls: int = ..., group: str | None = ...
    ) -> CommunityReport: ...
    async def reindex(self, *, progress: Callable[[int, int], object] | None = ...) -> ReindexReport: ...
    async def replay(
        self,
        path: str | Path | None = ...,
        *,
        llm: LLM | str | None = ...,
        rules: bool = ...,
        progress: Callable[[int, int], object] | None = ...,
    ) -> ReplayReport: ...
    async def retract(self, uuid: str, *, reason: str | None = ...) -> None: ...
    async def search(
        self,
        query: str,
        *,
        limit: int = ...,
        scopes: Sequence[str] | None = ...,
        valid_at: Date | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
        filters: Filters | Mapping[str, Any] | None = ...,
        recipe: str | Recipe | None = ...,
        center: Name | None = ...,
        min_score: float | None = ...,
        include_ended: bool = ...,
        use_query_time: bool | None = ...,
        deadline_ms: float | None = ...,
        explain: bool = ...,
    ) -> SearchResult: ...
    async def share(
        self,
        path: str | Path,
        *,
        group: Groups = ...,
        entities: Sequence[Name] | None = ...,
        since: Date | None = ...,
        until: Date | None = ...,
        episodes: bool = ...,
        password: str | None = ...,
    ) -> CopyReport: ...
    async def split_entity(
        self,
        entity: Name,
        *,
        claims: Sequence[str | Fact] | None = ...,
        name: str | None = ...,
        group: str | None = ...,
        reason: str | None = ...,
        dry_run: bool = ...,
    ) -> Entity: ...
    async def stats(self, *, group: Groups = ...) -> Stats: ...
    async def succession(
        self,
        relation: str,
        *,
        source: Name | None = ...,
        target: Name | None = ...,
        since: Date | None = ...,
        until: Date | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
    ) -> Succession: ...
    async def summaries(
        self,
        entity: Name | None = ...,
        *,
        community: str | Community | None = ...,
        conversation: str | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
    ) -> list[Summary]: ...
    async def summarize(
        self,
        *,
        entities: Sequence[Name] = ...,
        conversations: Sequence[str] = ...,
        max_calls: int = ...,
        group: str | None = ...,
    ) -> SummaryReport: ...
    async def summary(
        self,
        entity: Name | None = ...,
        *,
        community: str | Community | None = ...,
        conversation: str | None = ...,
        valid_at: Date | None = ...,
        known_at: Date | None = ...,
        group: Groups = ...,
    ) -> Summary: ...
    async def timeline(
        self, entity: Name, *, valid_at: Date | None = ..., known_at: Date | None = ..., group: Groups = ...
    ) -> list[Version]: ...
    async def undo(
        self,
        *,
        episode: str | None = ...,
        change: int | None = ...,
        since: Date | None = ...,
        until: Date | None = ...,
        group: str | None = ...,
        reason: str | None = ...,
        dry_run: bool = ...,
    ) -> UndoReport: ...
    async def why(self, fact_uuid: str | Fact, *, known_at: Date | None = ...) -> Why: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
