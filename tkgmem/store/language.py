"""The script that most of a text is written in, which tells languages apart as far as an embedder's bias is concerned.

An embedder places the texts of one script near one another, whatever they say; `frames` takes that out, script by script.
"""

from __future__ import annotations

import re

_SCRIPTS = {
    "kana": "\u3040-\u30ff\u31f0-\u31ff",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "thai": "\u0e00-\u0e7f",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f",
    "hebrew": "\u0590-\u05ff",
    "devanagari": "\u0900-\u097f",
}
_SINGLE = {"kana", "hangul", "han", "thai"}  # written without spaces between words, or in syllables: each character counts
_WEIGHT = dict.fromkeys(_SINGLE, 2)  # measured: a vector lies with Chinese ones where a third of the words is Chinese
_COUNTED = {
    name: re.compile(f"[{characters}]" if name in _SINGLE else f"[{characters}]+") for name, characters in _SCRIPTS.items()
}
_ANY = "".join(_SCRIPTS.values())
_OTHER = re.compile(rf"[^\W\d_{_ANY}]+")


def language(text: str) -> str:
    """The script of most words of the text: "latin", "han", "kana" (Japanese, its Chinese characters included), "cyrillic" ...

    >>> language("小李 works at A 公司"), language("What does 小李 do there?"), language("田中さんは働く"), language("42")
    ('han', 'latin', 'kana', 'latin')
    """
    counts = {"latin": len(_OTHER.findall(text))}
    counts |= {name: _WEIGHT.get(name, 1) * len(pattern.findall(text)) for name, pattern in _COUNTED.items()}
    if counts["kana"] * 10 > counts["han"]:
        counts["kana"] += counts.pop("han")
    return max(counts, key=counts.__getitem__)
