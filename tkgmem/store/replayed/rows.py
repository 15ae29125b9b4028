"""The tables that hold what was told, with the columns that are told: what a row says, without its number and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Table = Literal["aliases", "claims", "conflicts", "episodes", "merges", "moves", "relations", "traits"]

COLUMNS: Mapping[Table, tuple[str, ...]] = {
    "relations": ("name", "functional", "inverse", "aliases", "said", "created_at"),
    "episodes": (
        "uuid", "group_id", "source", "name", "description", "speaker", "content", "metadata", "reference_time",
        "reference_offset", "extract", "settings", "created_at",
    ),
    "aliases": ("entity_id", "group_id", "name", "key", "episode_id", "created_at"),
    "traits": ("entity_id", "episode_id", "type", "attributes", "created_at"),
    "claims": (
        "uuid", "group_id", "kind", "source_id", "relation", "target_id", "fact", "lead", "valid_at", "invalid_at",
        "valid_precision", "invalid_precision", "reference_time", "episode_id", "span_start", "span_end", "attributes",
        "made_by", "position", "created_at",
    ),
    "conflicts": ("claim_id", "other_id", "episode_id", "created_at"),
    "merges": ("group_id", "entity_id", "into_id", "episode_id", "created_at"),
    "moves": ("claim_id", "end", "entity_id", "created_at"),
}  # fmt: skip
"""What a row of each table says."""

OF_ANOTHER: Mapping[str, Literal["claim", "entity", "episode", "group"]] = {
    "group_id": "group",
    "entity_id": "entity",
    "into_id": "entity",
    "source_id": "entity",
    "target_id": "entity",
    "episode_id": "episode",
    "claim_id": "claim",
    "other_id": "claim",
}
"""The columns that hold the number of another row, and of what."""

GAPS: Mapping[str, Table] = {
    "claim_id": "claims",
    "episode_id": "episodes",
    "alias_id": "aliases",
    "trait_id": "traits",
    "merge_id": "merges",
    "move_id": "moves",
    "conflict_id": "conflicts",
}
"""Whose belief a row of `gaps` interrupts, by the column that is not NULL."""
