"""How names are compared: by a key in which width, case, composition, spacing and invisible marks do not count.

Diacritics and digits do count: "Bay 41" and "Bay 42", "Zaneta" and "Żaneta" stay apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_SPACE_BY_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")
MAX_NAME = 1_000


def clean_text(text: str, what: str) -> str:
    """The text itself, if it can be stored exactly. ValueError names what is wrong with it and where."""
    if not isinstance(text, str):
        raise ValueError(f"{what} must be text, not {type(text).__name__}: {text!r}")
    if (at := text.find("\0")) >= 0:
        raise ValueError(f"{what} has a NUL character at position {at}; remove it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        bad = f"U+{ord(text[error.start]):04X}"
        raise ValueError(
            f"{what} has a lone surrogate {bad} at position {error.start}; decode the text correctly first"
        ) from error
    return text


def clean_mapping(value: Mapping[str, Any] | None, what: str) -> dict[str, Any]:
    """The mapping, if it can be stored as JSON and read back the same; ValueError names what is wrong."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} must be a mapping, not {type(value).__name__}: {value!r}")
    kept = dict(value)
    try:
        text = json.dumps(kept, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{what} must be JSON: {error}") from error
    if json.loads(clean_text(text, what)) != kept:
        raise ValueError(f"{what} would not be read back the same from JSON: use text keys, lists and plain values: {value!r}")
    return kept


def searchable(text: str) -> str:
    """The text as it can be asked for: what could never be stored is replaced, so it is found nowhere and harms nothing."""
    if not isinstance(text, str):
        raise ValueError(f"a name or uuid is text, not {type(text).__name__}: {text!r}")
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def clean_name(name: str, what: str = "a name") -> str:
    """The name as shown: trimmed, inner white space collapsed. ValueError if nothing visible is left or it is overlong."""
    shown = " ".join(clean_text(name, what).split())
    if not name_key(shown):
        raise ValueError(f"{what} needs at least one visible character: {name!r}")
    if len(shown) > MAX_NAME:
        raise ValueError(f"{what} is {len(shown)} characters long, the limit is {MAX_NAME}: {shown[:60]!r}…")
    return shown


def name_key(name: str) -> str:
    """The name as compared: NFKC, case folded, invisible marks dropped, white space collapsed, none beside CJK.

    >>> name_key("A 公司") == name_key("ａ公司 ")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).casefold())
    return _SPACE_BY_CJK.sub("", " ".join(_INVISIBLE.sub("", folded).split()))
