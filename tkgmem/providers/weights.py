"""A model folder: what its manifest says, and the loaded model behind it.

A file whose checksum is not the manifest's is never run. Nothing is fetched; what is missing is an error that names it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tkgmem.errors import BadResponse, ModelFileMissing
from tkgmem.providers.batches import padded

SHIPPED = "multilingual-e5-small"
"""The model that comes with this package."""

WEIGHTS, TOKENIZER, MANIFEST, CENTRES = "model.onnx", "tokenizer.json", "manifest.json", "centres.json"

_NEEDED = frozenset({"input_ids", "attention_mask"})
_POSSIBLE = _NEEDED | {"token_type_ids"}
_OUTPUT = "sentence_embedding"
_DEFAULT_WINDOW = 512
_HASHED_AT_ONCE = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A model's fingerprint and how it wants to be called.

    max_tokens counts special tokens and the prefix. Both sha256 are in hexadecimal.
    """

    name: str
    dimension: int
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str
    pad_id: int
    query_prefix: str
    passage_prefix: str
    licence: str

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read a manifest.json. ModelFileMissing if it is unreadable, or a member is missing, unknown or of the wrong type."""
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelFileMissing(f"cannot read {path}: {error}; install the model again") from error
        if not isinstance(members, dict):
            raise ModelFileMissing(f"{path} does not hold a JSON object; install the model again")
        types = {field.name: int if field.type == "int" else str for field in fields(cls)}
        wrong = {name for name in types.keys() | members.keys() if type(members.get(name)) is not types.get(name)}
        if wrong:
            listed = ", ".join(sorted(wrong))
            raise ModelFileMissing(f"{path}: missing, unknown or ill-typed: {listed}; install the model again")
        return cls(**members)


def read_centres(folder: Path) -> dict[str, Any]:
    """The vectors of a folder's centres.json, by name; none if it has no such file. ModelFileMissing if it is unreadable."""
    import numpy as np

    path = folder / CENTRES
    if not path.exists():
        return {}
    try:
        members = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): np.array(values, dtype=np.float32) for name, values in members.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise ModelFileMissing(f"cannot read {path}: {error}; install the model again") from error


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model. unit: its manifest vouches for vectors of unit length; those of another model may have any length."""

    manifest: Manifest
    tokenizer: Any
    session: Any
    inputs: frozenset[str]
    unit: bool

    def run(self, encoded: Sequence[Sequence[int]]) -> Any:
        """The model's raw answer to one batch of token lists."""
        import numpy as np

        ids = padded(encoded, self.manifest.pad_id)
        feeds = {
            "input_ids": ids,
            "attention_mask": padded([[1] * len(row) for row in encoded], 0),
            "token_type_ids": np.zeros_like(ids),
        }
        return self.session.run([_OUTPUT], {name: feeds[name] for name in self.inputs})[0]


def shipped_folder() -> Path:
    """The shipped model's folder: inside the package when installed, else in the checkout around it."""
    package = Path(__file__).resolve().parent.parent
    candidates = (package / "models" / SHIPPED, package.parent / "models" / SHIPPED)
    for folder in candidates:
        if (folder / MANIFEST).is_file():
            return folder
    looked = " or ".join(str(folder) for folder in candidates)
    raise ModelFileMissing(f"the shipped model is not in {looked}; install tkgmem again, or name a model folder")


def require_files(folder: Path) -> None:
    """ModelFileMissing unless the folder holds weights and a tokenizer."""
    for name in (WEIGHTS, TOKENIZER):
        if not (folder / name).is_file():
            raise ModelFileMissing(f"{folder / name} is missing; a model folder holds {WEIGHTS} and {TOKENIZER}")


def load(folder: Path, manifest: Manifest | None) -> Model:
    """Load a folder's model; with a manifest only if both files are the ones it names."""
    import numpy as np

    require_files(folder)
    checksums = (_sha256(folder / WEIGHTS), _sha256(folder / TOKENIZER))
    if manifest is not None:
        _compare(folder / WEIGHTS, checksums[0], manifest.model_sha256)
        _compare(folder / TOKENIZER, checksums[1], manifest.tokenizer_sha256)
    session = open_session(folder / WEIGHTS)
    inputs = _inputs(folder / WEIGHTS, session)
    tokenizer, window, pad_id = open_tokenizer(folder / TOKENIZER)
    unit = manifest is not None
    if manifest is None:
        one_token = {name: np.ones((1, 1), np.int64) for name in inputs}
        dimension = session.run([_OUTPUT], one_token)[0].shape[-1]
        manifest = Manifest(folder.resolve().name, dimension, window, *checksums, pad_id, "", "", "unknown")
    return Model(manifest, tokenizer, session, inputs, unit)


def _compare(path: Path, found: str, wanted: str) -> None:
    if found != wanted:
        raise ModelFileMissing(
            f"{path} is not the file its manifest names: sha256 {found}, expected {wanted}; install the model again"
        )


def _inputs(path: Path, session: Any) -> frozenset[str]:
    """The names of the model's inputs. BadResponse unless it is called as a sentence model is."""
    inputs = token_inputs(path, session, "a sentence model")
    outputs = {item.name for item in session.get_outputs()}
    if _OUTPUT not in outputs:
        listed = ", ".join(sorted(outputs))
        raise BadResponse(f"{path} has no output {_OUTPUT}, only {listed}; export the model with its pooling")
    return inputs


def token_inputs(path: Path, session: Any, kind: str) -> frozenset[str]:
    """The names of the model's inputs. BadResponse unless they are tokens; `kind` says what takes them."""
    inputs = frozenset(item.name for item in session.get_inputs())
    if not _NEEDED <= inputs <= _POSSIBLE:
        raise BadResponse(f"{path} takes {', '.join(sorted(inputs))}; {kind} takes {', '.join(sorted(_POSSIBLE))}")
    return inputs


def open_session(path: Path) -> Any:
    """The model, to run on one thread at a time. ModelFileMissing if it is none."""
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # batches run side by side instead: more texts a second, and no idle threads spin
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    onnxruntime.disable_telemetry_events()
    unreadable = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NotImplemented)
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except unreadable as error:
        raise ModelFileMissing(f"{path} is not a model that onnxruntime can load: {error}") from error


def open_tokenizer(path: Path) -> tuple[Any, int, int]:
    """The tokenizer with cutting and padding switched off, the window it would have cut at, and its padding id.

    ModelFileMissing if the file holds none.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except ValueError as error:
        raise ModelFileMissing(f"{path} is not a tokenizer: {error}") from error
    window = tokenizer.truncation["max_length"] if tokenizer.truncation else _DEFAULT_WINDOW
    padding = tokenizer.padding
    named = (tokenizer.token_to_id(token) for token in ("<pad>", "[PAD]"))
    pad_id = padding["pad_id"] if padding else next((found for found in named if found is not None), 0)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, window, pad_id


def readable(text: str) -> str:
    """The text without lone surrogates: they are no characters, and a tokenizer would refuse the whole text for one."""
    return _SURROGATE.sub("\ufffd", text)


def refuse_bare(texts: Sequence[str]) -> None:
    """TypeError for one string in place of a list of them."""
    if isinstance(texts, str):
        raise TypeError("texts must be a list of strings, not one string")


def thread_count(threads: int | None) -> int:
    """How many batches to run at once: as asked, else one per processor and at most 4. ValueError below 1."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    return threads if threads is not None else min(os.cpu_count() or 1, 4)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASHED_AT_ONCE):
            digest.update(chunk)
    return digest.hexdigest()
