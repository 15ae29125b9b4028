"""English verbs that hand things over: tickets between people, people between projects, homes and belongings for others."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Mood, Name
from tkgmem.ingest.rules.en_frames import Frame, Handler, Result, Said, Subject, apply, every, pair
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_kinds import is_org, is_project
from tkgmem.ingest.rules.en_objects import is_group, through
from tkgmem.ingest.rules.en_places import is_place, sounds_like_place
from tkgmem.ingest.rules.en_text import Phrases

_TOOL_WORDS = words.closed(
    "notes note app apps tool tools software editor browser tasks budgeting invoicing invoices tracking calendar email "
    "emails messaging sync syncs passwords hosting backups files docs spreadsheets planning scheduling phone laptop"
)
_HOME_WORDS = words.closed(
    "flat apartment house home family parents husband wife partner kids children school university city town village "
    "country sea coast mountains weather rent cottage neighbourhood neighborhood closer"
)


def _move(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    ticket = phrases.ticket(group.after)
    if ticket and group.voice == "active":
        return _ticket_to(phrases, Subject((ticket[0],), "ticket"), ticket[1], group.mood)
    team = subject.kind == "thing" and all(is_team(name.text) for name in subject.names)
    if subject.kind in ("ticket", "thing") and not team:
        return _ticket_to(phrases, subject, group.after, group.mood)
    return _moved_out(said) or _migrated(said) or _moved(said)


def _moved_out(said: Said) -> Result | None:
    """ "moved out of Leipzig"."""
    phrases, group, subject = said[:3]
    left = through(phrases, group.after, "out of|away from")
    home = phrases.name(left) if left else None
    if home is None or phrases.low(home[1]) == "to":
        return None
    return every(subject, "LIVES_IN", [home[0]], "end", "past" if group.mood == "over" else group.mood), home[1]


def _moved(said: Said) -> Result | None:
    """ "moved to Turin", "moved from Castellan Bank to Redwood Capital", "was moved from Delta to Echo"."""
    phrases, group, subject = said[:3]
    begin = group.after + (phrases.low(group.after) in ("back", "away", "out", "over"))
    source = phrases.titled(begin + 1) if phrases.low(begin) == "from" else None
    region = source is not None and phrases.low(source[1]) == ","
    begin = _past_region(phrases, source[1]) if source else begin
    if phrases.low(begin) != "to" or not (target := phrases.titled(begin + 1)):
        return None
    if group.voice == "passive" and not source:
        return None
    after = _past_region(phrases, target[1])
    relation = (
        "ASSIGNED_TO"
        if group.voice == "passive"
        else _moved_to(source[0].text if source else "", target[0].text, said, region=region or after > target[1])
    )
    drafts = pair(subject, relation, source[0] if source else None, target[0], group) if relation else []
    return (drafts, after) if drafts else None


def _migrated(said: Said) -> Result | None:
    """ "moved my notes from Jotbox to Leaflet"."""
    phrases, group, subject = said[:3]
    thing = phrases.thing(group.after) if phrases.low(group.after) in words.POSSESSIVES else None
    if thing is None and phrases.low(group.after) not in ("everything", "all"):
        return None
    begin = thing[1] if thing else group.after + 1
    old = phrases.name(begin + 1) if phrases.low(begin) == "from" else None
    new = phrases.name(old[1] + 1) if old and phrases.low(old[1]) == "to" else None
    return (pair(subject, "USES", old[0], new[0], group), new[1]) if old and new else None


def _past_region(phrases: Phrases, index: int) -> int:
    """The index behind ", Sweden," where a place stands there."""
    named = phrases.name(index + 1) if phrases.low(index) == "," else None
    if named is None or not sounds_like_place(named[0].text):
        return index
    return named[1] + (phrases.low(named[1]) == ",")


def _moved_to(source: str, target: str, said: Said, *, region: bool) -> str:
    """Whether a move is one of job, tool or home; "" where nothing tells: no known place, organisation, team or house."""
    job = is_org(target) or (source != "" and is_org(source)) or said.job
    if job and not is_place(target):
        return "WORKS_AT"
    place = region or sounds_like_place(target) or (source != "" and sounds_like_place(source))
    if place:
        return "LIVES_IN"
    if said.subject.names and all(is_team(name.text) for name in said.subject.names):
        return "USES" if source else ""
    rest = {token.low for token in said.phrases.tokens[said.group.after :]}
    tool, home = not rest.isdisjoint(_TOOL_WORDS), not rest.isdisjoint(_HOME_WORDS)
    if tool != home:
        return "USES" if tool else "LIVES_IN"
    return "" if source else "LIVES_IN"


def is_team(name: str) -> bool:
    """Whether a name or thing is a team, a unit or an organisation, which changes tools and not homes."""
    return is_group(name) or is_org(name)


def _ticket_to(phrases: Phrases, subject: Subject, index: int, mood: Mood) -> Result | None:
    group = Group("move", mood, "active", index)
    old = None
    if phrases.low(index) == "from":
        source = phrases.titled(index + 1)
        if not source:
            return None
        old, index = source
    if phrases.low(index) != "to":
        return None
    if (state := status_at(phrases, index + 1)) and not (old and _is_status(old.text) is False):
        return every(subject, "HAS_STATUS", [state[0]], "start", mood), state[1]
    target = phrases.titled(index + 1)
    if not target:
        return None
    return pair(subject, "ASSIGNED_TO", old, target[0], group), target[1]


def _is_status(text: str) -> bool:
    return "".join(text.lower().split()) in words.STATUSES or not words.STATUSES.isdisjoint(
        text.lower().replace("-", " ").split()
    )


def status_at(phrases: Phrases, index: int) -> tuple[Name, int] | None:
    """ "In Review", "done", "ready for QA": up to three words of which one is a state."""
    begin = index = index + (phrases.low(index) in ("the", '"', "'"))
    while index < begin + 3 and index < len(phrases.tokens) and phrases.tokens[index].word and _part_of_status(phrases, index):
        index += 1
    if index == begin or not any(phrases.low(at) in words.STATUSES for at in range(begin, index)):
        return None
    return phrases.span(begin, index), index


def _part_of_status(phrases: Phrases, index: int) -> bool:
    low = phrases.low(index)
    return (
        low in words.STATUSES
        or phrases.tokens[index].capital
        or (low in ("in", "to", "on") and phrases.low(index + 1) in words.STATUSES)
    )


def ticket_noted(phrases: Phrases, index: int, ticket: Subject) -> Result | None:
    """ "CORE-410 in progress (Ana)", "CORE-411: done": what a list says of a ticket without a verb."""
    index += phrases.low(index) in (":", "-", "–", "—", "=", "(")
    state = status_at(phrases, index)
    if state is None:
        return None
    drafts = every(ticket, "HAS_STATUS", [state[0]], "state", "now")
    held = phrases.name(state[1] + 1) if phrases.low(state[1]) == "(" else None
    if held and phrases.low(held[1]) == ")":
        return [*drafts, *every(ticket, "ASSIGNED_TO", [held[0]], "state", "now")], held[1] + 1
    return drafts, state[1]


def _assign(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    ticket = phrases.ticket(group.after) if group.voice == "active" else None
    held = Subject((ticket[0],), "ticket") if ticket else subject
    begin = ticket[1] if ticket else group.after
    if group.lemma == "transfer" and group.voice == "active" and subject.kind in ("person", "name") and not ticket:
        return _move(said._replace(job=True))
    if held.kind == "person" or (held.kind == "nobody" and not ticket):
        return None
    begin += phrases.low(begin) == "over"
    old = phrases.titled(begin + 1) if phrases.low(begin) == "from" else None
    begin = old[1] if old else begin
    new = phrases.titled(begin + 1) if phrases.low(begin) == "to" else None
    if not new or (held.kind == "name" and group.voice == "active"):
        return None
    # "Priya was assigned to Echo": a name is a person, who works on it; others may too.
    relation = "WORKS_ON" if held.kind == "name" else "ASSIGNED_TO"
    drafts: list[Draft] = []
    for name in held.names:
        if old:
            drafts.append(Draft(name, relation, old[0], "end", group.mood))
        drafts.append(Draft(name, relation, new[0], "start", _present(group)))
    return drafts, new[1]


def _present(group: Group) -> Mood:
    return "past" if group.mood in ("now", "past") else group.mood


def _trade(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    begin = group.after + (phrases.low(group.after) == "in")
    old = phrases.thing(begin) if phrases.low(begin) in words.POSSESSIVES else None
    if not old or phrases.low(old[1]) != "for" or not (new := phrases.thing(old[1] + 1)):
        return None
    return pair(subject, "OWNS", old[0], new[0], group), new[1]


def is_task(subject: Subject) -> bool:
    """Whether a clause is about tickets or projects; "the report" could be any."""
    named = all(is_project(name.text) and (" " in name.text or name.text[0].isupper()) for name in subject.names)
    return subject.kind == "ticket" or (subject.kind in ("thing", "name") and bool(subject.names) and named)


def _state_of_ticket(said: Said) -> Result | None:
    """ "closed WEB-77", "closed it", "WEB-77 was merged"."""
    phrases, group, subject = said[:3]
    word = phrases.span(group.after - 1, group.after)
    if group.voice == "passive" and is_task(subject):
        return every(subject, "HAS_STATUS", [word], "start", _present(group)), group.after
    ticket = phrases.ticket(group.after)
    if said.ticket and phrases.low(group.after) == "it":
        ticket = said.ticket, group.after + 1
    if group.voice == "active" and ticket and group.mood == "past":
        return [Draft(ticket[0], "HAS_STATUS", word, "start", group.mood)], ticket[1]
    return None


def _mark(said: Said) -> Result | None:
    """ "marked T-12 as done", "T-12 was set to blocked"."""
    phrases, group, subject = said[:3]
    ticket = phrases.ticket(group.after) if group.voice == "active" else None
    held = Subject((ticket[0],), "ticket") if ticket else subject
    begin = ticket[1] if ticket else group.after
    begin += phrases.low(begin) in ("as", "to")
    state = status_at(phrases, begin)
    if not state or not is_task(held):
        return None
    return every(held, "HAS_STATUS", [state[0]], "start", _present(group)), state[1]


def _work(said: Said) -> Result | None:
    """ "is working on T-12": a ticket has one who works on it."""
    phrases, group, subject = said[:3]
    ticket = phrases.ticket(group.after + 1) if phrases.low(group.after) == "on" else None
    if not ticket and phrases.at(group.after, "on", "the"):
        task = phrases.thing(group.after + 2)
        ticket = task if task and is_project(task[0].text) else None
    if phrases.low(group.after) in ("in", "on", "behind") and phrases.low(group.after + 1) == "the":
        spot = phrases.thing(group.after + 2, longest=2)  # "work in the kitchen at the Old Mill Inn"
        at = Frame("at|of|for", "org", "WORKS_AT", "state")
        if spot and not ticket and (found := apply(phrases, group._replace(after=spot[1]), subject, (at,))):
            return found
    if phrases.low(group.after) in ("with", "alongside") and (colleague := phrases.name(group.after + 1)):
        return apply(phrases, group._replace(after=colleague[1]), subject, (Frame("at", "org", "WORKS_AT", "state"),))
    if not ticket or group.mood not in ("now", "going"):
        return None
    return [Draft(ticket[0], "ASSIGNED_TO", name, "state", "now") for name in subject.names], ticket[1]


def _remain(said: Said) -> Result | None:
    """ "remains blocked", "stays in review"."""
    phrases, group, subject = said[:3]
    state = status_at(phrases, group.after) if group.mood == "now" else None
    task = subject.kind == "ticket" or (subject.kind != "person" and all(is_project(name.text) for name in subject.names))
    return (every(subject, "HAS_STATUS", [state[0]], "state", "now"), state[1]) if state and task else None


MOVES: dict[str, Handler] = {
    "move": _move,
    "assign": _assign,
    "reassign": _assign,
    "transfer": _assign,
    "migrate": _move,
    "trade": _trade,
    "hand": _assign,
    "pass": _assign,
    "mark": _mark,
    "set": _mark,
    "put": _mark,
    "work": _work,
    **dict.fromkeys(("remain", "stay"), _remain),
    **dict.fromkeys(("close", "resolve", "merge", "reopen", "complete", "finish", "block"), _state_of_ticket),
}
"""By verb."""
