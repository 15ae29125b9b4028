"""Scores of question and text read together, by an ONNX cross-encoder on the CPU.

The question is always read whole; only the text that is scored is cut at its end, where the two exceed the model's window.
Every score that leaves here is finite.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tkgmem.errors import BadResponse, ProviderError
from tkgmem.providers.batches import batches, padded, side_by_side
from tkgmem.providers.weights import (
    TOKENIZER,
    WEIGHTS,
    open_session,
    open_tokenizer,
    readable,
    refuse_bare,
    require_files,
    thread_count,
    token_inputs,
)
from tkgmem.providers.window import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OUTPUT = "logits"


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A loaded model that reads pairs. window: the most tokens of a pair, special ones included."""

    tokenizer: Any
    session: Any
    inputs: frozenset[str]
    window: int
    pad_id: int

    def run(self, encoded: Sequence[Any]) -> Any:
        """The model's raw answer to one batch of encoded pairs."""
        feeds = {
            "input_ids": padded([pair.ids for pair in encoded], self.pad_id),
            "attention_mask": padded([pair.attention_mask for pair in encoded], 0),
            "token_type_ids": padded([pair.type_ids for pair in encoded], 0),
        }
        return self.session.run([_OUTPUT], {name: feeds[name] for name in self.inputs})[0]


class OnnxReranker:
    """Scores texts with a cross-encoder, such as those trained on MS MARCO, from a folder. Implements `Reranker`.

    folder: holds model.onnx and tokenizer.json. The model takes `input_ids` and `attention_mask` (and `token_type_ids`), int64,
    and gives `logits`: one number a pair, which is the score, or two (no, yes), whose difference is. The window is the
    tokenizer's truncation length, else 512 tokens for question and text together.
    threads: how many batches run at once; None is the number of processors, at most 4.

    Constructing reads nothing; the first use loads the weights. Safe to share between threads.
    Raises ModelFileMissing if a file is absent or unreadable, BadResponse if the model is of another kind.
    """

    def __init__(self, folder: Path | str, *, threads: int | None = None) -> None:
        self._folder = Path(folder)
        self._threads = thread_count(threads)
        self._lock = threading.Lock()
        self._pairs: _Pairs | None = None
        require_files(self._folder)

    def __repr__(self) -> str:
        return f"OnnxReranker({str(self._folder)!r})"

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._folder.resolve().name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in the same order; higher is better, comparable within one call.

        A text is read from its beginning as far as the window goes. Raises ProviderError for a question that takes over half
        of the window, BadResponse for an answer of the wrong shape or a score that is not finite.
        """
        refuse_bare(texts)
        if not texts:
            return []
        pairs = self._loaded()
        encoded = self._encoded(pairs, query, texts)
        scores = np.empty(len(texts))

        def run(batch: list[int]) -> NDArray[np.float64]:
            return _scores(pairs.run([encoded[index] for index in batch]), batch)

        for batch, found in side_by_side(run, list(batches([len(pair.ids) for pair in encoded])), self._threads):
            scores[batch] = found
        return [float(score) for score in scores]

    def _encoded(self, pairs: _Pairs, query: str, texts: Sequence[str]) -> list[Any]:
        most = CHARACTERS_PER_TOKEN * pairs.window
        asked = readable(query)
        special = pairs.tokenizer.num_special_tokens_to_add(True)
        # As the second text of a pair: a tokenizer that cuts only that one refuses a long text that stands alone.
        length = len(pairs.tokenizer.encode("", asked[:most]).ids) - special
        if len(asked) > most or 2 * length > pairs.window or length + special >= pairs.window:
            raise ProviderError(
                f"the question has {len(asked)} characters; {self.name} reads {pairs.window} tokens and leaves half of them to"
                " the text: ask a shorter question, or do not rerank with a model"
            )
        return [pairs.tokenizer.encode(asked, readable(text[:most])) for text in texts]

    def _loaded(self) -> _Pairs:
        if self._pairs is None:
            with self._lock:
                if self._pairs is None:
                    self._pairs = _load(self._folder)
        return self._pairs


def _load(folder: Path) -> _Pairs:
    require_files(folder)
    path = folder / WEIGHTS
    session = open_session(path)
    inputs = token_inputs(path, session, "a cross-encoder")
    outputs = [item.name for item in session.get_outputs()]
    if _OUTPUT not in outputs:
        raise BadResponse(
            f"{path} has no output {_OUTPUT}, only {', '.join(outputs)}; export the model for sequence classification"
        )
    tokenizer, window, pad_id = open_tokenizer(folder / TOKENIZER)
    tokenizer.enable_truncation(window, strategy="only_second")
    return _Pairs(tokenizer, session, inputs, window, pad_id)


def _scores(raw: Any, texts: Sequence[int]) -> NDArray[np.float64]:
    """One finite score for each of these texts, from logits of shape (n,), (n, 1) or (n, 2)."""
    shapes = ((len(texts),), (len(texts), 1), (len(texts), 2))
    if not isinstance(raw, np.ndarray) or raw.shape not in shapes or raw.dtype.kind != "f":
        got = f"{raw.dtype} {raw.shape}" if isinstance(raw, np.ndarray) else type(raw).__name__
        raise BadResponse(f"scores of text {texts[0]}: got {got}, expected numbers of shape {' or '.join(map(str, shapes))}")
    logits = raw.astype(np.float64).reshape(len(texts), -1)
    scores = logits[:, -1] - logits[:, 0] if logits.shape[1] == 2 else logits[:, 0]
    good = np.isfinite(scores)
    if not good.all():
        worst = int(np.argmin(good))
        raise BadResponse(f"the score of text {texts[worst]} is {scores[worst]}, expected a finite number")
    return np.asarray(scores)
