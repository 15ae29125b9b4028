"""What a provider must offer: small, batch-first, index-aligned. Any object with these members will do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # numpy is loaded with the first vector, not with the package
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Rows of unit length, shape (texts, dimension)."""

Clock = Callable[[], dt.datetime]
"""Tells the time as an aware datetime. The only source of system time."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. `name`, `dimension` and `sha256` are its fingerprint, kept in the file."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    def sha256(self) -> str:
        """The checksum of the weights: two embedders with the same one give the same vectors."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The character spans [start, end), in order and covering the text, of pieces that each fit the model's window."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per stored text. ValueError if one does not fit the window: cut it along `spans` first."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per question; one longer than the window is the mean of its pieces."""
