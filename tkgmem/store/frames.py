"""How the vectors of a shelf are compared: as seen from their centre, with the directions in which they differ most held back.

Sentence vectors of one model point the same way whatever they say; what is left after their mean is taken out tells texts
apart (Mu and Viswanath, All-but-the-Top, ICLR 2018). Holding the strongest axes back by the fourth root of their variance is a
partial whitening. A frame is made from the vectors there are, and kept: the same file gives the same answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]

LEAST = 64
"""The vectors a kept frame needs. Below, the centre is taken when a question is asked, as if _NEUTRAL more were zero."""
_NEUTRAL = 8
_MOST_AXES = 32
_NOTHING = 1e-6
_BLOCK = 16_384  # vectors whose signatures are compared at a time: they stay in the processor's cache
_POWER, _FLOOR = 0.25, 0.1  # of the mean variance; as few vectors tell little of it, more for them: see `made`


@dataclass(frozen=True, slots=True)
class Frame:
    """A centre, and axes (unit rows) with the share in (0, 1] that is kept of each."""

    centre: Doubles
    axes: Doubles
    kept: Doubles

    def placed(self, vectors: Floats) -> Floats:
        """Vectors as they are compared, of unit length; one that does not differ from the centre is zero."""
        return unit(self._held_back(vectors.astype("float64") - self.centre))

    def signed(self, vectors: Floats) -> tuple[NDArray[np.uint64], Doubles]:
        """The signatures of vectors and their lengths as they are compared, before they are scaled."""
        import numpy as np

        seen = self._held_back(vectors.astype("float64") - self.centre)
        return signatures(seen), np.linalg.norm(seen, axis=1)

    def question(self, vector: Floats, centre: Doubles | Floats) -> Floats:
        """A question as it is compared. centre: of the texts of the question's own script."""
        return unit(self._held_back(vector.astype("float64") - centre)[None]).ravel()

    def likeness(self, question: Floats, vectors: Floats, lengths: Doubles) -> Doubles:
        """The products of a placed question and vectors that are not placed yet, whose lengths are known."""
        import numpy as np

        wanted = self._held_back(question.astype("float64"))
        return np.asarray((products(vectors, wanted) - products(self.centre, wanted)) / np.maximum(lengths, _NOTHING))

    def _held_back(self, seen: Doubles) -> Doubles:
        if seen.ndim == 1:
            strong: Doubles = products(self.axes.T, products(self.axes, seen) * (1 - self.kept))
            return seen - strong
        return seen - ((seen @ self.axes.T) * (1 - self.kept)) @ self.axes

    def to_bytes(self) -> bytes:
        """The frame as float32: centre, shares, axes."""
        import numpy as np

        return np.concatenate([self.centre, self.kept, self.axes.ravel()]).astype("<f4").tobytes()

    @classmethod
    def from_bytes(cls, blob: bytes, dimension: int) -> Frame:
        """The frame that `to_bytes` gave."""
        import numpy as np

        values = np.frombuffer(blob, dtype="<f4").astype(np.float64)
        axes = (len(values) - dimension) // (dimension + 1)
        centre, kept, rest = np.split(values, [dimension, dimension + axes])
        return cls(centre, rest.reshape(axes, dimension), kept)


def centred(vectors: Floats, around: Doubles | Floats | None = None, *, firmly: bool = False) -> Frame:
    """The frame of few vectors: their centre, drawn towards `around`, or towards zero. firmly: as by many vectors."""
    import numpy as np

    dimension, weight = vectors.shape[1], LEAST if firmly else _NEUTRAL
    total = vectors.sum(axis=0, dtype=np.float64) + (0 if around is None else weight * around)
    return Frame(total / (len(vectors) + weight), np.empty((0, dimension)), np.empty(0))


def made(vectors: Floats, count: int) -> Frame:
    """The frame of many vectors. count: how many there are, where `vectors` is a part of them."""
    import numpy as np

    rows = vectors.astype(np.float64)
    centre = rows.mean(axis=0)
    axes = min(_MOST_AXES, vectors.shape[1] // 4)
    rows -= centre
    variance, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    variance = np.maximum(variance, _NOTHING**2)
    strongest = slice(-1, -axes - 1, -1)
    floor = (_FLOOR + vectors.shape[1] / count) * variance.mean()
    rest = variance[: len(variance) - axes].mean() + floor
    kept = np.minimum((rest / (variance[strongest] + floor)) ** _POWER, 1.0)
    frame = Frame(centre, directions[:, strongest].T, kept)
    return Frame.from_bytes(frame.to_bytes(), vectors.shape[1])


def signatures(placed: Floats | Doubles) -> NDArray[np.uint64]:
    """The signs of placed vectors as bits, in whole 64-bit words, shape (vectors, words) (Charikar, STOC 2002)."""
    import numpy as np

    bits = np.packbits(placed > 0, axis=1)
    words = np.zeros((len(placed), -(-placed.shape[1] // 64) * 8), dtype=np.uint8)
    words[:, : bits.shape[1]] = bits
    return words.view("<u8")


def distances(words: NDArray[np.uint64], question: Floats) -> NDArray[np.uint16]:
    """In how many signs each vector differs from a placed question. words: of the signatures, a vector a column."""
    import numpy as np

    asked = signatures(question[None])[0]
    found = np.zeros(words.shape[1], dtype=np.uint16)
    for start in range(0, words.shape[1], _BLOCK):
        part = found[start : start + _BLOCK]
        for row, word in zip(words, asked, strict=True):
            part += np.bitwise_count(row[start : start + _BLOCK] ^ word)
    return found


def estimates(words: NDArray[np.uint64], question: Floats) -> Floats:
    """The likeness of a placed question and vectors of which only the signs are known. words: as for `distances`.

    Twice as sharp as comparing signs with signs, and slower (asymmetric distance: Gordo et al., TPAMI 2014).
    """
    import numpy as np

    bits = np.unpackbits(np.ascontiguousarray(words.T).view(np.uint8), axis=1, count=len(question)).astype(np.float32)
    signs = 2.0 * products(bits, question) - question.sum()
    return np.asarray(signs * np.sqrt(np.pi / 2 / len(question)), dtype=np.float32)


def products(rows: NDArray[Any], vector: NDArray[Any]) -> NDArray[Any]:
    """The product of each row, along the last axis, and a vector.

    Without BLAS, whose threads go on waiting for work after each call: measured, that doubled the time of all else.
    """
    import numpy as np

    return np.asarray(np.einsum("...j,j->...", rows, vector))


def unit(rows: Doubles) -> Floats:
    """Rows scaled to unit length; those of hardly any length are zero."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > _NOTHING, rows / np.maximum(lengths, _NOTHING), 0.0).astype(np.float32)
