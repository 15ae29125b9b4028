"""The public doubles."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys

import numpy as np
import pytest

from tkgmem.protocols import Embedder
from tkgmem.testing import FixedClock, HashEmbedder


@pytest.mark.parametrize("dimension", [1, 8, 64, 384])
@pytest.mark.parametrize("text", ["", "  ", "\0", "\ud800", "👩‍👩‍👧", "word", "今天天气很好", "a b " * 3_000])
def test_every_text_gets_a_unit_vector(text: str, dimension: int) -> None:
    vectors = HashEmbedder(dimension).embed_queries([text])
    assert vectors.shape == (1, dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_the_embedder_keeps_the_protocol() -> None:
    embedder = HashEmbedder(32)
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dimension, len(embedder.sha256)) == ("hash-32", 32, 64)
    assert embedder.sha256 != HashEmbedder(64).sha256
    assert embedder.embed_passages([]).shape == embedder.embed_queries([]).shape == (0, 32)


def test_vectors_do_not_change_with_the_hash_seed() -> None:
    code = "from tkgmem.testing import HashEmbedder; print(HashEmbedder().embed_queries(['Ann drinks tea']).tobytes().hex())"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {HashEmbedder().embed_queries(["Ann drinks tea"]).tobytes().hex() + "\n"}


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Where does Ann live?", "Ann lives in Oslo", "Bob bought a red car"),
        ("小李在哪里工作", "小李在甲公司工作", "昨天的会议取消了"),
        ("ＡＮＮ　DRINKS tea", "Ann drinks tea.", "the weather is fine"),
    ],
)
def test_texts_that_share_words_are_near(text: str, near: str, far: str) -> None:
    query, first, second = HashEmbedder().embed_passages([text, near, far])
    assert query @ first > query @ second


@pytest.mark.parametrize("text", ["All is well here. " * 500, "x" * 9_000])
def test_long_text_is_cut_not_shortened(text: str) -> None:
    embedder = HashEmbedder()
    spans = embedder.spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end - start <= 2_000 for start, end in spans)
    assert embedder.embed_passages([text[start:end] for start, end in spans]).shape == (len(spans), 64)
    with pytest.raises(ValueError, match="text 1 has 9000 characters, hash-64 takes at most 2000; cut it along spans"):
        embedder.embed_passages(["fine", text])


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="dimension must be at least 1, not 0"):
        HashEmbedder(0)
    with pytest.raises(TypeError, match="not one string"):
        HashEmbedder().embed_queries("abc")


def test_the_clock_stands_until_told_otherwise() -> None:
    clock = FixedClock(dt.datetime(2024, 3, 5, tzinfo=dt.UTC))
    assert clock() == clock() == dt.datetime(2024, 3, 5, tzinfo=dt.UTC)
    clock.advance(dt.timedelta(hours=-1))
    assert clock() == dt.datetime(2024, 3, 4, 23, tzinfo=dt.UTC)
    clock.set(dt.datetime(2026, 6, 3, 8, tzinfo=dt.timezone(dt.timedelta(hours=8))))
    assert clock() == dt.datetime(2026, 6, 3, tzinfo=dt.UTC)


def test_a_step_is_taken_after_each_reading() -> None:
    clock = FixedClock(dt.datetime(2024, 3, 5, tzinfo=dt.UTC), step=dt.timedelta(minutes=5))
    assert [clock().minute for _ in range(3)] == [0, 5, 10]


def test_a_naive_time_is_utc() -> None:
    assert FixedClock(dt.datetime(2024, 3, 5))() == dt.datetime(2024, 3, 5, tzinfo=dt.UTC)  # noqa: DTZ001
