"""Who a Chinese clause may be about: nothing marks where a name ends, so every fair reading is offered, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Subject, kin_draft
from tkgmem.ingest.rules.en_subject import Context
from tkgmem.ingest.rules.zh_objects import TICKET, Line, is_name

_KIN_NAMES = "|".join(sorted(words.KIN, key=len, reverse=True))
_KIN = re.compile(rf"\s?的?\s?(?:大|二|小|亲)?(?P<kin>{_KIN_NAMES})(?P<is>的名字[叫是]|名?叫|是)?\s?")
_LATIN = re.compile(r"[A-ZÀ-Þ][A-Za-zÀ-ɏ'’.-]*(?: [A-ZÀ-Þ][A-Za-zÀ-ɏ'’.-]*){0,3}")
_JOIN = re.compile(r"\s?(?:和|与|跟|、|以及)\s?")
_TITLED = re.compile(rf"[\u4e00-\u9fff]{{1,3}}?(?:{words.TITLES})")
_THING = re.compile(
    r"(?P<o>(?:(?!显示|检测|明确|表示|发现|地址|时间|[\x00，。；我你您他她它【】看到])[\w &.-]){2,14}?)"
    r"(?=由|位于|坐落|隶属|属于|是[^\x00，。]{1,12}的一部分)"
)


class Opening(NamedTuple):
    """A reading of a clause's subject: who, the character after it, what it states by itself, who a pronoun will mean now."""

    subject: Subject
    after: int
    drafts: tuple[Draft, ...] = ()
    introduced: tuple[Name, str] | None = None


def subjects_at(line: Line, index: int, context: Context) -> Iterator[Opening]:
    """The subjects that may begin at a character of the line."""
    text = line.masked
    if text.startswith(("我们", "咱", "你", "您", "他们", "她们", "它们", "大家"), index):
        return
    if text.startswith(("我", "本人"), index):
        after = index + (1 if text[index] == "我" else 2)
        owner = Name(context.speaker) if context.speaker is not None else None
        yield from _relative(line, after, owner)
        yield Opening(Subject((owner,) if owner else (), "person"), after)
        return
    if text[index : index + 1] in ("他", "她", "它"):
        owner = context.referent(text[index])
        yield from _relative(line, index + 1, owner)
        yield Opening(Subject((owner,) if owner else (), "person"), index + 1)
        return
    if ticket := TICKET.match(text, index):
        yield Opening(Subject((line.name(*ticket.span("id")),), "ticket"), ticket.end())
        return
    yield from _named(line, index)
    if thing := _THING.match(text, index):
        yield Opening(Subject((line.name(*thing.span("o")),), "thing"), thing.end("o"))


def _named(line: Line, index: int) -> Iterator[Opening]:
    for after in _ends(line.masked, index):
        name = line.name(index, after)
        yield from _relative(line, after, name)
        names = [name]
        end = after
        if join := _JOIN.match(line.masked, end):
            for further in _ends(line.masked, join.end()):
                yield Opening(Subject((*names, line.name(join.end(), further)), "person"), further)
        yield Opening(Subject((name,), "person"), after)


def _ends(text: str, index: int) -> Iterator[int]:
    """Where a person's name that begins here may end."""
    if latin := _LATIN.match(text, index):
        if not (latin.group().isupper() and len(latin.group()) > 1):
            yield latin.end()
        return
    titled = _TITLED.match(text, index)
    if titled and is_name(titled.group()):
        yield titled.end()
    for length in (5, 4, 3, 2):
        if index + length <= len(text) and words.is_person(text[index : index + length]):
            yield index + length


def _relative(line: Line, index: int, owner: Name | None) -> Iterator[Opening]:
    """ "我姐姐倪若雪", "毕长青的女儿叫毕芽芽", "我 girlfriend Noor"."""
    found = _KIN.match(line.masked, index)
    if not found:
        return
    relation, gender = words.KIN[found["kin"]]
    for after in _ends(line.masked, found.end()):
        relative = line.name(found.end(), after)
        drafts = (kin_draft(owner, relation, relative),) if owner else ()
        yield Opening(Subject((relative,), "person"), after, drafts, (relative, gender))
