"""A language model behind any provider that litellm speaks to.

A request that fails has its error in its place, and no key is in it. A call ends within its time limit, whatever the server
does.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import random
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tkgmem.errors import LLMError
from tkgmem.protocols import Request, Response
from tkgmem.providers.failures import EMPTY, Failure, classify, describe, leaked
from tkgmem.providers.redact import KeyFilter, Redactor

_FORMS: Final = ("json_schema", "json_object", "prompt")
"""Ways to get an object, the strictest first: enforced by schema, enforced as JSON, asked for in words."""

_BY_WORDS = "\n\nAnswer with one JSON object that follows this JSON schema, and with nothing else:\n"
_LOGGERS = ("LiteLLM", "openai", "httpx", "httpcore")
_LONGEST_PAUSE = 30.0
_LEAKED = (ImportError, LookupError, AttributeError, TypeError, ValueError, OSError, RuntimeError, ArithmeticError, Warning)
"""What the adapters of litellm, one for each of a hundred providers, let through instead of its own exceptions."""


class LiteLLM:
    """Any model that litellm knows by name, such as "gpt-4o-mini", "anthropic/claude-sonnet-4-5" or "ollama_chat/qwen3".
    Implements `LLM`. Safe to use from several threads.

    api_key: None is the one that the provider's own environment variable holds. api_base: the address of the server, for one
    of your own. concurrency: requests under way at once, of all calls together. timeout: seconds that one request may wait for
    its server. time_limit: seconds that one call of `complete` may take, all its requests and retries together. retries: how
    often a request is sent again after a rate limit, a time-out, a server's error (5xx) or a lost connection; a refusal is
    final. temperature, max_tokens, seed: where the model takes them; None leaves them to the provider. sleep, clock, jitter:
    pauses for so many seconds, tells a steady time in seconds, gives a number in [0, 1); for tests.

    Where the provider can hold an answer to a JSON schema it is told to; where it refuses, to JSON only, else by words; what
    worked is remembered. Nothing is loaded and no connection is made before the first request.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        api_base: str | None = None,
        concurrency: int = 4,
        timeout: float = 120.0,
        time_limit: float = 600.0,
        retries: int = 3,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        seed: int | None = 0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if not model.strip():
            raise ValueError("model is empty; name one as litellm does, such as 'ollama_chat/qwen3'")
        if concurrency < 1 or retries < 0 or timeout <= 0 or time_limit <= 0:
            raise ValueError(
                "concurrency must be at least 1, retries at least 0, timeout and time_limit positive, not "
                f"{concurrency}, {retries}, {timeout}, {time_limit}"
            )
        self._model, self._api_key, self._api_base = model.strip(), api_key, api_base
        self._timeout, self._time_limit, self._retries = timeout, time_limit, retries
        self._settings = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        self._concurrency = concurrency
        self._slots = threading.BoundedSemaphore(concurrency)
        self._sleep, self._clock, self._jitter = sleep, clock, jitter
        self._form = 0
        self._litellm: Any = None
        self._redact = Redactor()
        self._filter = KeyFilter(self._redact)

    @property
    def name(self) -> str:
        """The model's name, as given."""
        return self._model

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """The answer to each request, in the same order; an LLMError in the place of one that failed for good."""
        if not requests:
            return []
        deadline = self._clock() + self._time_limit
        litellm = self._prepared()
        waiting = deque(enumerate(requests))
        done: queue.SimpleQueue[tuple[int, Response | LLMError | BaseException]] = queue.SimpleQueue()
        for _ in range(min(self._concurrency, len(requests))):
            # A daemon, not a pool: a pool's threads keep a program from ending while a server is silent.
            threading.Thread(target=self._work, args=(litellm, waiting, done, deadline), daemon=True).start()
        late = Failure(
            None, f"did not answer within the {self._time_limit:g} s of this call", "raise time_limit or concurrency"
        )
        answers: list[Response | LLMError] = [self._error(late, 0) for _ in requests]
        try:
            for _ in requests:
                index, answer = done.get(timeout=max(0.0, deadline - self._clock()))
                if not isinstance(answer, Response | LLMError):
                    raise answer
                answers[index] = answer
        except queue.Empty:
            pass
        finally:
            waiting.clear()  # interrupted or too late: nothing more is sent
        return answers

    def _work(self, litellm: Any, waiting: deque[tuple[int, Request]], done: queue.SimpleQueue[Any], deadline: float) -> None:
        while True:
            try:
                index, request = waiting.popleft()
            except IndexError:
                return
            try:
                done.put((index, self._answer(litellm, request, deadline)))
            except BaseException as error:  # a mistake of ours: `complete` raises it in the caller's thread
                done.put((index, error))

    def _answer(self, litellm: Any, request: Request, deadline: float) -> Response | LLMError:
        attempts = failures = 0
        form = self._form
        while True:
            if not self._slots.acquire(timeout=max(0.0, deadline - self._clock())) or (left := deadline - self._clock()) <= 0:
                return self._error(Failure(None, "did not get its turn in time", "raise time_limit or concurrency"), attempts)
            try:
                attempts += 1
                outcome = self._ask(litellm, request, form, min(self._timeout, left))
            finally:
                self._slots.release()
            if not isinstance(outcome, Failure):
                self._form = max(self._form, form)
                return self._response(outcome, attempts)
            if outcome.form and form + 1 < len(_FORMS):
                form += 1
                continue
            pause = self._pause(outcome, failures)
            failures += 1
            if not outcome.passing or failures > self._retries or self._clock() + pause >= deadline:
                return self._error(outcome, attempts)
            self._sleep(pause)

    def _ask(self, litellm: Any, request: Request, form: int, timeout: float) -> Any:
        """litellm's response, or what went wrong."""
        system = request.system
        if _FORMS[form] != "json_schema":
            system += _BY_WORDS + json.dumps(request.schema, ensure_ascii=False)
        asked: dict[str, Any] = {name: value for name, value in self._settings.items() if value is not None}
        if _FORMS[form] == "json_schema":
            schema = {"name": request.purpose, "schema": request.schema, "strict": _is_strict(request.schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif _FORMS[form] == "json_object":
            asked["response_format"] = {"type": "json_object"}
        try:
            response = litellm.completion(
                model=self._model,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": request.user}],
                api_key=self._api_key,
                api_base=self._api_base,
                timeout=timeout,
                num_retries=0,
                max_retries=0,
                drop_params=True,
                **asked,
            )
        except tuple(litellm.LITELLM_EXCEPTION_TYPES) as error:
            return classify(error)
        except _LEAKED as error:
            return leaked(error)
        return response if response.choices else EMPTY

    def _response(self, response: Any, attempts: int) -> Response:
        usage = getattr(response, "usage", None)
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        return Response(
            # A server that echoes the key must not get it into the log of calls.
            self._redact.known(response.choices[0].message.content or ""),
            prompt_tokens=getattr(usage, "prompt_tokens", 0) or 0,
            completion_tokens=getattr(usage, "completion_tokens", 0) or 0,
            cost=float(cost) if cost is not None else None,
            attempts=attempts,
        )

    def _pause(self, failure: Failure, failures: int) -> float:
        """Seconds before the next try: twice as long each time, up to half less by chance, no less than the server asks."""
        return max(min(2.0**failures, _LONGEST_PAUSE) * (1 - self._jitter() / 2), failure.wait or 0.0)

    def _error(self, failure: Failure, attempts: int) -> LLMError:
        return LLMError(describe(self._model, failure, attempts, self._redact))

    def _prepared(self) -> Any:
        """litellm, quiet, with the logs of all that it uses masked."""
        if self._litellm is None:
            litellm = _load()
            _silence(litellm)
            self._redact = Redactor(_keys(litellm, self._model, self._api_key, self._api_base))
            self._filter = KeyFilter(self._redact)
            weakref.finalize(self, _detach, self._filter)
            self._litellm = litellm
        _silence(self._litellm)
        # It imports some of its parts with the first request, and pydantic warns of them then.
        warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier", category=UserWarning, module=r"pydantic\.")
        warnings.filterwarnings("ignore", module=r"litellm(\.|$)")
        for logger in _loggers():
            logger.addFilter(self._filter)
        return self._litellm


def _load() -> Any:
    # litellm fetches its price list and a list of headers from the internet unless it is told to use those it came with.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the deprecations of its own dependencies, which nobody here can act on
        import litellm
    return litellm


def _silence(litellm: Any) -> None:
    """Each time, as the rest of the program may have turned it on: standard output is not litellm's to write to."""
    litellm.suppress_debug_info = True
    litellm.set_verbose = False  # it prints unmasked; its log at level DEBUG says the same, masked
    litellm.telemetry = False


def _keys(litellm: Any, model: str, api_key: str | None, api_base: str | None) -> list[str]:
    """The keys that litellm would use: the one given, and the ones it finds itself."""
    try:
        _, provider, found, _ = litellm.get_llm_provider(model=model, api_base=api_base, api_key=api_key)
    except tuple(litellm.LITELLM_EXCEPTION_TYPES):  # the first request says so
        provider, found = "", None
    own = [
        litellm.get_secret_str(f"{name}_API_KEY")
        for name in (provider.upper(), "GOOGLE" if provider == "gemini" else "")
        if name
    ]
    return [key for key in (api_key, found, litellm.api_key, *own) if isinstance(key, str)]


def _loggers() -> list[logging.Logger]:
    """The loggers of litellm and what it sends with; a filter of a parent does not see the records of its children."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0].split(" ")[0] in _LOGGERS]
    return [logging.getLogger(name) for name in sorted({*names, *_LOGGERS})]


def _detach(key_filter: KeyFilter) -> None:
    for logger in _loggers():
        logger.removeFilter(key_filter)


def _is_strict(schema: object) -> bool:
    """Whether every object of a schema lists all its properties as required and allows no other: OpenAI's strict mode refuses
    any other schema.
    """
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and (
            schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties)
        ):
            return False
        return all(map(_is_strict, schema.values()))
    return all(map(_is_strict, schema)) if isinstance(schema, list | tuple) else True
