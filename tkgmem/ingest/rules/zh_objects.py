"""What a Chinese predicate may be about: each check takes a stretch of characters and gives the names in it, or none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Name

TICKET = re.compile(r"(?:工单|任务|需求|缺陷|ticket|bug|issue)?\s?(?P<id>[A-Z][A-Z0-9]{0,9}-\d{1,7})")
_LETTER = "A-Za-zÀ-ɏ0-9'’.+-"
_LATIN = re.compile(rf"[A-ZÀ-Þ][{_LETTER}]*(?: (?:&|[A-ZÀ-Þ0-9][{_LETTER}]*|of|de|van|von)){{0,5}}")
_CALLED = re.compile(r"(?:名?叫|名为)(?P<o>.{1,12}?)的.{1,8}")
_SEPARATOR = re.compile(r"[、]|(?<=\S) ?(?:以及|[和与及]) ?(?=\S)")
_AIMED = re.compile(r"[去来到回送做吃喝用看等寄发要会跟和与]|起来|下来|单\Z|票\Z")
_VERBAL = re.compile(r"[是在把被让给]|但|已经|因为|所以|如果|一下|起来|过来|下来|出来")
_OLDER = re.compile(r"(?:旧版|新版|老版|旧|原来|之前|以前|那个|自带)的?(?=.{2})")
_WHOSE = re.compile(r"(?:我们|他们|我|他|她)的?(?=.{2})")
_NO_PRONOUN = re.compile(r"吉他|阿那亚|那拉提|那曲|那不勒斯")
_CROWD = re.compile(r"(?:[一二两三四五六七八九十几\d]{1,3}[个名]?)?人的")
_WEAK = re.compile(
    r"[室院房间屋门楼区店场坑圈班级届代队社会群组国家人妈爸姐妹哥弟友们界史方型类路一二三]\Z|[、，]|第|今|年|最|同"
)
_QUOTES = frozenset('“”‘’「」『』【】《》"')


class Line(NamedTuple):
    """A sentence with its dates masked, and where it begins in the content."""

    masked: str
    base: int

    def name(self, first: int, after: int) -> Name:
        """The trimmed characters [first, after) of the line as a name with its place in the content."""
        text = self.masked[first:after]
        first += len(text) - len(text.lstrip(" “”「」『』《》\"'"))
        text = text.strip(" “”「」『』《》\"'")
        return Name(text, self.base + first, self.base + first + len(text))


def is_name(text: str) -> bool:
    """A person's name in Chinese characters, or a capitalised one in Latin letters."""
    return words.is_person(text) or _LATIN.fullmatch(text) is not None


def _named(text: str) -> bool:
    """A name where the words around it leave no doubt that it is one."""
    return (
        is_name(text)
        or words.may_be_person(text)
        or (2 <= len(text) <= 3 and text[0] in words.SURNAMES and text.isalpha() and text not in words.NOT_PEOPLE)
    )


def _tool(text: str) -> bool:
    return _product(text) or (2 <= len(text) <= 6 and _clean(text, 6) and text.isalpha() and not set(text) & set("的新别其了"))


def _product(text: str) -> bool:
    return _clean(text, 20) and words.PRODUCT.fullmatch(text) is not None and "的" not in text


def targets(line: Line, span: tuple[int, int], check: str) -> list[Name]:
    """The names in a span that pass a check; none if any part fails."""
    first, after = span if check == "name" else _without_measure(line.masked, *span)
    if line.masked.startswith("的", first) and line.masked[first - 1 : first] in ("\x00", " "):
        first += 1  # "去年的书展": the date was masked
    if check in ("things", "thing", "animal", "any"):
        called = _CALLED.fullmatch(line.masked, first, after)
        if called:
            return [line.name(*called.span("o"))]
    if check in ("org", "firm") and (of := line.masked.rfind("的", first, after)) > 0 and _site(line.masked[first:of]):
        first = of + 1  # "永嘉路的蓝调咖啡"
    if check == "thing" and 0 < line.masked.rfind("的", first, after) < after - 2:
        first = line.masked.rfind("的", first, after) + 1
    if check in ("tool", "product") and (older := _OLDER.match(line.masked, first, after)):
        first = older.end()
    if check == "event" and (whose := _WHOSE.match(line.masked, first, after)):
        first = whose.end()
    if check in ("person", "assignee"):
        first = _past_role(line.masked, first, after)
    if check == "role":
        first = max(first, line.masked.rfind("的", first, after) + 1)
    spans = parts(line.masked, first, after) if check in ("things", "person", "assignee", "race", "goods") else [(first, after)]
    names = [line.name(first + line.masked.startswith("一点", first) * 2, after) for first, after in spans]
    return names if all(name.text and "\x00" not in name.text and _CHECKS[check](name.text) for name in names) else []


def _past_role(masked: str, first: int, after: int) -> int:
    """Where the name begins in "运营副总裁耿向晚", "师妹祝青青"."""
    for size in (2, 3, 4):
        cut = after - size
        if cut - first >= 2 and is_name(masked[cut:after]):
            before = masked[first:cut].rstrip("的")
            if before in words.KIN or words.ROLE.fullmatch(before) or words.OF_UNIT.fullmatch(before):
                return cut
    return first


def _without_measure(masked: str, first: int, after: int) -> tuple[int, int]:
    found = words.MEASURE.match(masked, first, after)
    first = found.end() if found and found.end() < after else first
    crowd = _CROWD.match(masked, first, after)
    return (crowd.end(), after) if crowd and crowd.end() < after else (first, after)


