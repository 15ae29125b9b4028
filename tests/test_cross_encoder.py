"""The ONNX cross-encoder, with tiny real graphs: their score is worked out of the tokens that they are given."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from onnx_graphs import FLOAT, model, node, tensor
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from tkgmem.errors import BadResponse, ModelFileMissing, ProviderError
from tkgmem.protocols import Reranker
from tkgmem.providers import cross_encoder
from tkgmem.providers.cross_encoder import OnnxReranker
from tkgmem.providers.weights import open_session

WORDS = ["maya", "lives", "in", "rome", "tea", "where", "does", "drink", "bob", "and", "the", "cat", "sleeps", "on", "a", "mat"]
PAIR = ("input_ids", "attention_mask", "token_type_ids")
OVERLAP = [
    node("Cast", "attention_mask", "there", to=FLOAT),
    node("Cast", "token_type_ids", "second", to=FLOAT),
    node("Sub", "there second", "first"),
    node("Unsqueeze", "input_ids two", "down"),
    node("Unsqueeze", "input_ids one", "across"),
    node("Equal", "down across", "equal"),
    node("Cast", "equal", "same", to=FLOAT),
    node("Unsqueeze", "first one", "asked"),
    node("Unsqueeze", "second two", "said"),
    node("MatMul", "asked same", "matched"),
    node("MatMul", "matched said", "shared"),
    node("Squeeze", "shared two", "common"),
    node("ReduceSum", "there one", "length", keepdims=1),
    node("Div", "common length", "yes"),
]
"""The number of tokens that question and text have in common, by the tokens of the pair: `yes`, of shape (batch, 1)."""
AXES = {"one": 1, "two": 2}


def overlap(*last: bytes, shape: Sequence[str] = ("batch", "labels"), output: str = "logits") -> bytes:
    return model([*OVERLAP, *last], PAIR, tensor(output, FLOAT, shape), AXES)


ONE_COLUMN = overlap(node("Identity", "yes", "logits"))
NO_COLUMN = overlap(node("Squeeze", "yes one", "logits"), shape=("batch",))
TWO_COLUMNS = overlap(node("Neg", "yes", "no"), node("Concat", "no yes", "logits", axis=1))
LENGTH = model(
    [node("Cast", "attention_mask", "there", to=FLOAT), node("ReduceSum", "there one", "logits", keepdims=1)],
    PAIR[:2],
    tensor("logits", FLOAT, ("batch", "labels")),
    AXES,
)
"""A model without token types whose score is the number of tokens."""


def folder_of(path: Path, graph: bytes, window: int | None = None) -> Path:
    """A model folder with the graph and a tokenizer of whole words."""
    vocabulary = {word: number for number, word in enumerate(["[UNK]", "[PAD]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    if window is not None:
        tokenizer.enable_truncation(window)
    path.mkdir()
    (path / "model.onnx").write_bytes(graph)
    tokenizer.save(str(path / "tokenizer.json"))
    return path


def test_the_text_that_shares_most_with_the_question_scores_highest(tmp_path: Path) -> None:
    reranker = OnnxReranker(folder_of(tmp_path / "tiny", ONE_COLUMN))
    scores = reranker.score("where does maya drink tea", ["the cat sleeps", "maya lives in rome", "maya does drink tea"])
    # [SEP] is shared too: 1 of 11 tokens, 2 of 12, 5 of 12
    assert scores == pytest.approx([1 / 11, 2 / 12, 5 / 12], abs=1e-6)
    assert isinstance(reranker, Reranker)
    assert reranker.name == "tiny"


@pytest.mark.parametrize(("graph", "times"), [(NO_COLUMN, 1), (TWO_COLUMNS, 2)], ids=["one number", "no and yes"])
def test_other_shapes_of_logits_give_a_score(tmp_path: Path, graph: bytes, times: int) -> None:
    scores = OnnxReranker(folder_of(tmp_path / "tiny", graph)).score("maya", ["maya sleeps", "the cat", "tea"])
    assert scores == pytest.approx([times * 2 / 6, times * 1 / 6, times * 1 / 5], abs=1e-6)


def test_a_score_depends_neither_on_its_batch_nor_on_threads(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "tiny", ONE_COLUMN)
    texts = [" ".join(WORDS[start : start + length]) for start in range(8) for length in (1, 3, 8, 2)] + ["tea " * 120, ""]
    alone = [OnnxReranker(folder, threads=1).score("maya and bob drink tea", [text])[0] for text in texts]
    for threads in (1, 3):
        reranker = OnnxReranker(folder, threads=threads)
        assert reranker.score("maya and bob drink tea", texts) == pytest.approx(alone, abs=1e-6)
        assert reranker.score("maya and bob drink tea", texts[::-1]) == pytest.approx(alone[::-1], abs=1e-6)


def test_only_the_text_is_cut_and_only_at_its_end(tmp_path: Path) -> None:
    narrow = OnnxReranker(folder_of(tmp_path / "narrow", ONE_COLUMN, window=16))
    begins, ends = narrow.score("where does maya drink tea", ["tea " + "cat " * 30, "cat " * 30 + "tea"])
    assert begins == pytest.approx(2 / 16), "the window is full, and holds tea and a [SEP]"
    assert ends == pytest.approx(1 / 16)
    assert narrow.score("where does maya drink tea bob and", ["tea " * 30]) == pytest.approx([7 / 16]), "six of tea are left"


def test_without_a_window_of_its_own_a_tokenizer_gets_512_tokens(tmp_path: Path) -> None:
    reranker = OnnxReranker(folder_of(tmp_path / "wide", LENGTH))
    assert reranker.score("tea " * 5, ["cat " * 100, "cat " * 504, "cat " * 505, "cat " * 100_000]) == [108, 512, 512, 512]


def test_a_question_that_leaves_a_text_no_room_is_refused(tmp_path: Path) -> None:
    narrow = OnnxReranker(folder_of(tmp_path / "narrow", LENGTH, window=16))
    assert narrow.score("tea " * 8, ["cat " * 30]) == [16]
    for question in ("tea " * 9, "tea " * 10_000, "x" * 600):
        with pytest.raises(ProviderError, match="ask a shorter question"):
            narrow.score(question, ["cat"])
    with pytest.raises(ProviderError, match="ask a shorter question"):
        OnnxReranker(folder_of(tmp_path / "tiny", LENGTH, window=4)).score("tea", ["cat"])


@pytest.mark.parametrize("text", ["", "   \n", "\0", "\ud800x", "👩‍👩‍👧 🎉", "[PAD] [SEP]", "\u200b", "e\u0301"])
def test_odd_text_gets_a_score(tmp_path: Path, text: str) -> None:
    reranker = OnnxReranker(folder_of(tmp_path / "tiny", ONE_COLUMN))
    assert len(reranker.score("maya", [text, "tea"])) == len(reranker.score(text, ["maya", text])) == 2


def test_no_texts_have_no_scores_and_one_string_is_no_list(tmp_path: Path) -> None:
    reranker = OnnxReranker(folder_of(tmp_path / "tiny", ONE_COLUMN))
    assert reranker.score("maya", []) == []
    with pytest.raises(TypeError, match="not one string"):
        reranker.score("maya", "tea")


def test_scores_that_are_not_finite_are_refused_by_index(tmp_path: Path) -> None:
    graph = overlap(node("Sub", "length length", "zero"), node("Div", "yes zero", "logits"))
    with pytest.raises(BadResponse, match="the score of text 0 is inf, expected a finite number"):
        OnnxReranker(folder_of(tmp_path / "tiny", graph)).score("maya", ["maya"])


def test_scores_of_another_shape_are_refused(tmp_path: Path) -> None:
    graph = overlap(node("Concat", "yes yes yes", "logits", axis=1))
    with pytest.raises(BadResponse, match=r"scores of text 0: got float32 \(1, 3\)"):
        OnnxReranker(folder_of(tmp_path / "tiny", graph)).score("maya", ["maya"])


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    embedder = overlap(node("Identity", "yes", "sentence_embedding"), output="sentence_embedding")
    with pytest.raises(BadResponse, match="has no output logits, only sentence_embedding"):
        OnnxReranker(folder_of(tmp_path / "embedder", embedder)).score("maya", ["maya"])
    picture = model([node("Cast", "pixels", "logits", to=FLOAT)], ["pixels"], tensor("logits", FLOAT))
    with pytest.raises(BadResponse, match="takes pixels; a cross-encoder takes attention_mask, input_ids"):
        OnnxReranker(folder_of(tmp_path / "picture", picture)).score("maya", ["maya"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_or_unreadable_file_is_named(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path / "half", ONE_COLUMN)
    (folder / name).write_text("version https://git-lfs")
    with pytest.raises(ModelFileMissing, match=f"{name} is not a"):
        OnnxReranker(folder).score("maya", ["tea"])
    (folder / name).unlink()
    with pytest.raises(ModelFileMissing, match=f"{name} is missing; a model folder holds"):
        OnnxReranker(folder)


def test_constructing_loads_no_model_library(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "tiny", ONE_COLUMN)
    code = (
        "import sys; from tkgmem.providers.cross_encoder import OnnxReranker; OnnxReranker(sys.argv[1]).name;"
        "print(sorted({'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_threads_that_start_together_load_once_and_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[bool] = []

    def counted(path: Path) -> object:
        opened.append(shared._lock.locked())
        return open_session(path)

    monkeypatch.setattr(cross_encoder, "open_session", counted)
    shared, barrier, found = OnnxReranker(folder_of(tmp_path / "tiny", ONE_COLUMN)), threading.Barrier(4), []
    texts = ["maya lives in rome", "the cat", "tea"] * 10

    def work() -> None:
        barrier.wait()
        found.append(shared.score("where does maya drink tea", texts))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (len(found), opened) == (4, [True])
    assert all(scores == found[0] for scores in found)


def test_threads_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        OnnxReranker(tmp_path, threads=0)
