"""Chinese statements about names and ties: nicknames, named pets, relatives named late "
"("我老公是程序员，叫陆川"), pairs."""

from __future__ import annotations

import re
from typing import NamedTuple

from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Aspect, Draft, Mood, Name
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_kin import Context, Relative, kin_draft
from tkgmem.ingest.rules.zh_objects import Line, is_name, parts

_WHO = r"(?P<who>[^\x00，。]{1,8}?)"
_O = r"(?P<o>[^\x00，。]{1,8})"
_CALLERS = (
    r"(?:大家|同事们?|朋友们?|人们|家人|家里人|同学们?|队友们?|邻居们?|学生们?|学员们?|孩子们?|大伙儿?"
    r"|亲戚们?|网友们?|街坊(?:邻居)?|圈[内里]人?|[部班村组队院店][门里]{1,2}(?:的?人)?|公司里(?:的?人)?|粉丝们?|我们"
    r"|他们|身边的人)"
)
_NICKNAME = re.compile(
    rf"{_CALLERS}(?:都|习惯|一般|平时|总|喜欢|私下){{0,3}}(?:管|把) ?{_WHO} ?(?:叫|称|喊)(?:做|为|作)? ?{_O}\Z"
)
_CALLED_BY = re.compile(
    rf"{_CALLERS}(?:一般|平时|都|习惯|喜欢){{0,2}}(?:叫|喊|称|称呼)(?P<who>我|他|她|[^\x00，。]{{2,8}}?)(?:为"
    rf"|做|作)?(?P<o>[^\x00，。]{{2,6}})\Z"
)
_PET_NAME = re.compile(
    r"(?:它的?|名字|取名|起名|给它(?:取|起)(?:了个)?名(?:字)?|(?:另)?(?:外)?(?:一|那|这)[只条个匹]"
    r"|[大小老公母黑白黄橘花灰][的一个只]{1,2}|名|小名"
    r"|大名){0,2}(?:的?名字)?(?:叫|是|为)(?:做|作)? ?"
    r"(?P<o>[^\x00，。；的]{1,8})\Z"
)
_KIN_NAME = re.compile(
    r"(?:老[大二三]|[大小]的|一个|另一个|[姐妹哥弟]{2})?(?:(?:他|她|名字|小名|名"
    r"|大名)的?)?(?:名字)?(?:就)?(?:叫|名叫|叫做|名字是) ?(?P<o>[^\x00，。；的了]{2,6})\Z"
)
_HAS_KIN = re.compile(
    r"(?:还)?有(?:了)? ?(?:[一两二三个名位]{1,2}) ?(?:双胞胎|亲)?(?P<kin>女儿|儿子|姐姐|妹妹|哥哥|弟弟|孩子"
    r"|闺女|女朋友|男朋友)"
    r"(?:[，,]? ?(?:名?叫|名字叫) ?(?P<o>[^\x00，。；的]{2,12}))?\Z"
)
_IS_KIN = re.compile(
    rf"(?:就)?是 ?(?P<who>我|他|她|[^\x00，。我你他她]{{1,8}}?) ?的?(?:最好的|多年的?|大|小|二|亲|双胞胎|好"
    rf"|大学|老)?(?P<kin>{'|'.join(sorted(words.KIN, key=len, reverse=True))})\Z"
)
_PAIR = re.compile(
    r"(?:是)?(?:一对|双胞胎|孪生|亲|同胞|多年的?|大学时的?|认识多年的?|很要好的|最好的|大学)?(?P<what>好朋友"
    r"|老朋友|朋友|好友|老友|挚友|知己|铁哥们|闺蜜|死党|发小|夫妻|夫妇"
    r"|情侣|恋人|姐妹|兄弟|兄妹|姐弟|结婚|结的婚|领证|离婚|离了|结为夫妻|领了证|分手|在一起|在交往|交往)[了啦]?[\s\x00]*\Z"
)
_PAIRED: dict[str, tuple[str, Aspect, Mood]] = {
    **dict.fromkeys(
        ("老友", "挚友", "知己", "铁哥们", "好朋友", "老朋友", "朋友", "好友", "闺蜜", "死党", "发小"),
        ("FRIEND_OF", "state", "now"),
    ),
    **dict.fromkeys(("姐妹", "兄弟", "兄妹", "姐弟"), ("SIBLING_OF", "state", "now")),
    **dict.fromkeys(("夫妻", "夫妇"), ("MARRIED_TO", "state", "now")),
    **dict.fromkeys(("情侣", "恋人", "交往", "在交往"), ("DATING", "state", "now")),
    "结婚": ("MARRIED_TO", "start", "past"),
    "结的婚": ("MARRIED_TO", "start", "past"),
    "结为夫妻": ("MARRIED_TO", "start", "past"),
    "领了证": ("MARRIED_TO", "start", "past"),
    "离了": ("MARRIED_TO", "end", "past"),
    "领证": ("MARRIED_TO", "start", "past"),
    "离婚": ("MARRIED_TO", "end", "past"),
    "分手": ("DATING", "end", "past"),
    "在一起": ("DATING", "start", "past"),
}


