"""The model-call log: what was asked for which episode and what was said, as it was said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

from tkgmem.graph import ModelCall
from tkgmem.protocols import Request, Response
from tkgmem.reports import ModelUse
from tkgmem.store.rows import in_list
from tkgmem.temporal.period import to_datetime


def insert(
    db: apsw.Connection,
    episode_id: int,
    request: Request,
    response: Response,
    *,
    model: str,
    usable: bool,
    quotes: Iterable[int],
    at: int,
) -> None:
    """Keep a question and its answer. quotes: the other episodes whose words are in the question."""
    db.execute(
        "INSERT INTO model_calls (key, episode_id, purpose, model, request, response, usable, prompt_tokens, completion_tokens,"
        " cost, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            request.key(model),
            episode_id,
            request.purpose,
            model,
            request.text,
            response.text,
            int(usable),
            response.prompt_tokens,
            response.completion_tokens,
            response.cost,
            at,
        ),
    )
    call = db.last_insert_rowid()
    db.executemany(
        "INSERT INTO model_call_quotes (call_id, episode_id) VALUES (?, ?)",
        [(call, quoted) for quoted in sorted(set(quotes)) if quoted != episode_id],
    )


def answered(db: apsw.Connection, episode_id: int, request: Request, model: str) -> str | None:
    """What the model said to the same question for the same episode, if that, or the second try after it, was usable.

    A question that was never answered usably is to be put again.
    """
    found: str | None = db.execute(
        "SELECT response FROM model_calls m WHERE key = ? AND episode_id = ? AND (usable OR EXISTS (SELECT 1 FROM model_calls o"
        " WHERE o.id > m.id AND o.episode_id = m.episode_id AND o.purpose = m.purpose AND o.usable))"
        " ORDER BY usable DESC, id DESC LIMIT 1",
        (request.key(model), episode_id),
    ).get
    return found


def listed(db: apsw.Connection, groups: Sequence[int], episode: str | None) -> list[ModelCall]:
    """The log of these groups, or of one episode, in the order of the calls."""
    return [
        ModelCall(key, of, purpose, model, request, response, bool(usable), prompt, completion, cost, to_datetime(at))
        for key, of, purpose, model, request, response, usable, prompt, completion, cost, at in db.execute(
            "SELECT m.key, e.uuid, m.purpose, m.model, m.request, m.response, m.usable, m.prompt_tokens, m.completion_tokens,"
            " m.cost, m.created_at FROM model_calls m JOIN episodes e ON e.id = m.episode_id"
            " WHERE e.group_id IN (SELECT value FROM json_each(?)) AND (?2 IS NULL OR e.uuid = ?2) ORDER BY m.id",
            (in_list(groups), episode),
        )
    ]


def used(db: apsw.Connection, groups: Sequence[int]) -> dict[str, ModelUse]:
    """What the calls of these groups came to, by purpose."""
    return {
        purpose: ModelUse(*sums)
        for purpose, *sums in db.execute(
            "SELECT m.purpose, count(*), sum(m.prompt_tokens), sum(m.completion_tokens), sum(m.cost) FROM model_calls m"
            " JOIN episodes e ON e.id = m.episode_id WHERE e.group_id IN (SELECT value FROM json_each(?))"
            " GROUP BY m.purpose ORDER BY m.purpose",
            (in_list(groups),),
        )
    }


def number(db: apsw.Connection) -> int:
    """How many calls the log has."""
    count: int = db.execute("SELECT count(*) FROM model_calls").get
    return count


def forget_words(db: apsw.Connection, group_id: int, texts: Iterable[str]) -> None:
    """Delete every call of a group whose question or answer has one of these texts in it that its own episode has not."""
    pairs = [(text, _inside(text), _inside(_inside(text))) for text in dict.fromkeys(texts) if text]
    if not pairs or not number(db):
        return
    # the question is JSON, and the data in it too; an answer is JSON, or what the model made of it
    said = "instr(m.response, j.value ->> 0) OR instr(m.response, j.value ->> 1) OR instr(m.request, j.value ->> 2)"
    db.execute(
        "DELETE FROM model_calls WHERE id IN (SELECT m.id FROM model_calls m JOIN episodes e ON e.id = m.episode_id"
        " WHERE e.group_id = ? AND EXISTS (SELECT 1 FROM json_each(?) j"
        f" WHERE ({said}) AND NOT instr(e.content, j.value ->> 0)))",
        (group_id, in_list(pairs)),
    )


def _inside(text: str) -> str:
    """A text as it is inside of a string in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def forget(db: apsw.Connection, episodes: Iterable[int]) -> None:
    """Delete every call that was made for one of these episodes or quotes it."""
    of = "IN (SELECT value FROM json_each(?1))"
    db.execute(
        f"DELETE FROM model_calls WHERE episode_id {of} OR id IN (SELECT call_id FROM model_call_quotes WHERE episode_id {of})",
        (in_list(episodes),),
    )
