"""Chinese predicates of work, homes, study, rank and responsibility, in the order they are tried."""

from __future__ import annotations

from tkgmem.ingest.rules.zh_rules import Rule, rule

WORK: tuple[Rule, ...] = (
    rule(
        r"在 <O> (?:工作|上班|任职|就职|供职|执业|服役|坐班|打工|兼职|干活|做事)<LE>(?:<LONG>)?<END>",
        "WORKS_AT",
        "state",
        "org",
    ),
    rule(r"在 <O>的?[\u4e00-\u9fff]{1,6}(?:部|部门|组|科|室|处) ?(?:工作|上班)<LE><END>", "WORKS_AT", "state", "firm"),
    rule(r"在 <O> (?:做|当|担任|任(?![务意何教课])|出任|干)<LE> ?(?:<ONE>)?<R><END>", "WORKS_AT", "state", "org"),
    rule(
        r"是 <O> ?的(?:[一]?名)?(?:正式|资深|老|核心)?(?:成员|会员|队员|一员|社员|团员|组员|一份子|理事|主力)<END>",
        "MEMBER_OF",
        "state",
        "org",
    ),
    rule(r"是 ?<O>(?:成员|会员|队员|社员|团员|组员)<END>", "MEMBER_OF", "state", "club"),
    rule(
        r"(?:成为|成了|当上)<LE> ?<O> ?的(?:[一]?名)?(?:正式)?(?:成员|会员|队员|一员|社员|团员)<END>",
        "MEMBER_OF",
        "start",
        "org",
    ),
    rule(
        r"是 ?<O> ?的?(?:[大研博高初一二三四五六]{0,2}[一二三四五六]?年?级?)(?:学生|研究生|本科生|博士生|硕士生|新生)<END>",
        "STUDIES_AT",
        "state",
        "school",
    ),
    rule(r"是 ?<O> ?的(?:头儿?|负责人|主管|老大|leader|一把手|带头人)<END>", "MANAGES", "state", "unit"),
    rule(r"在 <O> (?:工作|上班|任职|实习)的(?:第一天|头一天)<END>", "WORKS_AT", "start", "org"),
    rule(r"是 ?<O> ?(?:的|里的) ?(?:<ONE>)?<R><END>", "WORKS_AT", "state", "firm"),
    rule(r"是 ?<O> ?(?:的|里的) ?(?:<ONE>)?<R><END>", "WORKS_AT", "state", "employer_of"),
    rule(r"(?:进(?!行)入?|去|到|入)<LE> ?<O> ?(?:工作|上班|实习|任职|就职)<LE2><END>", "WORKS_AT", "start", "org"),
    rule(r"(?:到|去)<LE> ?<O> ?(?:报到|报名入学|入学)<LE2><END>", "STUDIES_AT", "start", "college"),
    rule(r"(?:到|去)<LE> ?<O> ?(?:报到|入职|上任|就任)<LE2><END>", "WORKS_AT", "start", "org"),
    rule(
        r"(?:又|再)?(?:进(?!行)入?|去|到了|转到|转去|换到|跳到"
        r"|来到)<LE> ?<O><END>",
        "WORKS_AT",
        "start",
        "org",
        needs="WORKS_AT",
    ),
    rule(r"(?:进(?!行)入?了) ?<O>(?:工作|上班)?<END>", "WORKS_AT", "start", "employer"),
    rule(r"(?:被|受聘于|受雇于) ?<O> ?(?:聘用|录用|录取为员工|雇用|聘请)?<END>", "WORKS_AT", "start", "firm"),
    rule(
        r"在 <O> (?:教书|任教|执教|坐诊|行医|代课|代过课|支教|挂职|教过书|教过[^\x00，。]{1,6}?|教[^\x00，。]{1,6}?)<LE><END>",
        "WORKS_AT",
        "state",
        "org",
    ),
    rule(r"在 <O> 实习<LE>(?:<LONG>)?<END>", "WORKS_AT", "state", "org"),
    rule(
        r"(?:就职|任职|供职|任教|执教|服务|受聘|工作)于 <O>(?: ?[，,]?(?:担任|任|做"
        r"|当) ?<R>)?<END>",
        "WORKS_AT",
        "state",
        "org",
    ),
    rule(r"入职<LE> <O>(?: ?[，,]?(?:担任|任|做|当) ?<R>)?<END>", "WORKS_AT", "start", "org"),
    rule(r"从 <OLD> ?(?:调|转|调任|转岗|调动)(?:到|去|至|入|往)<LE> ?<O><END>", "MEMBER_OF", "start", "unit"),
    rule(r"(?:已|被)?调(?:到|去|往|任|至)<LE> ?<O>(?:工作|任职)?<END>", "MEMBER_OF", "start", "unit"),
    rule(
        r"(?:从 <OLD> )?(?:跳槽|转投|转职|转会|跳|换工作)<LE>(?:到|去|至)<O><END>".replace("到|去|至)", "到了?|去了?|至了?) "),
        "WORKS_AT",
        "start",
        "org",
    ),
    rule(r"(?:加入|加盟|效力于?|join|onboard) (?:到|了|过)? <O>(?: (?:担任|任|做|当) <R>)?<END>", "WORKS_AT", "start", "org"),
    rule(
        r"在 ?(?:一[家个所间])?(?:名?叫做?|名为) ?<O> ?的[^\x00，。]{1,8}?(?:工作|上班|任职|(?:做|当|担任) ?<R>)?<END>",
        "WORKS_AT",
        "state",
        "name",
    ),
    rule(
        r"(?:加入|加盟|入职|跳槽到|跳到|去|进(?!行)入?)<LE> ?(?:一[家个所间])?(?:名?叫做?"
        r"|名为) ?<O> ?的[^\x00，。]{0,6}?(?:公司|企业|机构|工作室|团队|医院|学校|店)<END>",
        "WORKS_AT",
        "start",
        "name",
    ),
    rule(r"从 <O> ?(?:离职|辞职|离开|退休|辞工|裸辞|卸任|离任|离岗|毕业离职)<LE>(?:[之以]?后)?<END>", "WORKS_AT", "end", "org"),
    rule(r"(?:辞去|辞掉|卸下)<LE> ?(?:<ONE>)?<O> ?(?:一职|的?职务|的?职位|的?工作|的?岗位)?<END>", "HAS_ROLE", "end", "role"),
    rule(r"(?:离开|辞去|辞掉|辞|quit)(?![^\x00]*一职)\s?<LE> <O> ?(?:的)?(?:工作|职务|职位)?<END>", "WORKS_AT", "end", "org"),
    rule(
        r"(?:卸任|辞去|卸下|不再担任|不再任|不再是|不再当|不再做)<LE> ?(?:<ONE>)?<O> ?(?:一职|职务|的职务|职位)?<END>",
        "HAS_ROLE",
        "end",
        "role",
    ),
    rule(r"被 ?<O> ?(?:裁掉|裁员|解雇|辞退|开除|优化掉?)<LE><END>", "WORKS_AT", "end", "org"),
    rule(r"(?:退出|退|离开)<LE> <O><END>", "MEMBER_OF", "end", "club"),
    rule(r"退出<LE> <O><END>", "MEMBER_OF", "end", "org"),
    rule(
        r"(?:住在|租住在|寄住在|借住在|暂住在?|旅居|安家在?|扎根在?|现居|现住|居住在|居住于|定居在|定居于|常住"
        r"|家住|家在|落户|常驻|长居|base 在|住(?![过了院宿])) ?<O>(?:(?:已经?|有|快|都)?了?<LONG>)?<END>",
        "LIVES_IN",
        "state",
        "place",
    ),
    rule(r"在 ?<O> ?(?:住|居住|生活|定居)<LE>(?:<LONG>)?<END>", "LIVES_IN", "state", "place"),
    rule(r"的?家(?:就|也|住)?在 ?<O><END>", "LIVES_IN", "state", "place"),
    rule(r"(?:从 <OLD> )?(?:又|再)?(?:去|到|回)<LE> ?<O> ?定居<END>", "LIVES_IN", "start", "place"),
    rule(r"(?:定居|move to) ?<O><END>", "LIVES_IN", "start", "place"),
    rule(
        r"(?:从 <OLD> )?(?:搬家?|迁居|移居|迁|移民)(?:到了?|去了?|至|回了?|进了?|往)? <O>(?:去?住|生活)?<END>",
        "LIVES_IN",
        "start",
        "place",
    ),
    rule(r"(?:从 <OLD> )?(?:又|再)?(?:去|到|回到?)<LE> ?<O><END>", "LIVES_IN", "start", "place", needs="LIVES_IN"),
    rule(r"(?:出生[在于]|(?<!出)生[于在]) <O><END>", "BORN_IN", "point", "place"),
    rule(r"(?:出生[在于]?|生于) ?(?P<birthday>\x00+)<END>", "BIRTHDAY_ON", "state", "any"),
    rule(r"(?:是|来自) ?<O>人<END>", "BORN_IN", "state", "known_place"),
    rule(r"的?(?:老家|家乡|籍贯)(?:在|是) ?<O><END>", "BORN_IN", "state", "known_place"),
    rule(r"来自 ?<O><END>", "BORN_IN", "state", "known_place"),
    rule(r"(?:毕业于|曾?就读过?于|毕业自) ?<O><END>".replace("曾?就读过?于", "曾就读于"), "STUDIED_AT", "point", "org"),
    rule(r"从 <O> (?:毕业|毕了业)<LE><END>", "STUDIED_AT", "point", "org"),
    rule(r"是 ?<O> ?(?:的)?(?:毕业生|校友)<END>", "STUDIED_AT", "state", "org"),
    rule(r"在 <O> ?(?:读完|念完|取得|获得|拿到|读过|念过|上过)[^\x00，。]{0,10}?<END>", "STUDIED_AT", "point", "school"),
    rule(r"就读于 ?<O>[^\x00，。]{0,8}?(?:专业|系)<END>", "STUDIES_AT", "state", "school"),
    rule(r"(?:在读|攻读) ?<O>(?:大学|学院)?的[^\x00，。]{1,8}<END>", "STUDIES_AT", "state", "school"),
    rule(r"的?(?:初中|高中|大学|本科|硕士|博士|研究生)(?:都|也)?是?在 ?<O> ?[读念上]的<END>", "STUDIED_AT", "state", "org"),
    rule(r"就读于 ?<O><END>", "STUDIES_AT", "state", "org"),
    rule(
        r"(?:考上|考入|考进|升入|进入|入读|转学到|转到)<LE> ?<O>(?:读\S{1,4}|的[^\x00，。的]{2,5})?<END>",
        "STUDIES_AT",
        "start",
        "school",
    ),
    rule(
        r"(?:去|到)<LE> ?<O> ?(?:读书|读博|读研|上学|留学|念书|深造|读\S{1,6}|攻读\S{1,8}|(?<![大中小])学\S{1,6})<END>",
        "STUDIES_AT",
        "start",
        "school",
    ),
    rule(
        r"在 <O> (?:读书|读博|读研|上学|念书|上大学|读大学|读本科|读硕士|读博士|念博士|念大学|求学|学习|进修"
        r"|留学|上高中|上初中|上幼儿园)<LE>(?:<LONG>)?<END>",
        "STUDIES_AT",
        "state",
        "school",
    ),
    rule(
        r"在 <O> (?:攻读[^\x00，。]{1,8}?|(?<![大中小])学[^\x00，。]{1,6}?|[读念上][^\x00，。]{1,8}?)<END>",
        "STUDIES_AT",
        "state",
        "school",
    ),
    rule(r"是 ?(?:<ONE>)?<O><END>", "HAS_ROLE", "state", "role"),
    rule(
        r"(?:[由从] ?[^\x00，。]{1,10}? ?)?(?:接替 ?[^\x00，。]{2,5}? ?)?(?:担任(?=了)|上任|履新|转行[做当]"
        r"|改行[做当]|改[做当]|升任|升(?=了)|升到|转正为|升职?为|出任|就任|接任|转任|改任|调任|升职?成|当选为?"
        r"|当上|成为|做了|当了"
        r"|(?:被)?(?:提拔|提升|任命|晋升|推选|推举|选|聘|评|聘任)(?:为|成|做|当))<LE> ?(?:<ONE>)?<O><END>",
        "HAS_ROLE",
        "start",
        "role",
    ),
    rule(r"(?:的 ?)?(?:title|职位|头衔|岗位)\s?(?:是|为|：|:) ?<O><END>", "HAS_ROLE", "state", "role"),
    rule(r"(?:以 ?<O> ?的?身份)<END>", "HAS_ROLE", "state", "role"),
    rule(
        r"在?(?:现任|担任|做|当|任|职业是|的职业是|的职务是|职务是"
        r"|的工作是) ?<LE> ?(?:<ONE>)?<O><END>",
        "HAS_ROLE",
        "state",
        "role",
    ),
    rule(
        r"(?:负责管理|管理着?|主管|带领着?|领导着?|掌管着?|统管|执掌|分管|带(?:着|的是)?|管(?:着|的是)?) ?<O><END>",
        "MANAGES",
        "state",
        "unit",
    ),
    rule(r"的?(?:直接)?(?:下属|手下)(?:是|叫|有) ?<O><END>", "MANAGES", "state", "person"),
    rule(r"负责 ?<O>(?:的管理)?<END>", "MANAGES", "state", "team"),
    rule(
        r"[由归] <O> ?(?:负责|来)?(?:管理|领导|带领|主管|管|带队|带头|带|执掌|掌管|坐镇)<END>",
        "MANAGES",
        "state",
        "person",
        swap=True,
        kinds="thing",
    ),
    rule(
        r"的?(?:现任)?(?:负责人|主管|经理|组长|店长|队长|主任|厂长|馆长|站长|园长|院长|校长|社长|会长|总经理"
        r"|老板)(?:现在|目前|仍)?[是为] ?<O><END>",
        "MANAGES",
        "state",
        "person",
        swap=True,
        kinds="site",
    ),
    rule(
        r"(?:改?由|归|让|交由) ?<O> ?(?:来)?(?:全权|主要)?(?:负责|处理|跟进|接手|承担|完成|管|主导|牵头|推进|承接"
        r"|值守|看管|看守|维护|运维|打理|操作|驻守|照看|把关|统筹|对接)<LE><END>",
        "ASSIGNED_TO",
        "state",
        "assignee",
        kinds="thing ticket project",
    ),
    rule(
        r"的? ?(?:负责人|经办人|处理人|owner|assignee) ?(?:现在|仍然?|还|目前|也)? ?(?:是|为|：|:|换成了?|改成了?"
        r"|改为) ?<O><END>",
        "ASSIGNED_TO",
        "state",
        "assignee",
        kinds="thing ticket project",
    ),
    rule(r"(?:现在)?挂?在 ?<O> ?(?:手上|手里|那里|那儿|名下)<END>", "ASSIGNED_TO", "state", "assignee", kinds="ticket"),
    rule(r"(?:接手|接管|接下)<LE> ?<O>(?:的工作)?<END>", "ASSIGNED_TO", "start", "task", swap=True),
    rule(r"(?:负责|跟进|承担) ?<O>(?:的工作)?<END>", "ASSIGNED_TO", "state", "task", swap=True),
    rule(r"(?:向|跟|给|直接向) ?<O> ?(?:直接)?汇报(?:工作)?<END>", "REPORTS_TO", "state", "person"),
    rule(r"(?:直接)?(?:汇报|述职)给 ?<O><END>", "REPORTS_TO", "state", "person"),
    rule(r"(?:report) ?(?:给|to) ?<O><END>", "REPORTS_TO", "state", "person"),
    rule(
        r"的?(?:顶头上司|直属上司|直属领导|直属上级|直属主管|上级|领导|上司|老板|主管|manager|boss"
        r"|经理) ?(?:现在|就|目前|还|仍)?(?:是|叫|换成了?|变成了?) ?<O><END>",
        "REPORTS_TO",
        "state",
        "person",
    ),
)
