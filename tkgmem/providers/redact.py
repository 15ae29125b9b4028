"""Keeps keys out of errors and logs: at most the first 4 characters of one stay.

A key that is known is masked wherever it stands, also written as in a URL; one that is not known is masked by its looks.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Iterable
from urllib.parse import quote

_MASK = "***"
_KEPT = 4
_SHORTEST = 8
_LONG_ENOUGH_TO_SHOW = 16
_VALUE = r"[^\s\"'`,;&)}\]<>\\]"

_PATTERNS = (
    # A scheme and a credential: Bearer x, Basic x.
    re.compile(rf"(?P<before>\b(?:bearer|basic)\s+){_VALUE}{{6,}}", re.IGNORECASE),
    # A header, field or parameter named after a credential, as in JSON, in Python, in a URL or in a command.
    re.compile(
        r"(?P<before>\b(?:[\w-]*(?:api|access|auth|account|client|subscription|goog|private|secret)[-_]?(?:key|token|secret|password)"
        r"|(?:proxy-)?authorization|password|passwd|secret|session[-_]?token|set-cookie|cookie)\b[\"'\\]*\s*[:=]\s*[\"'\\]*"
        rf"(?:(?:bearer|basic)\s+)?){_VALUE}{{4,}}",
        re.IGNORECASE,
    ),
    # A parameter of a URL.
    re.compile(rf"(?P<before>\b(?:key|token|sig|signature|pwd|x-amz-[\w-]+)=){_VALUE}{{4,}}", re.IGNORECASE),
    re.compile(r"(?P<before>[?&][\w.~-]+=)[A-Za-z0-9_\-.~+/%=]{24,}"),
    # The user and password of a URL.
    re.compile(r"(?P<before>://)[^\s/@:\"']*:[^\s/@\"']+(?=@)"),
    # Keys that say whose they are.
    re.compile(
        r"(?P<before>)\b(?:(?:sk|pk|rk|xai|gsk|csk|nvapi|pplx|tvly|glpat|ghp|gho|ghs|github_pat|hf|r8|xox[abp])[-_]"
        r"(?:[A-Za-z0-9_\-*…]|\.{2,}(?=\w)){8,}|AIza[A-Za-z0-9_\-*…]{8,}|ya29\.[A-Za-z0-9_\-.]{8,}|(?:AKIA|ASIA)[A-Z0-9]{8,}"
        r"|eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]+)*)"
    ),
)


class Redactor:
    """Masks the given keys, and what looks like a key.

    keys: the ones known; what is shorter than 8 characters is no key but a word such as "ollama" given where one is demanded.

    >>> redact = Redactor(["my-own-secret-key-1"])
    >>> redact("my-own-secret-key-1 or ?key=sk-TEST1234567890ab, said 'Bearer abcdefgh'")
    "my-o*** or ?key=sk-T***, said 'Bearer ***'"
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        given = {key for key in keys if len(key) >= _SHORTEST}
        given |= {key.replace("/", "\\/") for key in given}  # as JSON may write it
        self._all = _any_of(given)
        self._long = _any_of(key for key in given if len(key) >= _LONG_ENOUGH_TO_SHOW)

    def __call__(self, text: str) -> str:
        """The text with every key masked."""
        text = _replaced(self._all, text)
        for pattern in _PATTERNS:
            text = pattern.sub(_masked, text)
        return text

    def known(self, text: str) -> str:
        """The text with the keys that are known masked, and nothing else changed: for what must stay as it is otherwise. A key
        of less than 16 characters may be a word, and stays too.
        """
        return _replaced(self._long, text)


class KeyFilter(logging.Filter):
    """Masks keys in log records, in their message and traceback. Add it to a handler to cover all that goes through it."""

    def __init__(self, redact: Redactor | None = None) -> None:
        super().__init__()
        self._redact = redact or Redactor()

    def filter(self, record: logging.LogRecord) -> bool:
        """True: no record is dropped."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):  # arguments that do not fit; whoever logs must not fail for it
            message = f"{record.msg} {record.args}"
        record.msg, record.args = self._redact(message), ()
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = self._redact("".join(traceback.format_exception(*record.exc_info)).rstrip())
        if record.stack_info:
            record.stack_info = self._redact(record.stack_info)
        return True


def mask(key: str) -> str:
    """What may be shown of a key.

    >>> mask("sk-TEST1234567890"), mask("short-one")
    ('sk-T***', '***')
    """
    return f"{key[:_KEPT]}{_MASK}" if len(key) >= _LONG_ENOUGH_TO_SHOW else _MASK


def _any_of(keys: Iterable[str]) -> re.Pattern[str] | None:
    spellings = sorted({spelling for key in keys for spelling in (key, quote(key, safe=""))}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, spellings))) if spellings else None


def _replaced(keys: re.Pattern[str] | None, text: str) -> str:
    return keys.sub(lambda match: mask(match[0]), text) if keys else text


def _masked(match: re.Match[str]) -> str:
    before = match["before"]
    hidden = match[0][len(before) :]
    return match[0] if hidden.endswith(_MASK) and len(hidden) <= _KEPT + len(_MASK) else f"{before}{mask(hidden)}"
