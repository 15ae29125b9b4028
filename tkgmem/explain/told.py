"""Claims as values: with their sentence, the text that it stands in, and the change that took them back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tkgmem.graph import Episode
from tkgmem.reasons import Change, Told
from tkgmem.store import read, reasons
from tkgmem.store.connection import Connection
from tkgmem.store.facts import optional_datetime
from tkgmem.store.reasons import Recorded
from tkgmem.store.rows import texts
from tkgmem.temporal.period import to_datetime


def told(db: Connection, claims: Iterable[Recorded], known_at: int) -> dict[int, Told]:
    """What was told by each of these claims of one group (by row), as it stood at a system time."""
    rows = {claim.id: claim for claim in claims}
    ids = sorted({claim.episode_id for claim in rows.values() if claim.episode_id is not None})
    hidden = reasons.hidden(db, ids, known_at)
    episodes = {
        row: replace(episode, expired_at=optional_datetime(hidden.get(row))) for row, episode in read.episodes(db, ids).items()
    }
    closed = {claim.closed for claim in rows.values() if claim.closed is not None}
    group = next((claim.group_id for claim in rows.values()), 0)
    changes = reasons.changes(db, closed, group) if closed else {}
    return {
        row: _value(claim, None if claim.episode_id is None else episodes.get(claim.episode_id), changes)
        for row, claim in rows.items()
    }


def _value(claim: Recorded, episode: Episode | None, changes: Mapping[int, Change]) -> Told:
    texts(claim.uuid, claim.fact, claim.made_by)
    span = None if claim.span_start is None or claim.span_end is None else (claim.span_start, claim.span_end)
    return Told(
        uuid=claim.uuid,
        kind=claim.kind,
        sentence=_sentence(claim, episode, span),
        span=span,
        episode=episode,
        said_at=_said_at(claim, episode),
        learned_at=to_datetime(claim.created_at),
        made_by=claim.made_by,
        valid_at=optional_datetime(claim.valid_at),
        invalid_at=optional_datetime(claim.invalid_at),
        valid_precision=claim.valid_precision,
        invalid_precision=claim.invalid_precision,
        corrects=claim.corrects,
        taken_back_at=optional_datetime(claim.closed),
        taken_back_by=None if claim.closed is None else changes.get(claim.closed),
    )


def _sentence(claim: Recorded, episode: Episode | None, span: tuple[int, int] | None) -> str:
    """The words; a correction keeps the text of the fact, which are not the words that it was made in."""
    if episode is not None and span is not None:
        return episode.content[slice(*span)]
    own = None if claim.corrects else claim.fact
    return own or (episode.content if episode is not None else "")


def _said_at(claim: Recorded, episode: Episode | None) -> dt.datetime | None:
    if episode is not None:
        return episode.reference_time
    return None if claim.corrects else optional_datetime(claim.reference_time)
