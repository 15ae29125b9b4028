"""What an episode brought, read back from the file: the result of `add`."""

from __future__ import annotations

from tkgmem.answers.calls import Spent
from tkgmem.errors import NotFound
from tkgmem.graph import AddResult, Episode
from tkgmem.ingest.commit import Committed
from tkgmem.ingest.planning import Work
from tkgmem.store import claims, facts, read, transactions
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.identity import Identity
from tkgmem.temporal.period import to_micros


def of(db: Connection, row: int, work: Work | None, done: Committed | None, *, now: int, seconds: float) -> AddResult:
    """The receipt of an episode. work, done: what was done for it just now, None if it was there already or failed."""
    found = read.episodes(db, [row])
    if row not in found:
        raise NotFound("an episode was forgotten while it was being read; the others are done")
    episode = found[row]
    own = [claim for claim in claims.of_episode(db, row) if claim.expired_at is None]
    supported = set(facts.supported_facts(db, [claim.id for claim in own], EVERYTHING).values())
    ended = set(done.ended if done else ()) - supported
    shown = {fact: value for fact in sorted(supported) for value in facts.shown(db, [fact], valid_at=now)}
    new = {claim.id for claim in own} if done else set()
    who = Identity(db)
    who.load_claims(own)
    ends = [end for claim in own for end in who.ends(claim)]
    mentioned = read.named_in(db, [row])
    who.load(mentioned)
    entities = read.entities(db, [*ends, *map(who.of, mentioned)])
    made = set(done.entities if done else ())
    spent = work.read.spent if work else Spent()
    return AddResult(
        episode=episode,
        entities=[entities[key] for key in sorted(entities)],
        facts=list(shown.values()),
        ended=[fact for fact in facts.shown(db, sorted(ended), valid_at=now) if fact.invalid_at is not None],
        warnings=[*(done.warnings if done else ()), *_taken_back(db, episode)],
        calls=spent.calls,
        created=[value for fact, value in shown.items() if fact in new],
        extended=[value for fact, value in shown.items() if done and fact not in new],
        new_entities=[entities[key] for key in sorted(entities) if key in made],
        ignored=list(done.ignored if done else ()),
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cost=spent.cost,
        seconds=seconds if work else 0.0,
    )


def _taken_back(db: Connection, episode: Episode) -> list[str]:
    """That a text is hidden, as an undo took it back, and what brings it back."""
    if episode.expired_at is None:
        return []
    number = transactions.undo_at(db, to_micros(episode.expired_at))
    back = "" if number is None else f"; undo(change={number}) brings it back"
    return [f"this text was taken back and stays hidden{back}"]
