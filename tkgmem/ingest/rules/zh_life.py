"""Chinese predicates of what one founds, owns, keeps, likes, uses and speaks, of ties, travel, tickets, contact and names."""

from __future__ import annotations

from tkgmem.ingest.rules.zh_rules import Rule, rule
from tkgmem.ingest.rules.zh_words import LANGUAGE, PRODUCT_SUFFIX, STATUS

LIFE: tuple[Rule, ...] = (
    rule(
        r"(?:在 (?P<p>[^\x00，。；]{2,10}?) )?(?:开|办|创办|创立|成立|创建|经营)(?:起"
        r"|设)?<LE> ?(?:<SOME>)(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>",
        "FOUNDED",
        "start",
        "name",
    ),
    rule(r"(?:一手|合伙|共同|联合)?(?:创办|创立|成立|创建|开办|创设)<LE> ?<O><END>", "FOUNDED", "start", "org"),
    rule(
        r"(?:在 ?[^\x00，。；]{2,10}? ?)?(?:合伙)?开(?:[了过起]|(?=一[家间])) ?(?:<SOME>)?<O><END>", "FOUNDED", "start", "firm"
    ),
    rule(r"是 ?<O> ?的(?:联合)?(?:创始人|创办人)<END>", "FOUNDED", "start", "org"),
    rule(
        r"(?:由|是) ?<O> ?(?:于\x00+)?(?:创办|创立|成立|创建)(?:的)?<END>",
        "FOUNDED",
        "start",
        "person",
        swap=True,
        kinds="thing site",
    ),
    rule(r"(?:领养|收养)<LE> ?(?:<ONE>)?(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>", "HAS_PET", "start", "name"),
    rule(
        r"(?:养|有)(?:了|着)? ?<SOME>(?:名?叫"
        r"|名为) ?<O> ?的(?P<animal>[^\x00，。]{1,8}?)<END>",
        "HAS_PET",
        "state",
        "name",
    ),
    rule(r"(?:家里?)?有(?:了|着)? ?[一两二三四五六七八几\d]{1,2}[只条匹窝] ?<O><END>", "HAS_PET", "state", "animal"),
    rule(r"(?:领养|收养)<LE> ?<SOME><O><END>", "HAS_PET", "start", "animal"),
    rule(
        r"(?:养|有)(?:了|着)? ?<SOME>(?P<animal>[^\x00，。；叫]{1,8}?)(?:名?叫做?|名为|取名叫?|名字叫|起名叫?) ?<O><END>",
        "HAS_PET",
        "state",
        "name",
    ),
    rule(
        r"(?:的|养的|家养的)?(?:家里?的?|宠物|爱)?(?:[大小那]?只?|那条)?(?P<animal>猫|狗|猫咪|狗狗|兔子|仓鼠|鹦鹉"
        r"|乌龟|金毛|柯基|边牧|橘猫|柴犬|布偶猫?|宠物)"
        r"(?:的名字)?(?:名?叫做?|名字叫|名字是) ?<O><END>",
        "HAS_PET",
        "state",
        "name",
    ),
    rule(
        r"(?:领养|收养|买)(?:了|着)? ?<SOME>(?P<animal>[^\x00，。；叫]{1,8}?)(?:名?叫做?|名为|取名叫?|名字叫"
        r"|起名叫?) ?<O><END>",
        "HAS_PET",
        "start",
        "name",
    ),
    rule(r"养(?:了|着)? ?(?:<SOME>)?<O><END>", "HAS_PET", "state", "animal"),
    rule(
        r"(?:更喜欢|偏好|更爱|偏爱|宁愿|宁可|比较喜欢|更偏爱|更倾向于?) ?[吃喝选]?<O>(?:而不是|而非|胜过|多过"
        r"|不要|也不|，?而不)[^\x00，。]{1,12}<END>",
        "PREFERS",
        "state",
        "things",
    ),
    rule(r"喜欢 ?[吃喝]?<O>(?:胜过|多过|超过|甚于)[^\x00，。]{1,12}<END>", "PREFERS", "state", "things"),
    rule(r"prefer ?<O> ?(?:over|than|to) ?[^\x00，。]{1,12}<END>", "PREFERS", "state", "things"),
    rule(r"比起[^\x00，。]{1,10}[，,]?(?:更喜欢|更爱) ?[吃喝]?<O><END>", "PREFERS", "state", "things"),
    rule(r"(?:更喜欢|偏好|更爱|偏爱|宁愿|宁可|比较喜欢|更偏爱|更倾向于?) ?[吃喝选]?<O><END>", "PREFERS", "state", "things"),
    rule(
        r"(?:喜欢上了?|迷上了?|爱上了?|喜欢|热爱|最爱|酷爱|喜爱|钟爱|热衷于?|沉迷于?|爱好是?|的爱好是|痴迷于?"
        r"|爱(?![人好上])|喜好)[吃喝]?<O><END>",
        "LIKES",
        "state",
        "things",
    ),
    rule(r"对 ?<O> ?(?:也|都|还|一直|最近|很|非常|特别|十分|尤其){0,2}(?:感兴趣|着迷|有兴趣)<END>", "LIKES", "state", "things"),
    rule(r"最?(?:喜欢|爱)[吃喝看听玩]?的[^\x00，。]{0,6}是 ?<O><END>", "LIKES", "state", "things"),
    rule(
        r"(?:讨厌|不太?喜欢|不爱|受不了|反感|厌恶|最烦|很烦|不太爱|最怕|吃不惯|喝不惯|烦)[吃喝]?<O><END>",
        "DISLIKES",
        "state",
        "things",
    ),
    rule(r"对 ?<O> ?(?:也|都|还|一直){0,2}(?:严重|会|有点|有些)?(?:过敏)<END>", "ALLERGIC_TO", "state", "things"),
    rule(
        r"对 ?<O> ?(?:也|都|还|一直){0,2}(?:严重|会|有点|有些)?(?:过敏)[，,]?(?:不能|所以).{1,12}<END>",
        "ALLERGIC_TO",
        "state",
        "things",
    ),
    rule(r"(?:有) ?<O>过敏(?:症|史)?<END>", "ALLERGIC_TO", "state", "things"),
    rule(r"(?:吃|喝|碰|一吃|一碰|闻到) ?<O>(?:会|就会|就)过敏<END>", "ALLERGIC_TO", "state", "things"),
    rule(r"(?:从 <OLD> )?(?:改用|换用|转用|切换到|switch ?(?:to|到))<LE> ?<O><END>", "USES", "start", "tool"),
    rule(r"(?:从 <OLD> )(?:换|转|迁移|切换|搬)(?:成|到|用|至)<LE> ?<O><END>", "USES", "start", "tool"),
    rule(r"(?:用|拿) ?<O> ?(?:替换|代替|取代|换掉)<LE> ?<OLD><END>", "USES", "start", "tool"),
    rule(r"(?<=不再)(?:使用|用) ?<O><END>", "USES", "state", "tool"),
    rule(r"(?<=不)(?:使用|用) ?<O>了<END>", "USES", "end", "tool"),
    rule(r"(?:停用|卸载|弃用|放弃使用|停止使用)<LE> ?<O><END>", "USES", "end", "tool"),
    rule(r"(?:开始)?(?:使用|用)(?:的是|着|上)?<LE> ?<O><END>", "USES", "state", "tool", needs="USES"),
    rule(r"(?:从 <OLD> )?(?:换成|换到|改成)<LE> ?<O><END>", "USES", "start", "product"),
    rule(r"把 ?[^\x00，。]{0,8}?从 ?<OLD> ?(?:换|改|迁移|转|搬)(?:成|到|为)<LE> ?<O><END>", "USES", "start", "tool"),
    rule(r"把 ?(?:旧的?|原来的)?<OLD> ?(?:换成|换为|改成)<LE> ?<O><END>", "USES", "start", "software"),
    rule(
        r"把 ?(?:自己的|我的|他的|她的|那[辆台部]|旧的?|老)?<OLD> ?(?:换成|换了|换作|换)<LE> ?(?:<ONE>)?<O><END>",
        "OWNS",
        "start",
        "gear",
    ),
    rule(
        r"(?:editor|编辑器|浏览器|手机|电脑|主要|日常)?\s?(?:开始)?(?:使用|在用|用)(?:的是|着|上)?<LE> ?"
        r"(?P<o>[A-Za-z][A-Za-z0-9\x20.+#&_-]{0,24}?[A-Za-z0-9+#])(?:\s?[记写做看听管处画查]\S{1,8})?<END>",
        "USES",
        "state",
        "product",
    ),
    rule(
        r"(?:editor|编辑器|浏览器|手机|电脑|记账|写代码|办公|画图|做图|做笔记|记笔记|写作|听歌|看书|导航|打车"
        r"|剪视频|开会|写文档|沟通|协作)?"
        r"(?:时|都|主要|一般|一直){0,2}\s?(?:开始)?(?:使用|在用|用|习惯用|坚持用)(?:的是|着|上)?<LE> ?<O><END>",
        "USES",
        "state",
        "product",
        kinds="person thing site",
    ),
    rule(
        r"(?:开始)?(?:使用|在用|用) ?<O> ?(?:来)?(?:记账|记笔记|记录[^\x00，。]{0,8}|写日记|写代码|写作|写周报"
        r"|管理[^\x00，。]{1,8}"
        r"|做笔记|办公|画图|剪视频|剪辑|打车|点外卖|听歌|背单词|追踪[^\x00，。]{1,6}|跟踪[^\x00，。]{1,6}|排期"
        r"|建模|做表|安排[^\x00，。]{1,6})<END>",
        "USES",
        "state",
        "app",
    ),
    rule(
        r"的?(?:主力|常用|默认|日常)?(?:编辑器|浏览器|输入法|笔记软件|记账软件|待办软件|办公软件|IDE"
        r"|工具)(?:一直)?是 ?<O><END>",
        "USES",
        "state",
        "tool",
    ),
    rule(
        r"(?![不没别让请叫想要])[\u4e00-\u9fff]{2,4}?(?:时候?|都|主要|一般)?用(?:的是)? ?<O><END>",
        "USES",
        "state",
        "product",
    ),
    rule(r"(?:[\u4e00-\u9fff]{2,5}|[A-Za-z]{3,12} )?用的(?:一直)?是 ?<O><END>", "USES", "state", "tool"),
    rule(
        rf"(?:开始)?(?:使用|在用|用|习惯用|坚持用)(?:的是|着|上)?<LE> ?(?P<o>[^\x00，。；]{{0,14}}?{PRODUCT_SUFFIX})"
        r" ?(?:来)?(?:记|写|做|看|听|管|处理|画|查|安排|规划|整理|收|办|剪|编|订|存|背|学|导航|协作|开会|打"
        r"|追踪|跟踪|拍|修|打理)[^\x00，。]{0,8}<END>",
        "USES",
        "state",
        "product",
        kinds="person thing site",
    ),
    rule(
        r"(?:一直|平时|主要|日常|上班|工作)?(?:使用|在用) ?<O><END>",
        "USES",
        "state",
        "tool",
        kinds="thing site",
    ),
    rule(
        rf"(?:会[说讲]|精通|能[说讲]|[说讲]|懂) ?(?:一口)?(?:流利的|一点点?|一些|点|几句|地道的"
        rf"|标准的)? ?(?P<o>{LANGUAGE}(?: ?[、和及] ?{LANGUAGE}){{0,4}})<END>",
        "SPEAKS",
        "state",
        "things",
    ),
    rule(
        rf"(?:的?母语是|(?:的)?第[一二]外语是) ?(?P<o>{LANGUAGE}(?:[、和及]{LANGUAGE}){{0,4}})<END>",
        "SPEAKS",
        "state",
        "things",
    ),
    rule(
        rf"(?:的 ?)?(?P<o>{LANGUAGE}(?:[、和及]{LANGUAGE}){{0,4}})(?:也|都|还|讲|说){{0,2}}得?(?:很|非常|十分|相当|特别|比较)?"
        r"(?:流利|不错|很好|很溜|地道|好)<END>",
        "SPEAKS",
        "state",
        "things",
    ),
    rule(
        r"[和与跟同] ?<O> ?(?:在[^\x00，。；]{2,8}?)?(?:结婚|结了婚|登记结婚|领证|结为夫妻|成婚|完婚|领了证"
        r"|办了婚礼|举行婚礼|(?:举办|举行|办)了?婚礼|领了结婚证|扯证|步入婚姻)<LE>(?:<LONG>)?<END>",
        "MARRIED_TO",
        "start",
        "person",
    ),
    rule(r"(?:嫁给|娶|迎娶)<LE> ?<O>(?:为妻)?<END>", "MARRIED_TO", "start", "person"),
    rule(r"[和与跟同] ?<O> ?(?:是夫妻|是两口子|是夫妇)<END>", "MARRIED_TO", "state", "person"),
    rule(r"[和与跟同] ?<O> ?(?:离婚|离了婚|办了离婚)<LE>(?:<LONG>)?<END>", "MARRIED_TO", "end", "person"),
    rule(r"[和与跟同] ?<O> ?(?:在?交往|在谈恋爱|谈恋爱|恋爱|在一起|是情侣|是恋人)<END>", "DATING", "state", "person"),
    rule(r"[和与跟同] ?<O> ?(?:在一起|开始交往|谈起了恋爱|确定了?关系)(?P<le>了)<END>", "DATING", "start", "person"),
    rule(r"[和与跟同] ?<O> ?(?:分手|分了手)<LE>(?:<LONG>)?<END>", "DATING", "end", "person"),
    rule(
        r"[和与跟同] ?<O> ?是(?:多年的?|大学|认识多年的)?(?:好|老|最好的|很好的|要好的)?(?:朋友|闺蜜|好友|哥们"
        r"|死党|发小)<END>",
        "FRIEND_OF",
        "state",
        "person",
    ),
    rule(r"[和与跟同] ?<O> ?是(?:亲|双胞胎|孪生)?(?:兄弟|姐妹|兄妹|姐弟)<END>", "SIBLING_OF", "state", "person"),
    rule(
        r"(?:去了一?趟|去趟|飞往了?|飞到了?|飞去了?|到访了?|游览了?|造访了?|去?参观了) ?<O><END>", "VISITED", "point", "place"
    ),
    rule(
        r"(?:去|到|飞)<LE> ?<O> ?(?:旅游|旅行|出差|度假|玩|自驾游|蜜月|游玩)(?:了|过)?(?:一?趟|几天|<LONG>)?<END>",
        "VISITED",
        "point",
        "place",
    ),
    rule(
        r"(?:去|到)<LE> ?<O> ?(?:留学|读研|读书|读博|上学|念书|深造|交换|打工|发展)<LE2><END>",
        "VISITED",
        "point",
        "known_place",
    ),
    rule(
        r"(?:(?:出发|动身|启程|坐飞机|坐高铁|坐火车|开车|自驾)(?:去|前往|到)了?|去了一?趟|去趟"
        r"|[去逛飞跑][了过]?[一两]?[趟次圈下]|逛了?|去了|到访了?|游览了?|参观了|造访了?|去过(?:[一两几]次)?"
        r"|飞往了?|飞到了?|飞去了?|飞"
        r"|前往了?|到|来到了?|去) ?<O>"
        r" ?(?:旅游|旅行|出差|玩|度假|见\S{1,6}|看\S{1,6}|开会|拍\S{1,4}|避暑|爬山|徒步|考察|参观|过年"
        r"|过\S{1,4}|散心|露营|滑雪|潜水)?(?:了|过)?(?:一?趟|几天|<LONG>)?<END>",
        "VISITED",
        "point",
        "spot",
    ),
    rule(r"(?:fly|go|travel) to <O>(?: ?[\u4e00-\u9fff]{1,8})?<END>", "VISITED", "point", "spot"),
    rule(r"(?:去|到|在) ?[^\x00，。]{2,10}? ?(?:参加|出席)<LE> ?<O><END>", "ATTENDED", "point", "event"),
    rule(r"(?:去)?(?:参加|出席|观看|参与|听|看)完?<LE> ?(?:一?[场个届])?<O><END>", "ATTENDED", "point", "event"),
    rule(r"(?:跑完|跑|完成)<LE> ?<O><END>", "ATTENDED", "point", "race"),
    rule(r"(?:买|购买|购入|入手)<LE> ?(?:<ONE>)?(?:名?叫|名为) ?<O> ?的[^\x00，。]{1,8}<END>", "BOUGHT", "point", "name"),
    rule(
        r"(?:在 ?[^\x00，。；]{2,10}? ?)?(?:网购|抢|淘|买|购买|购入|入手)<LE>[到下]?<LE2> ?<SOME><O><END>",
        "BOUGHT",
        "point",
        "thing",
    ),
    rule(r"(?:新)?(?:买|购买|购入|入手)<LE>(?:下了?)? ?(?:<ONE>)?<O><END>", "BOUGHT", "point", "owned"),
    rule(
        r"(?:卖掉了?|卖了|出售了?|转手了|转让了|处理掉) ?(?:自己的|我的|他的|她的"
        r"|那[辆台套部])?<O><END>",
        "OWNS",
        "end",
        "thing",
    ),
    rule(
        r"把 ?(?:自己的|我的|他的|她的|那[辆台套部]|家里的)?<O> ?(?:卖|出售|转手|转让|送人|送(?=给)|捐)(?:掉|了|掉了"
        r"|出去了|给[^\x00，。]{1,8})<END>",
        "OWNS",
        "end",
        "thing",
    ),
    rule(
        r"(?:新)?(?:买|购买|购入|采购|下单)了 ?(?:<ONE>|一?点|一?些|[个只盆束袋箱件本台辆])?<O><END>",
        "BOUGHT",
        "point",
        "goods",
    ),
    rule(r"(?:名下)?(?:有|拥有|收藏|珍藏)(?:着|了)? ?<ONE><O><END>", "OWNS", "state", "owned"),
    rule(r"拥有 ?<O><END>", "OWNS", "state", "owned"),
    rule(
        r"(?:我们?)? ?(?:已经?)?(?:被)?(?:[从由] <OLD> ?(?:手上|手里|那里)?)?(?:转|重新分配|分配|指派|移交|转交"
        r"|分派|派|交|分|丢"
        r"|assign|reassign|转派|改派|派发)\s?<LE>(?:给|到|由)<LE2> ?<O> ?(?:来)?(?:处理|负责|跟进|接手|名下|手上|手里)?<END>",
        "ASSIGNED_TO",
        "start",
        "assignee",
        kinds="ticket thing",
    ),
    rule(
        rf"(?:的? ?(?:状态|status) ?)?(?:已经?被?|被|还是?|仍|正)?(?:是|为|在|改为|变为|改成|变成|处于|标记为|标为|更新为"
        rf"|转为)?\s?已?(?P<o>{STATUS})(?:状态)?<END>",
        "HAS_STATUS",
        "start",
        "any",
        kinds="ticket project",
    ),
    rule(
        r"(?:目前|现在|仍|还)?(?:正?处[于在]|进入了?|在) ?(?P<o>[\u4e00-\u9fff]{2,4}(?:阶段|状态|期))<END>",
        "HAS_STATUS",
        "state",
        "any",
        kinds="ticket project",
    ),
    rule(
        r"(?:还|仍|正)?在? ?(?P<o>(?:测试|开发|评审|审核|处理|进行|设计|排查|验收|等待|修复|审批|复核)中)<END>",
        "HAS_STATUS",
        "state",
        "any",
        kinds="ticket project",
    ),
    rule(
        r"的? ?(?:新|工作|办公室?|私人|联系)?(?:电话|手机号码?|电话号码|联系电话|手机|号码|座机"
        r"|联系方式)(?:已经?)?(?:是|为|：|:|换成了?|改成了?)? ?(?P<o>\+?\d[\d\x20-]{4,20}\d)<END>",
        "PHONE_IS",
        "state",
        "any",
        kinds="person thing",
    ),
    rule(
        r"的? ?(?:新|工作|公司|私人|个人|联系)?(?:电子)?(?:邮箱|邮件|email|Email"
        r"|邮箱地址)\s?(?:地址)?(?:已经?)?(?:是|为|：|:|换成了?|改成了?)? ?(?P<o>[\w.+-]+@[\w.-]+\w)<END>",
        "EMAIL_IS",
        "state",
        "any",
        kinds="person thing",
    ),
    rule(
        r"的?\s?(?:阳历|农历|公历)?(?:生日|birthday) ?(?:是|在|为|：|:)? ?(?P<birthday>\x00+)(?:出生|生日|生的|生)?<END>",
        "BIRTHDAY_ON",
        "state",
        "any",
    ),
    rule(
        r"(?:的?(?:外号|昵称|小名|英文名|中文名|笔名|艺名|网名|曾用名|原名|本名|别称|绰号|花名|乳名|简称|全称"
        r"|别名|大名|俗称|代号|旧称|旧名|曾名|前称|网络ID|网络昵称|微信名|微信昵称|游戏名|ID|雅号|小名儿|诨名|法号|字号|品牌名)"
        r"(?:就)?(?:叫做?|是|为|：|:)?|又叫做?|也叫做?|又名|亦称|也称|又称|人称|被称为|被称作|被叫做"
        r"|大家都叫[我他她]|改名为|改名叫|更名为|前身是|以前叫) ?<O><END>",
        "ALSO_KNOWN_AS",
        "state",
        "name",
        kinds="person thing site project",
    ),
    rule(r"(?:隶属于?|从属于|归属于?|属于) ?<O><END>", "PART_OF", "state", "name", kinds="thing site project"),
    rule(
        r"(?:总部|地点|地址|位置|店面?)?(?:位于|坐落[于在]|设在|地处|开在|建在|落户) ?<O><END>",
        "LOCATED_IN",
        "state",
        "place",
        kinds="thing site",
    ),
    rule(r"(?:就)?在 ?<O><END>", "LOCATED_IN", "state", "site", kinds="site"),
    rule(r"(?:整体)?(?:搬|迁)(?:到|至|去|往)<LE> ?<O><END>", "LOCATED_IN", "start", "place", kinds="site"),
    rule(r"(?:总部|地点|地址|位置)在 ?<O><END>", "LOCATED_IN", "state", "place", kinds="thing site"),
    rule(
        r"是 ?<O> ?(?:的一部分|的下属\S{1,4}|旗下的?\S{1,6}|下属的?\S{1,6}|的子公司|的一个\S{1,4}|的组成部分)<END>",
        "PART_OF",
        "state",
        "org",
        kinds="thing site",
    ),
)
