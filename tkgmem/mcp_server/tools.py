"""The tools: what each takes and gives, and what it does to the memory. Few by default, since each costs a model attention.

Arguments are checked against the schemas here, wholly, before anything is done.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from tkgmem.errors import TkgmemError
from tkgmem.mcp_server import reading, writing
from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.graphiti_names import GRAPHITI
from tkgmem.mcp_server.saying import Answer
from tkgmem.mcp_server.tool import COUNT, LIST, MANY, TEXT, Tool, gives, takes

_LOG = logging.getLogger(__name__)

_VALID_AT = {**TEXT, "description": "What held then: '2024', '2024-05-17', 'last March'. Default now."}
_KNOWN_AT = {**TEXT, "description": "As was believed then; same forms. Default: all recorded so far."}
_CLOCKS = {"valid_at": _VALID_AT, "known_at": _KNOWN_AT}
_FACT_UUID = {**TEXT, "description": "uuid of the fact, as the other tools show it"}
_FACTS = gives(["facts"], facts=LIST)
_TOLD_FACT = takes(
    ["source", "relation", "target"],
    source={**TEXT, "description": "who or what it is about"},
    relation={**TEXT, "description": "WORKS_AT, LIVES_IN, ..."},
    target=TEXT,
    fact={**TEXT, "description": "the fact as a sentence"},
    valid_at={**TEXT, "description": "since when, as in the text"},
    invalid_at={**TEXT, "description": "until when; only what has ended"},
)


TOOLS: tuple[Tool, ...] = (
    Tool(
        "remember",
        "Remember",
        "Keep what was said, word for word, and learn the dated facts in it. If you can, also pass the facts yourself, as "
        "`facts`: then nothing else is read from the text. A later fact closes an earlier one it replaces; nothing is lost.",
        takes(
            ["text"],
            text={**TEXT, "description": "what was said, in its own words and language"},
            facts={"type": "array", "maxItems": 200, "items": _TOLD_FACT},
            when={**TEXT, "description": "when it was said; default now"},
            speaker={**TEXT, "description": "who said it; is 'I' in the text"},
            conversation={**TEXT, "description": "name of the conversation or document"},
        ),
        gives(["episode", "state"], episode={"type": "string"}, state={"type": "string"}, facts=LIST, ended=LIST),
        writing.remember,
        "adds",
    ),
    Tool(
        "recall",
        "Recall",
        "What the memory knows about a question, to read before answering: facts with dates, what held before, names, and what "
        "was said. Use it first.",
        takes(["query"], query=TEXT, max_tokens={"type": "integer", "minimum": 100, "maximum": 20_000}, **_CLOCKS),
        gives(["context", "found"], context={"type": "string"}, found={"type": "boolean"}),
        reading.recall,
    ),
    Tool(
        "search_facts",
        "Search facts",
        "Find facts by words and meaning, with uuids. A time in the query ('last year') counts, unless valid_at is given.",
        takes(
            ["query"],
            query=TEXT,
            limit=MANY,
            include_ended={"type": "boolean", "description": "also what no longer holds"},
            **_CLOCKS,
        ),
        _FACTS,
        reading.search_facts,
    ),
    Tool(
        "get_entity",
        "Get entity",
        "A person, place, project or thing: its names, and the facts that hold of it.",
        takes(["name"], name={**TEXT, "description": "name or uuid"}, **_CLOCKS),
        gives(["entity", "facts"], entity={"type": "object"}, facts=LIST),
        reading.get_entity,
    ),
    Tool(
        "timeline",
        "Timeline",
        "All that is known of an entity in order of time: what held from when until when.",
        takes(
            ["entity"],
            entity={**TEXT, "description": "name or uuid"},
            known_at=_KNOWN_AT,
            beliefs={"type": "boolean", "description": "instead every belief there ever was, and when it was held"},
        ),
        gives(["versions"], versions=LIST),
        reading.timeline,
    ),
    Tool(
        "why",
        "Why",
        "Why a fact is believed: who said it in which words, when that was learned, what it replaced.",
        takes(["fact"], fact=_FACT_UUID, known_at=_KNOWN_AT),
        gives(["fact", "believed"], fact={"type": "object"}, believed={"type": "boolean"}),
        reading.why,
    ),
    Tool(
        "retract",
        "Retract",
        "Stop believing a fact because the record was wrong. Not for what merely ended: tell `remember` that it ended.",
        takes(["fact"], fact=_FACT_UUID, reason=TEXT),
        _FACTS,
        writing.retract,
        "changes",
    ),
    Tool(
        "status",
        "Status",
        "How much is known, and which texts wait to be read or failed.",
        takes(),
        gives(["episodes", "pending", "failed"], episodes=COUNT, pending=COUNT, failed=COUNT, failures=LIST),
        reading.status,
    ),
    # --- only with --tools all ---
    Tool(
        "as_of",
        "As of",
        "The facts that held at a time, exactly, by source, relation or target.",
        takes(source=TEXT, relation=TEXT, target=TEXT, **_CLOCKS),
        _FACTS,
        reading.as_of,
        usual=False,
    ),
    Tool(
        "diff",
        "Diff",
        "What changed between two instants: in what was believed, or with of='world' in what held.",
        takes(
            ["since"], since=TEXT, until=TEXT, of={"enum": ["beliefs", "world"]}, entity=TEXT, query=TEXT
        ),
        gives(["changes"], changes=LIST),
        reading.diff,
        usual=False,
    ),
    Tool(
        "episodes",
        "Episodes",
        "What was said, word for word, newest first; one whole text by its uuid.",
        takes(
            uuid=TEXT,
            conversation=TEXT,
            state={"enum": ["pending", "done", "failed"]},
            known_at=_KNOWN_AT,
            limit=MANY,
            offset={"type": "integer", "minimum": 0},
        ),
        gives(["episodes"], episodes=LIST),
        reading.episodes,
        usual=False,
    ),
    Tool(
        "communities",
        "Communities",
        "Groups of things that belong together, with what holds among them: for wide questions.",
        takes(query=TEXT, limit={"type": "integer", "minimum": 1, "maximum": 50}, **_CLOCKS),
        gives(["communities"], communities=LIST),
        reading.communities,
        usual=False,
    ),
    Tool(
        "add_fact",
        "Add fact",
        "Record one fact without a text.",
        takes(
            ["source", "relation", "target"],
            source=TEXT, relation=TEXT, target=TEXT, fact=TEXT, valid_at=TEXT, invalid_at=TEXT,
            planned={"type": "boolean", "description": "only announced so far"},
        ),
        _FACTS,
        writing.add_fact,
        "adds",
        usual=False,
    ),
    Tool(
        "end_fact",
        "End fact",
        "Record that a fact no longer holds since a time.",
        takes(["source", "relation", "target", "at"], source=TEXT, relation=TEXT, target=TEXT, at=TEXT),
        _FACTS,
        writing.end_fact,
        "changes",
        usual=False,
    ),
    Tool(
        "correct",
        "Correct",
        "Replace what was recorded wrongly of a fact: its target or dates. null for a date is unknown.",
        takes(
            ["fact"],
            fact=_FACT_UUID,
            target=TEXT,
            valid_at={"type": ["string", "null"]},
            invalid_at={"type": ["string", "null"]},
            reason=TEXT,
        ),
        _FACTS,
        writing.correct,
        "changes",
        usual=False,
    ),
    Tool(
        "merge_entities",
        "Merge entities",
        "Say that two entities are one and the same; `keep` is its name.",
        takes(["keep", "other"], keep=TEXT, other=TEXT),
        gives(["uuid", "name"], uuid={"type": "string"}, name={"type": "string"}),
        writing.merge_entities,
        "changes",
        usual=False,
    ),
    Tool(
        "undo",
        "Undo",
        "Take back what a text brought; it can be brought back.",
        takes(["episode"], episode=TEXT, dry_run={"type": "boolean"}),
        gives(["claims", "episodes"], claims=COUNT, episodes=COUNT, dry_run={"type": "boolean"}),
        writing.undo,
        "changes",
        usual=False,
    ),
    Tool(
        "forget",
        "Forget",
        "Delete a text, a fact or all about an entity for good, byte for byte. Only when the user asks for it.",
        takes(episode=TEXT, fact=TEXT, entity=TEXT, dry_run={"type": "boolean", "description": "only count"}),
        gives(["dry_run", "episodes"], dry_run={"type": "boolean"}, episodes=COUNT, claims=COUNT, entities=COUNT),
        writing.forget,
        "destroys",
        usual=False,
        again=True,
    ),
)  # fmt: skip


class Refused(Exception):
    """A call that cannot be done, in words for the model that made it."""


class UnknownTool(LookupError):
    """There is no tool of this name here."""


class Toolset:
    """The tools of one server. all_tools: those as well that are not shown by default. graphiti: under its names instead."""

    def __init__(self, desk: Desk, *, all_tools: bool = False, graphiti: bool = False) -> None:
        self._desk = desk
        shown = GRAPHITI if graphiti else [tool for tool in TOOLS if tool.usual or all_tools]
        self.tools = {tool.name: tool for tool in shown if tool.effect == "reads" or not desk.read_only}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Do what a tool does. Raises UnknownTool, and Refused with the reason."""
        if name not in self.tools:
            raise UnknownTool(f"there is no tool {name!r}; there are {', '.join(self.tools)}")
        tool = self.tools[name]
        if fault := _fault(tool, arguments):
            raise Refused(f"{name}: {fault}")
        try:
            return tool.run(self._desk, arguments)
        except (TkgmemError, ValueError, OSError) as error:
            _LOG.debug("%s", name, exc_info=True)
            raise Refused(str(error)) from error
        except Exception as error:
            _LOG.exception("%s failed", name)
            raise Refused(f"{name} failed: {type(error).__name__}; the server's log on standard error says more") from error


def _fault(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with a call's arguments, None for nothing."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(tool.takes).iter_errors(dict(arguments)))
    if error is None:
        return None
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    known = ", ".join(error.schema.get("properties", ())) if isinstance(error.schema, Mapping) else ""
    match error.validator:
        case "additionalProperties":
            unknown = sorted(set(error.instance) - set(error.schema["properties"]))
            told = (
                f"unknown argument {unknown[0]!r}; known are {known}"
                if known
                else f"unknown argument {unknown[0]!r}; it takes none"
            )
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            told = f"the argument {missing[0]!r} is missing"
        case _:
            told = error.message if len(error.message) <= 300 else f"{error.message[:300]}…"
    return f"{place}: {told}" if place else told
