"""The first answer of a session: it is given before the MCP library is loaded.

Loading that and the memory takes one to three seconds, and clients drop servers that are slow to start. So the first request,
`initialize` or `server/discover`, is answered from here, with the answer that the library would give (a test holds them equal);
the library then takes it up as well, and its own answer to it is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol that begin with `initialize`, oldest first."""

ENVELOPE_VERSIONS = ("2026-07-28",)
"""Those in which each request names its version, and may begin with `server/discover`."""

_META = "io.modelcontextprotocol/"


@dataclass(frozen=True, slots=True)
class Identity:
    """What the server says of itself. instructions: how a model should use it."""

    name: str
    title: str
    version: str
    instructions: str

    def answer(self, message: object) -> dict[str, Any] | None:
        """The answer to a first request, as the MCP library would give it; None where it is to be asked."""
        if not isinstance(message, Mapping) or not _is_id(message.get("id")) or message.get("jsonrpc") != "2.0":
            return None
        params = message.get("params")
        if not isinstance(params, Mapping):
            return None
        if message.get("method") == "initialize" and _can_initialize(params):
            return self._response(message, self._initialized(params["protocolVersion"]))
        if message.get("method") == "server/discover" and _can_discover(params.get("_meta")):
            return self._response(message, self._discovered())
        return None

    @staticmethod
    def _response(message: Mapping[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _initialized(self, version: str) -> dict[str, Any]:
        return {
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": self.instructions,
            "protocolVersion": version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "serverInfo": self._info,
        }

    def _discovered(self) -> dict[str, Any]:
        return {
            "cacheScope": "private",
            "capabilities": {"tools": {"listChanged": False}},
            "instructions": self.instructions,
            "resultType": "complete",
            "supportedVersions": list(ENVELOPE_VERSIONS),
            "ttlMs": 0,
            "_meta": {f"{_META}serverInfo": self._info},
        }

    @property
    def _info(self) -> dict[str, str]:
        return {"name": self.name, "title": self.title, "version": self.version}


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _is_named(info: object) -> bool:
    """Whether it is what a client plainly says of itself."""
    return (
        isinstance(info, Mapping)
        and all(isinstance(info.get(key), str) for key in ("name", "version"))
        and all(isinstance(info.get(key, ""), str) for key in ("title", "description", "websiteUrl"))
        and "icons" not in info
    )


def _can_initialize(params: Mapping[str, Any]) -> bool:
    """Whether it holds no more than what clients plainly send, so that the library cannot refuse it."""
    return (
        set(params) <= {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params.get("protocolVersion"), str)
        and _is_plain(params.get("capabilities"))
        and _is_named(params.get("clientInfo"))
    )


def _is_plain(capabilities: object) -> bool:
    if not isinstance(capabilities, Mapping) or "tasks" in capabilities:
        return False
    roots = capabilities.get("roots", {})
    told = [capabilities.get(key, {}) for key in ("sampling", "elicitation", "experimental", "extensions")]
    return (
        isinstance(roots, Mapping)
        and isinstance(roots.get("listChanged", False), bool)
        and all(isinstance(one, Mapping) and all(value == {} for value in one.values()) for one in told)
    )


def _can_discover(meta: object) -> bool:
    return (
        isinstance(meta, Mapping)
        and meta.get(f"{_META}protocolVersion") in ENVELOPE_VERSIONS
        and _is_named(meta.get(f"{_META}clientInfo"))
        and isinstance(meta.get(f"{_META}clientCapabilities"), Mapping)
    )
