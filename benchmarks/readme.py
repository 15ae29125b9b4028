"""The README's tables of measurements, made from the committed result files and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START, END = "<!-- measured: made by `python -m benchmarks --readme` -->", "<!-- /measured -->"


def refresh(readme: Path, results: Path) -> None:
    """Put the tables of these results into the README, between its two marks."""
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{START}\n\n{table(results)}\n\n{END}{after}", encoding="utf-8")


def table(results: Path) -> str:
    """The results as two Markdown tables: what was found, by recipe, and the rest."""
    recipes = ["hybrid", "rrf", "bm25", "cosine"]
    lines = [f"| found, without a language model | {' | '.join(recipes)} |", "|---" * (len(recipes) + 1) + "|"]
    lines += [f"| {what} | {' | '.join(of_recipe[name] for name in recipes)} |" for what, of_recipe in _found(results)]
    lines += ["", "| what | measured |", "|---|---|", *(f"| {what} | {value} |" for what, value in _rows(results))]
    return "\n".join(lines)


def _found(results: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """What is measured of each recipe, as text."""
    talks = _summary(results, "locomo")[0]["recall"]
    ways = {
        "turn@5": "turns among the first 5",
        "turn@10": "turns among the first 10",
        "session@10": "sessions among the first 10",
    }
    for way, what in ways.items():
        yield f"LoCoMo, evidence {what}", {name: _mean(of["categories 1-4"][way]) for name, of in talks.items()}
    assistant, _ = _summary(results, "longmemeval")
    for part, what in (("haystack", "48 sessions"), ("pool", "a pool of 940 sessions")):
        pairs = {name: f"{_mean(of['any@5'])} / {_mean(of['all@5'])}" for name, of in assistant[part].items()}
        yield f"LongMemEval, any / all gold sessions among the first 5, {what}", pairs
    records, _ = _summary(results, "lifebench")
    for pair, what in (
        ("zh on zh", "Chinese"), ("en on en", "English"), ("zh on en", "Chinese question, English records"),
        ("en on zh", "English question, Chinese records"),
    ):  # fmt: skip
        yield (
            f"LifeBench, records among the first 10, {what}",
            {name: _mean(of["recall@10"][pair]) for name, of in records.items()},
        )
    beliefs, _ = _summary(results, "precisionmembench")
    yield (
        "PrecisionMemBench, precision / recall at one min_score",
        {name: f"{_mean(of['all tiers']['precision'])} / {_mean(of['all tiers']['recall'])}" for name, of in beliefs.items()},
    )


def _mean(measured: dict[str, Any]) -> str:
    return f"{measured['mean']:.3f}"


def _rows(results: Path) -> Iterator[tuple[str, str]]:
    latency, machine = _summary(results, "latency")
    yield "machine", f"{machine['processors']} processors, {machine['model']}"
    for size, speed in latency.items():
        plain, past = speed["plain"], speed["both_clocks"]["total"]
        what = f"search over {int(size):,} facts, entities and texts, the question's embedding included"
        now = f"{plain['total']['p50']:.0f} ms median, {plain['total']['p95']:.0f} ms p95"
        embedding = f"of which embedding {plain['embed']['p50']:.0f} and {plain['embed']['p95']:.0f}"
        yield what, f"{now}, {embedding}; with both clocks in the past {past['p50']:.0f} and {past['p95']:.0f}"
    yield (
        "share of the 20 nearest by exact comparison that the index finds",
        ", ".join(f"{speed['recall_20']:.3f} of {int(size):,}" for size, speed in latency.items()),
    )
    past, _ = _summary(results, "histories")
    told = (past["snapshots"]["as_of"]["mean"], past["snapshots"]["both_clocks"]["mean"], past["intervals"]["as_of"]["mean"])
    yield (
        "answers as of a past date that are right",
        "{:.4f} of snapshots, {:.4f} as known then, {:.4f} of intervals".format(*told),
    )
    alone, _ = _summary(results, "ingest")
    share = f"{alone['share_besides_embedder']['p50']:.0%} of the time is not the embedder's"
    yield "ingest of a LoCoMo conversation, without a model", f"{alone['turns_per_second']['p50']:.0f} turns a second; {share}"
    dates, _ = _summary(results, "dates")
    chinese, _ = _summary(results, "jionlp")
    right = f"{dates['english']['right']:.3f} English, {dates['chinese']['right']:.3f} Chinese; JioNLP {chinese['right']:.3f}"
    yield "time expressions of the Recognizers-Text and JioNLP specifications read right", right
    names, _ = _summary(results, "resolution")
    yield "names that are one, merged without asking (495 labelled pairs)", _names(names)
    derivation, _ = _summary(results, "derivation")
    spent = " and ".join(f"{derivation['add_fact_ms'][size]['p50']:.0f} ms" for size in ("10", "1000"))
    yield "one more claim on a pile of 10, and of 1,000", spent
    yield from _replay(results)
    yield from _communities(results)
    yield from _assistants(results)
    yield from _reliability(results)


def _replay(results: Path) -> Iterator[tuple[str, str]]:
    if not (results / "replay.json").exists():
        return
    found = _summary(results, "replay")[0]["model"]
    what = f"{found['texts']} texts replayed from the log of {found['model_calls_then']} model calls"
    same = f"{found['facts']:,} facts, {found['versions']:,} versions, {found['differences']} differences"
    yield what, f"{same}; {found['model_calls_in_replay']} calls; {found['seconds_in_replay']:.0f} s"


def _communities(results: Path) -> Iterator[tuple[str, str]]:
    if not (results / "communities.json").exists():
        return
    found, _ = _summary(results, "communities")
    large, ended = found["scale"], found["ended"]
    spent = f"{large['whole_refresh_seconds']:.1f} s, and {large['embedding_of_summaries_seconds']:.0f} s of embedding"
    rivals = ", ".join(f"{name} {large['networkx'][name]['modularity']:.3f}" for name in ("asyn_lpa", "louvain"))
    what = f"all communities of {large['entities']:,} entities and {large['facts']:,} facts, with their summaries"
    yield what, f"{spent}; modularity {large['modularity']:.3f} (networkx: {rivals})"
    joining = large["joining_ms"]
    placed, read, kept = (joining[how]["p50"] for how in ("placed", "read_with_its_community", "kept_by_a_refresh"))
    told = f"{placed:.0f} ms median to tell where it belongs, {read:.0f} ms to read what holds there"
    yield "one more entity joins them", f"{told}, {kept:.0f} ms to keep it with a new summary, embedding apart"
    checked = f"{ended['summaries']:,} summaries in {ended['operations']:,} changes"
    wrong = f"{ended['over']} told of; {ended['canaries']} forgotten names kept after {ended['forgets']} forgets"
    yield f"what is over, in {checked}", wrong


def _assistants(results: Path) -> Iterator[tuple[str, str]]:
    if not (results / "assistants.json").exists():
        return
    found, _ = _summary(results, "assistants")
    spent = {what: f"{values['p50']:.0f} ms" for what, values in found["ms"].items()}
    what = f"the MCP server, {found['tools']['count']} tools of at most {found['tools']['tokens_at_most']:,} tokens"
    later = f"{spent['tools_list_cold']} to the list of tools, {spent['first_recall_cold']} to the first answer"
    yield what, f"{spent['initialize_cold']} median from a cold start to `initialize`, {later}"
    warm = f"recall {spent['recall']}, search_facts {spent['search_facts']}, remember {spent['remember']}"
    yield "a call of its tools, warm, the model that ships included", warm
    hooks = (
        f"{name} {spent[f'hook_{name}_served']} by a running server, {spent[f'hook_{name}_alone']} alone"
        for name in ("context", "exchange")
    )
    yield "a hook of a coding assistant, its process included", "; ".join(hooks)


def _reliability(results: Path) -> Iterator[tuple[str, str]]:
    found, _ = _summary(results, "reliability")
    together = found["concurrency"]
    lost = sum(together[how]["writes"] - together[how]["found"] + together[how]["doubled"] for how in ("processes", "threads"))
    wrong = sum(len(together[how]["errors"]) + len(together[how]["wrong_answers"]) for how in ("processes", "threads"))
    written = f"{together['processes']['writes']:,} and {together['threads']['writes']:,} writes"
    yield (
        "4 processes writing and 4 reading, 8 threads writing",
        f"{written}, {lost} lost or doubled, {wrong} errors or wrong answers",
    )
    kills, cuts, faults = found["kills"]["at_random_moments"], found["power_cuts"], found["faults"]
    yield "killed at a random moment", f"{kills['kills']} times, {kills['problems']} of the files with anything wrong"
    yield "states that a power cut could leave", f"{cuts['states']}, {cuts['problems']} with anything wrong"
    yield (
        "full or broken disk in any call",
        f"{faults['faults']:,} faults, {faults['problems']} of them not told as they should be",
    )
    spoilt = found["mutants"]
    told = f"{spoilt['refused when opened'] + spoilt['refused later']:,} refused, {spoilt['right']:,} answered right"
    bad = spoilt["crashes"] + spoilt["hangs"] + spoilt["foreign code run"] + spoilt["other exceptions"]
    changed = f"{spoilt['values changed']} with other values than before, {spoilt['unexplained answers']} otherwise wrong"
    yield "spoilt and hostile files", f"{spoilt['files']:,}: {told}, {changed}; {bad} crashes, hangs or foreign code run"
    erased = found["canary"]
    yield (
        "bytes of what was forgotten",
        f"{erased['hits']} found in {erased['scans']:,} scans after {erased['forgets']:,} forgets",
    )
    same = found["same_answers"]["hash"]
    ways = [way for way in same.values() if isinstance(way, dict)]
    equal = min(way["equal"] for way in ways)
    what = "exported, imported, merged, backed up, indexed and embedded again"
    yield f"{ways[0]['questions']} questions to a memory {what}", f"at least {equal} with the same answer and scores each time"


def _names(names: dict[str, Any]) -> str:
    merged, asked = names["pairs"]["all"]["merged"], names["pairs"]["all"]["merged_or_asked"]
    precision = f"precision {merged['precision']:.2f}, recall {merged['recall']:.2f}"
    return f"{precision}; with those that a judge is asked about {asked['precision']:.2f} and {asked['recall']:.2f}"


def _summary(results: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    result = json.loads((results / f"{name}.json").read_text(encoding="utf-8"))
    return result["summary"], result["machine"]
