"""The shipped embedder, with its real weights."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx_graphs
import pytest
from onnx_graphs import FLOAT, node, tensor

from tkgmem.errors import BadResponse, ModelFileMissing
from tkgmem.protocols import Embedder
from tkgmem.providers import weights
from tkgmem.providers.onnx import OnnxEmbedder, _checked

SHIPPED = Path(__file__).parent.parent / "models" / "multilingual-e5-small"
BAD_CHARACTERS = ["", "   \n", "\0", "a\0b", "\ud800x", "👩‍👩‍👧 🎉", "<pad></s><s>", "\u200b", "\ufdfa", "!!!???", "e\u0301"]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def linked_folder(folder: Path, **changes: object) -> Path:
    """A model folder with links to the shipped files and a manifest with the given members changed."""
    folder.mkdir()
    for name in (weights.WEIGHTS, weights.TOKENIZER):
        (folder / name).symlink_to(SHIPPED / name)
    manifest = json.loads((SHIPPED / weights.MANIFEST).read_text()) | changes
    (folder / weights.MANIFEST).write_text(json.dumps(manifest))
    return folder


def test_the_embedder_keeps_the_protocol(embedder: OnnxEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dimension, len(embedder.sha256)) == ("multilingual-e5-small", 384, 64)


def test_constructing_loads_no_model_library() -> None:
    code = (
        "import sys; from tkgmem.providers.onnx import OnnxEmbedder; e = OnnxEmbedder(); e.name, e.dimension, e.sha256;"
        "print(sorted({'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_first_use_prints_nothing_and_warns_of_nothing() -> None:
    code = "from tkgmem.providers.onnx import OnnxEmbedder; print(OnnxEmbedder().embed_queries(['hello']).shape)"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("(1, 384)\n", "")


def test_vectors_are_float32_rows_of_unit_length(embedder: OnnxEmbedder) -> None:
    for vectors in (embedder.embed_passages(["one", "two words", "三个词"]), embedder.embed_queries(["a", "b", "c"])):
        assert vectors.shape == (3, 384)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_passages([]).shape == embedder.embed_queries([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("小李在哪里上班？", 0),
        ("谁养了一只猫？", 1),
        ("Where does Maria live?", 2),
        ("火车几点出发？", 3),
    ],
)
def test_a_question_is_nearest_to_its_answer(embedder: OnnxEmbedder, question: str, best: int) -> None:
    passages = ["小李在一家软件公司工作。", "王芳家里有一只白色的猫。", "Maria moved to Lisbon.", "去上海的火车早上八点开。"]
    scores = embedder.embed_queries([question]) @ embedder.embed_passages(passages).T
    assert scores.argmax() == best


def test_questions_and_passages_get_different_prefixes(embedder: OnnxEmbedder) -> None:
    assert not np.allclose(embedder.embed_queries(["tea"]), embedder.embed_passages(["tea"]), atol=1e-3)


def test_a_vector_does_not_depend_on_its_batch_or_on_threads(embedder: OnnxEmbedder) -> None:
    texts = ["short", "a sentence of some eight or nine words", "长一点的中文句子，带有标点。", "word " * 200, ""] * 3
    alone = np.concatenate([embedder.embed_passages([text]) for text in texts])
    for several in (embedder, OnnxEmbedder(threads=1), OnnxEmbedder(threads=3)):
        np.testing.assert_allclose(several.embed_passages(texts), alone, atol=1e-6)
        np.testing.assert_allclose(several.embed_passages(texts[::-1]), alone[::-1], atol=1e-6)


@pytest.mark.parametrize("text", BAD_CHARACTERS)
def test_odd_text_gets_a_vector(embedder: OnnxEmbedder, text: str) -> None:
    assert embedder.spans(text) == [(0, len(text))]
    for vectors in (embedder.embed_passages([text]), embedder.embed_queries([text])):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_one_string_is_not_a_list_of_texts(embedder: OnnxEmbedder) -> None:
    with pytest.raises(TypeError, match="not one string"):
        embedder.embed_passages("abc")


LONG_TEXTS = {
    "sentences": "The river was calm that day. We sat by the water, and talked! " * 300,
    "chinese": "今天天气很好，我们去公园散步。" * 400,
    "no spaces": "a" * 20_000,
    "no spaces in chinese": "你" * 5_000,
    "blank": " " * 50_000,
    "lines": "key: value\n" * 1_500,
    "expanding": "\ufdfa" * 1_000,
    "combining": "e\u0301" * 4_000,
    "emoji": "👩‍👩‍👧" * 2_000,
    "surrogates": "\ud800 x" * 3_000,
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_pieces_cover_a_long_text_and_each_fits(embedder: OnnxEmbedder, text: str) -> None:
    spans = embedder.spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end == start for (_, end), (start, _) in pairwise(spans))
    pieces = [text[start:end] for start, end in spans]
    assert all(embedder.spans(piece) == [(0, len(piece))] for piece in pieces)
    assert len(pieces) > 1
    embedder.embed_passages([max(pieces, key=len), pieces[-1]])


def test_pieces_end_after_sentences_where_there_are_any(embedder: OnnxEmbedder) -> None:
    for text, mark in ((LONG_TEXTS["sentences"], (". ", "! ")), (LONG_TEXTS["chinese"], ("。",))):
        assert all(text[start:end].endswith(mark) for start, end in embedder.spans(text))


def test_a_megabyte_without_a_space_is_cut_into_full_pieces(embedder: OnnxEmbedder) -> None:
    spans = embedder.spans("x1" * 500_000)
    assert spans[-1][1] == 1_000_000
    assert len(spans) < 4_000


def test_a_passage_over_the_window_is_refused_by_index(embedder: OnnxEmbedder) -> None:
    with pytest.raises(ValueError, match=r"text 1 has \d+ tokens, multilingual-e5-small takes at most 512 tokens; cut it"):
        embedder.embed_passages(["fine", "word " * 600])
    with pytest.raises(ValueError, match="text 0 has 1000000 characters"):
        embedder.embed_passages(["x" * 1_000_000])


def test_what_stands_at_the_end_of_a_long_text_is_found(embedder: OnnxEmbedder) -> None:
    canary = "The spare key is under the blue flower pot."
    text = "We talked about the weather and about nothing else. " * 80 + canary
    pieces = [text[start:end] for start, end in embedder.spans(text)]
    scores = embedder.embed_queries(["Where is the spare key?"]) @ embedder.embed_passages(pieces).T
    assert scores.argmax() == len(pieces) - 1


def test_a_long_question_is_the_mean_of_its_pieces(embedder: OnnxEmbedder) -> None:
    first, second = "Where was the red boat kept last winter? ", "那只白猫现在在谁家里？"
    ends_first, ends_second = embedder.embed_queries([first * 100 + second, first * 100 + second * 150])
    passage_first, passage_second = embedder.embed_passages(["The red boat stood in the barn.", "那只白猫住在王芳家。"])
    assert ends_second @ passage_second > ends_first @ passage_second
    assert ends_first @ passage_first > ends_second @ passage_first
    whole = embedder.embed_queries(["tea", first * 100, "car"])
    np.testing.assert_allclose(whole[[0, 2]], embedder.embed_queries(["tea", "car"]), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-6)


def test_threads_that_start_together_load_once_and_agree() -> None:
    shared, barrier, found = OnnxEmbedder(), threading.Barrier(4), []

    def work() -> None:
        barrier.wait()
        found.append(shared.embed_queries(["Where is the key?"]))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    assert all((vectors == found[0]).all() for vectors in found)


def test_the_model_inside_an_installed_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "tkgmem"
    (package / "providers").mkdir(parents=True)
    monkeypatch.setattr(weights, "__file__", str(package / "providers" / "weights.py"))
    with pytest.raises(ModelFileMissing, match="install tkgmem again"):
        weights.shipped_folder()
    for parent in (package.parent, package):
        (parent / "models").mkdir()
        folder = linked_folder(parent / "models" / weights.SHIPPED)
        assert weights.shipped_folder() == folder


def test_a_folder_without_manifest_is_probed(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    folder = linked_folder(tmp_path / "my-model")
    (folder / weights.MANIFEST).unlink()
    other = OnnxEmbedder(folder)
    assert (other.name, other.dimension, other.manifest.max_tokens, other.manifest.pad_id) == ("my-model", 384, 512, 1)
    assert other.manifest.model_sha256 == embedder.manifest.model_sha256
    assert other.sha256 != embedder.sha256, "no prefixes, so other vectors"
    np.testing.assert_allclose(other.embed_passages(["query: tea"]), embedder.embed_queries(["tea"]), atol=1e-6)


def test_the_window_of_a_folder_without_manifest_is_its_tokenizers(tmp_path: Path) -> None:
    folder = linked_folder(tmp_path / "narrow")
    (folder / weights.MANIFEST).unlink()
    tokenizer = json.loads((SHIPPED / weights.TOKENIZER).read_text())
    tokenizer["truncation"] = {"max_length": 16, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    (folder / weights.TOKENIZER).unlink()
    (folder / weights.TOKENIZER).write_text(json.dumps(tokenizer))
    narrow, text = OnnxEmbedder(folder), "one two three four five six seven eight nine ten " * 5
    assert len(narrow.spans(text)) > 4
    with pytest.raises(ValueError, match="at most 16 tokens"):
        narrow.embed_passages([text])
    with pytest.raises(ValueError, match="alone exceeds the window"):
        narrow.spans("\ufdfa" * 3)


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileMissing, match=r"nowhere.model\.onnx is missing"):
        OnnxEmbedder(tmp_path / "nowhere")
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(ModelFileMissing, match="is missing"):
        OnnxEmbedder(file)
    folder = linked_folder(tmp_path / "half")
    (folder / weights.TOKENIZER).unlink()
    with pytest.raises(ModelFileMissing, match=r"tokenizer\.json is missing"):
        OnnxEmbedder(folder).embed_queries(["x"])


@pytest.mark.parametrize("name", [weights.WEIGHTS, weights.TOKENIZER])
def test_a_damaged_file_is_never_run(tmp_path: Path, name: str) -> None:
    folder = linked_folder(tmp_path / "damaged")
    content = bytearray((SHIPPED / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).unlink()
    (folder / name).write_bytes(content)
    damaged = OnnxEmbedder(folder)
    with pytest.raises(ModelFileMissing, match=f"{name} is not the file its manifest names.*install the model again"):
        damaged.embed_passages(["x"])


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"name": "x"}', "\udcff", '{"name": 1, "dimension": "384"}'], ids=repr)
def test_a_bad_manifest_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / weights.MANIFEST).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelFileMissing, match=r"manifest\.json"):
        OnnxEmbedder(tmp_path)


def test_weights_that_are_no_onnx_model_are_named(tmp_path: Path) -> None:
    (tmp_path / weights.WEIGHTS).write_bytes(b"version https://git-lfs" * 9)
    shutil.copy(SHIPPED / weights.TOKENIZER, tmp_path)
    with pytest.raises(ModelFileMissing, match=r"model\.onnx is not a model that onnxruntime can load"):
        OnnxEmbedder(tmp_path).embed_queries(["x"])


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    folder = linked_folder(tmp_path / "words")
    (folder / weights.MANIFEST).unlink()
    (folder / weights.TOKENIZER).unlink()
    (folder / weights.TOKENIZER).write_text("{}")
    with pytest.raises(ModelFileMissing, match=r"tokenizer\.json is not a tokenizer"):
        OnnxEmbedder(folder).embed_queries(["x"])


def test_threads_must_be_positive() -> None:
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        OnnxEmbedder(threads=0)


def echo_model(output: str, *inputs: str) -> bytes:
    """An ONNX model whose vectors are its token ids as floats: wrong in shape, or in length where the shape happens to fit."""
    return onnx_graphs.model([node("Cast", inputs[0], output, to=FLOAT)], inputs, tensor(output, FLOAT))


def echo_folder(folder: Path, model: bytes, dimension: int) -> OnnxEmbedder:
    linked_folder(folder, model_sha256=hashlib.sha256(model).hexdigest(), dimension=dimension, passage_prefix="")
    (folder / weights.WEIGHTS).unlink()
    (folder / weights.WEIGHTS).write_bytes(model)
    return OnnxEmbedder(folder)


def test_vectors_of_the_wrong_shape_or_length_are_refused_by_index(tmp_path: Path) -> None:
    model = echo_model("sentence_embedding", "input_ids", "attention_mask")
    with pytest.raises(BadResponse, match=r"vectors of text 0: got float32 \(1, \d+\), expected float32 \(1, 384\)"):
        echo_folder(tmp_path / "shape", model, 384).embed_passages(["tea"])
    with pytest.raises(BadResponse, match=r"the vector of text 0 has length \d+.*, expected 1"):
        echo_folder(tmp_path / "length", model, 3).embed_passages(["tea"])


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    pooled = echo_model("last_hidden_state", "input_ids", "attention_mask")
    with pytest.raises(BadResponse, match="has no output sentence_embedding, only last_hidden_state"):
        echo_folder(tmp_path / "pooled", pooled, 384).embed_passages(["tea"])
    picture = echo_model("sentence_embedding", "pixels")
    with pytest.raises(BadResponse, match="takes pixels; a sentence model takes attention_mask, input_ids"):
        echo_folder(tmp_path / "picture", picture, 384).embed_passages(["tea"])


def test_only_a_manifest_vouches_for_unit_length() -> None:
    raw = np.array([[3, 4], [0, 2]], np.float32)
    np.testing.assert_array_equal(_checked(raw, [0, 1], 2, strict=False), np.array([[0.6, 0.8], [0, 1]], np.float32))
    for spoilt in (np.nan, np.inf, 0):
        raw[1] = spoilt
        with pytest.raises(BadResponse, match=r"the vector of text 7 has length (nan|inf|0)"):
            _checked(raw, [5, 7], 2, strict=False)


def test_the_shipped_model_tells_where_questions_lie_by_script(embedder: OnnxEmbedder) -> None:
    centres = embedder.centres
    assert set(centres) == {"latin", "han"}
    english, chinese = embedder.embed_queries(["Where does she work?", "她在哪里工作？"])
    assert english @ centres["latin"] > english @ centres["han"]
    assert chinese @ centres["han"] > chinese @ centres["latin"]


@pytest.mark.parametrize("text", ["[1, 2]", "{", '{"latin": ["a"]}'])
def test_unreadable_centres_are_named(tmp_path: Path, text: str) -> None:
    assert weights.read_centres(tmp_path) == {}
    (tmp_path / "centres.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileMissing, match=r"centres\.json"):
        weights.read_centres(tmp_path)
