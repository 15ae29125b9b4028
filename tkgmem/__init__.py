"""tkgmem: a bitemporal knowledge graph memory for assistants, in one SQLite file, in-process."""

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
    Entity,
    EntityView,
    Episode,
    Fact,
    ForgetReport,
    Hit,
    Mention,
    ModelCall,
    QueryTime,
    SearchResult,
    Stats,
    Version,
)
from tkgmem.memory import Memory
from tkgmem.ontology import Ontology
from tkgmem.search.filters import Filters
from tkgmem.search.recipes import RECIPES, Recipe
from tkgmem.temporal.period import Moment

__all__ = [
    "RECIPES",
    "AddResult",
    "AmbiguousName",
    "BadResponse",
    "EmbedderMismatch",
    "Entity",
    "EntityView",
    "Episode",
    "Fact",
    "FileBusy",
    "Filters",
    "ForgetReport",
    "Hit",
    "InvalidPeriod",
    "LLMError",
    "Memory",
    "Mention",
    "ModelCall",
    "ModelFileMissing",
    "Moment",
    "NotATkgmemFile",
    "NotFound",
    "Ontology",
    "ProviderError",
    "QueryTime",
    "Recipe",
    "SchemaTooNew",
    "SearchResult",
    "Stats",
    "StoreError",
    "TkgmemError",
    "Version",
    "WriteConflict",
]
