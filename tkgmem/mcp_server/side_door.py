"""How a hook asks a server that is running anyway, since that has everything loaded: a socket on loopback, and a file that says
where it is and holds the key to it, for the user's own eyes.

Requests and answers are JSON objects; whoever does not have the key is not heard.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

_LOG = logging.getLogger(__name__)
HOST = "127.0.0.1"

Answering = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def place_of(folder: Path, memory: str, group: str) -> Path:
    """The file that leads to the server of a memory and group."""
    name = hashlib.sha256(json.dumps([str(Path(memory).resolve()), group]).encode()).hexdigest()[:32]
    return folder / "servers" / f"{name}.json"


class SideDoor:
    """The server's end. place: the file that leads here. answer: what is done with a request; what it raises is told."""

    def __init__(self, place: Path, answer: Answering) -> None:
        self._place, self._answer = place, answer
        key = secrets.token_bytes(32)
        self._listener = Listener((HOST, 0), authkey=key)
        port = int(self._listener.address[1])
        self._told = json.dumps({"port": port, "key": key.hex(), "pid": os.getpid()})
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = place.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(self._told)
        fresh.replace(place)
        threading.Thread(target=self._accept, name="tkgmem door", daemon=True).start()

    def close(self) -> None:
        """Hear nobody any more. The file goes, unless another server has put its own there."""
        with contextlib.suppress(OSError):
            if self._place.read_text("ascii") == self._told:
                self._place.unlink()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError as error:
                if error.errno is not None and not isinstance(error, ConnectionError):
                    return  # closed
                continue
            except Exception as error:  # somebody without the key, or who speaks otherwise
                _LOG.debug("a connection was refused: %s", error)
                continue
            threading.Thread(target=self._serve, args=(connection,), name="tkgmem caller", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with contextlib.closing(connection), contextlib.suppress(OSError, EOFError):
            request = connection.recv_bytes()
            try:
                answer = self._answer(json.loads(request))
            except Exception as error:  # the caller is told, and goes another way
                _LOG.debug("a request failed", exc_info=True)
                answer = {"error": f"{type(error).__name__}: {error}"}
            connection.send_bytes(json.dumps(answer).encode())


def ask(place: Path, request: Mapping[str, Any], *, patience: float) -> Mapping[str, Any] | None:
    """The answer of the server at a place; None where none is there, or it does not answer within so many seconds."""
    try:
        told = json.loads(place.read_text("ascii"))
        port, key = int(told["port"]), bytes.fromhex(told["key"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    answers: list[Mapping[str, Any]] = []

    def call() -> None:
        with contextlib.suppress(Exception), contextlib.closing(Client((HOST, port), authkey=key)) as connection:
            connection.send_bytes(json.dumps(request).encode())
            answers.append(json.loads(connection.recv_bytes()))

    calling = threading.Thread(target=call, daemon=True)  # it may wait for a process that hangs
    calling.start()
    calling.join(patience)
    return answers[0] if answers else None
