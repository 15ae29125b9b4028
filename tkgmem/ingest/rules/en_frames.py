"""English verbs into relations: what each verb asks of its subject and object, and what it then states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from tkgmem.ingest.rules.dates import Aspect, Draft, Mood, Name
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_kinds import is_project, is_site
from tkgmem.ingest.rules.en_objects import OBJECTS, through
from tkgmem.ingest.rules.en_text import Phrases

SubjectKind = Literal["person", "name", "ticket", "thing", "site", "project", "nobody"]
"""person: a first or third person or a relative; name: anything capitalised; thing: "the grant audit"; site, project: Chinese.

A frame may also ask for a "site": a name or thing that stands somewhere, such as an organisation or a numbered unit."""


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


def apply(phrases: Phrases, group: Group, subject: Subject, frames: tuple[Frame, ...]) -> Result | None:
    """The drafts of the first frame that fits, or None."""
    for frame in frames:
        if frame.relation == "ASSIGNED_TO" and frame.aspect == "state" and group.mood == "past":
            continue  # "handled the audit" is over and says of no one when it was theirs
        begin = through(phrases, group.after, frame.through)
        if begin is None or not _fits(frame, subject):
            continue
        targets, after = OBJECTS[frame.object](phrases, begin)
        if targets:
            return [draft(frame, group, name, target) for name in subject.names for target in targets], after
    return None


def _fits(frame: Frame, subject: Subject) -> bool:
    """Whether a frame may speak of this subject; a name that says it is an organisation is no person."""
    kinds = frame.kinds.split()
    sites = bool(subject.names) and all(is_site(name.text) for name in subject.names)
    if "project" in kinds and subject.kind in ("name", "thing"):
        return bool(subject.names) and all(is_project(name.text) for name in subject.names)
    if "site" in kinds and subject.kind in ("name", "thing"):
        return sites or subject.kind in kinds
    if frame.relation == "USES" and subject.kind == "thing":
        return sites  # "the design team uses Figma"
    if subject.kind == "name" and kinds == ["person"]:
        return not sites and all(" " in name.text or frame.relation != "LIVES_IN" for name in subject.names)
    return subject.kind in kinds or subject.kind == "nobody"


def draft(frame: Frame, group: Group, source: Name, target: Name) -> Draft:
    """One statement of a frame; a swapped one makes the object its source."""
    aspect: Aspect = "start" if group.begins and frame.aspect == "state" else frame.aspect
    mood = "now" if group.mood == "going" and aspect == "state" else group.mood
    if frame.relation == "ALSO_KNOWN_AS" and mood in ("past", "over"):
        mood = "now"  # a former name is still a name
    if frame.swap:
        source, target = target, source
    return Draft(source, frame.relation, target, aspect, mood)


class Said(NamedTuple):
    """A clause up to its verb. job: a job was spoken of earlier in the sentence. learners: children named so far.
    ticket: the one that "it" may be."""

    phrases: Phrases
    group: Group
    subject: Subject
    job: bool
    learners: frozenset[str] = frozenset()
    speaker: str | None = None
    ticket: Name | None = None


Handler = Callable[[Said], Result | None]


def every(subject: Subject, relation: str, targets: list[Name], aspect: Aspect, mood: Mood) -> list[Draft]:
    """One statement per subject and target."""
    return [Draft(source, relation, target, aspect, mood) for source in subject.names for target in targets]


def pair(subject: Subject, relation: str, old: Name | None, new: Name, group: Group) -> list[Draft]:
    """The old one ends where the new one begins. A person is not assigned but works on it: a project has room "
    "for several."""
    if relation == "ASSIGNED_TO" and subject.kind in ("person", "name"):
        relation = "WORKS_ON"
    drafts: list[Draft] = []
    for name in subject.names:
        if old:
            drafts.append(draft(Frame("", "", relation, "end"), group, name, old))
        drafts.append(draft(Frame("", "", relation, "start"), group, name, new))
    return drafts
