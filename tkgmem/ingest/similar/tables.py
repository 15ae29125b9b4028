"""What is known about names in general: legal forms, titles, abbreviations, number words, letters of other alphabets.

Everything is written as it is compared: case folded, without diacritics, dotted initialisms joined, other alphabets in Latin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType


def classes(text: str, separator: str = "|") -> Mapping[str, str]:
    """Each spelling to the first one of its line."""
    lines = [[part.strip() for part in line.split(separator)] for line in text.strip().splitlines()]
    return MappingProxyType({spelling: line[0] for line in lines for spelling in line})


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEGAL_FORMS = classes("""
ltd | limited | ltda | limitada
llc | limited liability company | limited liability | ooo | obshchestvo s ogranichennoi otvetstvennostyu | tov
plc | public limited company
inc | incorporated
corp | corporation
co | company | cie | compagnie
lp | limited partnership
llp | limited liability partnership
gmbh | gesellschaft mit beschrankter haftung | ges mbh | mbh
ag | aktiengesellschaft
kg | kommanditgesellschaft
ohg | offene handelsgesellschaft
ug | unternehmergesellschaft
ev | eingetragener verein
se | societas europaea
sa | societe anonyme | sociedad anonima | sociedade anonima
sas | societe par actions simplifiee
sarl | societe a responsabilite limitee
srl | societa a responsabilita limitata | societatea cu raspundere limitata | sociedad de responsabilidad limitada
spa | societa per azioni
sl | sociedad limitada
sa de cv | sociedad anonima de capital variable
bv | besloten vennootschap
nv | naamloze vennootschap
ab | aktiebolag
as | aksjeselskap | aktieselskab
aps | anpartsselskab
oy | osakeyhtio
oyj | julkinen osakeyhtio
sp z oo | spolka z ograniczona odpowiedzialnoscia | sp zoo
sro | spolecnost s rucenim omezenym
kft | korlatolt felelossegu tarsasag
doo | drustvo s ogranicenom odgovornoscu
jsc | joint stock company | ao | aktsionernoe obshchestvo | oao | ojsc | open joint stock company | zao | cjsc | pao | pjsc
ano | autonomous non profit organization
pt | perseroan terbatas
sdn bhd | sendirian berhad
bhd | berhad
pte | private | pvt
kk | kabushiki kaisha
""")
"""A legal form to its class. Two classes are two bodies; one name without a form may be either."""

LEADING_FORMS = _set("ooo oao zao pao ao ojsc cjsc pjsc jsc llc ano srl pt ltd tov") | {
    form for form in LEGAL_FORMS if " " in form and len(form) > 12
}
"""The forms that may stand before a name too."""

TITLES = classes("""
mr | mister | herr | monsieur | senor | signor | signore
mrs | frau | madame | mme | senora | sra | signora
ms | miss | fraulein | senorita
dr | doctor | doktor
prof | professor
sir
dame
rev | reverend
president | prasident | presidente
sheikh | shaikh | shaykh | sheik
haji | hajji | hadji
capt | captain
col | colonel
gen | general
lt | lieutenant
sgt | sergeant
sen | senator
gov | governor
judge | justice
phd
md
esq
""")
"""A title or form of address to its class; they stand first, the last three last."""

CLOSING_TITLES = frozenset({"phd", "md", "esq"})
MALE = _set("mr sir")
FEMALE = frozenset({"mrs", "ms", "dame"})

GENERATIONS = classes("""
jr | junior | jnr
sr | senior | snr
""")

ORGANIZATION_WORDS = _set(
    """