_ALIASED = re.compile(
    r"(?:\A|(?<=[，,；;：:。]))[\s\x00]*(?:我叫"
    r"|我是)?(?P<who>[\u4e00-\u9fffA-Za-z][\u4e00-\u9fffA-Za-z0-9·.' -]{0,18}?)\s?[（(]"
    r"(?P<key>(?:以下|下称|也)?(?:原名|又名|英文名|中文名|小名|简称|花名|昵称|绰号|外号|人称|曾用名|笔名|艺名"
    r"|网名|别名|又叫|也叫|aka|a\.k\.a\.?|即)(?:[是为叫]|：|:)?\s?)?"
    r"[“「\"']?(?P<o>[\u4e00-\u9fffA-Za-z][\u4e00-\u9fffA-Za-z0-9·.' -]{0,18}?)[”」\"']?[）)]"
)


class Found(NamedTuple):
    """What a clause states and who it is about; understood: it was read to its end."""

    drafts: list[Draft]
    subject: Subject | None
    understood: bool


def without_aliases(line: Line) -> tuple[Line, list[Draft]]:
    """ "星河计划（原名月光计划）", "李明（Li Ming）": the aliases, and the line with the brackets blanked."""
    drafts: list[Draft] = []
    masked = line.masked
    for found in _ALIASED.finditer(line.masked):
        who, other = line.name(*found.span("who")), line.name(*found.span("o"))
        person = is_name(who.text)
        scripts = who.text.isascii() != other.text.isascii()
        named = person and scripts and is_name(other.text)
        if not (named or (found["key"] and (person or len(who.text) >= 4))) or found["key"] == "即":
            continue
        drafts.append(Draft(who, "ALSO_KNOWN_AS", other, "state", "now", undated=True))
        first, after = found.end("who"), found.end()
        masked = masked[:first] + " " * (after - first) + masked[after:]
    return Line(masked, line.base), drafts


def nicknamed(line: Line, begin: int, context: Context) -> Found | None:
    """ "大家都管芮小满叫阿满", "同事们都叫蔡明远老蔡"."""
    called = _NICKNAME.match(line.masked, begin)
    span = called.span("who") if called else (0, 0)
    if called is None:
        called = _CALLED_BY.match(line.masked, begin)
        if called is None:
            return None
        first, after = called.span("who")
        end = called.end("o")
        fitting = [cut for cut in range(min(first + 4, end - 2), first + 1, -1) if words.is_person(line.masked[first:cut])]
        if called["who"] in "我他她":
            span, alias = (first, after), (after, end)
        elif fitting:
            span, alias = (first, fitting[0]), (fitting[0], end)
        else:
            return Found([], None, False)
    else:
        alias = called.span("o")
    who = _who(line, span, context)
    other = line.name(*alias)
    if who is None or not other.text:
        return Found([], None, False)
    context.met(who)
    return Found([Draft(who, "ALSO_KNOWN_AS", other, "state", "now", undated=True)], None, True)


def _who(line: Line, span: tuple[int, int], context: Context) -> Name | None:
    who = line.name(*span)
    if who.text == "我":
        return Name(context.speaker) if context.speaker else None
    if who.text in ("他", "她"):
        return context.referent(who.text)
    return who if is_name(who.text) or words.may_be_person(who.text) else None


def named_late(line: Line, begin: int, context: Context) -> Found | None:
    """ "它叫咕咕", "一只叫年糕", "叫陆川": who was just spoken of without a name has this one."""
    if context.unnamed is None:
        return None
    owner, relative = context.unnamed
    named = (_PET_NAME if relative.relation == "HAS_PET" else _KIN_NAME).match(line.masked, begin)
    if named is None:
        return None
    names = [line.name(*part) for part in parts(line.masked, *named.span("o"))]
    if not all(name.text and not words.ROLE.fullmatch(name.text) for name in names):
        return None
    drafts = [kin_draft(owner, relative.relation, name) for name in names if relative.relation]
    return Found(drafts, Subject(tuple(names), "person"), True)


def kin_statement(line: Line, index: int, subject: Subject, context: Context) -> list[Draft] | None:
    """ "有一个女儿，叫糖糖", "是涂山红红的妹妹", "是我最好的朋友"."""
    if subject.kind != "person":
        return None
    if had := _HAS_KIN.match(line.masked, index):
        relation, gender = words.KIN[had["kin"]]
        if had["o"] is None:
            if len(subject.names) == 1:
                context.unnamed = (subject.names[0], Relative(relation, gender, had["kin"], 0))
            return []
        name = line.name(*had.span("o"))
        return [kin_draft(owner, relation, name) for owner in subject.names]
    tie = _IS_KIN.match(line.masked, index)
    owner = _who(line, tie.span("who"), context) if tie else None
    if tie is None or owner is None:
        return None
    relation = words.KIN[tie["kin"]][0]
    return [kin_draft(owner, relation, name) for name in subject.names if relation and name.text != owner.text]


def paired(line: Line, index: int, subject: Subject, said: Mood) -> list[Draft] | None:
    """ "两人是好朋友", "凌霜和宋迟结婚了"; planned: "计划10月结婚"."""
    found = _PAIR.match(line.masked, index)
    if not found or len(subject.names) != 2 or said in ("not", "over"):
        return None
    relation, aspect, mood = _PAIRED[found["what"]]
    return [Draft(subject.names[0], relation, subject.names[1], aspect, "plan" if said == "plan" else mood)]
