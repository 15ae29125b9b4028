"""LangGraph's store over a memory: the same behaviour as its own InMemoryStore, and the past beside it.

LangGraph publishes no test suite for stores; what its own stores promise is asked of both here. Left out: items that expire
(`ttl`), which are refused. Not alike: without a query InMemoryStore gives the items put first first, and the memory, as
LangGraph's stores on databases do, the latest; a tuple in a value is refused, since JSON would make it a list.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from tkgmem import AddResult, Memory, ProviderError
from tkgmem.adapters.langgraph import TkgmemStore
from tkgmem.testing import FixedClock, HashEmbedder

START_TIME = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def embed(texts: list[str]) -> list[list[float]]:
    return [list(map(float, row)) for row in HashEmbedder(64).embed_passages(texts)]


@pytest.fixture(params=["langgraph", "tkgmem"])
def store(request: pytest.FixtureRequest) -> Iterator[BaseStore]:
    """LangGraph's own store, then ours."""
    if request.param == "langgraph":
        yield InMemoryStore(index={"dims": 64, "embed": embed})
        return
    with Memory(":memory:", embedder=HashEmbedder(64)) as memory:
        yield TkgmemStore(memory)


@pytest.fixture
def ours(path: Path) -> Iterator[TkgmemStore]:
    clock = FixedClock(START_TIME, dt.timedelta(minutes=1))
    with Memory(path, embedder=HashEmbedder(64), clock=clock) as memory:
        yield TkgmemStore(memory)


NESTED: dict[str, Any] = {}
for _ in range(20_000):
    NESTED = {"deeper": NESTED}

VALUES: list[dict[str, Any]] = [
    {},
    {"text": "Grüße 小李 🦉", "n": 2**70, "f": 0.1, "none": None, "yes": True, "list": [1, [2, {"a": []}]]},
    {"x') OR 1=1--": 1, "": "empty key", "$eq": "operator"},
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_comes_back_as_it_was(store: BaseStore, value: dict[str, Any]) -> None:
    store.put(("users", "1"), "prefs", value)
    item = store.get(("users", "1"), "prefs")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "prefs", ("users", "1"))
    assert item.created_at.tzinfo is not None
    assert item.created_at <= item.updated_at
    assert store.get(("users",), "prefs") is None
    assert store.get(("users", "1"), "pref") is None


def test_a_later_value_takes_the_place_of_the_earlier(store: BaseStore) -> None:
    for number in (1, 2, 2, 1):
        store.put(("a",), "k", {"n": number})
        item = store.get(("a",), "k")
        assert item is not None
        assert item.value == {"n": number}
        assert len(store.search(("a",))) == 1


def test_deleted_is_gone_and_may_come_again(store: BaseStore) -> None:
    store.delete(("a",), "never")
    for _ in range(3):
        store.put(("a",), "k", {"n": 1})
        store.delete(("a",), "k")
        store.delete(("a",), "k")
        assert store.get(("a",), "k") is None
        assert store.search(("a",)) == []


def test_search_goes_by_the_beginning_of_the_namespace(store: BaseStore) -> None:
    for namespace in (("a", "b"), ("a", "bc"), ("a",), ("ab",)):
        store.put(namespace, "k", {"ns": list(namespace)})

    def found(*prefix: str) -> set[tuple[str, ...]]:
        return {item.namespace for item in store.search(prefix)}

    assert found("a") == {("a", "b"), ("a", "bc"), ("a",)}
    assert found("a", "b") == {("a", "b")}
    assert len(found()) == 4
    assert found("nothing") == set()


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"color": "red"}, "ac"),
        ({"color": "red", "size": {"$gt": 2}}, "c"),
        ({"size": {"$gte": 2, "$lt": 3}}, "b"),
        ({"size": {"$ne": 3}}, "ab"),
        ({"size": {"$eq": 1}}, "a"),
        ({"tags": ["x", "y"]}, "a"),
        ({"deep": {"er": 1}}, "b"),
        ({"missing": None}, "abc"),
        ({"x') OR 1=1--": 1}, ""),
        ({'"; DROP TABLE episodes;--': "x"}, ""),
    ],
)
def test_filters(store: BaseStore, wanted: dict[str, Any], keys: str) -> None:
    store.put(("f",), "a", {"color": "red", "size": 1, "tags": ["x", "y"]})
    store.put(("f",), "b", {"color": "blue", "size": 2, "deep": {"er": 1, "more": 2}})
    store.put(("f",), "c", {"color": "red", "size": 3, "tags": ["x"]})
    assert sorted(item.key for item in store.search(("f",), filter=wanted)) == list(keys)


