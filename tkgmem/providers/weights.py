"""A model folder: what its manifest says, and the loaded model behind it.

A file whose checksum is not the manifest's is never run. Nothing is fetched; what is missing is an error that names it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from tkgmem.errors import BadResponse, ModelFileMissing

SHIPPED = "multilingual-e5-small"
"""The model that comes with this package."""

WEIGHTS, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"

_NEEDED = frozenset({"input_ids", "attention_mask"})
_POSSIBLE = _NEEDED | {"token_type_ids"}
_OUTPUT = "sentence_embedding"
_DEFAULT_WINDOW = 512
_HASHED_AT_ONCE = 1 << 20


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
        shape = (len(encoded), max(len(ids) for ids in encoded))
        feeds = {
            "input_ids": np.full(shape, self.manifest.pad_id, np.int64),
            "attention_mask": np.zeros(shape, np.int64),
            "token_type_ids": np.zeros(shape, np.int64),
        }
        for row, ids in enumerate(encoded):
            feeds["input_ids"][row, : len(ids)] = ids
            feeds["attention_mask"][row, : len(ids)] = 1
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
    require_files(folder)
    checksums = (_sha256(folder / WEIGHTS), _sha256(folder / TOKENIZER))
    if manifest is not None:
        _compare(folder / WEIGHTS, checksums[0], manifest.model_sha256)
        _compare(folder / TOKENIZER, checksums[1], manifest.tokenizer_sha256)
    session = _session(folder / WEIGHTS)
    inputs = _inputs(folder / WEIGHTS, session)
    tokenizer, window, pad_id = _tokenizer(folder / TOKENIZER)
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
    inputs = frozenset(item.name for item in session.get_inputs())
    outputs = {item.name for item in session.get_outputs()}
    if not _NEEDED <= inputs <= _POSSIBLE:
        raise BadResponse(f"{path} takes {', '.join(sorted(inputs))}; a sentence model takes {', '.join(sorted(_POSSIBLE))}")
    if _OUTPUT not in outputs:
        listed = ", ".join(sorted(outputs))
        raise BadResponse(f"{path} has no output {_OUTPUT}, only {listed}; export the model with its pooling")
    return inputs


def _session(path: Path) -> Any:
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


def _tokenizer(path: Path) -> tuple[Any, int, int]:
    """The tokenizer with cutting and padding switched off, the window it would have cut at, and its padding id."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    window = tokenizer.truncation["max_length"] if tokenizer.truncation else _DEFAULT_WINDOW
    padding = tokenizer.padding
    named = (tokenizer.token_to_id(token) for token in ("<pad>", "[PAD]"))
    pad_id = padding["pad_id"] if padding else next((found for found in named if found is not None), 0)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, window, pad_id


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASHED_AT_ONCE):
            digest.update(chunk)
    return digest.hexdigest()
