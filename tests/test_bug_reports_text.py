"""Faults that users of comparable programs reported about scripts, names, query text and long texts (T05, T06, T19)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM


def contents(memory: Memory, query: str) -> list[str]:
    return [hit.item.content for hit in memory.search(query, scopes={"episodes"}).episodes]


@pytest.mark.parametrize(
    ("name", "variant", "other"),
    [
        ("김 민수", "김민수", "김민서"),
        ("Анна Петрова", "Анна  Петрова", "Инна Петрова"),
        ("Ελένη Παππά", "Ελένη\u00a0Παππά", "Ελένα Παππά"),
        ("小 李", "小李", "小王"),
        ("山田 太郎", "山田太郎", "山田次郎"),
    ],
)
def test_a_name_in_any_script_is_itself_and_no_other(memory: Memory, name: str, variant: str, other: str) -> None:
    """T05-01"""
    first = memory.add_fact(name, "WORKS_AT", "Acme", valid_at="2020").source
    assert memory.add_fact(variant, "LIKES", "tea").source.uuid == first.uuid
    assert memory.add_fact(other, "LIKES", "tea").source.uuid != first.uuid
    assert memory.entity(variant).entity.name == name


@pytest.mark.parametrize("query", ["会议", "会议记录", "ai", "AI", "归档", "昨天的会议记录已归档ai", "记录会议"])
def test_chinese_is_found_by_any_of_its_words(memory: Memory, query: str) -> None:
    """T05-02"""
    memory.add("昨天的会议记录已归档ai", extract=False)
    memory.add("完全无关的另一句话", extract=False)
    hit = memory.search(query, scopes={"episodes"}).episodes[0]
    assert hit.item.content == "昨天的会议记录已归档ai"
    assert "bm25" in hit.ranks


@pytest.mark.parametrize(
    ("content", "query"), [("明日は東京で会う", "東京"), ("어제 서울에서 만났다", "서울"), ("พบกันที่กรุงเทพ", "กรุงเทพ")]
)
def test_a_word_inside_a_sentence_without_spaces_is_found(memory: Memory, content: str, query: str) -> None:
    """T05-02"""
    memory.add(content, extract=False)
    assert "bm25" in memory.search(query, scopes={"episodes"}).episodes[0].ranks


@pytest.mark.parametrize(
    "name",
    ["Żaneta", "Ülo", "Şebnem", "Đorđe O'Nagy-Ñu", "Nguyễn Thị", "İpek", "Æsa", "😀", "👨\u200d👩\u200d👧", "🇵🇹", "x\u200fy"],
)
def test_any_name_is_accepted_and_found_again(memory: Memory, name: str) -> None:
    """T05-03, T05-06"""
    fact = memory.add_fact(name, "LIKES", "tea", valid_at="2020")
    assert fact.source.name == name
    assert memory.as_of("2021", source=name) == [fact]
    assert memory.entity(name).facts == [fact]
    assert memory.add_fact(name, "LIKES", "milk").source == fact.source


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        (unicodedata.normalize("NFD", "Café Ångström"), unicodedata.normalize("NFC", "Café Ångström")),
        (unicodedata.normalize("NFC", "Việt Nam"), unicodedata.normalize("NFD", "Việt Nam")),
        ("ＡＢＣ株式会社", "ABC株式会社"),
        ("ABC Corp", "ａｂｃ corp"),
        ("ｶﾌｪ", "カフェ"),
    ],
)
def test_composed_and_decomposed_wide_and_narrow_are_one_name(memory: Memory, stored: str, asked: str) -> None:
    """T05-06"""
    fact = memory.add_fact("Ana", "WORKS_AT", stored, valid_at="2020")
    assert memory.add_fact("Bo", "WORKS_AT", asked).target.uuid == fact.target.uuid
    assert memory.entity(asked).entity.uuid == fact.target.uuid
    memory.add(f"lunch at {stored} again", extract=False)
    assert "bm25" in memory.search(asked, scopes={"episodes"}).episodes[0].ranks


METHODS = ("bm25", "cosine", "graph", "hybrid")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("김 민수", "김민수"),
        ("山田 太郎", "山田太郎はどこで働いていますか"),
        ("小李", "小李在哪里工作？"),
        ("Żaneta Ülo", "Where does Żaneta Ülo work?"),
        ("Đorđe O'Nagy-Ñu", "does Đorđe O'Nagy-Ñu work"),
        (unicodedata.normalize("NFD", "Café Ångström"), unicodedata.normalize("NFC", "who is at the Café Ångström?")),
        ("ＡＢＣ株式会社", "ABC株式会社"),
        ("ｶﾌｪ", "カフェ"),
        ("👨\u200d👩\u200d👧 family", "where does the 👨\u200d👩\u200d👧 family work"),
        ("x\u200fy", "x\u200fy"),
        ("F++", "what is F++?"),
        ("ZX-518", "where is ZX-518?"),
        ("Анна Петрова", "где работает Анна  Петрова"),
    ],
)
def test_a_name_in_a_question_is_found_by_every_method(memory: Memory, name: str, query: str) -> None:
    """T05-01, T05-02, T05-03, T05-06, T06-01, T06-02"""
    fact = memory.add_fact(name, "WORKS_AT", "Acme", valid_at="2020")
    told = memory.add(f"lunch with {name} again", extract=False).episode
    memory.add_fact("Zed", "LIKES", "tea", valid_at="2020")
    memory.add("nothing of the sort was said", extract=False)
    for method in METHODS:
        found = memory.search(query, recipe=method)
        assert found.facts[0].item.uuid == fact.uuid
        assert found.entities[0].item == fact.source
        if method != "graph":
            assert found.episodes[0].item == told
    context = memory.context(query, ids=True)
    assert fact.uuid in context
    assert told.uuid in context


TEXTS = ["pi is 3.14", "learn F++ soon", "she can't swim", "pick a,b now", "mail me @ home", "at 20 kB/s", "by the lake."]
QUERIES = ["3.14", "F++", "can't", "a,b", "kB/s", "lake."]


@pytest.mark.parametrize(("query", "text"), [(q, next(t for t in TEXTS if q in t)) for q in QUERIES])
def test_punctuation_in_a_query_finds_the_text_that_has_it(memory: Memory, query: str, text: str) -> None:
    """T06-01"""
    for content in TEXTS:
        memory.add(content, extract=False)
    assert contents(memory, query)[0] == text


@pytest.mark.parametrize("query", ["pre-flight", "9B1C-77AE", "ZX-518", "ring2-y AND emoji"])
def test_a_hyphen_is_text_and_no_column(memory: Memory, query: str) -> None:
    """T06-02"""
    stored = ["the pre-flight check passed", "door code 9B1C-77AE", "order ZX-518 shipped", "use ring2-y and one emoji"]
    for content in stored:
        memory.add(content, extract=False)
    words = query.split(maxsplit=1)[0]
    assert words in contents(memory, query)[0]


OPERATORS = [
    "status: done",
    "retry OR",
    "NEAR(",
    "AND",
    '"unterminated',
    "(x",
    "*",
    "^x",
    "-x",
    "{a b}: c",
    "NOT NOT",
    "a NEAR/2 b",
    "x*",
    "'",
    '""',
    "content:x",
    "\\",
    ";--",
    "%",
    "_",
]


@pytest.mark.parametrize("query", OPERATORS)
def test_query_operators_are_plain_text(memory: Memory, query: str) -> None:
    """T06-03"""
    memory.add(f"the note says {query} here", extract=False)
    memory.add("something else entirely", extract=False)
    memory.add_fact("Ana", "LIKES", "tea", fact=f"the fact says {query} here")
    for method in METHODS:
        memory.search(query, recipe=method)
        assert memory.search(f"fact {query}", recipe=method).facts or method == "graph"
    assert contents(memory, f"note {query}")[0].startswith("the note says")
    assert "the note says" in memory.context(f"note {query}")
    assert "the fact says" in memory.context(f"fact {query}")


@pytest.mark.parametrize("query", ["", "   ", "...", "😀", "\u200b", "\n\t", "?!", "、。", "\x00", "\ud800"])
def test_a_query_without_a_word_finds_nothing(memory: Memory, query: str) -> None:
    """T06-04"""
    memory.add("Ana likes tea", extract=False)
    memory.add_fact("Ana", "LIKES", "tea")
    for method in METHODS:
        result = memory.search(query, recipe=method)
        assert (result.facts, result.entities, result.episodes) == ([], [], [])
    assert memory.context(query) == ""


@pytest.mark.parametrize("query", ["jam printer", "paper floor", "printer jam on floor 2", "PRINTER Jam"])
def test_the_words_of_a_query_need_no_order(memory: Memory, query: str) -> None:
    """T06-06"""
    memory.add_fact("printer", "HAS_STATUS", "paper jam", fact="the printer on floor 2 has a paper jam")
    memory.add("the printer on floor 2 has a paper jam", extract=False)
    result = memory.search(query)
    assert "bm25" in result.facts[0].ranks
    assert "bm25" in result.episodes[0].ranks


LONG = {
    "a megabyte of words": ("the tide came in at noon. " * 40_000 + "Then a canary sang.", "canary"),
    "a line without spaces": ("潮水在中午来了" * 9_000 + "金丝雀唱歌", "金丝雀"),
    "parts joined by punctuation": ("k1=v," * 20_000 + "canary", "canary"),
}


@pytest.mark.parametrize(("content", "query"), LONG.values(), ids=LONG)
def test_the_end_of_a_long_text_is_found(memory: Memory, content: str, query: str) -> None:
    """T19-01"""
    memory.add("the tide is out", extract=False)
    memory.add(content, extract=False)
    [hit] = [hit for hit in memory.search(query, scopes={"episodes"}).episodes if hit.item.content == content]
    assert hit.ranks["bm25"] == 1
    assert memory.search(query, scopes={"episodes"}, recipe="bm25").episodes[0].item.content == content
    assert content in {hit.item.content for hit in memory.search(query, scopes={"episodes"}, recipe="cosine").episodes}
    assert query in memory.context(query, max_tokens=200)


def test_a_long_note_with_many_names_takes_no_more_model_calls_than_a_short_one(clock: FixedClock) -> None:
    """T19-02"""
    names = [f"Person {number}" for number in range(30)]
    facts = [
        {"source": one, "relation": "KNOWS", "target": other, "sentence": f"{one} knows {other}", "kind": "assert"}
        for one, other in zip(names[::2], names[1::2], strict=True)
    ]
    model = ScriptedLLM([{"entities": [{"id": name, "name": name} for name in names], "facts": facts}])
    with Memory(":memory:", embedder=HashEmbedder(16), clock=clock, llm=model) as memory:
        added = memory.add(". ".join(fact["sentence"] + ", so the note says at some length" * 10 for fact in facts))
        assert (len(added.entities), len(added.facts), added.calls, len(model.requests)) == (30, 15, 1, 1)


def test_a_list_of_episodes_is_newest_first_and_its_pages_miss_and_repeat_nothing(memory: Memory) -> None:
    """T19-05"""
    told = [{"content": f"page {number}", "reference_time": f"{2000 + number % 10}", "extract": False} for number in range(150)]
    memory.add_many(told)
    every = memory.episodes(limit=1000)
    assert len({episode.uuid for episode in every}) == 150
    keys = [(episode.reference_time, episode.created_at) for episode in every]
    assert keys == sorted(keys, reverse=True)
    pages = [memory.episodes(limit=7, offset=offset) for offset in range(0, 154, 7)]
    assert [episode for page in pages for episode in page] == every


@settings(max_examples=300)
@given(st.text(max_size=60))
def test_any_text_is_a_query(query: str) -> None:
    """T06, the whole kind"""
    SHELF.search(query)
    SHELF.search(f'tea {query}"')


SHELF = Memory(":memory:", embedder=HashEmbedder(16))
SHELF.add("Ana likes tea (green), 绿茶", extract=False)
SHELF.add_fact("Ana", "LIKES", "tea")
