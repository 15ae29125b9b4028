"""English verbs into relations: what each verb asks of its subject and object, and what it then states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from tkgmem.ingest.rules.dates import Aspect, Draft, Mood, Name
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_objects import OBJECTS, is_group, through
from tkgmem.ingest.rules.en_text import Phrases

SubjectKind = Literal["person", "name", "ticket", "thing", "nobody"]
"""person: a first or third person or a relative; name: anything capitalised; thing: "the grant audit"."""


class Subject(NamedTuple):
    """Who a clause is about; no names when it is nobody we may speak of."""

    names: tuple[Name, ...]
    kind: SubjectKind


Result = tuple[list[Draft], int]


class Frame(NamedTuple):
    """`verb [through] object`. through: accepted words before the object, "" for none. kinds: of subject."""

    through: str
    object: str
    relation: str
    aspect: Aspect
    kinds: str = "person name"
    swap: bool = False


FRAMES: dict[str, tuple[Frame, ...]] = {
    "work": (
        Frame("at|for", "org", "WORKS_AT", "state"),
        Frame("as", "role", "HAS_ROLE", "state"),
        Frame("on", "project", "WORKS_ON", "state"),
    ),
    "intern": (Frame("at|with|for", "org", "WORKS_AT", "stint"),),
    "start": (Frame("at|with", "org", "WORKS_AT", "start"), Frame("as", "role", "HAS_ROLE", "start")),
    "practise": (Frame("at", "org", "WORKS_AT", "state"),),
    "practice": (Frame("at", "org", "WORKS_AT", "state"),),
    "teach": (Frame("at", "org", "WORKS_AT", "state"),),
    "serve": (Frame("as", "role", "HAS_ROLE", "state"),),
    "become": (Frame("", "known_role", "HAS_ROLE", "start"),),
    "promote/": (Frame("to", "role", "HAS_ROLE", "start"),),
    "live": (Frame("in", "place", "LIVES_IN", "state"),),
    "reside": (Frame("in", "place", "LIVES_IN", "state"),),
    "settle": (Frame("in", "place", "LIVES_IN", "start"),),
    "relocate": (Frame("to", "place", "LIVES_IN", "start"),),
    "bear/": (Frame("in", "place", "BORN_IN", "point"),),
    "enrol": (Frame("at|in", "org", "STUDIES_AT", "start"),),
    "enroll": (Frame("at|in", "org", "STUDIES_AT", "start"),),
    "enrol/": (Frame("at|in", "org", "STUDIES_AT", "state"),),
    "enroll/": (Frame("at|in", "org", "STUDIES_AT", "state"),),
    "graduate": (Frame("from", "org", "STUDIED_AT", "point"),),
    "visit": (Frame("", "spot", "VISITED", "point"),),
    "fly": (Frame("to", "spot", "VISITED", "point"),),
    "travel": (Frame("to", "spot", "VISITED", "point"),),
    "been": (Frame("to", "spot", "VISITED", "start"),),
    "manage": (Frame("", "unit", "MANAGES", "state"),),
    "lead": (Frame("", "unit", "MANAGES", "state"),),
    "head": (Frame("|up", "unit", "MANAGES", "state"),),
    "chair": (Frame("", "unit", "MANAGES", "state"),),
    "oversee": (Frame("", "unit", "MANAGES", "state"),),
    "supervise": (Frame("", "unit", "MANAGES", "state"),),
    "run": (Frame("", "unit", "MANAGES", "state"),),
    "manage/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "lead/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "run/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "head/": (Frame("by", "name", "MANAGES", "state", "name thing", swap=True),),
    "report": (Frame("to", "name", "REPORTS_TO", "state"),),
    "answer": (Frame("to", "name", "REPORTS_TO", "state"),),
    "found": (Frame("", "company", "FOUNDED", "start"),),
    "cofound": (Frame("", "company", "FOUNDED", "start"),),
    "co-found": (Frame("", "company", "FOUNDED", "start"),),
    "establish": (Frame("", "company", "FOUNDED", "start"),),
    "launch": (Frame("", "company", "FOUNDED", "start"),),
    "open": (Frame("|up", "company", "FOUNDED", "start"),),
    "found/": (Frame("by", "name", "FOUNDED", "start", "name thing", swap=True),),
    "possess": (Frame("", "thing", "OWNS", "state"),),
    "sell": (Frame("", "possession", "OWNS", "end"),),
    "buy": (Frame("", "bought", "BOUGHT", "point"),),
    "purchase": (Frame("", "bought", "BOUGHT", "point"),),
    "adopt": (Frame("", "animals", "HAS_PET", "start"),),
    "get": (Frame("", "animals", "HAS_PET", "start"),),
    "keep": (Frame("", "animals", "HAS_PET", "state"),),
    "like": (Frame("", "things", "LIKES", "state"),),
    "love": (Frame("", "things", "LIKES", "state"),),
    "enjoy": (Frame("", "things", "LIKES", "state"),),
    "adore": (Frame("", "things", "LIKES", "state"),),
    "dislike": (Frame("", "things", "DISLIKES", "state"),),
    "hate": (Frame("", "things", "DISLIKES", "state"),),
    "detest": (Frame("", "things", "DISLIKES", "state"),),
    "loathe": (Frame("", "things", "DISLIKES", "state"),),
    "prefer": (Frame("", "thing", "PREFERS", "state"),),
    "use": (Frame("", "names", "USES", "state"),),
    "speak": (Frame("", "languages", "SPEAKS", "state"),),
    "marry": (Frame("", "name", "MARRIED_TO", "start"),),
    "marry/": (Frame("to", "name", "MARRIED_TO", "state"),),
    "divorce": (Frame("", "name", "MARRIED_TO", "end"),),
    "divorce/": (Frame("from", "name", "MARRIED_TO", "end"),),
    "date": (Frame("", "name", "DATING", "state"),),
    "break": (Frame("up with", "name", "DATING", "end"),),
    "split": (Frame("up with", "name", "DATING", "end"),),
    "resign": (Frame("from", "employer", "WORKS_AT", "end"),),
    "retire": (Frame("from", "employer", "WORKS_AT", "end"),),
    "depart": (Frame("|from", "employer", "WORKS_AT", "end"),),
    "handle": (Frame("", "task", "ASSIGNED_TO", "state", swap=True),),
    "own": (Frame("", "ticket", "ASSIGNED_TO", "state", swap=True), Frame("", "thing", "OWNS", "state")),
    "take": (Frame("over|on", "ticket", "ASSIGNED_TO", "start", swap=True), Frame("part in", "event", "ATTENDED", "point")),
    "belong": (Frame("to", "group", "MEMBER_OF", "state"),),
    "end": (Frame("up at", "org", "WORKS_AT", "start"),),
    "assign/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket thing name"),),
    "reassign/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket thing name"),),
    "transfer/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket"),),
    "hand/": (Frame("to|over to", "assignee", "ASSIGNED_TO", "start", "ticket thing"),),
    "give/": (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket"),),
    "handle/": (Frame("by", "assignee", "ASSIGNED_TO", "state", "ticket thing"),),
    "own/": (Frame("by", "assignee", "ASSIGNED_TO", "state", "ticket"),),
    "locate/": (Frame("in|at", "name", "LOCATED_IN", "state", "name thing"),),
    "situate/": (Frame("in|at", "name", "LOCATED_IN", "state", "name thing"),),
    "know/": (Frame("as|also as", "name", "ALSO_KNOWN_AS", "state", "name person"),),
    "nickname/": (Frame("", "name", "ALSO_KNOWN_AS", "state", "name person"),),
    "rename/": (Frame("|to|as", "name", "ALSO_KNOWN_AS", "start", "name"),),
}
"""By verb; a passive has a slash behind it."""

_COPULA: tuple[Frame, ...] = (
    Frame("allergic to", "things", "ALLERGIC_TO", "state"),
    Frame("fluent in", "languages", "SPEAKS", "state"),
    Frame("married to", "name", "MARRIED_TO", "state"),
    Frame("friends with|good friends with|best friends with|close friends with", "name", "FRIEND_OF", "state"),
    Frame("fond of|really fond of|into", "things", "LIKES", "state"),
    Frame("a member of|part of", "group", "MEMBER_OF", "state"),
    Frame("part of", "org", "PART_OF", "state", "name thing"),
    Frame("in charge of", "unit", "MANAGES", "state"),
    Frame("responsible for", "task", "ASSIGNED_TO", "state", swap=True),
    Frame("a student at|enrolled at", "org", "STUDIES_AT", "state"),
    Frame("the manager of|the boss of|the head of", "unit", "MANAGES", "state"),
    Frame("the founder of|a founder of|a co-founder of", "company", "FOUNDED", "start"),
)


def apply(phrases: Phrases, group: Group, subject: Subject, frames: tuple[Frame, ...]) -> Result | None:
    """The drafts of the first frame that fits, or None."""
    for frame in frames:
        if frame.relation == "ASSIGNED_TO" and frame.aspect == "state" and group.mood == "past":
            continue  # "handled the audit" is over and says of no one when it was theirs
        begin = through(phrases, group.after, frame.through)
        if begin is None or (subject.kind not in frame.kinds and subject.kind != "nobody"):
            continue
        targets, after = OBJECTS[frame.object](phrases, begin)
        if targets:
            return [draft(frame, group, name, target) for name in subject.names for target in targets], after
    return None


def copula(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    """ "is allergic to", "is part of"."""
    return apply(phrases, group, subject, _COPULA)


def draft(frame: Frame, group: Group, source: Name, target: Name) -> Draft:
    """One statement of a frame; a swapped one makes the object its source."""
    aspect: Aspect = "start" if group.begins and frame.aspect == "state" else frame.aspect
    mood = "now" if group.mood == "going" and aspect == "state" else group.mood
    if frame.swap:
        source, target = target, source
    relation = frame.relation
    if relation == "WORKS_AT" and is_group(target.text):
        relation = "MEMBER_OF"
    return Draft(source, relation, target, aspect, mood)


class Said(NamedTuple):
    """A clause up to its verb. job: a job was spoken of earlier in the sentence."""

    phrases: Phrases
    group: Group
    subject: Subject
    job: bool


Handler = Callable[[Said], Result | None]


def every(subject: Subject, relation: str, targets: list[Name], aspect: Aspect, mood: Mood) -> list[Draft]:
    """One statement per subject and target."""
    return [Draft(source, relation, target, aspect, mood) for source in subject.names for target in targets]


def pair(subject: Subject, relation: str, old: Name | None, new: Name, group: Group) -> list[Draft]:
    """The old one ends where the new one begins. A person is not assigned but works on it: a project has room for several."""
    if relation == "ASSIGNED_TO" and subject.kind in ("person", "name"):
        relation = "WORKS_ON"
    drafts: list[Draft] = []
    for name in subject.names:
        if old:
            drafts.append(draft(Frame("", "", relation, "end"), group, name, old))
        drafts.append(draft(Frame("", "", relation, "start"), group, name, new))
    return drafts


def kin_draft(owner: Name, relation: str, name: Name) -> Draft:
    """ "my sister Ilka"; a relation with ~ runs from the relative to the owner."""
    if relation.startswith("~"):
        return Draft(name, relation[1:], owner, "state", "now")
    return Draft(owner, relation, name, "state", "now")
