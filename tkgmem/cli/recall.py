"""The verbs that find by words and by meaning: `search` for people and programs, `context` for language models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.read import clocks, ids_option
from tkgmem.cli.session import Session
from tkgmem.graph import Community, Entity, Episode, Hit, QueryTime, SearchResult

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

Function = TypeVar("Function", bound=Callable[..., Any])

_SCOPES = ("facts", "entities", "episodes", "communities")


def _options(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options as one, shown in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_filters = _options(
    click.option("--relation", "relations", multiple=True, metavar="NAME", help="Only facts of this relation; repeatable."),
    click.option("--source", metavar="NAME", help="Only facts about this."),
    click.option("--target", metavar="NAME", help="Only facts with this at the other end."),
    click.option(
        "--type", "types", multiple=True, metavar="TYPE", help="Only entities of this type, and facts about one; repeatable."
    ),
    click.option(
        "--attribute", "attributes", multiple=True, metavar="KEY=VALUE", help="Only what has this attribute; repeatable."
    ),
)
_ways = _options(
    click.option("--recipe", metavar="NAME", help="How to search and rank; an unknown name lists them."),
    click.option("--center", metavar="NAME", help="What is linked closely to this comes first."),
    click.option("--min-score", type=float, metavar="N", help="Nothing that scores less."),
    click.option("--no-query-time", is_flag=True, help="Take no time from the question itself."),
    click.option("--deadline-ms", type=click.FloatRange(0, min_open=True), metavar="N", help="Leave out what takes longer."),
    click.option("--explain", is_flag=True, help="Show the rank and score that each method gave, and what took how long."),
)

_no_log = click.option("--no-log", is_flag=True, help="Do not keep this question in the recall log (see `recalls`).")


@main.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="Hits of each kind.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(_SCOPES), help="Only this kind; repeatable. Communities only so."
)
@clocks
@click.option("--include-ended", is_flag=True, help="Also facts that do not hold at that time.")
@_filters
@_ways
@ids_option
@_no_log
@click.pass_obj
def search(session: Session, /, *, query: tuple[str, ...], explain: bool, ids: bool, no_log: bool, **given: Any) -> None:
    """Find by words and by meaning: facts, entities, texts.

    A time that the question speaks of is used, unless --valid-at or --no-query-time is given.

    \b
    tkgmem search "where does Maya live"
    tkgmem search 在哪里工作 --valid-at 2025 --scope facts
    tkgmem search "what does she do" --source Maya --relation WORKS_AT
    """
    asked = _asked(session, given) | ({"explain": True} if explain else {})
    with session.asking(log=not no_log) as memory:
        found = memory.search(" ".join(query), **asked)
    _remarks(session, found, explain)
    lines = [_line(scope, hit) for scope in _SCOPES for hit in getattr(found, scope)]
    session.show(found, lambda screen: _show(screen, found, ids=ids, explain=explain), lines=lines)


@main.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--max-tokens", type=click.IntRange(1), default=1600, show_default=True, help="At most so many, by estimate.")
@click.option("--style", default="plain", show_default=True, help="plain, simple (for weak models) or iso (dates as 2024-05).")
@clocks
@ids_option
@_no_log
@click.pass_obj
def context(
    session: Session,
    *,
    query: tuple[str, ...],
    max_tokens: int,
    style: str,
    valid_at: str | None,
    known_at: str | None,
    ids: bool,
    no_log: bool,
) -> None:
    """Print what a language model should read before it answers: facts with their dates, names, what was said.

    \b
    tkgmem context "where does Maya work" --max-tokens 400
    """
    with session.asking(log=not no_log) as memory:
        text = memory.context(
            " ".join(query),
            max_tokens=max_tokens,
            style=style,
            ids=ids,
            valid_at=session.moment(valid_at, "--valid-at"),
            known_at=session.moment(known_at, "--known-at"),
        )
    if not text:
        session.say("Nothing found.")

    def human(screen: Screen) -> None:
        for line in text.splitlines():
            screen.line(line)

    session.show({"context": text}, human)


def _asked(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Memory.search` that these options stand for; what is not given is left out."""
    filters = {
        "relations": list(given["relations"]),
        "entity_types": list(given["types"]),
        "source": given["source"],
        "target": given["target"],
        "attributes": _attributes(given["attributes"]),
    }
    asked = {
        "limit": given["limit"],
        "scopes": given["scopes"] or None,
        "valid_at": session.moment(given["valid_at"], "--valid-at"),
        "known_at": session.moment(given["known_at"], "--known-at"),
        "include_ended": given["include_ended"],
        "filters": {name: value for name, value in filters.items() if value} or None,
        "recipe": given["recipe"],
        "center": given["center"],
        "min_score": given["min_score"],
        "deadline_ms": given["deadline_ms"],
    }
    kept = {name: value for name, value in asked.items() if value is not None}
    return kept | ({"use_query_time": False} if given["no_query_time"] else {})


