"""Chinese predicates: each pattern covers a whole clause behind its subject, so that half a sentence is never taken for a fact.

Groups: o the target; r a role held there; old what ends as o begins; p where o is; others as their relation asks.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tkgmem.ingest.rules.dates import Aspect
from tkgmem.ingest.rules.zh_words import LANGUAGE, STATUS

MASK = "\x00"
"""Stands for each character of a date."""


class Rule(NamedTuple):
    """A predicate. check: what the target must look like. swap: the subject is the target. kinds: of subject."""

    pattern: re.Pattern[str]
    relation: str
    aspect: Aspect
    check: str
    swap: bool = False
    kinds: str = "person"


_O = r"(?P<o>[^\x00，。；]{1,24}?)"
_OLD = r"(?P<old>[^\x00，。；]{1,24}?)"
_R = r"(?P<r>[^\x00，。；、]{1,16}?)"
_ONE = r"(?:[一两二三四五六七八九十几\d]{1,3}\s?(?:只|条|个|辆|台|部|套|艘|本|张|件|双|家|间|名|位|把|架|头|匹|块|所|栋)\s?)"
_LE = r"(?P<le>[了过啦])?"
_END = r"[\s\x00]*(?P<tail>[了过啦])?[\s\x00]*\Z"


def _rule(text: str, relation: str, aspect: Aspect, check: str, *, swap: bool = False, kinds: str = "person") -> Rule:
    for mark, pattern in (("<O>", _O), ("<OLD>", _OLD), ("<R>", _R), ("<ONE>", _ONE), ("<LE>", _LE), ("<END>", _END)):
        text = text.replace(mark, pattern)
    return Rule(re.compile(text.replace(" ", r"[\s\x00]*")), relation, aspect, check, swap, kinds)


RULES: tuple[Rule, ...] = (
    _rule(r"在 <O> (?:工作|上班|任职|就职|供职)<LE><END>", "WORKS_AT", "state", "org"),
    _rule(r"在 <O> (?:做|当|担任|任)<LE> <ONE>?<R><END>", "WORKS_AT", "state", "org"),
    _rule(r"在 <O> (?:教书|任教|执教|坐诊|行医|教[^\x00，。]{1,6}?)<END>", "WORKS_AT", "state", "org"),
    _rule(r"在 <O> 实习<LE><END>", "WORKS_AT", "state", "org"),
    _rule(r"(?:就职|任职|供职)于 <O><END>", "WORKS_AT", "state", "org"),
    _rule(r"入职<LE> <O><END>", "WORKS_AT", "start", "org"),
    _rule(
        r"(?:从 <OLD> )?(?:跳槽|转职|转会)<LE>(?:到|去|至)<O><END>".replace("到|去|至)", "到了?|去了?|至) "),
        "WORKS_AT",
        "start",
        "org",
    ),
    _rule(r"(?:加入|join)<LE> <O>(?: (?:担任|任|做|当) <R>)?<END>", "WORKS_AT", "start", "org"),
    _rule(r"从 <O> (?:离职|辞职|离开|退休)<END>", "WORKS_AT", "end", "org"),
    _rule(r"(?:离开|辞去|辞掉|quit)\s?<LE> <O> ?(?:的)?(?:工作|职务|职位)?<END>", "WORKS_AT", "end", "org"),
    _rule(r"退出<LE> <O><END>", "MEMBER_OF", "end", "org"),
    _rule(r"是 <O> ?的(?:成员|会员|队员|一员|社员)<END>", "MEMBER_OF", "state", "org"),
    _rule(r"(?:住在|现居|现住|居住在|定居在|常住|家住) ?<O><END>", "LIVES_IN", "state", "place"),
    _rule(r"定居 ?<O><END>", "LIVES_IN", "start", "place"),
    _rule(r"(?:从 <OLD> )?(?:搬家?|迁居|移居)(?:到了?|去了?|至|回了?)? <O>(?:去?住)?<END>", "LIVES_IN", "start", "place"),
    _rule(r"(?:出生[在于]|(?<!出)生[于在]) <O><END>", "BORN_IN", "point", "place"),
    _rule(r"(?:毕业于|曾?就读过?于|毕业自) ?<O><END>".replace("曾?就读过?于", "曾就读于"), "STUDIED_AT", "point", "org"),
    _rule(r"从 <O> 毕业<END>", "STUDIED_AT", "point", "org"),
    _rule(r"就读于 ?<O><END>", "STUDIES_AT", "state", "org"),
    _rule(
        r"在 <O> (?:读书|读博|读研|上学|念书|上大学|读大学|读本科|读硕士|读博士|念博士|念大学|求学|学习)<END>",
        "STUDIES_AT",
        "state",
        "school",
    ),
    _rule(r"在 <O> (?:攻读[^\x00，。]{1,8}?|学[^\x00，。]{1,6}?|读[^\x00，。]{1,8}?)<END>", "STUDIES_AT", "state", "school"),
    _rule(r"是 ?(?:<ONE>)?<O><END>", "HAS_ROLE", "state", "role"),
    _rule(
        r"(?:升任|晋升为|升为|升职为|出任|就任|被任命为|成为|当选为?|当上)<LE> ?(?:<ONE>)?<O><END>", "HAS_ROLE", "start", "role"
    ),
    _rule(r"(?:担任|做|当) ?(?:<ONE>)?<O><END>", "HAS_ROLE", "state", "role"),
    _rule(r"(?:负责管理|管理|主管|带领|领导|掌管|管) ?<O><END>", "MANAGES", "state", "unit"),
    _rule(r"由 <O> (?:负责)?管理<END>", "MANAGES", "state", "person", swap=True, kinds="thing"),
    _rule(r"由 <O> (?:负责|处理|跟进)<END>", "ASSIGNED_TO", "state", "assignee", kinds="thing ticket"),
    _rule(r"(?:负责|接手了?|跟进) ?<O>(?:的工作)?<END>", "ASSIGNED_TO", "state", "task", swap=True),
    _rule(r"(?:向|跟|给) ?<O> ?汇报(?:工作)?<END>", "REPORTS_TO", "state", "person"),
    _rule(r"的?(?:上级|直属领导|领导|直属上级)是 ?<O><END>", "REPORTS_TO", "state", "person"),
    _rule(
        r"(?:在 (?P<p>[^\x00，。；]{2,10}?) )?(?:开|办|创办|创立)<LE> ?(?:<ONE>)(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>",
        "FOUNDED",
        "start",
        "name",
    ),
    _rule(r"(?:创办|创立|成立)<LE> ?<O><END>", "FOUNDED", "start", "org"),
    _rule(r"(?:领养|收养)<LE> ?(?:<ONE>)?(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>", "HAS_PET", "start", "name"),
    _rule(r"(?:养|有)(?:了|着)? ?<ONE>(?:名?叫|名为) ?<O> ?的(?P<animal>[^\x00，。]{1,8}?)<END>", "HAS_PET", "state", "name"),
    _rule(r"(?:领养|收养)<LE> ?<ONE><O><END>", "HAS_PET", "start", "animal"),
    _rule(r"养(?:了|着)? ?<ONE><O><END>", "HAS_PET", "state", "animal"),
    _rule(r"(?:更喜欢|偏好|更爱|偏爱|宁愿|比较喜欢) ?[吃喝]?<O><END>", "PREFERS", "state", "things"),
    _rule(r"(?:喜欢|热爱|最爱|酷爱|喜爱|钟爱|爱|喜好)[吃喝]?<O><END>", "LIKES", "state", "things"),
    _rule(r"(?:讨厌|不太?喜欢|不爱|受不了|反感|厌恶)[吃喝]?<O><END>", "DISLIKES", "state", "things"),
    _rule(r"对 ?<O> ?过敏<END>", "ALLERGIC_TO", "state", "things"),
    _rule(r"(?:从 <OLD> )?(?:改用|换用|转用|切换到|switch to)<LE> ?<O><END>", "USES", "start", "tool"),
    _rule(r"(?<=不再)(?:使用|用) ?<O><END>", "USES", "state", "tool"),
    _rule(r"(?:从 <OLD> )?(?:换成|换到|改成)<LE> ?<O><END>", "USES", "start", "product"),
    _rule(
        r"(?:editor|编辑器|浏览器|手机|电脑|主要|日常)?\s?(?:开始)?(?:使用|在用|用)(?:的是|着|上)?<LE> ?"
        r"(?P<o>[A-Za-z][A-Za-z0-9\x20.+#&_-]{0,24}?[A-Za-z0-9+#])(?:\s?[记写做看听管处画查]\S{1,8})?<END>",
        "USES",
        "state",
        "product",
    ),
    _rule(
        r"(?:editor|编辑器|浏览器|手机|电脑)?\s?(?:开始)?(?:使用|在用|用)(?:的是|着|上)?<LE> ?<O><END>",
        "USES",
        "state",
        "product",
    ),
    _rule(
        rf"(?:会[说讲]|精通|能说|[说讲])(?:一口)?(?:流利的)?(?P<o>{LANGUAGE}(?:[、和及]{LANGUAGE}){{0,4}})<END>",
        "SPEAKS",
        "state",
        "things",
    ),
    _rule(r"[和与跟] ?<O> ?(?:结婚|登记结婚|领证)<END>", "MARRIED_TO", "start", "person"),
    _rule(r"[和与跟] ?<O> ?(?:离婚)<END>", "MARRIED_TO", "end", "person"),
    _rule(r"[和与跟] ?<O> ?(?:在?交往|在谈恋爱|谈恋爱|恋爱)<END>", "DATING", "state", "person"),
    _rule(r"[和与跟] ?<O> ?(?:分手)<END>", "DATING", "end", "person"),
    _rule(r"[和与跟] ?<O> ?是(?:好|老|最好的)?(?:朋友|闺蜜|好友)<END>", "FRIEND_OF", "state", "person"),
    _rule(
        r"(?:去了趟?|到访了?|游览了?|参观了|去过|飞往|飞到了?|前往|去) ?<O>"
        r"(?:旅游|旅行|出差|玩|度假|见\S{1,6}|看\S{1,6}|开会)?<END>",
        "VISITED",
        "point",
        "spot",
    ),
    _rule(r"(?:fly|go|travel) to <O>(?: ?[\u4e00-\u9fff]{1,8})?<END>", "VISITED", "point", "spot"),
    _rule(r"(?:move) to <O><END>", "LIVES_IN", "start", "place"),
    _rule(r"(?:参加|出席)<LE> ?<O><END>", "ATTENDED", "point", "event"),
    _rule(r"(?:买|购买|购入|入手)<LE> ?(?:<ONE>)?(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>", "BOUGHT", "point", "name"),
    _rule(r"(?:买|购买|购入|入手)<LE> ?<ONE><O><END>", "BOUGHT", "point", "thing"),
    _rule(r"(?:卖掉|卖了|出售了?|转手了) ?(?:自己的|我的|那[辆台套部])?<O><END>", "OWNS", "end", "thing"),
    _rule(r"把 ?(?:自己的|我的|那[辆台套部])?<O> ?卖(?:掉|了|掉了)<END>", "OWNS", "end", "thing"),
    _rule(r"(?:有|拥有) ?<ONE><O><END>", "OWNS", "state", "owned"),
    _rule(
        r"(?:从 <OLD> )?(?:转|分配|指派|移交|转交|分派|派|交)<LE>给<LE2> ?<O>(?:处理|负责|跟进)?<END>".replace("<LE2>", "了?"),
        "ASSIGNED_TO",
        "start",
        "assignee",
        kinds="ticket thing",
    ),
    _rule(rf"(?:已经?|状态(?:是|为|改为|变为))?\s?(?P<o>{STATUS})<END>", "HAS_STATUS", "state", "any", kinds="ticket"),
    _rule(
        r"的?(?:电话|手机号码?|电话号码|联系电话|手机|号码)(?:是|为|：|:) ?(?P<o>\+?\d[\d\x20-]{4,20}\d)<END>",
        "PHONE_IS",
        "state",
        "any",
        kinds="person thing",
    ),
    _rule(
        r"的?(?:电子)?(?:邮箱|邮件|email|邮箱地址)(?:地址)?(?:是|为|：|:) ?(?P<o>[\w.+-]+@[\w.-]+\w)<END>",
        "EMAIL_IS",
        "state",
        "any",
        kinds="person thing",
    ),
    _rule(r"的?生日(?:是|在) ?(?P<birthday>\x00+)<END>", "BIRTHDAY_ON", "state", "any"),
    _rule(
        r"(?:又叫|也叫|又名|外号叫?|外号是|的外号是|的昵称是|昵称|小名叫?|的小名是|人称|别名) ?<O><END>",
        "ALSO_KNOWN_AS",
        "state",
        "name",
        kinds="person thing",
    ),
    _rule(r"(?:隶属于?|属于) ?<O><END>", "PART_OF", "state", "org", kinds="thing"),
    _rule(r"(?:位于|坐落[于在]) ?<O><END>", "LOCATED_IN", "state", "place", kinds="thing"),
    _rule(r"是 ?<O> ?的一部分<END>", "PART_OF", "state", "org", kinds="thing"),
)
