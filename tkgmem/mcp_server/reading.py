"""The tools that only read: each asks one verb of the memory and says the answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from tkgmem.errors import NotFound
from tkgmem.graph import Fact, Version
from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.saying import (
    Answer,
    Clocks,
    entity_fields,
    fact_fields,
    fitting,
    iso,
    joined,
    left_out,
    line_of_entity,
    line_of_fact,
    short,
)
from tkgmem.reasons import Why
from tkgmem.temporal.period import Moment, to_datetime, to_micros
from tkgmem.temporal.spoken import moment_of
from tkgmem.wording import date_words, day_words, episode_line

Arguments = Mapping[str, Any]
_LONGEST_DATE = 200
"""Characters of a date in words."""


def given_only(given: Arguments, *names: str) -> dict[str, Any]:
    """Those of the named arguments that are there."""
    return {name: given[name] for name in names if given.get(name) is not None}


def clocks(desk: Desk, given: Arguments) -> Clocks:
    """The two clocks of a call. ValueError names the argument that is no date."""
    return Clocks(moment(desk, given, "valid_at"), moment(desk, given, "known_at"))


def moment(desk: Desk, given: Arguments, name: str) -> Moment | None:
    """A date argument, as ISO text or in words; None where it is not given."""
    if given.get(name) is None:
        return None
    if len(given[name]) > _LONGEST_DATE:
        raise ValueError(f"{name} has {len(given[name])} characters, which is no date")
    try:
        return moment_of(given[name], desk.now())
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def recall(desk: Desk, given: Arguments) -> Answer:
    """What a model should read before it answers."""
    at = clocks(desk, given)
    tokens = given.get("max_tokens", 1_200)
    text = desk.memory.context(given["query"], max_tokens=tokens, valid_at=at.valid_at, known_at=at.known_at)
    told = joined(at.lines, [text or "Nothing is known about this."])
    return Answer(told, {"context": text, "found": bool(text), **at.fields})


def search_facts(desk: Desk, given: Arguments) -> Answer:
    """Facts that fit a question."""
    at = clocks(desk, given)
    found = desk.memory.search(
        given["query"],
        limit=given.get("limit", 10),
        scopes=("facts",),
        valid_at=at.valid_at,
        known_at=at.known_at,
        include_ended=given.get("include_ended", False),
    )
    asked = None if found.query_time is None else f"(the time asked about: {short(found.query_time.words)})"
    return _facts([hit.item for hit in found.facts], at, [asked] if asked else [], found.valid_at)


def as_of(desk: Desk, given: Arguments) -> Answer:
    """The facts that held at a time, of a source, relation or target."""
    at = clocks(desk, given)
    ends = given_only(given, "source", "relation", "target")
    facts = desk.memory.as_of(at.valid_at or Moment(to_micros(desk.now())), known_at=at.known_at, **ends)
    return _facts(facts, at, [], to_datetime(to_micros(desk.now()) if at.valid_at is None else at.valid_at.micros))


def _facts(facts: Sequence[Fact], at: Clocks, before: list[str], valid_at: dt.datetime) -> Answer:
    shown, lines = fitting(facts, lambda fact: line_of_fact(fact, valid_at))
    text = joined(at.lines, before, lines or ["No fact is known that fits."], left_out(len(facts) - len(shown), "facts"))
    return Answer(text, {"facts": [fact_fields(fact) for fact in shown], "more": len(facts) - len(shown), **at.fields})


def get_entity(desk: Desk, given: Arguments) -> Answer:
    """An entity with what holds of it."""
    at = clocks(desk, given)
    view = desk.memory.entity(given["name"], valid_at=at.valid_at, known_at=at.known_at)
    shown, lines = fitting(view.facts, lambda fact: line_of_fact(fact, None if at.valid_at is None else fact.valid_at))
    text = joined(
        at.lines,
        [line_of_entity(view.entity) + ":"],
        lines or ["Nothing is known to hold of it at that time."],
        left_out(len(view.facts) - len(shown), "facts"),
    )
    fields = {
        "entity": entity_fields(view.entity),
        "facts": [fact_fields(fact) for fact in shown],
        "more": len(view.facts) - len(shown),
        **at.fields,
    }
    return Answer(text, fields)


def timeline(desk: Desk, given: Arguments) -> Answer:
    """What is believed of an entity by valid time, or everything that ever was, by system time."""
    at = clocks(desk, given)
    if given.get("beliefs", False):
        if at.known_at is not None:
            raise ValueError("beliefs shows every belief there ever was; leave known_at out")
        versions = desk.memory.history(given["entity"])
        if any(version.source.group != desk.memory.group for version in versions):  # the uuid of a fact leads anywhere
            raise NotFound(f"nothing here has the uuid {given['entity']!r}")
    else:
        versions = desk.memory.timeline(given["entity"], known_at=at.known_at)
    beliefs = given.get("beliefs", False)
    shown, lines = fitting(versions, _belief_line if beliefs else line_of_fact)
    text = joined(at.lines, lines or ["Nothing is known of it."], left_out(len(versions) - len(shown), "lines"))
    told = [{**fact_fields(version), **(_belief_fields(version) if beliefs else {})} for version in shown]
    return Answer(text, {"versions": told, "more": len(versions) - len(shown), **at.fields})


def _belief_line(version: Version) -> str:
    until = f" until {date_words(version.expired_at, 'time')}" if version.expired_at else ""
    return f"{line_of_fact(version)} believed from {date_words(version.created_at, 'time')}{until}"


def _belief_fields(version: Version) -> dict[str, str]:
    fields = {"believed_from": iso(version.created_at)}
    return fields if version.expired_at is None else {**fields, "believed_until": iso(version.expired_at)}


def why(desk: Desk, given: Arguments) -> Answer:
    """Why a fact is believed: the words it rests on, and what changed."""
    at = clocks(desk, given)
    found = explained(desk, given["fact"], at.known_at)
    _, lines = fitting(found.text.splitlines(), short)
    texts = dict.fromkeys(claim.episode.uuid for claim in (*found.claims, *found.ends) if claim.episode is not None)
    fields = {"fact": fact_fields(found.fact), "believed": found.believed, "episodes": list(texts)[:20], **at.fields}
    return Answer(joined(lines), fields)


def explained(desk: Desk, uuid: str, known_at: Moment | None = None) -> Why:
    """A fact's explanation. NotFound for one of another group: what a server serves is fixed when it starts."""
    found = desk.memory.why(uuid.strip().strip("[]"), known_at=known_at)
    if found.fact.group != desk.memory.group:
        raise NotFound(f"there is no fact {uuid!r}; take a uuid from search_facts or timeline")
    return found


