"""Token lists in batches of like length, each run on its own, several side by side where that helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH_TOKENS = 256  # measured: larger batches embed fewer texts a second on a CPU, and take more memory

Result = TypeVar("Result")


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes in batches of like length, each of at most 256 tokens with its padding, or a single text.

    >>> list(batches([200, 3, 100, 4]))
    [[1, 3], [2], [0]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def side_by_side(
    run: Callable[[list[int]], Result], of: Sequence[list[int]], threads: int
) -> Iterator[tuple[list[int], Result]]:
    """Each batch with what `run` makes of it, at most so many at once."""
    workers = min(threads, len(of))
    if workers < 2:
        yield from ((batch, run(batch)) for batch in of)
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="tkgmem-model") as pool:
        yield from zip(of, pool.map(run, of), strict=True)


def padded(rows: Sequence[Sequence[int]], filling: int) -> NDArray[np.int64]:
    """The lists as rows of one length, shape (rows, longest), int64."""
    import numpy as np

    filled = np.full((len(rows), max(map(len, rows))), filling, np.int64)
    for row, values in enumerate(rows):
        filled[row, : len(values)] = values
    return filled
