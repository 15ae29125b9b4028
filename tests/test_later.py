"""Texts that are kept now and read later: committed at once, found by their words, read by whoever has the time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tkgmem import Memory, NotFound
from tkgmem.errors import ProviderError
from tkgmem.testing import FixedClock, HashEmbedder

TEXT = "Maya moved to Lisbon in May 2024."


class NoEmbedder(HashEmbedder):
    """One that works once it is allowed to."""

    allowed = False

    def embed_passages(self, texts):  # type: ignore[no-untyped-def]
        if not self.allowed:
            raise ProviderError("the model is not there")
        return super().embed_passages(texts)


def test_neither_model_nor_embedder_is_asked(clock: FixedClock) -> None:
    embedder = NoEmbedder(64)
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        kept = memory.add(TEXT, extract="later")
        assert (kept.episode.state, kept.facts) == ("pending", [])
        assert [hit.item.content for hit in memory.search("Lisbon", recipe="bm25").episodes] == [TEXT]
        assert memory.stats().pending == 1
        assert memory.doctor().ok
        embedder.allowed = True
        [read] = memory.extract(uuid=kept.episode.uuid)
        assert (read.episode.state, [fact.target.name for fact in read.facts]) == ("done", ["Lisbon"])
        assert memory.search("Lisbon").episodes[0].ranks.keys() >= {"bm25", "cosine"}
        assert memory.doctor().ok


def test_a_text_is_read_by_its_uuid_or_with_all_others(memory: Memory) -> None:
    uuids = [memory.add(f"{TEXT} {number}", extract="later").episode.uuid for number in range(3)]
    assert [result.episode.uuid for result in memory.extract(uuid=uuids[1])] == [uuids[1]]
    assert [result.episode.uuid for result in memory.extract()] == [uuids[0], uuids[2]]
    again = memory.extract(uuid=[uuids[2], uuids[0]])
    assert [(result.episode.uuid, len(result.facts)) for result in again] == [(uuids[2], 1), (uuids[0], 1)]


def test_a_uuid_of_nothing_or_of_another_group_is_an_error(memory: Memory) -> None:
    other = memory.add(TEXT, extract="later", group="other").episode.uuid
    for uuid in ("nothing", other):
        with pytest.raises(NotFound, match=uuid):
            memory.extract(uuid=uuid)
    assert memory.extract(uuid=other, group="other")[0].episode.state == "done"


def test_what_it_was_given_with_counts_when_it_is_read(memory: Memory) -> None:
    facts = [{"source": "Maya", "relation": "LIVES_IN", "target": "Porto", "valid_at": "last May"}]
    kept = memory.add("She moved.", reference_time="2025-02-01", extract="later", facts=facts)
    with pytest.raises(ValueError, match="unknown member"):
        memory.add("She moved.", extract="later", facts=[{"where": "Porto"}])
    assert [fact.target.name for fact in memory.extract(uuid=kept.episode.uuid)[0].facts] == ["Porto"]


def test_the_same_text_again_is_taken_up_where_it_is_not_later(memory: Memory) -> None:
    memory.add(TEXT, reference_time="2024-06-01", extract="later")
    memory.add(TEXT, reference_time="2024-06-01", extract="later")
    assert memory.stats().episodes == 1
    assert memory.add(TEXT, reference_time="2024-06-01").episode.state == "done"
    assert memory.add(TEXT, reference_time="2024-06-01", extract="later").episode.state == "done"


def test_many_may_be_kept_together_with_others(memory: Memory) -> None:
    results = memory.add_many([{"content": TEXT, "extract": "later"}, {"content": f"{TEXT} Yes."}])
    assert [result.episode.state for result in results] == ["pending", "done"]


def test_forgotten_before_it_is_read_it_is_gone(path: Path, clock: FixedClock) -> None:
    with Memory(path, embedder=HashEmbedder(64), clock=clock) as memory:
        kept = memory.add("canarybird", extract="later")
        memory.forget(episode=kept.episode.uuid)
        assert memory.extract() == []
        assert memory.doctor().ok
    assert b"canarybird" not in path.read_bytes()


def test_it_is_there_after_a_crash(path: Path) -> None:
    code = (
        "import os, sys\nfrom tkgmem import Memory\nfrom tkgmem.testing import HashEmbedder\n"
        f"Memory(sys.argv[1], embedder=HashEmbedder(64)).add({TEXT!r}, extract='later')\nos._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        assert [episode.state for episode in memory.episodes()] == ["pending"]
        assert len(memory.extract()[0].facts) == 1


def test_another_word_than_later_is_refused(memory: Memory) -> None:
    with pytest.raises(ValueError, match="'soon'"):
        memory.add(TEXT, extract="soon")  # type: ignore[arg-type]
