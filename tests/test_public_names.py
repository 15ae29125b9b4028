"""What `from tkgmem import ...` offers: the memory, the values it returns, the errors it raises."""

import ast
from pathlib import Path

import pytest

import tkgmem

VALUES = """AddResult Change Changed Community CommunityReport CopyReport Diff Difference DoctorReport Entity EntityView Episode
    Fact Filters ForgetReport Held Hit Membership Mention MergeConflict MergeReport ModelCall Moment Ontology Problem
    QueryTime Recall Recalled ReindexReport ReplayReport RECIPES Recipe SearchResult Stats Succession Summary
    SummaryReport Supersession Told UndoReport Version Why"""
ERRORS = """TkgmemError StoreError NotATkgmemFile SchemaTooNew EmbedderMismatch WriteConflict FileBusy ProviderError LLMError
    BadResponse ModelFileMissing NotFound AmbiguousName InvalidPeriod"""


def test_the_public_names_are_these() -> None:
    expected = ["AsyncMemory", "Memory", "reembed", "restore", *VALUES.split(), *ERRORS.split()]
    assert sorted(tkgmem.__all__) == sorted(expected)
    assert all(hasattr(tkgmem, name) for name in expected)


def test_each_name_comes_from_where_the_imports_say() -> None:
    tree = ast.parse(Path(tkgmem.__file__).read_text(encoding="utf-8"))
    written = {
        node.module: {alias.name for alias in node.names}
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
    }
    assert written == {module: set(names.split()) for module, names in tkgmem._HOMES.items()}
    assert set().union(*written.values()) == set(tkgmem.__all__)


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="Memmory"):
        _ = tkgmem.Memmory
