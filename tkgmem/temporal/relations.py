"""Relation names and the rules that come with them: which are functional, symmetric, or stored under another name.

A name resolves through the definitions believed at one instant; `Relations` is that set, frozen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

_NOT_WORD = re.compile(r"\W+")


def normalise_relation(name: str) -> str:
    """NFKC, upper case, runs of non-word characters become "_"; any script is kept. ValueError if nothing is left.

    >>> normalise_relation("works at")
    'WORKS_AT'
    """
    if not isinstance(name, str):
        raise ValueError(f"a relation is a name, not {name!r}")
    key = _NOT_WORD.sub("_", unicodedata.normalize("NFKC", name).upper()).strip("_")
    if not key:
        raise ValueError(f"not a relation name: {name!r}; use words, such as 'works at' or 'LIVES_IN'")
    return key


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation's definition. functional: one target at a time. inverse: the name that reads it from the other end."""

    name: str
    functional: bool
    inverse: str | None = None
    aliases: tuple[str, ...] = ()

    @property
    def symmetric(self) -> bool:
        """Whether it reads the same from both ends."""
        return self.inverse == self.name

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than that there is a name."""
        return not self.functional and self.inverse is None and not self.aliases


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a relation's claims are kept: under `relation`, with the ends swapped or not."""

    relation: Relation
    swapped: bool
    inverse_functional: bool = False

    @property
    def chained(self) -> bool:
        """Whether its triples occupy two slots, so that one leads to others."""
        return self.relation.functional and (self.relation.symmetric or self.inverse_functional)

    def triple(self, group: int, source: int, target: int) -> tuple[int, int, str, int]:
        """The triple of a claim recorded with these ends: (group, source, relation, target)."""
        if self.swapped or (self.relation.symmetric and target < source):
            source, target = target, source
        return (group, source, self.relation.name, target)

    def slots(self, triple: tuple[int, int, str, int]) -> tuple[Hashable, ...]:
        """What the triple occupies alone (see `timeline`)."""
        group, source, name, target = triple
        if self.relation.symmetric:
            return ((group, name, source), (group, name, target)) if self.relation.functional else (triple,)
        ends: list[Hashable] = []
        if self.relation.functional:
            ends.append((group, name, ">", source))
        if self.inverse_functional:
            ends.append((group, name, "<", target))
        return tuple(ends) or (triple,)


class Relations:
    """The definitions believed at one instant of system time."""

    def __init__(self, definitions: Iterable[Relation]) -> None:
        self._by_name = {relation.name: relation for relation in definitions}
        self._alias = {alias: relation.name for relation in self._by_name.values() for alias in relation.aliases}
        self._resolved: dict[str, Resolved] = {}

    def __contains__(self, name: str) -> bool:
        return self.canonical(name) in self._by_name

    def __iter__(self) -> Iterator[Relation]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def canonical(self, name: str) -> str:
        """The defined name behind a name or alias; the normalised name itself where there is none."""
        key = normalise_relation(name)
        return key if key in self._by_name else self._alias.get(key, key)

    def get(self, name: str) -> Relation:
        """The definition of a name or alias; a non-functional one where there is none."""
        key = self.canonical(name)
        return self._by_name.get(key) or Relation(key, functional=False)

    def resolve(self, name: str) -> Resolved:
        """R12: the relation that claims of this name are stored under.

        A relation with a functional inverse goes under the functional one, swapped; of two that are functional, or not, under
        the one that comes first by name. Two functional inverses are single-valued at both ends.
        """
        if name not in self._resolved:
            self._resolved[name] = self._resolve(name)
        return self._resolved[name]

    def _resolve(self, name: str) -> Resolved:
        relation = self.get(name)
        if relation.inverse is None or relation.symmetric:
            return Resolved(relation, swapped=False)
        inverse = self.get(relation.inverse)
        if (not inverse.functional, inverse.name) < (not relation.functional, relation.name):
            return Resolved(inverse, swapped=True, inverse_functional=relation.functional)
        return Resolved(relation, swapped=False, inverse_functional=inverse.functional)

    def recorded_as(self, name: str) -> list[tuple[str, bool]]:
        """Every name under which claims of this stored relation may have been recorded, and whether swapped."""
        straight = [name, *self.get(name).aliases]
        inverse = self.get(name).inverse
        if inverse is None or inverse == name:
            return [(key, False) for key in straight]
        swapped = [inverse, *self.get(inverse).aliases]
        return [(key, False) for key in straight] + [(key, True) for key in swapped if self.resolve(key).swapped]


def redefined(before: Mapping[str, Relation], new: Relation) -> dict[str, Relation]:
    """All definitions with this one in force: an alias has no definition of its own, an inverse always points back.

    It keeps the aliases and the inverse that it had. A relation that becomes an alias brings its own aliases along.
    """
    old = before.get(new.name)
    merged = [before[alias] for alias in new.aliases if alias in before and alias != new.name]
    aliases = [*(old.aliases if old else ()), *new.aliases, *(alias for other in merged for alias in other.aliases)]
    taken = dict.fromkeys(alias for alias in aliases if alias != new.name)
    inverse = new.inverse or (old.inverse if old else None)
    if inverse in taken:
        inverse = new.name  # its own other name: it reads the same from both ends
    else:
        inverse = next((other.name for other in before.values() if inverse in other.aliases), inverse)
    after = {name: definition for name, definition in before.items() if name not in taken}
    after[new.name] = Relation(new.name, new.functional, inverse, tuple(taken))
    if inverse is not None and inverse != new.name:
        after[inverse] = replace(after.get(inverse, Relation(inverse, functional=False)), inverse=new.name)
    for name, other in after.items():
        if name in {new.name, inverse}:
            continue
        left = tuple(alias for alias in other.aliases if alias not in taken and alias != new.name)
        partner = None if other.inverse in {new.name, inverse, *taken} else other.inverse
        after[name] = replace(other, aliases=left, inverse=partner)
    return after
