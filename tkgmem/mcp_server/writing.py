"""The tools that change something. Each is committed before its answer; nothing is done where an argument is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tkgmem.errors import NotFound
from tkgmem.graph import AddResult, Fact
from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.reading import Arguments, explained, given_only, moment
from tkgmem.mcp_server.saying import Answer, fact_fields, fitting, joined, left_out, line_of_fact, short
from tkgmem.temporal.period import to_datetime


def remember(desk: Desk, given: Arguments) -> Answer:
    """Keep a text and learn what it states."""
    said_at = moment(desk, given, "when")
    result = desk.remember(
        given["text"],
        reference_time=desk.now() if said_at is None else to_datetime(said_at.micros).astimezone(desk.now().tzinfo),
        source="message" if given.get("speaker") else "text",
        name=given.get("conversation"),
        **given_only(given, "speaker", "facts"),
    )
    return remembered(result)


def remembered(result: AddResult) -> Answer:
    """What a text brought, or why it has brought nothing yet."""
    episode = result.episode
    lines = [f"Kept as {episode.uuid}."]
    if episode.state == "pending":
        lines.append("It is still being read; its facts come by and by.")
    elif episode.state == "failed":
        lines.append(f"Reading it failed, and is tried again later: {short(episode.error or 'unknown')}")
    facts, told = fitting(result.facts, line_of_fact)
    ended, over = fitting(result.ended, line_of_fact)
    if told:
        lines += ["What it states:", *told, *left_out(len(result.facts) - len(facts), "facts")]
    elif episode.state == "done":
        lines.append("No fact was found in it; its words can be found.")
    if over:
        lines += ["What it ended:", *over, *left_out(len(result.ended) - len(ended), "facts")]
    warnings = [short(warning) for warning in result.warnings[:10]]
    lines += [f"Note: {warning}" for warning in warnings]
    fields: dict[str, Any] = {
        "episode": episode.uuid,
        "state": episode.state,
        "facts": [fact_fields(fact) for fact in facts],
        "ended": [fact_fields(fact) for fact in ended],
        "warnings": warnings,
    }
    if episode.state == "failed":
        fields["error"] = short(episode.error or "unknown")
    return Answer(joined(lines), fields)


def add_fact(desk: Desk, given: Arguments) -> Answer:
    """Record one fact."""
    fact = desk.memory.add_fact(
        given["source"],
        given["relation"],
        given["target"],
        valid_at=moment(desk, given, "valid_at"),
        invalid_at=moment(desk, given, "invalid_at"),
        **given_only(given, "fact", "planned"),
    )
    return _changed("Recorded:", [fact])


def end_fact(desk: Desk, given: Arguments) -> Answer:
    """Record that a fact no longer holds."""
    at = moment(desk, given, "at")
    assert at is not None
    return _changed("Ended:", [desk.memory.end_fact(given["source"], given["relation"], given["target"], at=at)])


def correct(desk: Desk, given: Arguments) -> Answer:
    """Replace what was recorded of a fact."""
    uuid = explained(desk, given["fact"]).uuid
    changes: dict[str, Any] = given_only(given, "target", "reason")
    for name in ("valid_at", "invalid_at"):
        if name in given:
            changes[name] = moment(desk, given, name)
    return _changed("Corrected:", [desk.memory.correct(uuid, **changes)])


def retract(desk: Desk, given: Arguments) -> Answer:
    """Stop believing a fact."""
    found = explained(desk, given["fact"])
    if not found.believed:
        raise NotFound(f"{found.words!r} is no longer believed already; why tells when that changed")
    desk.memory.retract(found.uuid, reason=given.get("reason"))
    return _changed("No longer believed, since the record was wrong:", [found.fact])


def forget(desk: Desk, given: Arguments) -> Answer:
    """Delete for good."""
    what = given_only(given, "episode", "fact", "entity")
    if len(what) != 1:
        raise ValueError("name one of episode, fact, entity")
    if "fact" in what:
        what["fact"] = explained(desk, what["fact"]).uuid
    if "episode" in what and not desk.memory.episodes(uuid=what["episode"]):
        raise NotFound(f"there is no text {what['episode']!r}; take a uuid from episodes")
    report = desk.memory.forget(**what, dry_run=given.get("dry_run", False))
    verb = "Would forget" if report.dry_run else "Forgotten"
    text = f"{verb} for good: {report.episodes} texts, {report.claims} statements, {report.entities} entities."
    fields = {
        "dry_run": report.dry_run, "episodes": report.episodes, "claims": report.claims, "entities": report.entities,
    }  # fmt: skip
    return Answer(joined([text], [f"- {short(words)}" for words in report.words[:50]]), fields)


def undo(desk: Desk, given: Arguments) -> Answer:
    """Take back what a text brought."""
    if not desk.memory.episodes(uuid=given["episode"]):
        raise NotFound(f"there is no text {given['episode']!r}; take a uuid from episodes")
    report = desk.memory.undo(episode=given["episode"], dry_run=given.get("dry_run", False))
    verb = "Would take back" if report.dry_run else "Taken back"
    lines = [f"{verb}: {report.claims} statements of {report.episodes} texts."]
    lines += [f"- no longer: {short(words)}" for words in report.gone_words[:50]]
    lines += [f"- again: {short(words)}" for words in report.back_words[:50]]
    lines += [f"Note: {short(warning)}" for warning in report.warnings[:10]]
    fields = {"dry_run": report.dry_run, "episodes": report.episodes, "claims": report.claims}
    return Answer(joined(lines), fields)


def merge_entities(desk: Desk, given: Arguments) -> Answer:
    """Say that two entities are one."""
    entity = desk.memory.merge_entities(given["keep"], given["other"])
    return Answer(
        f"{short(given['other'])} is {short(entity.name)} from now on.", {"uuid": entity.uuid, "name": short(entity.name)}
    )


def _changed(what: str, facts: Sequence[Fact]) -> Answer:
    shown, lines = fitting(facts, line_of_fact)
    return Answer(joined([what], lines), {"facts": [fact_fields(fact) for fact in shown]})