def episodes(desk: Desk, given: Arguments) -> Answer:
    """What was said, newest first."""
    at = clocks(desk, given)
    named = given_only(given, "uuid", "state", "limit", "offset")
    if given.get("conversation") is not None:
        named["name"] = given["conversation"]
    found = desk.memory.episodes(known_at=at.known_at, **{"limit": 10, **named})
    longest = 4_000 if "uuid" in named else 400
    shown, lines = fitting(found, lambda episode: f"- {short(episode_line(episode), longest)} [{episode.uuid}]", room=4_000)
    told = [
        {"uuid": one.uuid, "content": short(one.content, longest), "when": iso(one.reference_time), "state": one.state}
        for one in shown
    ]
    text = joined(at.lines, lines or ["No text is known."], left_out(len(found) - len(shown), "texts"))
    return Answer(text, {"episodes": told, "more": len(found) - len(shown), **at.fields})


def diff(desk: Desk, given: Arguments) -> Answer:
    """What changed between two instants."""
    since, until = moment(desk, given, "since"), moment(desk, given, "until")
    assert since is not None
    found = desk.memory.diff(
        since,
        until,
        "valid" if given.get("of") == "world" else "known",
        **given_only(given, "entity", "query"),
    )
    kinds = ("learned", "began", "ended", "corrected", "retracted", "revised")
    told = [(kind, change) for kind in kinds for change in getattr(found, kind)]

    def line(one: tuple[str, Any]) -> str:
        kind, change = one
        return f"{kind}: {line_of_fact(change.after or change.before)} on {day_words(change.at.date())}"

    shown, lines = fitting(told, line)
    changes = [{"change": kind, "on": iso(change.at), **fact_fields(change.after or change.before)} for kind, change in shown]
    gone = [f"forgotten: {len(found.forgotten)}"] if found.forgotten else []
    text = joined(lines or ["Nothing changed."], gone, left_out(len(told) - len(shown), "changes"))
    return Answer(text, {"changes": changes, "more": len(told) - len(shown)})


def communities(desk: Desk, given: Arguments) -> Answer:
    """Groups of things that belong together, with what holds among them."""
    at = clocks(desk, given)
    if given.get("query") is not None:
        hits = desk.memory.search(
            given["query"], scopes=("communities",), limit=given.get("limit", 5), valid_at=at.valid_at, known_at=at.known_at
        )
        found = [hit.item for hit in hits.communities]
    else:
        found = desk.memory.communities(valid_at=at.valid_at, known_at=at.known_at, limit=given.get("limit", 5))
    shown, lines = fitting(found, lambda one: f"- {short(one.name)}: {short(one.summary, 1_200)}")
    told = [
        {"name": short(one.name), "summary": short(one.summary, 1_200), "members": [short(m.name) for m in one.members[:20]]}
        for one in shown
    ]
    text = joined(at.lines, lines or ["There are no communities yet."], left_out(len(found) - len(shown), "communities"))
    return Answer(text, {"communities": told, "more": len(found) - len(shown), **at.fields})


def status(desk: Desk, _: Arguments) -> Answer:
    """What there is, and what waits or failed."""
    memory = desk.memory
    counts = memory.stats(group=memory.group)
    failed = [one for one in desk.unread(memory, 5) if one.state == "failed"][:5]
    reasons = [{"uuid": one.uuid, "when": iso(one.created_at), "error": short(one.error or "unknown")} for one in failed]
    kept = f"texts: {counts.episodes}, entities: {counts.entities}, facts: {counts.facts} (holding now: {counts.current_facts})"
    lines = [f"The memory {short(desk.place)}, group {short(memory.group)}. {kept}."]
    if counts.pending:
        lines.append(f"Texts that wait to be read: {counts.pending}.")
    if counts.failed:
        lines.append(f"Texts that could not be read: {counts.failed}. They are kept, and tried again by and by. The latest:")
        lines += [f"- {reason['when']}: {reason['error']} [{reason['uuid']}]" for reason in reasons]
    if desk.read_only:
        lines.append("It is read-only here.")
    fields = {
        "file": desk.place,
        "group": memory.group,
        "episodes": counts.episodes,
        "entities": counts.entities,
        "facts": counts.facts,
        "current_facts": counts.current_facts,
        "pending": counts.pending,
        "failed": counts.failed,
        "failures": reasons,
        "read_only": desk.read_only,
    }
    return Answer(joined(lines), fields)
