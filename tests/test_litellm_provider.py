"""The language model provider: the real litellm against a real server on this machine's own address."""

from __future__ import annotations

import gc
import io
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from loopback import Call, Loopback, Reply, chat

import tkgmem
from tkgmem.errors import LLMError
from tkgmem.protocols import LLM, Request, Response
from tkgmem.providers.litellm import LiteLLM
from tkgmem.providers.redact import KeyFilter, Redactor, mask

KEY = "sk-TESTkey1234567890abcdef"
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
    "additionalProperties": False,
}
REQUEST = Request("extract", "Say what the text states.", "Ann moved to Rome.", SCHEMA)
RATE_LIMITED = {"error": {"message": "slow down", "type": "rate_limit_exceeded"}}
NO_FORMAT = Reply(400, {"error": {"message": "response_format is not supported"}})


class Pauses:
    """A clock that moves on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


def model(server: Loopback | None = None, *, pauses: Pauses | None = None, **given: Any) -> LiteLLM:
    pauses = pauses or Pauses()
    settings = {
        "model": "openai/gpt-4o-mini",
        "api_key": KEY,
        "api_base": server.url if server else "http://127.0.0.1:9/v1",
        "sleep": pauses.sleep,
        "clock": pauses.clock,
        "jitter": lambda: 0.0,
    }
    return LiteLLM(**(settings | given))


def ask(replies: Iterable[Any] | Callable[[Any], Any], **given: Any) -> tuple[Response | LLMError, list[Call]]:
    with Loopback(replies) as server:
        (answer,) = model(server, **given).complete([REQUEST])
        return answer, server.calls


def failed(replies: Iterable[Any] | Callable[[Any], Any], **given: Any) -> str:
    answer, _ = ask(replies, **given)
    assert isinstance(answer, LLMError)
    return str(answer)


def test_it_is_a_language_model_named_after_its_model() -> None:
    assert isinstance(model(), LLM)
    assert KEY not in repr(model())
    assert model(model=" ollama_chat/qwen3 ").name == "ollama_chat/qwen3"
    assert model().complete([]) == []


@pytest.mark.parametrize("wrong", [{"model": " "}, {"concurrency": 0}, {"retries": -1}, {"timeout": 0}, {"time_limit": -1}])
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|is empty"):
        model(**wrong)


def test_an_answer_comes_with_its_tokens_and_cost() -> None:
    answer, (call,) = ask([{"facts": ["小李"]}], max_tokens=100)
    assert isinstance(answer, Response)
    assert (json.loads(answer.text), answer.prompt_tokens, answer.completion_tokens) == ({"facts": ["小李"]}, 10, 5)
    assert answer.cost is not None
    assert 0 < answer.cost < 0.001
    assert answer.attempts == 1
    assert (call.path, call.system, call.user) == ("/v1/chat/completions", REQUEST.system, REQUEST.user)
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert (call.body["model"], call.body["temperature"], call.body["seed"], call.body["max_tokens"]) == (
        "gpt-4o-mini",
        0,
        0,
        100,
    )


def test_the_cost_of_an_unknown_model_is_unknown() -> None:
    answer, _ = ask(["{}"], model="openai/my-own-model", seed=None, temperature=None)
    assert isinstance(answer, Response)
    assert answer.cost is None


def test_an_answer_without_usage_or_text_is_an_empty_one() -> None:
    body = chat(None)
    del body["usage"]
    answer, _ = ask([Reply(body=body)], model="openai/my-own-model")
    assert isinstance(answer, Response)
    assert answer.text == ""


def test_the_schema_is_asked_for_strictly_only_where_it_is_strict() -> None:
    _, (call,) = ask(["{}"])
    assert call.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "extract", "schema": SCHEMA, "strict": True},
    }
    loose = Request("judge", "s", "u", {"type": "object", "properties": {"same": {"type": "array"}}})
    with Loopback(["{}"]) as server:
        model(server).complete([loose])
        assert server.calls[0].body["response_format"]["json_schema"]["strict"] is False


def test_a_refused_format_falls_back_step_by_step_and_is_remembered() -> None:
    with Loopback([NO_FORMAT, NO_FORMAT, '{"facts": []}', '{"facts": []}']) as server:
        llm = model(server)
        (answer,) = llm.complete([REQUEST])
        assert isinstance(answer, Response)
        assert answer.attempts == 3
        assert [(call.body.get("response_format") or {}).get("type") for call in server.calls] == [
            "json_schema",
            "json_object",
            None,
        ]
        assert [json.dumps(SCHEMA) in call.system for call in server.calls] == [False, True, True]
        (answer,) = llm.complete([REQUEST])
        assert isinstance(answer, Response)
        assert answer.attempts == 1
        assert len(server.calls) == 4
        assert "response_format" not in server.calls[-1].body


def test_a_request_refused_in_every_form_changes_nothing_for_the_next() -> None:
    with Loopback([NO_FORMAT] * 3 + ["{}"]) as server:
        llm = model(server)
        (answer,) = llm.complete([REQUEST])
        assert isinstance(answer, LLMError)
        assert "refused the request (HTTP 400), asked 3 times: " in str(answer)
        llm.complete([REQUEST])
        assert server.calls[-1].body["response_format"]["type"] == "json_schema"


def test_a_rate_limit_waits_as_long_as_the_server_asks() -> None:
    pauses = Pauses()
    answer, calls = ask([Reply(429, RATE_LIMITED, {"Retry-After": "7"}), "{}"], pauses=pauses)
    assert isinstance(answer, Response)
    assert (answer.attempts, len(calls), pauses.slept) == (2, 2, [7.0])


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": "0"}, 1.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 1.0),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59"}, 1.0),
        ({}, 1.0),
    ],
)
def test_a_pause_is_no_shorter_than_the_back_off(headers: dict[str, str], pause: float) -> None:
    pauses = Pauses()
    ask([Reply(503, RATE_LIMITED, headers), "{}"], pauses=pauses)
    assert pauses.slept == [pause]


def test_pauses_double_and_chance_shortens_them_by_up_to_half() -> None:
    for jitter, slept in ((0.0, [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]), (1.0, [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0])):
        pauses = Pauses()
        message = failed(lambda _: Reply(500, {}), pauses=pauses, retries=7, jitter=lambda chance=jitter: chance)
        assert pauses.slept == slept
        assert "failed (HTTP 500), asked 8 times" in message


@pytest.mark.parametrize(
    ("status", "what"),
    [
        (401, "refused the key"),
        (402, "wants to be paid first"),
        (403, "does not allow this"),
        (404, "was not found"),
        (413, "was sent more than it takes"),
    ],
)
def test_a_refusal_is_final(status: int, what: str) -> None:
    pauses = Pauses()
    answer, calls = ask(lambda _: Reply(status, {"error": {"message": "because"}}), pauses=pauses)
    assert isinstance(answer, LLMError)
    assert f"model openai/gpt-4o-mini {what} (HTTP {status})" in str(answer)
    assert (len(calls), pauses.slept) == (1, [])


def test_a_used_up_quota_is_final() -> None:
    body = {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}
    answer, calls = ask(lambda _: Reply(429, body))
    assert "has no quota left" in str(answer)
    assert len(calls) == 1


def test_a_text_too_long_for_the_model_says_so_and_is_not_asked_in_other_forms() -> None:
    body = {"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}
    answer, calls = ask(lambda _: Reply(400, body))
    assert "was sent more than it takes" in str(answer)
    assert len(calls) == 1


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
def test_a_passing_trouble_is_asked_again(status: int) -> None:
    answer, calls = ask([Reply(status, b"<html>oops</html>"), "{}"])
    assert isinstance(answer, Response)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "body", [b"{broken", b"", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": 1}']
)
def test_a_broken_body_is_an_error(body: bytes) -> None:
    assert "model openai/gpt-4o-mini " in failed(lambda _: Reply(200, body), retries=1)


def test_nobody_listening_is_an_error_that_says_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        (answer,) = model(api_base=f"http://127.0.0.1:{free.getsockname()[1]}/v1").complete([REQUEST])
    assert isinstance(answer, LLMError)
    assert "could not be reached, asked 4 times" in str(answer)
    assert "HTTP" not in str(answer)


def test_an_unknown_provider_is_an_error_that_says_so() -> None:
    (answer,) = model(model="nonesuch/model").complete([REQUEST])
    assert isinstance(answer, LLMError)
    assert "model nonesuch/model refused the request" in str(answer)
    assert "LLM Provider NOT provided" in str(answer)


def test_a_silent_server_times_out() -> None:
    release = threading.Event()

    def silent(_: Any) -> str:
        release.wait()
        return "{}"

    with Loopback(silent) as server:
        (answer,) = model(server, timeout=0.1, retries=1).complete([REQUEST])
        release.set()
    assert isinstance(answer, LLMError)
    assert "timed out" in str(answer)
    assert "asked 2 times" in str(answer)


def test_no_more_requests_than_allowed_are_under_way_at_once_in_all_calls_together() -> None:
    together = threading.Barrier(3, timeout=60)
    lock = threading.Lock()
    running: set[int] = set()
    most = 0

    def answer(body: Any) -> str:
        nonlocal most
        with lock:
            running.add(threading.get_ident())
            most = max(most, len(running))
        together.wait()  # passes only when three are here
        with lock:
            running.discard(threading.get_ident())
        return str(body["messages"][-1]["content"])

    with Loopback(answer) as server:
        llm = model(server, concurrency=3)
        batches = [[Request("extract", "s", f"{batch}-{number}", SCHEMA) for number in range(6)] for batch in range(2)]
        answers: dict[int, list[Response | LLMError]] = {}
        threads = [
            threading.Thread(target=lambda place=place: answers.update({place: llm.complete(batches[place])}))
            for place in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == 3
    for place, batch in enumerate(batches):
        assert [getattr(said, "text", said) for said in answers[place]] == [request.user for request in batch]


def test_a_failed_request_leaves_the_others_alone() -> None:
    def answer(body: Any) -> Reply | str:
        return Reply(404, {}) if "bad" in body["messages"][-1]["content"] else "{}"

    with Loopback(answer) as server:
        texts = ["good", "bad", "good", "bad", "good"]
        answers = model(server, concurrency=2).complete([Request("extract", "s", text, SCHEMA) for text in texts])
    assert [type(said) for said in answers] == [Response, LLMError, Response, LLMError, Response]


def test_the_time_limit_ends_the_retries() -> None:
    pauses = Pauses()
    message = failed(lambda _: Reply(500, {}), pauses=pauses, retries=100, time_limit=8)
    assert pauses.slept == [1.0, 2.0, 4.0]
    assert "asked 4 times" in message


def test_a_wait_beyond_the_time_limit_is_not_begun() -> None:
    pauses = Pauses()
    message = failed([Reply(429, RATE_LIMITED, {"Retry-After": "3600"})], pauses=pauses)
    assert pauses.slept == []
    assert "is rate limited (HTTP 429): " in message


def test_the_time_limit_ends_a_call_whatever_the_server_does() -> None:
    release = threading.Event()

    def silent(_: Any) -> str:
        release.wait()
        return "{}"

    with Loopback(silent) as server:
        llm = LiteLLM("openai/gpt-4o-mini", api_key=KEY, api_base=server.url, concurrency=1, time_limit=0.3)
        answers = llm.complete([REQUEST] * 3)
        release.set()
    assert [type(answer) for answer in answers] == [LLMError] * 3


def test_ollama_is_asked_in_its_own_protocol_with_the_schema() -> None:
    said = {
        "model": "qwen3",
        "message": {"role": "assistant", "content": '{"facts": []}'},
        "done": True,
        "prompt_eval_count": 7,
        "eval_count": 3,
    }
    with Loopback([Reply(body=said)]) as server:
        (answer,) = model(model="ollama_chat/qwen3", api_key=None, api_base=server.root).complete([REQUEST])
    assert answer == Response('{"facts": []}', 7, 3, cost=0.0, attempts=1)
    assert server.calls[0].path == "/api/chat"
    assert server.calls[0].body["format"] == SCHEMA


def test_an_anthropic_model_is_asked_in_its_own_protocol() -> None:
    said = {
        "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": '{"facts": []}'}], "usage": {"input_tokens": 7, "output_tokens": 3},
    }  # fmt: skip
    with Loopback([Reply(body=said)]) as server:
        (answer,) = model(model="anthropic/claude-sonnet-4-5", api_base=server.root).complete([REQUEST])
    assert isinstance(answer, Response)
    assert (answer.text, answer.prompt_tokens) == ('{"facts": []}', 7)
    assert server.calls[0].headers["x-api-key"] == KEY
    assert SCHEMA["properties"].keys() <= set(json.dumps(server.calls[0].body).replace('"', " ").split())


ECHOES = [
    f"Incorrect API key provided: {KEY}.",
    f"GET https://example.org/v1?key={KEY}&alt=json failed",
    f"headers: {{'Authorization': 'Bearer {KEY}', 'x-api-key': '{KEY}'}}",
    f"{'x' * 290} {KEY}",
    json.dumps({"api_key": KEY}),
]


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize("key", [KEY, "plain words as a key 4711"])
def test_a_key_that_the_server_echoes_is_in_no_error(status: int, echo: str, key: str) -> None:
    message = failed(lambda _: Reply(status, {"error": {"message": echo.replace(KEY, key)}}), retries=0, api_key=key)
    assert key[5:12] not in message
    assert key[4:] not in message


def test_a_key_that_litellm_finds_itself_is_in_no_error_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = "found-in-the-environment-4711"
    monkeypatch.setenv("OPENAI_API_KEY", found)
    answer, (call,) = ask([f"your key is {found}"], api_key=None)
    assert call.headers["authorization"] == f"Bearer {found}"
    assert isinstance(answer, Response)
    assert answer.text == "your key is foun***"
    message = failed([Reply(401, {"error": {"message": f"wrong: {found}"}})], api_key=None)
    assert "wrong: foun***" in message


def test_a_missing_key_is_an_error_that_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (answer,) = model(api_key=None, api_base=None).complete([REQUEST])
    assert isinstance(answer, LLMError)
    assert "OPENAI_API_KEY" in str(answer)


def test_an_answer_is_not_changed_by_masking() -> None:
    said = '{"facts": ["her password: hunter2hunter2", "key=abcdefghijkl", "sk-notours1234567890"]}'
    answer, _ = ask([said])
    assert isinstance(answer, Response)
    assert answer.text == said


def test_nothing_prints_a_key_at_level_debug_with_litellm_verbose(capfd: pytest.CaptureFixture[str]) -> None:
    import litellm

    names = ["LiteLLM", "openai", "httpx", "httpcore", ""]
    levels = {name: logging.getLogger(name).level for name in names}
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    verbose, key = litellm.set_verbose, "plain-words-4711-as-a-key"
    try:
        logging.getLogger().addHandler(handler)
        for name in names:
            logging.getLogger(name).setLevel(logging.DEBUG)
        litellm.set_verbose = True
        with Loopback([Reply(401, {"error": {"message": f"wrong key {key}"}}), f"your key is {key}"]) as server:
            llm = model(server, api_key=key, api_base=f"{server.url}?key={key}")
            llm.complete([REQUEST])
            llm.complete([REQUEST])
    finally:
        litellm.set_verbose = verbose
        logging.getLogger().removeHandler(handler)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    out, err = capfd.readouterr()
    assert "POST" in stream.getvalue()
    for shown in (stream.getvalue(), out, err):
        assert key[4:] not in shown


def test_the_filter_goes_with_its_provider() -> None:
    with Loopback(["{}"]) as server:
        llm = model(server)
        llm.complete([REQUEST])
    logger = logging.getLogger("LiteLLM")
    ours = [found for found in logger.filters if isinstance(found, KeyFilter)]
    assert ours
    del llm
    gc.collect()
    assert not [found for found in logger.filters if found is ours[-1]]


def test_a_failure_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    failed(lambda _: Reply(500, {}), retries=1)
    model(model="nonesuch/model").complete([REQUEST])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bearer abcdefghijklmnop", "Bearer abcd***"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic dXNl***"),
        ("-H 'x-api-key: 0123456789abcdef'", "-H 'x-api-key: 0123***'"),
        ('{"apiKey": "0123456789abcdef"}', '{"apiKey": "0123***"}'),
        ("{'OPENAI_API_KEY': 'abc12345'}", "{'OPENAI_API_KEY': '***'}"),
        ("https://x.org/a?alt=json&key=AIzaSyA1234567890", "https://x.org/a?alt=json&key=AIza***"),
        ("https://x.org/a?t=abcdefghijklmnopqrstuvwxyz0123", "https://x.org/a?t=abcd***"),
        ("https://user:hunter2@x.org/", "https://***@x.org/"),
        ("AIzaSyA1234567890abcdef is wrong", "AIza*** is wrong"),
        ("provided: sk-abcd********wxyz.", "provided: sk-a***."),
        ("sk-ant-api03-abcdefgh, gsk_abcdefghijklm, hf_abcdefghijklm", "sk-a***, gsk_***, hf_a***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJh***"),
        ("the key: response_format is unknown", "the key: response_format is unknown"),
        ("max_tokens: 128000, prompt_tokens=12345", "max_tokens: 128000, prompt_tokens=12345"),
        ("model gpt-4o-mini-2024-07-18 was not found", "model gpt-4o-mini-2024-07-18 was not found"),
        ("task-based, risk-averse-behaviour", "task-based, risk-averse-behaviour"),
    ],
)
def test_what_looks_like_a_key_is_masked(text: str, shown: str) -> None:
    assert Redactor()(text) == shown
    assert Redactor()(shown) == shown


def test_known_keys_are_masked_as_written_in_a_url_too_and_words_are_not_keys() -> None:
    redact = Redactor(["pass word/with+signs", "ollama"])
    assert redact("ollama said pass%20word%2Fwith%2Bsigns, pass word/with+signs") == "ollama said pass***, pass***"
    assert mask("0123456789") == "***"
    assert Redactor(["lm-studio"]).known("we use lm-studio") == "we use lm-studio"


def test_the_filter_masks_arguments_and_tracebacks() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(KeyFilter())
    logger = logging.getLogger("test_litellm_provider")
    logger.addHandler(handler)
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError:
        logger.exception("sent %s to %s", f"Bearer {KEY}", "the server", stack_info=True)
        logger.error("one %s two %s", f"Bearer {KEY}")  # noqa: PLE1206 - a mistake of whoever logs
    finally:
        logger.removeHandler(handler)
    assert "sent Bearer sk-T*** to the server" in stream.getvalue()
    assert "bad key sk-T***" in stream.getvalue()
    assert KEY[4:] not in stream.getvalue()


def test_importing_and_constructing_opens_no_connection_and_loads_no_litellm() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection was tried')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse\n"
        "import tkgmem\n"
        "from tkgmem.providers.litellm import LiteLLM\n"
        "LiteLLM('gpt-4o-mini', api_key='k' * 20).complete([])\n"
        "print('litellm' in sys.modules)\n"
        "import tkgmem.providers.litellm as module\n"
        "module._load()\n"
        "print('litellm' in sys.modules)"
    )
    root = Path(tkgmem.__file__).parent.parent
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.split() == ["False", "True"]
    assert done.stderr == ""
