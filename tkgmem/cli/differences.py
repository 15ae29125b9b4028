"""A difference as a page for a person: what was learned, what ended and the rest, with what was believed before, and why."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tkgmem.cli import dates
from tkgmem.cli.screen import Screen
from tkgmem.graph import Fact
from tkgmem.reasons import Change, Changed, Diff

_HEADINGS = {
    "learned": "Learned",
    "began": "Began",
    "ended": "Ended",
    "corrected": "Corrected",
    "retracted": "No longer believed",
    "revised": "Changed as a consequence",
    "forgotten": "Deleted for good",
}
_ENDED_BY = {
    "superseded": "replaced by {}",
    "judged": "contradicted by {}",
    "ended": "it was said to have ended",
    "stated": "its end was told",
}
_CONSEQUENCE = {
    "retract": "something else was retracted",
    "correct": "something else was corrected",
    "define": "a relation was defined anew",
    "merge": "two names were joined as one",
    "split": "names were parted",
    "undo": "something was undone",
    "import": "something was imported",
}


@dataclass(frozen=True, slots=True)
class Page:
    """most: how many of each kind are shown, None for all. ids: with the uuids of the facts."""

    screen: Screen
    diff: Diff
    most: int | None = None
    ids: bool = False

    def show(self) -> None:
        """Each list that is not empty."""
        self._list("learned", self.diff.learned, self._learned)
        self._list("began", self.diff.began, self._moved)
        self._list("ended", self.diff.ended, self._changed if self.diff.axis == "known" else self._moved)
        self._list("corrected", self.diff.corrected, self._changed)
        self._list("retracted", self.diff.retracted, self._retracted)
        self._list("revised", self.diff.revised, self._changed)
        self._deletions(self.diff.forgotten)

    # --- parts ---

    def _list(self, name: str, changed: Sequence[Changed], show: Callable[[Changed], None]) -> None:
        if not changed:
            return
        self._heading(name, len(changed))
        for one in changed[: self.most]:
            show(one)
            if self.ids:
                facts = [fact for fact in (one.before, one.after) if fact is not None]
                self._line(f"uuid: {' -> '.join(dict.fromkeys(fact.uuid for fact in facts))}", 4, "dim")
        self._left_out(len(changed))

    def _learned(self, one: Changed) -> None:
        again = one.by is not None and one.by.verb == "undo"
        said = f"believed again since {self._day(one.at)}{self._reason(one.by)}" if again else f"learned {self._day(one.at)}"
        self._fact(one.fact, one.after_more, said)

    def _moved(self, one: Changed) -> None:
        """What began or ended in the world."""
        self._fact(one.fact, ())
        if one.successor is not None:
            self._line(f"then: {self._said(one.successor)}", 4)

    def _changed(self, one: Changed) -> None:
        before, after = one.before, one.after
        self._line(self._triple(one.fact), 2, "bold")
        same = before is None or after is None or self._triple(before) == self._triple(after)
        self._line(f"before: {self._periods(before, one.before_more, named=not same)}", 4)
        self._line(f"after: {self._periods(after, one.after_more)}", 4)
        self._line(f"why: {self._why(one)}", 4)

    def _retracted(self, one: Changed) -> None:
        self._fact(one.fact, one.before_more)
        verb = {"retract": "retracted", "undo": "undone"}.get(one.by.verb if one.by else "", "taken back")
        self._line(f"{verb} on {self._day(one.at)}{self._reason(one.by)}", 4)

    def _deletions(self, deletions: Sequence[Change]) -> None:
        if not deletions:
            return
        self._heading("forgotten", len(deletions))
        for one in deletions[: self.most]:
            self._line(f"{self._day(one.at)}{f': {one.words}' if one.words else ''}", 2)
        self._left_out(len(deletions))

    # --- words ---

    def _why(self, one: Changed) -> str:
        verb, day = one.by.verb if one.by is not None else "", self._day(one.at)
        if one in self.diff.corrected:
            equal = f"told later with the same start, so it counts (learned {day})"
            return f"corrected on {day}{self._reason(one.by)}" if verb == "correct" else equal
        if one.cause is not None:
            other = "something else" if one.successor is None else self._said(one.successor)
            return f"{_ENDED_BY[one.cause].format(other)} (learned {day})"
        return f"on {day} {_CONSEQUENCE.get(verb, 'something else was told')}{self._reason(one.by)}"

    def _reason(self, by: Change | None) -> str:
        return f": {' '.join(by.reason.split())}" if by is not None and by.reason else ""

    def _fact(self, fact: Fact, more: Sequence[Fact], remark: str | None = None) -> None:
        words = (f"{self._triple(fact)}, {self._periods(fact, more)}", "bold")
        self.screen.indented(words, *([] if remark is None else [(f"  ({remark})", "dim")]), indent=2)

    def _said(self, fact: Fact) -> str:
        return f"{self._triple(fact)}, {self.screen.stretch(fact)}"

    def _triple(self, fact: Fact) -> str:
        return " ".join(self.screen.triple(fact).split())

    def _periods(self, fact: Fact | None, more: Sequence[Fact], *, named: bool = False) -> str:
        if fact is None:
            return "not believed"
        every = sorted((fact, *more), key=lambda one: (one.valid_at is not None, one.valid_at or one.created_at))
        words = ", and ".join(self.screen.stretch(one) for one in every)
        return f"{self._triple(fact)}, {words}" if named else words

    def _day(self, value: dt.datetime) -> str:
        local = value.astimezone(self.screen.zone.info)
        return dates.words(local.replace(hour=0, minute=0, second=0, microsecond=0), "day", self.screen.zone)

    # --- lines ---

    def _heading(self, name: str, number: int) -> None:
        self.screen.line()
        self.screen.line((f"{_HEADINGS[name]}: {number:,}" if number > 1 else _HEADINGS[name], "bold"))

    def _left_out(self, number: int) -> None:
        if self.most is not None and number > self.most:
            self._line(f"... and {number - self.most:,} more; --limit {number} shows all", 2, "dim")

    def _line(self, text: str, indent: int, style: str = "") -> None:
        self.screen.indented((text, style), indent=indent)