def _attributes(pairs: Sequence[str]) -> dict[str, list[object]]:
    """Each KEY=VALUE as its text, or as the number, truth or null that the text says. One key given twice: either value."""
    found: dict[str, list[object]] = {}
    for pair in pairs:
        key, mark, text = pair.partition("=")
        if not (key and mark):
            raise click.UsageError(f"--attribute takes KEY=VALUE, not {pair!r}")
        values = found.setdefault(key, [])
        values.append(text)
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if value is None or isinstance(value, bool | int | float):
            values.append(value)
    return found


def _remarks(session: Session, found: SearchResult, explain: bool) -> None:
    """What was done beyond the options, on stderr."""
    spoken: QueryTime | None = getattr(found, "query_time", None)
    if spoken is not None:
        start, end = (
            dates.short(bound, "day", session.settings.zone) if bound else "…"
            for bound in (spoken.valid_at, spoken.valid_until)
        )
        words = " ".join(spoken.words.split())
        session.say(f"Read as of {words!r} ({start} to {end}); --no-query-time turns this off.")
    late = [stage for stage in found.degraded if stage != "communities"]
    if late:
        session.say(f"Left out for want of time: {', '.join(late)}.")
    if "communities" in found.degraded:
        session.say("No communities are kept yet: `tkgmem communities --refresh`.")
    if explain:
        spent = ", ".join(f"{stage} {milliseconds:.1f} ms" for stage, milliseconds in found.timings.items())
        session.say(f"Time: {spent}.")


def _show(screen: Screen, found: SearchResult, *, ids: bool, explain: bool) -> None:
    facts = [hit.item for hit in found.facts]
    entities = [hit.item for hit in found.entities]
    episodes = [hit.item for hit in found.episodes]
    communities = [hit.item for hit in found.communities]
    if facts:
        screen.title("Facts")
        screen.facts(facts, ids=ids)
    if entities:
        screen.line(("Entities", "bold"))
        screen.entities(entities, ids=ids)
    if episodes:
        screen.title("Texts")
        screen.episodes(episodes, ids=ids)
    if communities:
        screen.title("Communities", zone=False)
        screen.communities(communities, ids=ids)
    if not (facts or entities or episodes or communities):
        screen.line("Nothing found.")
    elif explain:
        screen.line(("Why in this order", "bold"))
        _explain(screen, [hit for scope in _SCOPES for hit in getattr(found, scope)])


def _explain(screen: Screen, hits: Sequence[Hit[Any]]) -> None:
    """A row for each hit: its score, and the rank and score by each method."""
    methods = list(dict.fromkeys(name for hit in hits for name in (*hit.ranks, *hit.scores)))
    screen.table(
        ["hit", "score", *methods],
        ([_named(screen, hit.item), f"{hit.score:.4f}", *(_given(hit, method) for method in methods)] for hit in hits),
    )


def _named(screen: Screen, item: Any) -> str:
    if isinstance(item, Entity | Community):
        return item.name
    return " ".join(item.content.split())[:60] if isinstance(item, Episode) else screen.triple(item)


def _given(hit: Hit[Any], method: str) -> str:
    """The rank and the score by one method: "2nd" would be "2 (0.81)"."""
    rank, score = hit.ranks.get(method), hit.scores.get(method)
    shown = "" if score is None else f"{score:.3g}"
    if rank is None:
        return shown
    return f"{rank} ({shown})" if shown else str(rank)


def _line(scope: str, hit: Hit[Any]) -> dict[str, object]:
    scores = {"scores": hit.scores} if hit.scores else {}
    return {"scope": scope, "score": hit.score, "ranks": hit.ranks, **scores, "item": hit.item}
