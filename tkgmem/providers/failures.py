"""Why a request to a language model failed: what happened, whether asking again can help, and what to do.

Reads litellm's exceptions by their status and headers, which do not depend on the provider.
"""

from __future__ import annotations

import email.utils
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_SHOWN = 300
_HTTP = range(100, 600)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request.

    status: the HTTP status, None without an answer from a server. what and advice: for people, without any key. said: what the
    server said, as it was said. passing: asking again may help. form: the server may have refused
    only the form that was asked of the answer. wait: seconds that the server asks to wait, None if it does not say.
    """

    status: int | None
    what: str
    advice: str
    said: str = ""
    passing: bool = False
    form: bool = False
    wait: float | None = None


_BY_STATUS = {
    400: ("refused the request", "check the model's name and the settings given to it"),
    401: ("refused the key", "give api_key, or set the environment variable that the provider reads"),
    402: ("wants to be paid first", "check the account's balance"),
    403: ("does not allow this", "check what the key may use"),
    404: ("was not found", "check the model's name and api_base"),
    408: ("timed out", "give a longer timeout, or use a faster model"),
    413: ("was sent more than it takes", "add shorter texts"),
    422: ("refused the request", "check the model's name and the settings given to it"),
    429: ("is rate limited", "wait, lower concurrency, or raise the provider's limit"),
}
_SERVER = ("failed", "try again later; the text is kept")
_PASSING = {408, 409, 425, 429}

UNREACHABLE = Failure(None, "could not be reached", "check api_base and the network, and that the server runs", passing=True)
EMPTY = Failure(None, "sent no answer", "try again, or use another model", passing=True)


def classify(error: Exception) -> Failure:
    """What an exception of litellm means."""
    names = {kind.__name__ for kind in type(error).__mro__}
    said = str(getattr(error, "message", "") or error)
    status = _status(error)
    if "ContextWindowExceededError" in names:
        return Failure(status, "was sent more than it takes", "add shorter texts, or use a model with a longer context", said)
    if "ContentPolicyViolationError" in names:
        return Failure(status, "refused the text", "the provider's content policy does not allow it", said)
    if "Timeout" in names:
        return Failure(status, *_BY_STATUS[408], said, passing=True, wait=_wait(error))
    if not _answered(error) and ("APIConnectionError" in names or "Connection error" in said):
        return Failure(None, UNREACHABLE.what, UNREACHABLE.advice, said, passing=True)
    if status == 429 and "insufficient_quota" in f"{said} {getattr(error, 'code', '')} {getattr(error, 'body', '')}":
        return Failure(status, "has no quota left", "check the account's plan and balance", said)
    what, advice = _BY_STATUS.get(status or 0, _BY_STATUS[400] if status and status < 500 else _SERVER)
    passing = status is None or status in _PASSING or status >= 500
    form = (status in (400, 422) and _answered(error)) or "UnsupportedParamsError" in names
    return Failure(status, what, advice, said, passing=passing, form=form, wait=_wait(error))


def leaked(error: Exception) -> Failure:
    """What an exception means that litellm did not make one of its own."""
    what = f"failed inside litellm with {type(error).__name__}"
    return Failure(None, what, "check the model's name and the packages that litellm needs for its provider", str(error))


def describe(model: str, failure: Failure, attempts: int, redact: Callable[[str], str]) -> str:
    """The message of the error. What the server said is redacted, then shortened: half a key would no longer look like one."""
    status = f" (HTTP {failure.status})" if failure.status in _HTTP else ""
    times = f", asked {attempts} times" if attempts > 1 else ""
    said = " ".join(redact(failure.said).split())
    said = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
    return redact(f"model {model} {failure.what}{status}{times}") + (f": {said}" if said else "") + f"; {failure.advice}"


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _headers(error: Exception) -> Mapping[str, str]:
    found = getattr(error, "litellm_response_headers", None) or getattr(getattr(error, "response", None), "headers", None)
    return {str(name).lower(): str(value) for name, value in found.items()} if isinstance(found, Mapping) else {}


def _answered(error: Exception) -> bool:
    """Whether a server answered at all: litellm gives status 500 to a connection that failed."""
    return bool(_headers(error))


def _wait(error: Exception) -> float | None:
    """The seconds of a Retry-After header (RFC 9110, section 10.2.3), or as a date counted from the answer's own."""
    headers = _headers(error)
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if value.replace(".", "", 1).isascii() and value.replace(".", "", 1).isdigit():
            return float(value) / unit
    try:
        until, now = (email.utils.parsedate_to_datetime(headers.get(name, "")) for name in ("retry-after", "date"))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None
