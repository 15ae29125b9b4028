"""How the vectors of a shelf are compared: as seen from their centre.

Sentence vectors of one model point the same way whatever they say; what is left after their mean is taken out tells texts
apart (Mu and Viswanath, All-but-the-Top, ICLR 2018; holding back the strongest directions too was measured, and found no more
once words are added). A centre is made from the vectors there are, and kept: the same file gives the same answers.
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
_NOTHING = 1e-6
_LARGE = 0.98  # of the size of a mean component, where a large one begins
_SMALL_LEVEL, _LARGE_LEVEL, _LEVEL = 3, 10, 0.171  # what the two sizes stand for, in parts of a mean component
_BLOCK = 16_384  # vectors whose signatures are compared at a time: they stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Frame:
    """The centre that vectors are seen from."""

    centre: Doubles

    def placed(self, vectors: Floats) -> Floats:
        """Vectors as they are compared, of unit length; one that does not differ from the centre is zero."""
        return unit(vectors.astype("float64") - self.centre)

    def signed(self, vectors: Floats) -> tuple[NDArray[np.uint64], Doubles]:
        """The signatures of vectors and their lengths as they are compared, before they are scaled."""
        import numpy as np

        seen = vectors.astype("float64") - self.centre
        return signatures(seen), np.linalg.norm(seen, axis=1)

    def question(self, vector: Floats, centre: Doubles | Floats) -> Floats:
        """A question as it is compared. centre: of the texts of the question's own script."""
        return unit((vector.astype("float64") - centre)[None]).ravel()

    def likeness(self, question: Floats, vectors: Floats, lengths: Doubles) -> Doubles:
        """The products of a placed question and vectors that are not placed yet, whose lengths are known."""
        import numpy as np

        wanted = question.astype("float64")
        return np.asarray((products(vectors, wanted) - products(self.centre, wanted)) / np.maximum(lengths, _NOTHING))

    def to_bytes(self) -> bytes:
        """The centre as float32."""
        return self.centre.astype("<f4").tobytes()

    @classmethod
    def from_bytes(cls, blob: bytes) -> Frame:
        """The frame that `to_bytes` gave."""
        import numpy as np

        return cls(np.frombuffer(blob, dtype="<f4").astype(np.float64))


def centred(vectors: Floats, around: Doubles | Floats | None = None, *, firmly: bool = False) -> Frame:
    """The frame of few vectors: their centre, drawn towards `around`, or towards zero. firmly: as by many vectors."""
    import numpy as np

    weight = LEAST if firmly else _NEUTRAL
    total = vectors.sum(axis=0, dtype=np.float64) + (0 if around is None else weight * around)
    return Frame(total / (len(vectors) + weight))


def made(vectors: Floats) -> Frame:
    """The frame of many vectors, or of a part of them."""
    return Frame.from_bytes(Frame(vectors.mean(axis=0, dtype="float64")).to_bytes())


def signatures(placed: Floats | Doubles) -> NDArray[np.uint64]:
    """What tells placed vectors apart without reading them, in whole 64-bit words, shape (vectors, words).

    First a bit for each sign (Charikar, STOC 2002), then one for each component that is large: of two sizes (Max, 1960).
    """
    import numpy as np

    limits = _LARGE * np.linalg.norm(placed, axis=1, keepdims=True) / placed.shape[1] ** 0.5
    return np.concatenate([_words(placed > 0), _words(np.abs(placed) > limits)], axis=1)


def signature_bytes(dimension: int) -> int:
    """The length of a signature: two bits a component, in whole words each."""
    return 2 * 8 * -(-dimension // 64)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    import numpy as np

    packed = np.packbits(bits, axis=1)
    words = np.zeros((len(bits), -(-bits.shape[1] // 64) * 8), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view("<u8")


def distances(words: NDArray[np.uint64], question: Floats) -> NDArray[np.uint16]:
    """In how many signs each vector differs from a placed question. words: of the signatures, a vector a column."""
    import numpy as np

    asked = _words(question[None] > 0)[0]
    signs = words[: len(asked)]
    found = np.zeros(words.shape[1], dtype=np.uint16)
    for start in range(0, words.shape[1], _BLOCK):
        part = found[start : start + _BLOCK]
        for row, word in zip(signs, asked, strict=True):
            part += np.bitwise_count(row[start : start + _BLOCK] ^ word)
    return found


def estimates(words: NDArray[np.uint64], question: Floats) -> Floats:
    """The likeness of a placed question and vectors of which only signatures are known. words: as for `distances`.

    Four times as sharp as comparing signs with signs, and slower (asymmetric distance: Gordo et al., TPAMI 2014).
    """
    import numpy as np

    size = len(question)
    planes = np.ascontiguousarray(words.T).view(np.uint8).reshape(words.shape[1], 2, -1)
    signs, large = (np.unpackbits(planes[:, plane], axis=1, count=size).view(np.int8) for plane in (0, 1))
    levels = (2 * signs - 1) * (_SMALL_LEVEL + (_LARGE_LEVEL - _SMALL_LEVEL) * large)
    return np.asarray(products(levels.astype(np.float32), question) * (_LEVEL / size**0.5), dtype=np.float32)


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
