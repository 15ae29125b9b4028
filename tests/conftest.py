"""Fixtures shared by the tests: a clock that only the test moves, and memories without a real model."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder

settings.register_profile(
    "tkgmem",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("tkgmem")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "me.db"
