"""tkgmem: a bitemporal knowledge graph memory for assistants, in one SQLite file, in-process.

Importing this loads nothing else: each name brings its module when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tkgmem.aio import AsyncMemory
    from tkgmem.errors import (
        AmbiguousName,
        BadResponse,
        EmbedderMismatch,
        FileBusy,
        InvalidPeriod,
        LLMError,
        ModelFileMissing,
        NotATkgmemFile,
        NotFound,
        ProviderError,
        SchemaTooNew,
        StoreError,
        TkgmemError,
        WriteConflict,
    )
    from tkgmem.graph import (
        AddResult,
        Community,
        Entity,
        EntityView,
        Episode,
        Fact,
        Hit,
        Membership,
        Mention,
        ModelCall,
        QueryTime,
        SearchResult,
        Summary,
        Version,
    )
    from tkgmem.memory import Memory, reembed
    from tkgmem.ontology import Ontology
    from tkgmem.portable.backup import restore
    from tkgmem.reasons import (
        Change,
        Changed,
        Diff,
        Held,
        Recall,
        Recalled,
        Succession,
        Supersession,
        Told,
        Why,
    )
    from tkgmem.reports import (
        CommunityReport,
        CopyReport,
        Difference,
        DoctorReport,
        ForgetReport,
        MergeConflict,
        MergeReport,
        Problem,
        ReindexReport,
        ReplayReport,
        Stats,
        SummaryReport,
        UndoReport,
    )
    from tkgmem.search.filters import Filters
    from tkgmem.search.recipes import RECIPES, Recipe
    from tkgmem.temporal.period import Moment

__all__ = [
    "RECIPES",
    "AddResult",
    "AmbiguousName",
    "AsyncMemory",
    "BadResponse",
    "Change",
    "Changed",
    "Community",
    "CommunityReport",
    "CopyReport",
    "Diff",
    "Difference",
    "DoctorReport",
    "EmbedderMismatch",
    "Entity",
    "EntityView",
    "Episode",
    "Fact",
    "FileBusy",
    "Filters",
    "ForgetReport",
    "Held",
    "Hit",
    "InvalidPeriod",
    "LLMError",
    "Membership",
    "Memory",
    "Mention",
    "MergeConflict",
    "MergeReport",
    "ModelCall",
    "ModelFileMissing",
    "Moment",
    "NotATkgmemFile",
    "NotFound",
    "Ontology",
    "Problem",
    "ProviderError",
    "QueryTime",
    "Recall",
    "Recalled",
    "Recipe",
    "ReindexReport",
    "ReplayReport",
    "SchemaTooNew",
    "SearchResult",
    "Stats",
    "StoreError",
    "Succession",
    "Summary",
    "SummaryReport",
    "Supersession",
    "TkgmemError",
    "Told",
    "UndoReport",
    "Version",
    "Why",
    "WriteConflict",
    "reembed",
    "restore",
]

_HOMES = {
    "tkgmem.aio": "AsyncMemory",
    "tkgmem.errors": (
        "AmbiguousName BadResponse EmbedderMismatch FileBusy InvalidPeriod LLMError ModelFileMissing NotATkgmemFile "
        "NotFound ProviderError SchemaTooNew StoreError TkgmemError WriteConflict"
    ),
    "tkgmem.graph": (
        "AddResult Community Entity EntityView Episode Fact Hit Membership Mention ModelCall QueryTime SearchResult "
        "Summary Version"
    ),
    "tkgmem.memory": "Memory reembed",
    "tkgmem.ontology": "Ontology",
    "tkgmem.portable.backup": "restore",
    "tkgmem.reasons": "Change Changed Diff Held Recall Recalled Succession Supersession Told Why",
    "tkgmem.reports": (
        "CommunityReport CopyReport Difference DoctorReport ForgetReport MergeConflict MergeReport Problem "
        "ReindexReport ReplayReport Stats SummaryReport UndoReport"
    ),
    "tkgmem.search.filters": "Filters",
    "tkgmem.search.recipes": "RECIPES Recipe",
    "tkgmem.temporal.period": "Moment",
}
"""The modules with the names that they give to this one (a test holds them equal to the imports above)."""


def __getattr__(name: str) -> Any:
    import importlib

    for module, names in _HOMES.items():
        if name in names.split():
            value = getattr(importlib.import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'tkgmem' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
