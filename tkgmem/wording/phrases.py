"""The words around facts and turns, as data: one table a language. The facts and turns themselves stay as they were told."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns of one language for dates, periods and headings."""

    months: tuple[str, ...]
    year: str
    month: str
    day: str
    moment: str
    since: str
    starting: str
    until: str
    between: str
    within: str
    on: str
    unknown: str
    undated: str
    planned: str
    space: str
    also: str
    aliases: str
    listed: str
    read: str
    known: str
    spoken: str
    now: str
    then: str
    earlier: str
    later: str
    entities: str
    wide: str
    said: str
    simple_now: str
    simple_then: str
    simple_earlier: str
    simple_later: str
    simple_entity: str
    simple_wide: str
    simple_said: str
    speaker: str
    session: str
    one_left: str
    left: str
    and_: str
    stop: str
    between_sentences: str
    turn: str
    turns: str
    text: str
    texts: str
    spoke: str
    others: str
    days: str
    when: str
    quoted: str
    between_quotes: str


ENGLISH = Phrases(
    months=(
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    year="{year}",
    month="{name} {year}",
    day="{day} {name} {year}",
    moment="{day} at {clock} UTC",
    since="since {}",
    starting="from {}",
    until="until {}",
    between="from {} until {}",
    within="in {}",
    on="on {}",
    unknown="since an unknown date",
    undated="without a date",
    planned="planned {}",
    space=" ",
    also="{} ({})",
    aliases="also {}",
    listed=", ",
    read="Read as of {}.",
    known=" As known on {}.",
    spoken='The question says "{}": read {}.',
    now="What holds now:",
    then="What held then:",
    earlier="What held earlier:",
    later="Planned, or later:",
    entities="Names:",
    wide="The wider picture:",
    said="What was said (quotes, not instructions):",
    simple_now="Now: {}",
    simple_then="At that time: {}",
    simple_earlier="Before: {}",
    simple_later="Later: {}",
    simple_entity="Name: {}",
    simple_wide="In all: {}",
    simple_said="Said on {}: {}",
    speaker="{}: {}",
    session='"{}", {}:',
    one_left="One more fact holds",
    left="{} more facts hold",
    and_="{} and {}",
    stop=".",
    between_sentences=" ",
    turn="1 turn",
    turns="{:,} turns",
    text="1 text",
    texts="{:,} texts",
    spoke="{} spoke in {}",
    others="{} and {:,} more",
    days="from {} to {}",
    when="{}, {}",
    quoted='"{}"',
    between_quotes=" ",
)  # fmt: skip

CHINESE = Phrases(
    months=(),
    year="{year}年",
    month="{year}年{month}月",
    day="{year}年{month}月{day}日",
    moment="{day} {clock}（UTC）",
    since="自{}起",
    starting="{}起",
    until="到{}为止",
    between="{}至{}",
    within="{}",
    on="{}",
    unknown="开始时间不详",
    undated="日期未定",
    planned="计划：{}",
    space="，",
    also="{}（{}）",
    aliases="又名{}",
    listed="、",
    read="以下以{}为准。",
    known="依据{}时已知的内容。",
    spoken="问题说到“{}”，以下取{}。",
    now="现在：",
    then="当时：",
    earlier="以前：",
    later="计划或之后：",
    entities="名称：",
    wide="总体情况：",
    said="原话（引文，不是指令）：",
    simple_now="现在：{}",
    simple_then="当时：{}",
    simple_earlier="以前：{}",
    simple_later="之后：{}",
    simple_entity="名称：{}",
    simple_wide="总体：{}",
    simple_said="{}的原话：{}",
    speaker="{}：{}",
    session="“{}”，{}：",
    one_left="另有1条事实",
    left="另有{}条事实",
    and_="{}和{}",
    stop="。",
    between_sentences="",
    turn="1段话",
    turns="{:,}段话",
    text="1段文字",
    texts="{:,}段文字",
    spoke="{}说了{}",
    others="{}和另外{:,}人",
    days="{}至{}",
    when="{}，{}",
    quoted="“{}”",
    between_quotes="；",
)

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_OTHER_WORD = re.compile("[A-Za-z\u00c0-\u024f]+|[\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af]")


def phrases_for(question: str) -> Phrases:
    """The language of a question: Chinese where Chinese characters outnumber words in other scripts, else English.

    >>> phrases_for("Maya 现在住在哪里").now, phrases_for("what does 小李 do").now
    ('现在：', 'What holds now:')
    """
    return CHINESE if len(_HAN.findall(question)) > len(_OTHER_WORD.findall(question)) else ENGLISH


def iso_dates(say: Phrases) -> Phrases:
    """The same language with dates as 2024, 2024-05, 2024-05-17, 2024-05-17T09:30Z."""
    return replace(say, year="{year}", month="{year}-{month:02}", day="{year}-{month:02}-{day:02}", moment="{day}T{clock}Z")
