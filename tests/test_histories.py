"""Whole random histories: the memory's answers equal the reference model's, whatever was told in whatever order."""

from __future__ import annotations

import contextlib

import pytest
from histories import Op, histories
from hypothesis import given, settings
from twins import tell


def answers_equal_the_reference_model(ops: list[Op]) -> None:
    twins = tell(ops)
    with contextlib.closing(twins.memory):
        twins.check()


@settings(max_examples=80)
@given(histories)
def test_every_answer_of_a_history_equals_the_reference_model(ops: list[Op]) -> None:
    answers_equal_the_reference_model(ops)


@pytest.mark.slow
@settings(max_examples=5000)
@given(histories)
def test_every_answer_of_five_thousand_histories_equals_the_reference_model(ops: list[Op]) -> None:
    answers_equal_the_reference_model(ops)
