"""Chinese predicates: each pattern covers a whole clause behind its subject, so that half a sentence is never taken for a fact.

Groups: o the target; r a role held there; old what ends as o begins; p where o is; others as their relation asks.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tkgmem.ingest.rules.dates import Aspect

MASK = "\x00"
"""Stands for each character of a date."""


class Rule(NamedTuple):
    """A predicate. check: what the target must look like. swap: the subject is the target. kinds: of subject.

    needs: a relation that the same sentence must have stated before ("2022年又去了星图导航" after a job).
    """

    pattern: re.Pattern[str]
    relation: str
    aspect: Aspect
    check: str
    swap: bool = False
    kinds: str = "person"
    needs: str = ""


_O = r"(?P<o>[^\x00，。；]{1,24}?)"
_OLD = r"(?P<old>[^\x00，。；]{1,24}?)"
_R = r"(?P<r>[^\x00，。；、]{1,16}?)"
_ONE = (
    r"(?:[一两二三四五六七八九十几\d]{1,3}\s?(?:只|条|个|辆|台|部|套|艘|本|张|件|双|家|间|名|位|把|架|头|匹"
    r"|块|所|栋|盆|束|袋|箱|副|座|枚|株|棵|颗|瓶|杯|顶|根|口|片|组|对|场|届|款|幅|支|门|份|种)\s?)"
)
_LONG = r"(?:[一两二三四五六七八九十几多半\d\x00]{1,4}个?整?(?:年|月|天|周|星期|学期)(?:多|半)?)"
_SOME = (
    r"(?:[一两二三四五六七八九十几\d]{0,3}\s?(?:只|条|个|辆|台|部|套|艘|家|间|把|匹|头|栋|位|名|座|对|所|窝"
    r"|张|块|双|支|幅|本|件|款)\s?)"
)
_LE = r"(?P<le>[了过啦])?"
_END = rf"(?:[\s\x00]*(?:已经?|有|快|都){{0,2}}{_LONG})?[\s\x00]*(?P<tail>[了过啦])?[\s\x00]*\Z"


def rule(
    text: str, relation: str, aspect: Aspect, check: str, *, swap: bool = False, kinds: str = "person", needs: str = ""
) -> Rule:
    for mark, pattern in (
        ("<LE2>", "了?"),
        ("<LONG>", _LONG),
        ("<O>", _O),
        ("<OLD>", _OLD),
        ("<R>", _R),
        ("<ONE>", _ONE),
        ("<SOME>", _SOME),
        ("<LE>", _LE),
        ("<END>", _END),
    ):
        text = text.replace(mark, pattern)
    return Rule(re.compile(text.replace(" ", r"[\s\x00]*")), relation, aspect, check, swap, kinds, needs)
