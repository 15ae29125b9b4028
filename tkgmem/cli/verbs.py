"""The verbs: the module of this package that each is in, and what it does in one sentence, the first of its own help.

So the list of them is shown, and one is found, while the others stay unloaded. A test holds the sentences equal to the helps.
"""

from __future__ import annotations

from typing import Final

VERBS: Final = {
    "add": {
        "add": "Remember a text and its dated facts.",
    },
    "care": {
        "doctor": "Check the whole file: what was recorded, and that what is derived follows from it.",
        "reindex": "Make the full text and missing vectors again; all vectors, if another model made them than the one in use.",
    },
    "carry": {
        "export": "Write everything to a new file that any program can read; - is standard output.",
        "import": "Take in conversations and notes, what `export` wrote, or another memory's dump.",
        "merge": "Take in the memory of another file, which stays as it is.",
        "share": (
            "Write a part of the memory to a new file, in which nothing else ever was: "
            "the group, or what is told of some in it."
        ),
    },
    "demo": {
        "demo": "Tell two stories to a new file and question it.",
    },
    "diff": {
        "changes": "List the changes of belief, newest first.",
        "diff": "Show what changed between two dates: what was learned, ended, corrected, retracted, forgotten.",
    },
    "files": {
        "backup": "Copy the memory to a new file, whoever writes to it meanwhile.",
        "restore": "Make the memory's file from a backup.",
    },
    "hook": {
        "hook": "Serve a coding assistant's hook, which gives its event as JSON on standard input.",
    },
    "intervals": {
        "held": "List the facts that held in a stretch of time, or began or ended in it.",
        "succession": (
            "Show who or what held a relation when, one after the other, with the gaps and what held at the same time."
        ),
    },
    "many": {
        "extract": "Read the texts that wait: those whose model failed, and those left by an interruption.",
    },
    "read": {
        "as-of": "List the facts that held at a date.",
        "entity": "Show one entity with the facts that hold of it.",
        "episodes": "List the texts that were told, newest first.",
        "history": "Show what was believed when.",
        "path": "Print where the memory's file is, or would be.",
        "stats": "Count what is in the file.",
        "timeline": "Show what holds of an entity when.",
    },
    "recall": {
        "context": "Print what a language model should read before it answers: facts with their dates, names, what was said.",
        "search": "Find by words and by meaning: facts, entities, texts.",
    },
    "recalled": {
        "recalls": "List what the memory was asked and what it gave, newest first.",
    },
    "replay": {
        "replay": "Make the memory again from its texts, and compare.",
    },
    "serve": {
        "mcp": "Serve the memory to assistants by the Model Context Protocol.",
    },
    "undo": {
        "undo": "Take back what was told: one change, a text, an import, or all of some time.",
    },
    "why": {
        "why": "Show why a fact is believed.",
    },
    "wide": {
        "communities": "Show who and what belongs together by the facts, each group with what holds there; the largest first.",
        "memberships": (
            "Show where an entity belonged over time, or who belonged to a community, "
            "as it was kept by `communities --refresh`."
        ),
        "summary": "Tell in a few sentences what holds of an entity, a community or a conversation.",
    },
    "write": {
        "add-alias": "Give an entity one more name.",
        "add-fact": "Record a fact without reading any text.",
        "correct": "Give a fact another target or date.",
        "define-relation": "Say how a relation behaves from now on.",
        "end": "Say that a fact stopped holding: the world changed.",
        "forget": "Delete for good.",
        "init": "Make the memory's file, if it is not there.",
        "merge-entities": "Say that OTHER is KEEP.",
        "retract": "Stop believing a fact: the record was wrong.",
        "split-entity": "Take back a merge, or move statements to a new entity.",
    },
}
