"""The small words of Chinese statements: what makes one doubtful, what may lead a clause, and the moods of its predicate."""

from __future__ import annotations

import re

from tkgmem.ingest.rules.dates import Mood
from tkgmem.ingest.rules.zh_rules import MASK

DOUBTFUL = re.compile(
    r"[？?]|吗|是不是|有没有|会不会|能不能|要不要|是否|难道|谁|什么|哪[里儿个家天]|怎么|怎样|多少|为何|几[点岁]"
    r"|透露|爆料|风声|小道消息|网传|盛传|据悉|疑似|有望|传出|不确定|不清楚|不知道|没准|八成|想必|猜测"
    r"|要不是|若不是|若非|早知道|本该|就好了|如果|要是|假如|假设|万一|倘若|的话|除非|即使|哪怕"
    r"|听说|听[^，。]{1,6}[说讲提]|据说|据传|传言|传闻|谣传|有人说|好像|似乎|可能|也许|或许|大概|估计|恐怕|应该"
    r"|说不定|看来|希望|梦见|差点(?!忘)|差一点(?!忘)|以为|认为|觉得|建议|推荐|假装|本来"
)
CLAUSE = re.compile(r"[，,；;（）()—]+|(?<!邮箱|电话|手机|机号|号码|生日|地址|状态|责人|办人|理人)[：:]+")
LEAD = re.compile(
    r"(?:[\s\x00「」『』“”\"]++|[于在自从](?=\x00)|(?<=\x00)[初底末中]|忘[了记](?:跟你|告诉你|和大家)?[说讲提]?"
    r"|差点忘了?说?|想起来了|哦对了?|补记|补一条|插一句|提一下"
    r"|说一下|回想起来|想起来|想当年|记得|事实上|简单说|汇报一下|通知一下|好消息|更正|备忘|跟你说|报告|"
    r"对了|补充一下|顺便说一?[下句]|顺便提一下|另外|而且|但是?|不过|所以|因此|然后|后来|最后|只是?|仅仅?|其实"
    r"|目前|现在|如今|当时|当年|平时|一直|最近|也|还|又|并且?|同时|因为|由于|"
    r"由(?=[^\x00，。]{2,4}(?:接任|担任|出任|兼任|升任|接替|继任))|(?<=\x00)是(?=我)|周报|日报|日记|消息|近况|"
    r"更新一下|备注|确认一下|话说|说起来|早年|大家好|你好|哈哈|嗯|哦|啊|哎){0,12}+"
)
ADVERBS = re.compile(
    r"(?:[\s\x00]++|[于在自从](?=\x00)|(?<=\x00)[初底末中]|已经|曾经?(?=[于在]\x00)|仍旧|刚刚?|刚好|正式|正在"
    r"|一直都?|目前|现在|如今|平时|非常|特别|十分|其实|终于|后来|最近|仍然?|依然|当时|当年|今后|(?:大学|研究生"
    r"|本科)?毕业[之以]?后|同时|真的|超级?|尤其|始终|只是?|仅"
    r"|(?<=\x00)间|(?<=\x00)(?:期间|早上|晚上|上午|下午|中午|凌晨|傍晚|夜里|深夜|清晨|左右|前后)|一点[儿]?[都也]"
    r"|压根|根本|完全|本科(?=毕业)|硕士(?=毕业)|博士(?=毕业)|早就|早已|总算|这才|刚|跟着|正式|果然|顺利|成功|偷偷"
    r"|悄悄|马上|很快|紧接着|随后|接着|不久[前后]?|毕业后"
    r"|[和跟与同陪][^\x00，。；]{1,8}?一[起同](?=[\x00去到参看听逛飞在开])"
    r"|[跟和陪带][^\x00，。；我你他她]{1,6}?(?=去[了过看听逛参趟])"
    r"|每[天日周月次晚]都?(?=用|使用|坚持用)|一般|通常|开始|平常|日常|长期|花了?[^\x00，。]{1,8}[块元万钱]"
    r"|[也都就还又很最正已]){0,10}"
)
ONCE = re.compile(r"曾经?|从小|小时候|最初|起初|早先|先")
FORMERLY = re.compile(
    r"(?:(?:退休|退役|入伍|参军|婚|出国|毕业|离职|转行|生病|来这)?之?前|之前|以前|原来|原先|原本|过去|从前)(?:一直|都)?"
)
PLAN = re.compile(r"(?:计划|打算|准备|将要?|即将|要|会(?![说讲计议])|预计|决定)[在于]?(?=[\s\x00]|.)")
OVER = re.compile(r"不再|不(?=[在住用使当做][^，。]{1,24}了[\s\x00]*\Z)")
MOODS: tuple[tuple[re.Pattern[str], Mood], ...] = ((PLAN, "plan"), (OVER, "over"), (FORMERLY, "over"), (ONCE, "past"))
OTHERS = re.compile(r"(?<!会)说|[问让请叫带陪帮跟和与给把被]|告诉|觉得|认为|提到|表示|介绍|通知|建议|邀请|遇[见到]|认识")
GOES_ON = re.compile(
    r"[\s\x00]*(?:[\x00于自从没不未别也都还就又很最刚在去来是要想会有做做写出获得拿开始学吃喝买]|已经|正在|平时|目前"
    r"|现在|今年|从来|退休|毕业|成立|创立|创办|创业|搬家|离职|跳槽|辞职|转行|升职|结婚|回国|出国|被[裁辞派录]"
    r"|[\d一二三四五六七八九十]+岁|每|一(?![个家位名])|挺|才|先|随后|之后|后来|从此|终于|如今|为了|虽然|尽管|经常"
    r"|常常|偶尔|独自|专门|主要"
    r"|性格|为人|大学|负责|擅长|听|看|跑|跟|和[^，。]{1,6}一起|干|待|谈|姓|属|戴)"
)
TOLD = re.compile(
    r"[了过刚\x00]|终于|打算|准备|计划|现在|目前|平时|一直|最近|(?:\A|[\s，,：:。])(?:住|家)?在|对[^，]{1,8}过敏|生日"
)
BOTH = re.compile(r"两个?人|二人|俩人?|[他她]们俩?|[他她]俩|夫妻俩|夫妻二人|小两口|姐妹俩|兄弟俩")
ONLY_WHEN = re.compile(
    r"(?:[\x00 从自于在起初底末中到]|直到|为止|早上|晚上|上午|下午|中午|凌晨|傍晚|夜里|深夜|清晨|左右|前后|期间"
    r"|那天|当天|的时候)*"
)
ONLY_HUMAN = frozenset(
    ("PHONE_IS", "EMAIL_IS", "WORKS_AT", "HAS_ROLE", "LIVES_IN", "SPEAKS", "USES", "STUDIES_AT", "STUDIED_AT", "BOUGHT", "OWNS")
)
BEHIND_NAME = re.compile(r"[\s\x00在对是也都很养住喜最上去今明昨刚已正从跟会爱讨没不想打准毕考入加又还就学读做当搬]")
BYGONE = re.compile(r"当年|当时|早年|那时|那会儿|那阵子|年轻时")
NUMBERED = re.compile(
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})号[\u4e00-\u9fff]{0,2}(?:楼|仓库|车间|会议室|机房|库|馆|厂|门店|店"
    r"|产线|生产线|站|线|基地|院|校区|分店|房|厅|桌|机|塔|井|炉|船|车|桥|门|池|棚|田|岗|台|窗口)"
)
CONFIRMED = re.compile(r"(?P<who>[^\x00，。]{2,12}?)(?:已经?)?(?:确认|证实|宣布)了?[，,：:]?\s?")
INTENTION = re.compile(
    r"(?:打算|准备(?=[\s\x00]*(?:去|年底|暑假|国庆|春节|周末)?(?:学|考|练|写|跑|参加|报))"
    r"|计划(?=[\s\x00去学做买考搬写开办换参到跑练养请年月暑寒国春周]))[\s\x00在于]{0,24}"
    r"(?:(?:[今明后]?年底|年内|月底|下半年|暑假|寒假|国庆|春节|周末|有空)(?:之?前|期间|里)?(?:就"
    r"|能)?)?(?P<o>[^\x00，。；了过在]{2,14})[\s\x00]*\Z"
)


def past(pattern: re.Pattern[str], text: str, index: int) -> int:
    """Where a match of the pattern at `index` ends, or `index`."""
    found = pattern.match(text, index)
    return found.end() if found else index


def said(text: str, index: int) -> tuple[int, Mood]:
    """Past adverbs and the words for plans and endings: where the predicate begins, and its mood."""
    begin = past(ADVERBS, text, index)
    for pattern, said in MOODS:
        if found := pattern.match(text, begin):
            # "以前" with a date is a stint, without one something that has ended.
            mood = "past" if pattern is FORMERLY and MASK in text[index:] else said
            return past(ADVERBS, text, found.end()), mood
    return begin, "now"
