"""Imports point one way, heavy libraries stay where they belong, and modules stay small."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tkgmem

PACKAGE = Path(tkgmem.__file__).parent
MODULES = {
    ".".join(("tkgmem", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
ALLOWED = {
    "errors": set(),
    "temporal": {"errors"},
    "graph": {"temporal", "errors"},
    "protocols": {"errors"},
    "store": {"graph", "reasons", "reports", "temporal", "errors", "protocols"},
    "wording": {"store", "graph", "temporal"},
    "answers": {"errors", "protocols"},
    "ingest": {"store", "answers", "graph", "reports", "ontology", "temporal", "errors", "protocols"},
    "search": {"store", "communities", "wording", "graph", "temporal", "errors", "protocols"},
    "reasons": {"graph", "temporal"},
    "explain": {"search", "communities", "wording", "store", "graph", "reasons", "temporal", "errors", "protocols"},
    "pictures": {"graph", "temporal"},
    "communities": {"store", "wording", "answers", "graph", "reports", "temporal", "errors", "protocols"},
    "portable": {"store", "graph", "reports", "temporal", "errors", "protocols"},
    "providers": {"protocols", "errors"},
    "ontology": {"temporal", "errors"},
    "arguments": {"store", "graph", "temporal", "protocols"},
    "reader": {"arguments", "reports", "search", "store", "graph", "temporal", "protocols"},
    "explaining": {
        "arguments", "reader", "explain", "search", "store", "graph", "reasons", "temporal", "errors", "protocols",
    },
    "summing": {
        "arguments", "reader", "communities", "search", "ingest", "reports", "store", "graph", "temporal", "errors",
        "protocols",
    },
    "naming": {"arguments", "ingest", "store", "graph"},
    "importers": {"errors"},
    "importing": {"arguments", "importers", "ingest", "portable", "reports", "store", "graph", "errors"},
    "reports": set(),
    "keeping": {"arguments", "ingest", "portable", "providers", "reports", "store", "graph", "temporal", "errors", "protocols"},
    "memory": {
        "arguments", "reader", "explaining", "summing", "naming", "keeping", "importing", "reports", "ontology", "ingest",
        "search", "communities", "portable", "store", "providers", "graph", "temporal", "errors", "protocols",
    },
    "testing": {"protocols", "errors"},
    "adapters": {"memory", "search", "wording", "graph", "temporal", "errors"},
    "aio": {"memory", "graph", "errors"},
    "cli": {
        "mcp_server", "memory", "pictures", "portable", "providers", "graph", "reasons", "reports", "temporal", "errors",
        "protocols",
    },
    "mcp_server": {"memory", "search", "wording", "graph", "reasons", "temporal", "errors"},
    "": {"memory", "aio", "graph", "portable", "reasons", "reports", "ontology", "search", "temporal", "errors", "protocols"},
}  # fmt: skip
"""Layer to the layers that it may import; "" is the package itself."""

HOMES = {
    "apsw": {"store"},
    "sqlite3": set(),
    "sqlite_vec": set(),
    "onnxruntime": {"providers"},
    "tokenizers": {"providers"},
    "litellm": {"providers"},
    "json_repair": {"answers"},
    "jsonschema": {"ingest", "mcp_server"},
    "agents": {"adapters"},
    "langchain_core": {"adapters"},
    "langgraph": {"adapters"},
    "llama_index": {"adapters"},
    "anyio": {"mcp_server"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "uvicorn": {"mcp_server"},
    "pydantic": {"ingest", "ontology", "adapters"},
    "pyrage": {"portable"},
    "click": {"cli"},
    "rich": {"cli"},
}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def layer(module: str) -> str:
    return f"{module}.".split(".")[1]


def imported(path: Path, module: str) -> Iterator[str]:
    """The dotted names a module imports, wherever in it, relative ones resolved."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    home = layer(module)
    inner = {layer(name) for name in imported(MODULES[module], module) if name.split(".")[0] == "tkgmem"}
    wrong = inner - ALLOWED[home] - {home}
    assert not wrong, f"{module} of layer {home or 'tkgmem'!r} imports {sorted(wrong)}"


@pytest.mark.parametrize("module", MODULES)
def test_heavy_libraries_are_imported_in_their_own_layer_only(module: str) -> None:
    for name in imported(MODULES[module], module):
        library = name.split(".")[0]
        assert layer(module) in HOMES.get(library, {layer(module)}), f"{module} imports {library}"


def keeps_litellm_local(node: ast.AST) -> ast.Attribute | None:
    """The `os.environ` of a statement `os.environ.setdefault("LITELLM_LOCAL_...", ...)`, which reads nothing: litellm fetches
    lists from the internet unless such a variable is set before it is imported.
    """
    match node:
        case ast.Expr(
            ast.Call(
                ast.Attribute(ast.Attribute(ast.Name("os"), "environ") as environ, "setdefault"), [ast.Constant(str(name)), _]
            )
        ) if name.startswith("LITELLM_LOCAL_"):
            return environ
    return None


@pytest.mark.parametrize("module", [name for name in MODULES if layer(name) not in ("cli", "mcp_server")])
def test_the_environment_is_read_in_the_skins_only(module: str) -> None:
    tree = parsed(MODULES[module])
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    if layer(module) == "providers":
        written = [found for node in ast.walk(tree) if (found := keeps_litellm_local(node)) is not None]
        nodes = [node for node in nodes if node not in written]
    read = {node.attr for node in nodes} & {"environ", "environb", "getenv"}
    read |= {name for name in imported(MODULES[module], module) if name.startswith(("os.environ", "os.getenv"))}
    assert not read, f"{module} uses {sorted(read)}"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_one_named_idea_of_at_most_350_lines(module: str) -> None:
    assert not FORBIDDEN_NAMES & set(module.split("."))
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) <= 350


@pytest.mark.parametrize("module", ["tkgmem", "tkgmem.cli"])
def test_importing_loads_no_model_library(module: str) -> None:
    heavy = {"onnxruntime", "litellm", "tokenizers", "mcp"}
    code = f"import sys, {module}; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert done.stdout.split() == []


def test_help_loads_no_model_library() -> None:
    code = (
        "import sys, tkgmem.cli\n"
        "try: tkgmem.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print('loaded:', *sorted({'onnxruntime', 'litellm', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert done.stdout.splitlines()[-1].strip() == "loaded:"
