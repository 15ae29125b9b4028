"""What a past verb says of the fact it tells: that it begins, ends, or lasts.

Closed lists, because a guess costs an answer: an English verb must be a past form, a Chinese one of a life's changes.
"""

from __future__ import annotations

import re
from typing import Literal

Sort = Literal["begins", "ends", "lasts"]


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ENDS = _words(
    "left quit resigned retired graduated stopped ended finished divorced died sold lost closed cancelled canceled dropped"
    " separated departed withdrew exited passed"
)
_LASTS = _words(
    "was were lived worked stayed studied had owned dated served attended taught ran led managed played used wore kept"
    " rented volunteered belonged knew loved drove trained"
)
_BEGINS = _words(
    "got became went came met began bought took gave made found built wrote broke fell won chose grew sent spent flew brought"
    " bore saw read rode drew hit set put cut hurt paid swam sang split stole threw woke understood"
)
_NEVER = _words(
    "need used indeed asked mentioned talked discussed recommended suggested explained told said thought felt liked wanted"
    " needed seemed described chatted noted hoped wished did"
)
"""Speaking and thinking are found in what was said, not as facts with a period; the first are no past forms of a fact."""

_AGE = re.compile(
    r"\s+(?:a\s+|an\s+|very\s+|still\s+)*(?:young|younger|old|older|little|small|kid|child|boy|girl|teen|teenager|\d+)\b"
)
_OUT = re.compile(r"\s+(?:out|away|off)\b")

_HAN_ENDS = re.compile(r"离开|离职|辞职|辞去|毕业|退休|离婚|分手|卖掉|卖了|搬走|搬出|结束|退出|停止|去世|戒|关闭|解散|卸任")
_HAN_BEGINS = re.compile(
    r"搬到|搬去|搬进|搬家|搬来|搬回|迁到|移居|加入|入职|跳槽|换工作|结婚|订婚|出生|开始|成立|创办|创立|创业|买了|买下|认识|当上|成为|转到|升任|升职|升为|接手|调到"
    r"|考上|考进|入学|签约|怀孕|生了|领养|收养|回国|出国|来到|移民|上任|就任|拿到|得到|获得"
)
_HAN_LASTS = re.compile(
    r"住在|居住|工作(?:$|[了过])|上班|任职|就职|担任|读书|上学|读大学|上大学|读研|读博|留学|实习|当[^时天前中年地然日下场晚]|养(?:[着了过]|[猫狗])|交往|拥有|就读|出差|服役"
)


def english(verb: str, after: str) -> Sort | None:
    """Of an English verb and what follows it in its clause; None where it is no past form that tells of a fact.

    >>> english("moved", " to Lisbon"), english("moved", " out"), english("was", " living in Porto"), english("likes", " tea")
    ('begins', 'ends', 'lasts', None)
    """
    if verb in _NEVER or (verb in ("was", "were") and _AGE.match(after)):
        return None
    if verb in _ENDS or (verb in ("moved", "dropped") and _OUT.match(after)):
        return "ends"
    if verb in _LASTS:
        return "lasts"
    return "begins" if verb in _BEGINS or (len(verb) > 4 and verb.endswith("ed")) else None


def chinese(clause: str) -> Sort | None:
    """Of a Chinese clause: the sort of the last such verb in it, None where it has none.

    >>> chinese("他搬到里斯本"), chinese("从B公司离职"), chinese("住在波尔图"), chinese("晨跑")
    ('begins', 'ends', 'lasts', None)
    """
    found: list[tuple[int, Sort]] = []
    sorts: tuple[tuple[re.Pattern[str], Sort], ...] = ((_HAN_BEGINS, "begins"), (_HAN_ENDS, "ends"), (_HAN_LASTS, "lasts"))
    for pattern, sort in sorts:
        found += [(match.end(), sort) for match in pattern.finditer(clause)]
    return max(found)[1] if found else None
