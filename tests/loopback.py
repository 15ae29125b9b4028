"""A server on this machine's own address that speaks the OpenAI chat protocol and says what a test tells it to."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Reply:
    """An HTTP answer. body: sent as JSON unless it is bytes."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A request that arrived. body: its JSON. headers: by lower-case name."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])


Said = Reply | str | Mapping[str, Any] | list[Any]


def chat(content: object, *, prompt_tokens: int = 10, completion_tokens: int = 5) -> dict[str, Any]:
    """The body of a chat completion that says `content`, a text as it is, anything else as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "loopback",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


class Loopback:
    """Listens while its `with` block runs; `url` is the api_base to give, `calls` what was asked, in the order of arrival.

    replies: one after another, or a callable that is given the JSON of the request, perhaps in several threads at once. A Reply
    is sent as it is, a text, mapping or list as what the model says. When there are none left the status is 500.
    """

    def __init__(self, replies: Iterable[Said | Callable[[Any], Said]] | Callable[[Any], Said] = ()) -> None:
        self._replies = itertools.repeat(replies) if callable(replies) else iter(replies)
        self._lock = threading.Lock()
        self.calls: list[Call] = []
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def root(self) -> str:
        """The address without a path, as Ollama wants it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """The address with the path under which OpenAI's protocol lives."""
        return f"{self.root}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _reply(self, call: Call) -> Reply:
        with self._lock:
            self.calls.append(call)
            said = next(self._replies, Reply(500, {"error": {"message": "no reply is left"}}))
        said = said(call.body) if callable(said) else said
        return said if isinstance(said, Reply) else Reply(body=chat(said))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        reply = self._reply

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = reply(Call(self.path, headers, json.loads(body)))
                content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client that hangs up when its time is over is no news
            super().handle_error(request, client_address)
