"""Sentence vectors from an ONNX model on the CPU.

Nothing is cut silently: a text over the model's window is refused, or cut along `spans`. Every vector that leaves here is
finite and of unit length.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tkgmem.errors import BadResponse
from tkgmem.providers.batches import batches, side_by_side
from tkgmem.providers.weights import (
    MANIFEST,
    Manifest,
    Model,
    load,
    read_centres,
    readable,
    refuse_bare,
    require_files,
    shipped_folder,
    thread_count,
)
from tkgmem.providers.window import CHARACTERS_PER_TOKEN, cut

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_UNIT_TOLERANCE = 1e-3


class OnnxEmbedder:
    """Sentence embeddings of the shipped model, or of any ONNX sentence model in a folder.

    folder: holds model.onnx and tokenizer.json; None is the shipped multilingual-e5-small. With a manifest.json its prefixes
    are added and its checksums enforced. Without one the name is the folder's, no prefix is added, the window is the
    tokenizer's truncation length (else 512), the checksums and the dimension come from the files, and vectors are scaled to
    unit length. The model takes `input_ids` and `attention_mask` (and `token_type_ids`, as zeros), int64, and gives
    `sentence_embedding`.
    threads: how many batches of a bulk call run at once; None is the number of processors, at most 4. One short text
    always runs on one thread, where it is fastest.

    Constructing reads the manifest only; the first use loads the weights. Safe to share between threads.
    Raises ModelFileMissing if a file is absent or not the one the manifest names, BadResponse if the model is of another kind.
    """

    def __init__(self, folder: Path | str | None = None, *, threads: int | None = None) -> None:
        self._folder = shipped_folder() if folder is None else Path(folder)
        self._threads = thread_count(threads)
        self._lock = threading.Lock()
        self._model: Model | None = None
        self._centres: dict[str, Vectors] | None = None
        manifest = self._folder / MANIFEST
        self._manifest = Manifest.read(manifest) if manifest.exists() else None
        if self._manifest is None:
            require_files(self._folder)

    def __repr__(self) -> str:
        return f"OnnxEmbedder({str(self._folder)!r})"

    @property
    def manifest(self) -> Manifest:
        """The model's manifest. Where the folder has none, it is worked out from the files, which loads them."""
        return self._manifest or self._loaded().manifest

    @property
    def name(self) -> str:
        """The model's name: the manifest's, else the folder's."""
        return self._manifest.name if self._manifest else self._folder.resolve().name

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.manifest.dimension

    @property
    def sha256(self) -> str:
        """A checksum of all that decides a vector: the weights, the tokenizer and the two prefixes."""
        manifest = self.manifest
        parts = (manifest.model_sha256, manifest.tokenizer_sha256, manifest.query_prefix, manifest.passage_prefix)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def centres(self) -> dict[str, Vectors]:
        """The mean vectors of questions at large, by script, where the folder has a centres.json (see its `how-made`)."""
        if self._centres is None:
            self._centres = read_centres(self._folder)
        return self._centres

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The character spans [start, end) of pieces that each fit the window as a passage, end to end over the text.

        Pieces end after a sentence, else after a space, else between two tokens. A text that fits is one piece.
        """
        return list(self._spans(text, self.manifest.passage_prefix))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text, shape (texts, dimension). ValueError naming the first text that does not fit the window."""
        refuse_bare(texts)
        encoded = []
        for index, text in enumerate(texts):
            tokens = self._fitting(text, self.manifest.passage_prefix)
            if tokens is None:
                raise ValueError(self._too_long(index, text))
            encoded.append(tokens)
        return self._embed(encoded, range(len(encoded)))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per question, shape (texts, dimension); over the window it is the mean of its pieces' vectors."""
        import numpy as np

        refuse_bare(texts)
        prefix = self.manifest.query_prefix
        encoded: list[list[int]] = []
        owners: list[int] = []
        for index, text in enumerate(texts):
            for start, end in self._spans(text, prefix):
                encoded.append(self._encode(prefix + text[start:end]).ids)
                owners.append(index)
        vectors = self._embed(encoded, owners)
        if len(encoded) == len(texts):
            return vectors
        sums = np.zeros((len(texts), self.dimension), np.float32)
        np.add.at(sums, owners, vectors)
        return _checked(sums, range(len(texts)), self.dimension, strict=False)

    def _spans(self, text: str, prefix: str) -> Iterator[tuple[int, int]]:
        if self._fitting(text, prefix) is not None:
            yield 0, len(text)
            return
        tokenizer = self._loaded().tokenizer
        budget = self.manifest.max_tokens - tokenizer.num_special_tokens_to_add(False)

        def ends(piece: str) -> list[int]:
            offsets = self._encode(prefix + piece, special=False).offsets
            return [max(0, end - len(prefix)) for _, end in offsets]

        yield from cut(text, ends, budget)

    def _fitting(self, text: str, prefix: str) -> list[int] | None:
        """The token ids of a text with its prefix; None if they exceed the window."""
        if len(text) > CHARACTERS_PER_TOKEN * self.manifest.max_tokens:
            return None
        ids: list[int] = self._encode(prefix + text).ids
        return ids if len(ids) <= self.manifest.max_tokens else None

    def _too_long(self, index: int, text: str) -> str:
        limit = self.manifest.max_tokens
        if len(text) > CHARACTERS_PER_TOKEN * limit:
            size, most = f"{len(text)} characters", f"{CHARACTERS_PER_TOKEN * limit} characters"
        else:
            size, most = f"{len(self._encode(self.manifest.passage_prefix + text).ids)} tokens", f"{limit} tokens"
        return f"text {index} has {size}, {self.name} takes at most {most}; cut it along spans(text)"

    def _encode(self, text: str, *, special: bool = True) -> Any:
        return self._loaded().tokenizer.encode(readable(text), add_special_tokens=special)

    def _embed(self, encoded: list[list[int]], owners: Sequence[int]) -> Vectors:
        """Vectors of token lists, in their order; `owners` are the indexes of the texts they come from, for messages."""
        import numpy as np

        if not encoded:
            return np.empty((0, self.dimension), np.float32)
        for index, ids in zip(owners, encoded, strict=True):
            if not ids:
                raise ValueError(f"text {index} has no tokens for {self.name}: it is empty or blank")
        model = self._loaded()
        vectors = np.empty((len(encoded), self.dimension), np.float32)

        def run(batch: list[int]) -> Vectors:
            raw = model.run([encoded[i] for i in batch])
            return _checked(raw, [owners[i] for i in batch], self.dimension, strict=model.unit)

        for batch, result in side_by_side(run, list(batches([len(ids) for ids in encoded])), self._threads):
            vectors[batch] = result
        return vectors

    def _loaded(self) -> Model:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    self._model = load(self._folder, self._manifest)
        return self._model


def _checked(raw: Any, owners: Sequence[int], dimension: int, *, strict: bool) -> Vectors:
    """The model's answer as exact unit vectors. strict: it must have unit length already, within _UNIT_TOLERANCE."""
    import numpy as np

    if not isinstance(raw, np.ndarray) or raw.shape != (len(owners), dimension) or raw.dtype != np.float32:
        got = f"{raw.dtype} {raw.shape}" if isinstance(raw, np.ndarray) else type(raw).__name__
        raise BadResponse(f"vectors of text {owners[0]}: got {got}, expected float32 {(len(owners), dimension)}")
    norms = np.linalg.norm(raw.astype(np.float64), axis=1)
    good = abs(norms - 1) <= _UNIT_TOLERANCE if strict else np.isfinite(norms) & (norms > 0)
    if not good.all():
        worst = int(np.argmin(good))
        raise BadResponse(f"the vector of text {owners[worst]} has length {norms[worst]}, expected 1")
    return np.asarray(raw / norms[:, None], dtype=np.float32)