def parts(masked: str, first: int, after: int) -> list[tuple[int, int]]:
    """The spans of what commas and "和" join."""
    found: list[tuple[int, int]] = []
    for separator in _SEPARATOR.finditer(masked, first, after):
        found.append((first, separator.start()))
        first = separator.end()
    return [*found, (first, after)]


def _clean(text: str, longest: int) -> bool:
    plain = _NO_PRONOUN.sub("", text)
    return len(text) <= longest and words.PRONOUN_CHARS.isdisjoint(plain) and text not in words.GENERIC


def _org(text: str) -> bool:
    if not _clean(text, 20) or len(text) < 2 or "的" in text or _VERBAL.search(text):
        return False
    if re.search(r"[一二三四五六七八九十附高初]中\Z|(?:乡|社区)\Z", text):
        return True
    return text not in words.PLACES and text[-1] not in "市省县区国村镇里上下中边" and not text.startswith("一")


def _firm(text: str) -> bool:
    return _org(text) and len(text) >= 3 and (words.FIRM.fullmatch(text) is not None or _LATIN.fullmatch(text) is not None)


def _site(text: str) -> bool:
    return _place(text) and (
        text in words.PLACES or words.SITE.fullmatch(text) is not None or re.search(r"[A-Za-z]?\d|[A-Z]", text) is not None
    )


def _known_place(text: str) -> bool:
    """A place of the list, or two of them ("新疆喀什")."""
    plain = text.removesuffix("市")
    return plain in words.PLACES or any(
        plain[:cut].rstrip("省市") in words.PLACES and plain[cut:] in words.PLACES for cut in (2, 3)
    )


def is_club(text: str) -> bool:
    """Whether a name is that of a club or the like, and not of a firm."""
    return words.GROUP.fullmatch(text) is not None and not _firm(text)


def _school(text: str) -> bool:
    return _org(text) and (
        re.search(r"[大中小]学|学院|大附|书院|一中|二中|[A-Z]|校|研究所|研究院|幼儿园|托儿所|\d+中\Z|附中", text) is not None
    )


def _place(text: str) -> bool:
    return _clean(text, 12) and len(text) >= 2 and "的" not in text and not _VERBAL.search(text)


def _spot(text: str) -> bool:
    return _place(text) and (
        text in words.PLACES or words.SPOT.fullmatch(text) is not None or _LATIN.fullmatch(text) is not None
    )


def _role(text: str) -> bool:
    return (
        len(text) <= 20
        and words.PRONOUN_CHARS.isdisjoint(text)
        and words.ROLE.fullmatch(text) is not None
        and not _VERBAL.search(text)
    )


def _thing(text: str) -> bool:
    return (
        _clean(text, 12) and not _VERBAL.search(text) and _QUOTES.isdisjoint(text) and not text.startswith(("的", "上了", "了"))
    )


def _task(text: str) -> bool:
    return _thing(text) and len(text) >= 2 and not text.startswith(("周", "星期"))


_CHECKS: dict[str, Callable[[str], bool]] = {
    "org": _org,
    "firm": _firm,
    "club": lambda text: _org(text) and is_club(text),
    "team": lambda text: _clean(text, 16) and words.TEAM.fullmatch(text) is not None,
    "site": _site,
    "known_place": _known_place,
    "employer": lambda text: (
        _firm(text) or (_org(text) and len(text) >= 4 and text[-1] not in "室院房间屋门楼区店场坑圈班级届代队社会群组国家人")
    ),
    "employer_of": lambda text: _firm(text) or (_org(text) and len(text) >= 4 and not _WEAK.search(text)),
    "race": lambda text: _clean(text, 20) and len(text) >= 4 and words.RACE.fullmatch(text) is not None,
    "gear": lambda text: _thing(text) and 2 <= len(text) <= 8,
    "school": _school,
    "college": lambda text: _org(text) and re.search(r"大学\Z|学院\Z|[一二三四五六七八九十]中\Z|[中小]学\Z", text) is not None,
    "place": _place,
    "spot": _spot,
    "role": _role,
    "person": _named,
    "assignee": lambda text: _named(text) or (_org(text) and words.UNIT.fullmatch(text) is not None),
    "name": lambda text: _clean(text, 16) and not _VERBAL.search(text),
    "unit": lambda text: _clean(text, 14) and len(text) >= 2 and (words.UNIT.fullmatch(text) is not None or is_name(text)),
    "thing": _thing,
    "goods": lambda text: _thing(text) and 2 <= len(text) <= 10 and "的" not in text and not _AIMED.search(text),
    "things": lambda text: _thing(text) or (text in words.GENERIC and text not in words.HERE),
    "task": _task,
    "animal": lambda text: words.ANIMAL.fullmatch(text) is not None and not re.match(r"一.{1,3}[一两]", text),
    "product": _product,
    "tool": _tool,
    "app": lambda text: _tool(text) and not re.search(r"(?:时间|[手笔钱纸刀]|电脑|手机|心|力|方式|方法|话)\Z", text),
    "software": lambda text: _product(text) and not re.search(r"(?:手机|相机|[A-Z].*)\Z", text),
    "event": lambda text: _clean(text, 20) and words.EVENT.fullmatch(text) is not None,
    "owned": lambda text: (
        _clean(text, 14)
        and re.search(
            r"(?:车|房|房子|公寓|船|艇|别墅|钢琴|吉他|提琴|古筝|相机|摩托|电脑|店|手机|平板|望远镜|无人机|果园"
            r"|农场|帐篷|自行车|茶园|鱼塘|铺子|院子|木屋|机)\Z",
            text,
        )
        is not None
    ),
    "any": bool,
}
