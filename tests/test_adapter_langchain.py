"""LangChain's retriever and key-value store over a memory, by LangChain's own standard tests and by what only a memory has.

Of the standard tests for retrievers and for stores none is left out. Those for vector stores and indexers do not apply: nothing
here takes vectors or documents in.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_tests.integration_tests import BaseStoreAsyncTests, BaseStoreSyncTests, RetrieversIntegrationTests
from pydantic import ValidationError

from tkgmem import Memory
from tkgmem.adapters.langchain import TkgmemKeyValueStore, TkgmemRetriever
from tkgmem.testing import FixedClock, HashEmbedder


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A memory with two jobs, one after the other, and a home."""
    memory.add("Maya works at Contoso since March 2023.", reference_time="2023-04-01")
    memory.add("Maya joined Northwind in June 2025.", reference_time="2025-07-01")
    memory.add("Maya lives in Lisbon.", reference_time="2025-07-02", speaker="Ben", source="message", name="chat")
    return memory


class TestStandardRetriever(RetrieversIntegrationTests):
    """LangChain's tests of retrievers."""

    @pytest.fixture(autouse=True)
    def _memory(self, told: Memory) -> None:
        self.told = told

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return TkgmemRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.told}

    @property
    def retriever_query_example(self) -> str:
        return "Where does Maya work?"


class TestStandardStore(BaseStoreSyncTests[Any]):
    """LangChain's tests of key-value stores."""

    @pytest.fixture
    def kv_store(self) -> Iterator[TkgmemKeyValueStore]:
        with Memory(":memory:", embedder=HashEmbedder(64)) as memory:
            yield TkgmemKeyValueStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[Any, Any, Any]:
        return ("text", {"deep": [1, None]}, 3.5)


class TestStandardStoreAsync(BaseStoreAsyncTests[Any]):
    """The same, awaited."""

    @pytest.fixture
    def kv_store(self) -> Iterator[TkgmemKeyValueStore]:
        with Memory(":memory:", embedder=HashEmbedder(64)) as memory:
            yield TkgmemKeyValueStore(memory)

    @pytest.fixture
    def three_values(self) -> tuple[Any, Any, Any]:
        return ("text", {"deep": [1, None]}, 3.5)


def test_documents_say_when_a_fact_holds_and_what_it_rests_on(told: Memory) -> None:
    [document] = TkgmemRetriever(memory=told, k=1, scopes=("facts",)).invoke("When did Maya join Northwind?")
    assert document.page_content == "Maya joined Northwind in June 2025 (since June 2025)"
    assert document.metadata["valid_at"] == "2025-06-01T00:00:00+00:00"
    assert document.metadata["invalid_at"] is None
    assert (document.metadata["kind"], document.metadata["target"]) == ("fact", "Northwind")
    [episode] = told.episodes(uuid=document.metadata["episodes"][0])
    assert episode.content == "Maya joined Northwind in June 2025."
    assert told.why(document.id or "").believed
    assert (document.metadata["uuid"], document.metadata["group"]) == (document.id, told.group)
    assert document.metadata["claims"]


def test_both_clocks_may_be_given(told: Memory) -> None:
    retriever = TkgmemRetriever(memory=told, scopes=("facts",), valid_at="2024")

    def where(**more: Any) -> set[str]:
        return {document.metadata["target"] for document in retriever.invoke("Where does Maya work?", **more)}

    assert "Contoso" in where()
    assert "Northwind" not in where()
    assert "Northwind" in where(valid_at="2026")
    assert where(known_at="2020") == set()
    assert {"Contoso", "Northwind"} <= where(valid_at="2026", include_ended=True)
    with pytest.raises(TypeError, match="'when'"):
        where(when="2024")
    with pytest.raises(ValueError, match="'soon'"):
        where(valid_at="soon")


@pytest.mark.parametrize("scopes", [("entities",), "facts", ("facts", "communities")])
def test_a_scope_that_gives_no_documents_is_refused(told: Memory, scopes: Any) -> None:
    with pytest.raises(ValueError, match=r"scopes is a list of some of facts, episodes"):
        TkgmemRetriever(memory=told).invoke("Maya", scopes=scopes)
    with pytest.raises(ValidationError):
        TkgmemRetriever(memory=told, scopes=scopes)


def test_the_metadata_of_a_text_comes_along(memory: Memory) -> None:
    memory.add("Maya likes tea.", metadata={"channel": "#tea", "score": "mine"}, reference_time="2025-01-02")
    [document] = TkgmemRetriever(memory=memory, scopes=("episodes",)).invoke("tea")
    assert document.metadata["channel"] == "#tea"
    assert isinstance(document.metadata["score"], float)
    assert document.metadata["reference_time"] == "2025-01-02T00:00:00+00:00"
    assert memory.episodes(uuid=document.id)[0].metadata["score"] == "mine"


def test_texts_come_with_who_said_them(told: Memory) -> None:
    [document] = TkgmemRetriever(memory=told, scopes=("episodes",)).invoke("Lisbon", k=1)
    assert document.page_content == "Maya lives in Lisbon."
    assert (document.metadata["speaker"], document.metadata["conversation"]) == ("Ben", "chat")


def test_in_a_chain(told: Memory) -> None:
    retriever = TkgmemRetriever(memory=told, k=2)
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    seen: list[str] = []

    def joined(documents: Any) -> str:
        seen.extend(document.page_content for document in documents)
        return "\n".join(seen)

    model = FakeListChatModel(responses=["At Northwind."])
    chain = {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
    assert chain.invoke("Does Maya work at Northwind?") == "At Northwind."
    assert any("Northwind" in text for text in seen)
    assert len(asyncio.run(retriever.ainvoke("Where does Maya work?"))) == 2


def test_values_keep_their_past(path: Path) -> None:
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.timedelta(hours=1))
    with Memory(path, embedder=HashEmbedder(64), clock=clock) as memory:
        store, other = TkgmemKeyValueStore(memory), TkgmemKeyValueStore(memory, namespace="other")
        store.mset([("k", 1)])
        store.mset([("k", 0), ("k", [2])])  # the last counts
        other.mset([("k", None)])
        assert store.mget(["k", "none"]) == [[2], None]
        assert [value for _, value in store.history("k")] == [[2], 1]
        store.mdelete(["k"])
        assert (store.mget(["k"]), list(other.yield_keys())) == ([None], ["k"])
        store.mset([("k", "again")])
        with pytest.raises(ValueError, match="'bad'"):
            store.mset([("good", 1), ("bad", b"bytes")])
        assert list(store.yield_keys()) == ["k"]
        assert store.forget(["k", "never"]) == 3
        assert (store.history("k"), store.mget(["k"])) == ([], [None])


def test_a_store_closes_the_file_that_it_opened(tmp_path: Path, memory: Memory) -> None:
    with TkgmemKeyValueStore(tmp_path / "own.db") as own:
        assert own.mget(["a"]) == [None]
    assert [file.name for file in tmp_path.iterdir()] == ["own.db"]
    with TkgmemKeyValueStore(memory):
        pass
    assert memory.stats().episodes == 0


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tkgmem.adapters.langchain")
    monkeypatch.setitem(sys.modules, "langchain_core.retrievers", None)
    with pytest.raises(ImportError, match=r"pip install 'tkgmem\[langchain\]'"):
        importlib.import_module("tkgmem.adapters.langchain")