academy agency airlines army association authority aviation bank board brigade bureau capital center centre church club
college commission committee company cooperative corporation council department division electronics energy engineering
enterprises federation finance foundation fund government group holding holdings hospital hotel industrial industries
institute insurance international investment laboratories laboratory league logistics management media ministry motor
motors museum network office oil organization partners partnership pharmaceuticals police productions properties
republic research school securities services shipping society software solutions store studio studios systems team
technologies technology telecom trading transport trust union university ventures
"""
)

PERSON_KINDS = _set("person people human individual user contact 人 人物 用户 联系人")
ORGANIZATION_KINDS = _set("organization organisation company org business institution employer legalentity 组织 机构 公司 单位")

ABBREVIATIONS = classes("""
and | &
association | assn | assoc
brothers | bros
center | centre | ctr
department | dept
engineering | engg
government | govt
international | intl
laboratories | labs
management | mgmt
manufacturing | mfg
national | natl
organization | organisation | orgn
services | svcs
university | univ
""")
"""A word to the one by which it is compared."""

ARTICLES = frozenset({"the"})
PARTICLES = _set("al el bin ibn ben abu de da do dos das di del della van von der den la le y ul")
"""Small words inside personal names, which carry no name themselves."""


def _numbers() -> Iterable[tuple[str, int]]:
    small = "one two three four five six seven eight nine ten eleven twelve"
    teens = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    ordinal = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    yield from ((word, value) for value, word in enumerate(f"{small} {teens}".split(), 1))
    yield from ((word, value) for value, word in enumerate(ordinal.split(), 1))
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    yield from ((word, value * 10) for value, word in enumerate(tens.split(), 2))
    yield "fourty", 40


NUMBER_WORDS: Mapping[str, int] = MappingProxyType(dict(_numbers()))
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_TENS = ("", "x", "xx", "xxx")
ROMAN: Mapping[str, int] = MappingProxyType(
    {tens + ones: 10 * ten + one for ten, tens in enumerate(_TENS) for one, ones in enumerate(_ONES) if tens + ones}
)
"""Roman numerals up to 39: those that number kings, ships and funds."""

DENSE_FORMS = _set("股份有限公司 有限责任公司 有限公司 集团公司 株式会社 有限会社 주식회사 公司 集团")
DENSE_TITLES = _set(
    """
老师 先生 女士 小姐 太太 教授 博士 医生 大夫 经理 总经理 主任 同学 师傅 律师 校长 院长 局长 部长 董事长 叔叔
阿姨 さん 様 さま くん 君 ちゃん 氏 씨 님 선생님 总 哥 姐 叔 姨 工
"""
)
DENSE_PET_PREFIXES = frozenset("小老阿大")
"""What stands before a family or given name among friends: 小李, 阿伟."""
TRADITIONAL = str.maketrans(
    "張陳劉趙吳黃孫馬羅鄭謝許鄧馮韓蕭葉蔣賈鐘閻陸蘇盧魯葛龍萬賀賴錢湯顧龔嚴簡齊倪國華偉強軍麗靜敏傑濤濱輝鵬飛鳳蘭蓮雲寶貴錦鈞鋒銘鑫鴻麟"
    "學東業電車銀機醫院書館聯盟際實驗線網優開發爾廣灣島縣區臺灣訊騰聞視報關務財經貿產權證現為時間",
    "张陈刘赵吴黄孙马罗郑谢许邓冯韩萧叶蒋贾钟阎陆苏卢鲁葛龙万贺赖钱汤顾龚严简齐倪国华伟强军丽静敏杰涛滨辉鹏飞凤兰莲云宝贵锦钧锋铭鑫鸿麟"
    "学东业电车银机医院书馆联盟际实验线网优开发尔广湾岛县区台湾讯腾闻视报关务财经贸产权证现为时间",
)
"""Traditional characters common in names to simplified ones; left out are those whose simplified one is a name of its own."""

LATIN = str.maketrans(
    dict(zip("łøđðħıŧŀ", "loddhitl", strict=True))
    | {"þ": "th", "æ": "ae", "œ": "oe", "ŋ": "ng"}
    | dict(zip("абвгґдеєзиіїйклмнопрстуфыэў", "abvggdeeziiiiklmnoprstufyeu", strict=True))
    | {"ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"}
    | dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True))
    | {"θ": "th", "χ": "ch", "ψ": "ps"}
    | dict(zip("أإآٱىةکیے", "اااايهكيي", strict=True))
    | {"ـ": ""}
)
"""Letters to Latin ones, and spellings of one Arabic letter to one."""

PATRONYMICS = ("ovich", "evich", "ovna", "evna", "ovych", "yovych", "ivna", "ivich", "ichna", "oglu", "ogly", "kyzy")
"""How East Slavic and Turkic patronymics end."""