def test_an_unknown_operator_is_refused(store: BaseStore) -> None:
    store.put(("f",), "a", {"n": 1})
    with pytest.raises(ValueError, match=r"\$like"):
        store.search(("f",), filter={"n": {"$like": "x"}})


def test_pages(store: BaseStore) -> None:
    for number in range(7):
        store.put(("p",), f"k{number}", {"n": number})
    pages = [[item.key for item in store.search(("p",), limit=3, offset=offset)] for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    if isinstance(store, TkgmemStore):
        assert pages[0] == ["k6", "k5", "k4"]
    assert sorted(key for page in pages for key in page) == [f"k{number}" for number in range(7)]


def test_a_query_finds_the_best_first(store: BaseStore) -> None:
    store.put(("docs",), "tea", {"text": "green tea from Uji"})
    store.put(("docs",), "car", {"text": "the car broke down again"})
    store.put(("docs",), "hidden", {"text": "green tea, not to be found"}, index=False)
    store.put(("other",), "tea", {"text": "green tea elsewhere"})
    found = store.search(("docs",), query="green tea", limit=10)
    assert [item.key for item in found] == ["tea", "car", "hidden"]
    assert found[0].score is not None
    assert found[1].score is not None
    assert found[0].score > found[1].score
    assert found[2].score is None
    assert [item.key for item in store.search(("docs",), query="green tea", limit=1, offset=1)] == ["car"]
    assert [item.key for item in store.search(("docs",), query="green tea", filter={"text": "the car broke down again"})] == [
        "car"
    ]


def test_the_fields_that_count(store: BaseStore) -> None:
    store.put(("docs",), "a", {"title": "tea", "body": "car car car"}, index=["title"])
    store.put(("docs",), "b", {"title": "car\0", "body": "tea tea tea"}, index=["title"])
    assert [item.key for item in store.search(("docs",), query="tea", limit=2)] == ["a", "b"]


def test_namespaces(store: BaseStore) -> None:
    for namespace in (("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "f"), ("a", "c", "f"), ("z",)):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a",), suffix=("e",)) == [("a", "b", "d", "e")]
    assert len(store.list_namespaces()) == 5
    assert store.list_namespaces(limit=2, offset=3) == [("a", "c", "f"), ("z",)]


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph",), ("a", 1)])
def test_a_namespace_that_cannot_be_is_refused(store: BaseStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_a_batch_reads_first_and_the_last_put_counts(store: BaseStore) -> None:
    store.put(("a",), "k", {"n": 0})
    ops = [
        PutOp(("a",), "k", {"n": 1}),
        GetOp(("a",), "k"),
        PutOp(("a",), "k", {"n": 2}),
        SearchOp(("a",)),
        ListNamespacesOp(),
        PutOp(("b",), "x", None),
        GetOp(("b",), "x"),
    ]
    results = store.batch(ops)
    assert results[0] is None
    assert results[1].value == {"n": 0}  # type: ignore[union-attr]
    assert [item.value for item in results[3]] == [{"n": 0}]  # type: ignore[union-attr]
    assert results[4] == [("a",)]
    assert results[6] is None
    assert store.get(("a",), "k").value == {"n": 2}  # type: ignore[union-attr]


def test_the_same_awaited(store: BaseStore) -> None:
    async def session() -> None:
        await asyncio.gather(*(store.aput(("a",), f"k{number}", {"n": number}) for number in range(20)))
        assert len(await store.asearch(("a",), limit=50)) == 20
        assert (await store.aget(("a",), "k7")).value == {"n": 7}  # type: ignore[union-attr]
        await store.adelete(("a",), "k7")
        assert await store.aget(("a",), "k7") is None
        assert await store.alist_namespaces() == [("a",)]

    asyncio.run(session())


def test_nothing_expires(store: BaseStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"n": 1}, ttl=5)


@pytest.mark.parametrize("fields", [["title", "tags[*]"], ["deep.er"], ["missing"]])
def test_places_in_a_value(store: BaseStore, fields: list[str]) -> None:
    value = {"title": "tea", "tags": ["green", "hot"], "deep": {"er": "car"}}
    store.put(("docs",), "a", value, index=fields)
    [item] = store.search(("docs",), query="green tea")
    assert item.value == value
    assert (item.score is None) == (fields == ["missing"])


def test_a_value_keeps_the_order_of_its_parts(store: BaseStore) -> None:
    store.put(("a",), "k", {"z": 1, "a": {"y": 1, "b": 2}})
    item = store.get(("a",), "k")
    assert item is not None
    assert (list(item.value), list(item.value["a"])) == (["z", "a"], ["y", "b"])


@pytest.mark.parametrize("key", ["", " ", "k ", "K", "ｋ", "e\u0301", "%", "a\nb", "x" * 2000])
def test_keys_that_look_alike_are_not(store: BaseStore, key: str) -> None:
    store.put(("a",), "k", {"n": 0})
    store.put(("a",), "é", {"n": 0})
    store.put(("a",), key, {"n": 1})
    assert store.get(("a",), "k").value == store.get(("a",), "é").value == {"n": 0}  # type: ignore[union-attr]
    assert store.get(("a",), key).value == {"n": 1}  # type: ignore[union-attr]
    assert {item.key for item in store.search(("a",))} == {"k", "é", key}


@pytest.mark.parametrize("query", ["", "  ", "?", "x') OR 1=1--", "NEAR(", '"', "\0", "last year", "tea " * 400])
def test_any_text_is_a_query(store: BaseStore, query: str) -> None:
    store.put(("a",), "k", {"text": "tea"})
    store.put(("a",), "j", {"text": "car"})
    assert {item.key for item in store.search(("a",), query=query)} == {"j", "k"}


PARTS: list[Any] = [None, True, 0, 1, 2.5, "1", "x", [1, 2], {"q": 1}, {"q": {"r": 2}}, [], {}]


def some_ops(random: Random) -> list[Any]:
    """A batch: whatever is put, deleted and asked."""

    def namespace(least: int) -> tuple[str, ...]:
        return tuple(random.choice(["a", "b", "*", "x y"]) for _ in range(random.randint(least, 3)))

    def filters() -> dict[str, Any]:
        compared: dict[str, Any] = {random.choice(["$eq", "$ne"]): random.choice(PARTS)}
        return {random.choice(["p", "q", "$x"]): random.choice([*PARTS, compared, compared])}

    def one(kind: float) -> Any:
        if kind < 0.5:
            value = {random.choice(["p", "q", "$x"]): random.choice(PARTS) for _ in range(random.randint(0, 3))}
            return PutOp(namespace(1), random.choice("kKé"), None if random.random() < 0.2 else value, False)
        if kind < 0.6:
            return GetOp(namespace(1), random.choice("kKé"))
        if kind < 0.9:
            return SearchOp(namespace(0), random.choice([None, filters()]), 100, 0, random.choice([None, "x"]))
        path = namespace(0)
        conditions = (MatchCondition(random.choice(["prefix", "suffix"]), path),) if path else None
        return ListNamespacesOp(conditions, random.choice([None, 1, 2]), 100, 0)

    return [one(random.random()) for _ in range(random.randint(1, 5))]


@pytest.mark.parametrize("seed", range(8))
def test_both_stores_answer_any_batches_alike(seed: int) -> None:
    random = Random(seed)

    def plain(op: Any, answer: Any) -> Any:
        if isinstance(op, SearchOp):
            return sorted((item.namespace, item.key, repr(item.value)) for item in answer)
        return repr(answer.value) if isinstance(op, GetOp) and answer else answer

    with Memory(":memory:", embedder=HashEmbedder(64)) as memory:
        theirs, ours = InMemoryStore(), TkgmemStore(memory)
        for _ in range(12):
            ops = some_ops(random)
            for op, answer, other in zip(ops, theirs.batch(ops), ours.batch(ops), strict=True):
                if isinstance(op, ListNamespacesOp):  # theirs lists namespaces that only ever had something, too
                    assert set(other) <= set(answer)  # type: ignore[arg-type]
                else:
                    assert plain(op, answer) == plain(op, other), op
        assert memory.doctor().ok


@pytest.mark.parametrize("operator", ["$gt", "$gte", "$lt", "$lte"])
@pytest.mark.parametrize("bound", ["x", None, [1], {}])
def test_what_is_no_number_is_neither_more_nor_less(ours: TkgmemStore, operator: str, bound: Any) -> None:
    """InMemoryStore raises TypeError or ValueError here, for a value that is missing too; a database's store finds nothing."""
    ours.put(("f",), "a", {"n": 1})
    assert ours.search(("f",), filter={"n": {operator: bound}}) == []
    assert ours.search(("f",), filter={"missing": {operator: 1}}) == []


# --- what only a memory has ---


def test_the_past_of_a_key(ours: TkgmemStore) -> None:
    ours.put(("u",), "city", {"name": "Porto"})
    ours.put(("u",), "city", {"name": "Lisbon"})
    ours.delete(("u",), "city")
    ours.put(("u",), "city", {"name": "Faro"})
    past = ours.history(("u",), "city")
    assert [kept.value["name"] for kept in past] == ["Faro", "Lisbon", "Porto"]
    assert past[0].expired_at is None
    assert all(kept.expired_at is not None and kept.updated_at < kept.expired_at for kept in past[1:])
    assert past[1].created_at == past[2].created_at == past[2].updated_at
    then = ours.at(past[1].updated_at)
    assert then.get(("u",), "city").value == {"name": "Lisbon"}  # type: ignore[union-attr]
    assert [item.value["name"] for item in then.search((), query="Lisbon")] == ["Lisbon"]
    assert ours.at(past[2].updated_at).search(("u",))[0].value == {"name": "Porto"}
    assert ours.at(START_TIME - dt.timedelta(days=1)).list_namespaces() == []
    assert [item.score is None for item in then.search((), query="Lisbon")] == [False]
    assert [kept.value["name"] for kept in then.history(("u",), "city")] == ["Lisbon", "Porto"]
    assert then.history(("u",), "city")[0].expired_at is None
    for change in (
        lambda: then.put(("u",), "city", {"name": "Rome"}),
        lambda: then.delete(("u",), "city"),
        lambda: then.forget(("u",), "city"),
        lambda: then.forget_namespace(("u",)),
    ):
        with pytest.raises(ValueError, match="can only be read"):
            change()
    assert ours.history(("u",), "other") == []
    assert ours.at("2020").search(()) == []
    with pytest.raises(ValueError, match="soon"):
        ours.at("soon")


def test_forgotten_is_gone_from_the_bytes(ours: TkgmemStore, path: Path) -> None:
    for word in ("canarybird", "canaryfish"):
        ours.put(("u",), "canarykey", {"word": word})
        ours.put(("u",), "canarykey", {"word": word})
        ours.delete(("u",), "canarykey")
    ours.put(("u",), "kept", {"word": "stays"})
    assert ours.forget(("u",), "canarykey") == 4
    assert ours.forget(("u",), "canarykey") == 0
    assert ours.history(("u",), "canarykey") == []
    ours.put(("u",), "canarykey", {"word": "canarybird"})
    assert ours.get(("u",), "canarykey").value == {"word": "canarybird"}  # type: ignore[union-attr]
    assert ours.forget(("u",), "canarykey") == 1
    assert ours.memory.doctor().ok
    ours.memory.close()
    assert b"canary" not in path.read_bytes()


def test_a_whole_namespace_is_forgotten_with_its_name(ours: TkgmemStore, path: Path) -> None:
    ours.put(("canaryuser",), "a", {"n": 1})
    ours.put(("canaryuser",), "b", {"n": 2})
    ours.delete(("canaryuser",), "a")
    ours.put(("other", "below"), "c", {"n": 3})
    assert ours.forget_namespace(("canaryuser",)) == 2
    assert ours.forget_namespace(("canaryuser",)) == ours.forget_namespace(("other",)) == 0
    assert ours.list_namespaces() == [("other", "below")]
    ours.put(("canaryuser",), "a", {"n": 1})
    assert ours.list_namespaces() == [("canaryuser",), ("other", "below")]
    ours.forget_namespace(("canaryuser",))
    ours.memory.close()
    assert b"canary" not in path.read_bytes()


@pytest.mark.parametrize(
    "value", [{"n": float("nan")}, {"x": object()}, {1: "number"}, {"t": (1, 2)}, {"s": "\ud800"}, ["list"], NESTED]
)
def test_what_json_cannot_carry_is_refused_and_nothing_is_changed(ours: TkgmemStore, value: Any) -> None:
    ours.put(("u",), "k", {"n": 1})
    with pytest.raises(ValueError, match=r"the value of 'k' must be"):
        ours.put(("u",), "k", value)
    with pytest.raises(ValueError, match=r"the value of 'k' must be"):
        ours.batch([PutOp(("u",), "other", {"n": 2}), PutOp(("u",), "k", value, False), PutOp(("u",), "j", None)])
    assert [(item.key, item.value) for item in ours.search(())] == [("k", {"n": 1})]
    assert len(ours.history(("u",), "k")) == 1


def test_items_and_what_the_memory_was_told_are_apart(ours: TkgmemStore) -> None:
    ours.memory.add("Maya moved to Lisbon in May 2024.")
    ours.put(("u",), "city", {"name": "Lisbon"})
    assert [item.key for item in ours.search((), query="Lisbon")] == ["city"]
    assert len(ours.memory.search("Lisbon").episodes) == 1


def test_a_put_that_would_expire_is_refused_in_a_batch_too(ours: TkgmemStore) -> None:
    with pytest.raises(NotImplementedError, match="ttl"):
        ours.batch([PutOp(("u",), "a", {"n": 1}), PutOp(("u",), "b", {"n": 1}, None, 5.0)])
    assert ours.search(()) == []


def test_fields_given_as_one_text_and_names_too_long_are_refused(ours: TkgmemStore) -> None:
    with pytest.raises(ValueError, match=r"\['text'\]"):
        TkgmemStore(ours.memory, fields="text")
    with pytest.raises(ValueError, match=r"\['text'\]"):
        ours.put(("u",), "k", {"text": "x"}, index="text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="namespace has 1004 characters"):
        ours.put(("u" * 1000,), "k", {"n": 1})


def test_texts_of_somebody_else_in_such_groups_are_left_alone(ours: TkgmemStore) -> None:
    for group in ("langgraph:notes", "langgraph:namespaces", 'langgraph:["u"]'):
        ours.memory.add("Maya likes tea.", group=group, name="k", extract=False)
    ours.put(("u",), "k", {"text": "tea"})
    ours.memory.add("Maya likes tea a lot.", group='langgraph:["u"]', name="k", extract=False)
    assert ours.get(("u",), "k").value == {"text": "tea"}  # type: ignore[union-attr]
    assert [item.key for item in ours.search((), query="tea")] == ["k"]
    assert ours.list_namespaces() == [("u",)]
    ours.put(("u",), "k", {"text": "coffee"})
    ours.forget(("u",), "k")
    assert len(ours.memory.episodes(group='langgraph:["u"]')) == 2


def test_it_is_kept_in_the_file(tmp_path: Path) -> None:
    with TkgmemStore(tmp_path / "me.db") as store:
        store.put(("a",), "k", {"n": 1}, index=False)
    with TkgmemStore(str(tmp_path / "me.db")) as store:
        assert store.get(("a",), "k").value == {"n": 1}  # type: ignore[union-attr]


def test_threads_that_put_one_key_leave_one_value(ours: TkgmemStore) -> None:
    threads = [threading.Thread(target=ours.put, args=(("a",), "k", {"n": number})) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ours.search(("a",))) == 1
    assert len(ours.history(("a",), "k")) == 8


def test_two_stores_on_one_file_lose_nothing(path: Path) -> None:
    """Whoever writes when: one value counts, all are in the past, and forgetting finds them all."""
    with Memory(path, embedder=HashEmbedder(64)) as one, Memory(path, embedder=HashEmbedder(64)) as other:
        stores = [TkgmemStore(one), TkgmemStore(other)]
        both = threading.Barrier(2)

        def puts(store: TkgmemStore, name: str) -> None:
            for number in range(10):
                both.wait()
                store.put(("u",), "k", {"word": f"canary {name} {number}"})
                store.put(("u", name), str(number), {"n": number})

        threads = [threading.Thread(target=puts, args=pair) for pair in zip(stores, "ab", strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(stores[0].search(("u",), limit=100)) == 21
        assert len(stores[1].search(("u",), query="canary", limit=100)) == 21
        assert len(stores[1].history(("u",), "k")) == 20
        stores[0].delete(("u",), "k")
        assert stores[1].get(("u",), "k") is None
        assert stores[1].forget(("u",), "k") == 20
        assert one.doctor().ok
    assert b"canary" not in path.read_bytes()


class Overtaken(Memory):
    """Something else is done just before texts are stored, once."""

    first: Callable[[], object] | None = None

    def add_many(self, episodes: Any, **more: Any) -> list[AddResult]:
        if self.first is not None:
            first, self.first = self.first, None
            first()
        return super().add_many(episodes, **more)


def test_a_put_counts_though_the_same_was_put_and_deleted_meanwhile(path: Path) -> None:
    with Overtaken(path, embedder=HashEmbedder(64)) as one, Memory(path, embedder=HashEmbedder(64)) as two:
        store, other = TkgmemStore(one), TkgmemStore(two)

        def overtake() -> None:
            other.put(("u",), "k", {"n": 1})
            other.delete(("u",), "k")

        one.first = overtake
        store.put(("u",), "k", {"n": 1})
        assert store.get(("u",), "k").value == {"n": 1}  # type: ignore[union-attr]
        assert len(store.history(("u",), "k")) == 2


def test_filters_look_at_all_items_however_many(ours: TkgmemStore) -> None:
    ours.batch([PutOp(("u",), str(number), {"n": number}, False) for number in range(600)])
    assert [item.value["n"] for item in ours.search(("u",), filter={"n": {"$lt": 3}})] == [2, 1, 0]
    assert len(ours.search(("u",), limit=1000, filter={"n": {"$gte": 0}})) == 600
    assert [item.key for item in ours.search(("u",), limit=2, offset=597)] == ["2", "1"]


def test_items_survive_export_and_merge(ours: TkgmemStore, tmp_path: Path) -> None:
    ours.put(("u",), "k", {"n": 1})
    ours.put(("u",), "k", {"n": 2})
    ours.put(("u",), "gone", {"n": 3})
    ours.delete(("u",), "gone")
    ours.memory.export(tmp_path / "all.jsonl")
    with Memory(tmp_path / "new.db", embedder=HashEmbedder(64)) as memory:
        memory.import_(tmp_path / "all.jsonl")
        store = TkgmemStore(memory)
        assert [(item.key, item.value) for item in store.search(())] == [("k", {"n": 2})]
        assert [kept.value["n"] for kept in store.history(("u",), "k")] == [2, 1]
        assert store.history(("u",), "k") == ours.history(("u",), "k")
        memory.merge(path=ours.memory._store.path)
        assert [(item.key, item.value) for item in store.search(())] == [("k", {"n": 2})]


class Moody(HashEmbedder):
    """Fails for texts that say so."""

    def embed_passages(self, texts: Any) -> Any:
        if any("fail" in text for text in texts):
            raise ProviderError("no connection")
        return super().embed_passages(texts)


def test_a_failing_embedder_costs_no_value(path: Path) -> None:
    with Memory(path, embedder=Moody(64)) as memory:
        store = TkgmemStore(memory)
        store.put(("u",), "k", {"text": "before"})
        with pytest.raises(ProviderError, match=r"stored.*memory\.extract.*no connection"):
            store.put(("u",), "k", {"text": "fail"})
        assert store.get(("u",), "k").value == {"text": "fail"}  # type: ignore[union-attr]
        assert [item.value for item in store.search(("u",))] == [{"text": "fail"}]
        store.put(("u",), "k", {"text": "after"})
        assert [item.value for item in store.search(("u",), query="after")] == [{"text": "after"}]


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tkgmem.adapters.langgraph")
    monkeypatch.setitem(sys.modules, "langgraph.store.base", None)
    with pytest.raises(ImportError, match=r"pip install 'tkgmem\[langgraph\]'"):
        importlib.import_module("tkgmem.adapters.langgraph")


def test_a_graph_remembers_between_runs(ours: TkgmemStore) -> None:
    class State(TypedDict):
        text: str
        known: list[str]

    def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = [item.value["text"] for item in store.search(("user", "7"), query=state["text"])]
        store.put(("user", "7"), f"m{len(known)}", {"text": state["text"]})
        return {"known": known}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    app = graph.compile(store=ours)
    assert app.invoke({"text": "I like tea", "known": []})["known"] == []
    assert app.invoke({"text": "What do I like?", "known": []})["known"] == ["I like tea"]


async def test_in_a_graph_that_is_awaited_each_user_has_a_namespace(ours: TkgmemStore) -> None:
    class State(TypedDict):
        text: str
        known: list[str]

    async def remember(state: State, runtime: Runtime[str]) -> dict[str, Any]:
        assert runtime.store is not None
        known = [item.value["text"] for item in await runtime.store.asearch(("user", runtime.context), query=state["text"])]
        await runtime.store.aput(("user", runtime.context), state["text"], {"text": state["text"]})
        return {"known": known}

    graph = StateGraph(State, context_schema=str)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    app = graph.compile(store=ours)

    async def said(user: str, text: str) -> list[str]:
        return (await app.ainvoke({"text": text, "known": []}, context=user))["known"]

    await asyncio.gather(*(said(user, f"I am {user}") for user in ("Ana", "Bo", "Cy")))
    assert await said("Ana", "Who am I?") == ["I am Ana"]
    assert await said("Bo", "Who am I?") == ["I am Bo"]
    assert len(ours.list_namespaces(prefix=("user",))) == 3
