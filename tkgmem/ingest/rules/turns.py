"""Whose words a line of talk are: "Ana Reyes: I moved to Porto", "【周雨薇】我计划…", "Me: ..." when it names its speaker."""

from __future__ import annotations

import re

from tkgmem.ingest.rules.en_leads import INTERJECTIONS
from tkgmem.ingest.rules.en_words import NOT_NAMES
from tkgmem.ingest.rules.zh_words import is_person

_WORD = r"[A-Z][\w.'’-]{0,24}"
_PREFIX = re.compile(
    r"(?:【(?P<boxed>[^】\n]{1,24})】[ \t]*"
    rf"|(?P<name>{_WORD}(?: {_WORD}){{0,2}}|我|[\u4e00-\u9fff·]{{2,5}})[:：][ \t]*)"
)
_MYSELF = frozenset(("me", "i", "我", "本人"))


def turn(content: str, start: int, speaker: str | None) -> tuple[str | None, int]:
    """Who a first person is in the line that begins at `start`, and where the words begin.

    A name that is not the speaker's is someone else's turn; a heading ("Update:") leaves both as they are. Without a speaker a
    first person stays nobody.
    """
    prefix = _PREFIX.match(content, start)
    if prefix is None or speaker is None:
        return speaker, start
    name = prefix["boxed"] or prefix["name"]
    if name.lower() in _MYSELF or speaker.startswith(name) or name in speaker.split(" "):
        return speaker, prefix.end()
    if is_person(name):
        return name, prefix.end()
    parts = name.lower().split(" ")
    if name.isascii() and len(parts) > 1 and not any(part in NOT_NAMES or part in INTERJECTIONS for part in parts):
        # Another's turn, or a heading in capitals: either way "I" is not the speaker for sure.
        return None, prefix.end()
    return speaker, start
