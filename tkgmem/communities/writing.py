"""Summaries that a language model writes: asked for several at a time within a number of calls, checked, kept.

No lock is held while it thinks. What it wrote is kept only if all that it was given still stands then, and nothing of the group
was forgotten meanwhile; else its thing goes on waiting, as does one of which the answer could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tkgmem import wording
from tkgmem.answers.calls import Spent, complete
from tkgmem.communities import asking, conversation, reading
from tkgmem.communities.asking import Told
from tkgmem.communities.planning import Item
from tkgmem.errors import BadResponse, LLMError, ProviderError
from tkgmem.protocols import LLM, Embedder
from tkgmem.reports import SummaryReport
from tkgmem.store import partition, passages, read, recalls, summaries, ticks, vectors
from tkgmem.store import write as writes
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection, Store
from tkgmem.store.names import searchable
from tkgmem.store.summaries import Draft
from tkgmem.temporal.period import to_datetime

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


@dataclass(frozen=True, slots=True)
class Desk:
    """What writing works with: the model, the file, the embedder, and the clock."""

    llm: LLM
    store: Store
    embedder: Embedder
    now: Callable[[], int]


def write(desk: Desk, group: str, at: At, items: Sequence[Item], max_calls: int) -> SummaryReport:
    """Have the model write what is due of these, planned at `at` in one group, the first first, in at most so many calls."""
    due = [item for item in items if item.due]
    batches = [[due[place] for place in places] for places in asking.batches([item.thing for item in due])][:max_calls]
    if not batches:
        return SummaryReport(0, len(items) - len(due), len(due))
    fingerprint = passages.fingerprint(desk.embedder)
    with desk.store.write() as db:  # what would fail later should fail before anything is paid
        vectors.check_embedder(db, fingerprint, desk.store.path)
    written, warnings, spent = _asked(desk, group, at, batches)
    texts = sorted({passage for item, told in written if (passage := _passage(item, told)) is not None})
    embedded = dict(zip(texts, passages.embed(desk.embedder, texts), strict=True))
    kept = 0
    with desk.store.write() as db:
        if not vectors.check_embedder(db, fingerprint, desk.store.path) and texts:
            vectors.adopt(db, fingerprint)
        for item, told in written:
            passage = _passage(item, told)
            if _keep(db, desk, at, item, told, None if passage is None else embedded[passage]):
                kept += 1
            else:
                warnings.append(f"{item.label} changed while its summary was written: it is to be written anew")
    return SummaryReport(
        written=kept,
        fresh=len(items) - len(due),
        waiting=len(due) - kept,
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cost=spent.cost,
        warnings=tuple(warnings),
    )


def _asked(
    desk: Desk, group: str, at: At, batches: Sequence[Sequence[Item]]
) -> tuple[list[tuple[Item, Told]], list[str], Spent]:
    """What the model wrote, with warnings and what it cost; the cost is on record when this returns."""
    today = to_datetime(at.valid_at)
    responses = complete(desk.llm, [asking.request([item.thing for item in some], today) for some in batches], alone=False)
    written: list[tuple[Item, Told]] = []
    warnings: list[str] = []
    answered: list[Spent] = []
    for some, response in zip(batches, responses, strict=True):
        if isinstance(response, LLMError):
            warnings += [f"{item.label} was not written: {_reason(response)}" for item in some]
            continue
        answered.append(Spent(1, response.prompt_tokens, response.completion_tokens, response.cost))
        try:
            told, wrong = asking.parse(searchable(response.text), len(some))
        except BadResponse as error:
            warnings += [f"{item.label} was not written: {_reason(error)}" for item in some]
            continue
        warnings += wrong
        written += [(some[place], told[place]) for place in sorted(told)]
        warnings += [f"{item.label} was not written: the answer leaves it out" for n, item in enumerate(some) if n not in told]
    if answered:
        with desk.store.write() as db:
            if list(at.groups) == read.group_ids(db, [group]):  # it may have been forgotten meanwhile
                _record(db, desk, at.groups[0], answered)
    return written, warnings, sum(answered, Spent())


def _record(db: Connection, desk: Desk, group_id: int, answered: Sequence[Spent]) -> None:
    for one in answered:
        summaries.spend(
            db,
            group_id,
            model=searchable(desk.llm.name),
            prompt_tokens=one.prompt_tokens,
            completion_tokens=one.completion_tokens,
            cost=one.cost,
            at=writes.now(db, desk.now()),
        )


def _passage(item: Item, told: Told) -> str | None:
    """What a community is found by; other summaries are not searched."""
    return None if item.of.community is None else summaries.passage(told.name or item.thing.name, told.text)


def _keep(db: Connection, desk: Desk, at: At, item: Item, told: Told, vectors: Vectors | None) -> bool:
    """Put a version in the place of the one that stands, in the caller's transaction; False if what it rests on has moved."""
    now = desk.now()
    if not _stands(db, At(at.groups, now), item):
        return False
    draft = Draft(
        group_id=at.groups[0],
        of=item.of,
        name="" if item.of.community is None else told.name or item.thing.name,
        text=told.text,
        model=searchable(desk.llm.name),
        valid_at=at.valid_at,
        known_at=item.known_at,
        facts=item.facts,
        entities=item.entities,
        vectors=vectors,
    )
    after = 0 if item.before is None else item.before.created_at + 1
    summaries.insert(db, draft, max(writes.now(db, now), after))
    return True


def _stands(db: Connection, at: At, item: Item) -> bool:
    """Whether all that a summary was planned on is as it was: nothing forgotten, the same version, each line as it read."""
    [group] = at.groups
    before = summaries.then(db, item.of, group)
    if (None if before is None else before.id) != (None if item.before is None else item.before.id):
        return False
    if (recalls.last_tick(db), partition.last_change(db)) == (item.tick, item.change):
        return True
    if ticks.deletions(db, [group], item.tick, EVERYTHING) or not summaries.are_there(db, item.facts, item.entities):
        return False
    if item.of.conversation is not None:
        talk = conversation.of(db, at, item.of.conversation)
        if not reading.turns_stand(db, at, talk, item.known_at):
            return False
    return reading.lines_now(db, at, item.facts) == item.facts


def _reason(error: ProviderError) -> str:
    return asking.shortened(wording.one_line(str(error)), 300)
