"""All Chinese predicates, in the order they are tried."""

from __future__ import annotations

from tkgmem.ingest.rules.zh_life import LIFE
from tkgmem.ingest.rules.zh_rules import Rule
from tkgmem.ingest.rules.zh_work import WORK

RULES: tuple[Rule, ...] = (*WORK, *LIFE)
