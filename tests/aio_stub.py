"""Writes tkgmem/aio.pyi from the signatures of Memory's methods: `python -m tests.aio_stub`. A test holds the two equal."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tkgmem.memory import Memory

STUB = Path(sys.modules[Memory.__module__].__file__ or "").with_name("aio.pyi")
HEAD = """# The types of AsyncMemory, made by `python -m tests.aio_stub` from Memory.
# ruff: noqa: A002

"""


def written() -> str:
    """The stub's text."""
    wanted: dict[str, set[str]] = {"types": {"TracebackType"}, "typing": {"Self"}}
    lines = ["class AsyncMemory:", *_method("__init__", Memory.__init__, wanted, "def")]
    for name, method in sorted(inspect.getmembers(Memory, inspect.isfunction)):
        if not name.startswith("_"):
            lines += _method(name, method, wanted)
    lines += [
        "    async def __aenter__(self) -> Self: ...",
        "    async def __aexit__(",
        "        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None",
        "    ) -> None: ...",
    ]
    imports = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(wanted.items(), key=_order)]
    return _tidied(HEAD + "\n".join([*imports, "", *lines, ""]))


def _tidied(text: str) -> str:
    """The text as the linter wants it."""
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format", "--quiet"]):
        line = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"]
        text = subprocess.run(line, input=text, capture_output=True, text=True, check=True, cwd=STUB.parent.parent).stdout
    return text


def _order(item: tuple[str, set[str]]) -> tuple[bool, str]:
    return item[0].startswith("tkgmem"), item[0]


def _method(name: str, method: Callable[..., Any], wanted: dict[str, set[str]], how: str = "async def") -> list[str]:
    signature = inspect.signature(method)
    homes = dict(_homes(method))
    parameters, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
            starred = True
        told = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        star = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        value = "" if parameter.default is parameter.empty else " = ..." if told else "=..."
        parameters.append(f"{star}{parameter.name}{told}{value}")
    for text in (*(str(one.annotation) for one in signature.parameters.values()), str(signature.return_annotation)):
        for node in ast.walk(ast.parse(text.replace("<class 'inspect._empty'>", "None"), mode="eval")):
            if isinstance(node, ast.Name) and node.id in homes:
                wanted.setdefault(homes[node.id], set()).add(node.id)
    return [f"    {how} {name}({', '.join(parameters)}) -> {signature.return_annotation}: ..."]


def _homes(method: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """The names that the method's module imports, and where from."""
    tree = ast.parse(inspect.getsource(sys.modules[method.__module__]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((alias.name, node.module) for alias in node.names)


if __name__ == "__main__":
    STUB.write_text(written(), encoding="utf-8")
