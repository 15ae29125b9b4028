"""What a question asks of rows beside the two clocks, as SQL conditions. No text of a user is ever SQL: every value is bound.

The values are resolved before: entities are rows, relations stored names, dates instants. A condition says of one row exactly
what the value that leaves this package shows of it; where it lacks the property that is asked of, it is not held to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from tkgmem.graph import Entity
from tkgmem.store.clocks import believed
from tkgmem.store.comparisons import COMPARE, AttributeCondition, DateCondition, meets
from tkgmem.store.facts import VersionRecord
from tkgmem.store.rows import in_list

_OPERATORS: Mapping[str, str] = MappingProxyType(
    {"=": "=", "!=": "IS NOT", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "is": "IS", "is not": "IS NOT"}
)


class Arm(NamedTuple):
    """Where to look for versions: rows v of `versions` and how they are come by, and the condition that this serves.

    Indexes are named, and tables joined in the order given: what SQLite would choose by itself depends on statistics, perhaps
    taken when the file was small.
    """

    rows: str
    condition: str


_BY_CLAIM = (
    "claims a {} CROSS JOIN supports p ON p.claim_id = a.id CROSS JOIN versions v INDEXED BY versions_by_fact"
    " ON v.fact_id = p.fact_id"
)
_WAYS = MappingProxyType({end: f"versions v INDEXED BY versions_by_{end}" for end in ("source", "target")})
_CLAIM_IN_GROUPS = "a.group_id IN (SELECT value FROM json_each(:g))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Resolved filters; None asks nothing.

    sources, targets, entities: rows, each the entity that it is at the asked system time. parts: all that stand for one of
    `entities`.
    straight: the stored relations that are asked for; turned: those asked for from the other end, with the name that reads them
    from there; recorded: the names under which claims of either may be kept. both: the relations that read the same from both
    ends. excluded: stored relations.
    plans: the announcements without a date that meet all of the above and the types.
    types: of entities, as stored. merged: the entities that are one with another then; merged_typed, merged_fit: those of them
    whose whole has one of the types, or meets all that is asked of an entity.
    dates: any of these, each all of its comparisons. attributes: all of these.
    """

    sources: tuple[int, ...] | None = None
    targets: tuple[int, ...] | None = None
    entities: tuple[int, ...] | None = None
    parts: tuple[int, ...] = ()
    straight: tuple[str, ...] | None = None
    turned: Mapping[str, str] = field(default_factory=dict)
    both: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    plans: tuple[int, ...] | None = None
    types: tuple[str, ...] | None = None
    merged: tuple[int, ...] = ()
    merged_typed: tuple[int, ...] = ()
    merged_fit: tuple[int, ...] = ()
    dates: tuple[tuple[DateCondition, ...], ...] | None = None
    attributes: tuple[AttributeCondition, ...] = ()

    @property
    def bindings(self) -> dict[str, Any]:
        """What all conditions bind, beside `:s`, the asked system time, and `:g`, the groups."""
        lists: dict[str, Iterable[Any] | None] = {
            "sources": self.sources, "targets": self.targets, "entities": self.entities, "parts": self.parts,
            "straight": self.straight, "turned": self.turned, "from_other": self._from_other, "excluded": self.excluded,
            "recorded": self.recorded, "plans": self.plans, "types": self.types, "merged": self.merged,
            "merged_typed": self.merged_typed, "merged_fit": self.merged_fit,
        }  # fmt: skip
        bound: dict[str, Any] = {f"f_{name}": in_list(values) for name, values in lists.items() if values is not None}
        for number, comparison in enumerate(one for branch in self.dates or () for one in branch):
            bound[f"f_date{number}"] = comparison.instant
        for number, attribute in enumerate(self.attributes):
            bound[f"f_key{number}"], bound[f"f_values{number}"] = attribute.key, in_list(attribute.values)
        return bound

    # --- facts ---

    def versions(self) -> str:
        """On a row v of `versions`: that its fact is as asked."""
        v = {"valid_at": "v.valid_at", "invalid_at": "v.invalid_at", "expired_at": "v.learned_at"}
        typed = "" if self.types is None else f"({self.has_type('v.source_id')} OR {self.has_type('v.target_id')})"
        return _all(self._ends(), self._kinds(), self._entity(), self._facts("v.fact_id", v), typed)

    def plan(self, fact: str) -> str:
        """On an announcement without a date, by the row of its claim: that it is as asked."""
        asked = "" if self.plans is None else _among(fact, "plans")
        dates = {"valid_at": "NULL", "invalid_at": _claim(fact, "invalid_at"), "expired_at": "NULL"}
        return _all(asked, self._facts(fact, dates))

    def arms(self) -> list[Arm]:
        """Where all the versions are that are as asked, the fewest first looked at; each is to be held to `versions` too."""
        return (
            self._by_ends() or self._by_claims() or self._by_types() or [Arm("versions v INDEXED BY versions_by_clocks", "1")]
        )

    def _by_ends(self) -> list[Arm]:
        if self.sources is None and self.targets is None:
            either = [Arm(rows, _among(f"v.{end}_id", "entities")) for end, rows in _WAYS.items()]
            return [] if self.entities is None else either
        asked, end, other = ("sources", "source", "target") if self.sources is not None else ("targets", "target", "source")
        arms = [Arm(_WAYS[end], _among(f"v.{end}_id", asked))]
        if self._from_other:
            arms.append(Arm(_WAYS[other], f"{_among(f'v.{other}_id', asked)} AND {_among('v.relation', 'from_other')}"))
        return arms

    def _by_claims(self) -> list[Arm]:
        told = [number for number, attribute in enumerate(self.attributes) if None not in attribute.values]
        if self.straight is not None:
            named = _among("a.relation", "recorded")
            return [Arm(_BY_CLAIM.format("INDEXED BY claims_by_triple"), f"{_CLAIM_IN_GROUPS} AND {named}")]
        if told:
            return [Arm(_BY_CLAIM.format("NOT INDEXED"), f"{_told_by_claim(told[0])} AND {_CLAIM_IN_GROUPS}")]
        if learned := self._learned():
            return [Arm(_BY_CLAIM.format("INDEXED BY claims_by_system_time"), f"{_CLAIM_IN_GROUPS} AND {learned}")]
        return []

    def _by_types(self) -> list[Arm]:
        if self.types is None:
            return []
        some = f"SELECT t.entity_id FROM traits t WHERE {_among('t.type', 'types')} AND {believed('t', 'trait')}"
        some += " UNION ALL SELECT value FROM json_each(:f_merged_typed)"
        return [Arm(rows, f"v.{end}_id IN ({some})") for end, rows in _WAYS.items()]

    def _learned(self) -> str:
        """What the dates ask of the system time of a fact's first claim a, where they are one alternative."""
        return _all(
            *(
                f"a.created_at {one.operator} :f_date{number}"
                for number, one in enumerate(self.dates[0] if self.dates is not None and len(self.dates) == 1 else ())
                if one.name == "created_at" and one.operator in COMPARE
            )
        )

    @property
    def _from_other(self) -> tuple[str, ...]:
        """The stored relations whose facts are found from the other end than the stored one."""
        if self.straight is None:
            return self.both
        return tuple(dict.fromkeys([*self.turned, *(name for name in self.both if name in self.straight)]))

    def from_stored_end(self, source: int, relation: str, target: int) -> bool:
        """Whether a fact, as stored, has the ends and the relation that are asked for, read from its source."""
        return self._are((source, target)) and (self.straight is None or relation in self.straight)

    def from_other_end(self, source: int, relation: str, target: int) -> bool:
        """Whether a fact, as stored, has the ends and the relation that are asked for, read from its target."""
        return self._are((target, source)) and relation in self._from_other

    def _are(self, ends: tuple[int, int]) -> bool:
        return all(asked is None or end in asked for end, asked in zip(ends, (self.sources, self.targets), strict=True))

    def as_asked(self, record: VersionRecord) -> VersionRecord:
        """A version that meets the conditions, read from the end, and by the relation, that was asked for (R12)."""
        if record.row is None or self.from_stored_end(record.source, record.relation, record.target):
            return record
        relation = self.turned.get(record.relation, record.relation)
        return record._replace(source=record.target, relation=relation, target=record.source)

    def _ends(self) -> str:
        given = [(name, end) for name, end in (("sources", "source"), ("targets", "target")) if getattr(self, name) is not None]
        turned = {"source": "target", "target": "source"}
        asked = "" if self.straight is None else _among("v.relation", "straight")
        if not given:
            return asked and f"({asked} OR {_among('v.relation', 'turned')})"
        straight = _all(asked, *(_among(f"v.{end}_id", name) for name, end in given))
        other = _all(_among("v.relation", "from_other"), *(_among(f"v.{turned[end]}_id", name) for name, end in given))
        return f"({straight} OR ({other}))"

    def _kinds(self) -> str:
        return f"NOT {_among('v.relation', 'excluded')}" if self.excluded else ""

    def _entity(self) -> str:
        return "" if self.entities is None else f"({_among('v.source_id', 'entities')} OR {_among('v.target_id', 'entities')})"

    def _facts(self, fact: str, dates: Mapping[str, str]) -> str:
        claims = f"supports p CROSS JOIN claims a NOT INDEXED ON a.id = p.claim_id WHERE p.fact_id = {fact} AND {believed('p')}"
        order = "a.created_at DESC, a.position DESC, a.uuid DESC"
        return _all(self._dates({**dates, "created_at": _claim(fact, "created_at")}), self._attributes(claims, order))

    # --- entities ---

    def entity(self, row: str) -> str:
        """On an entity, or a part of one: that the whole is as asked."""
        traits = f"traits a WHERE a.entity_id = {row} AND {believed('a', 'trait')}"
        alone = _all(
            "" if self.types is None else self._told_type(row),
            self._attributes(traits, "a.id DESC"),
            self._dates({"created_at": f"(SELECT e.created_at FROM entities e WHERE e.id = {row})"}),
        )
        return _all("" if self.entities is None else _among(row, "parts"), self._whole(row, "merged_fit", alone))

    def _whole(self, row: str, fitting: str, alone: str) -> str:
        """A condition on an entity that is no part of another and has none, made one on any."""
        if not (alone and self.merged):
            return alone
        return f"CASE WHEN {_among(row, 'merged')} THEN {_among(row, fitting)} ELSE {alone} END"

    def fits(self, entity: Entity, created_at: int) -> bool:
        """What `entity` says in SQL, of the value."""
        return (
            (self.types is None or entity.type in self.types)
            and all(attribute.fits(entity.attributes) for attribute in self.attributes)
            and meets(self.dates, {"created_at": created_at})
        )

    def has_type(self, row: str) -> str:
        """On an entity: that it has one of the types."""
        return self._whole(row, "merged_typed", self._told_type(row))

    def _told_type(self, row: str) -> str:
        last = (
            f"SELECT t.type FROM traits t WHERE t.entity_id = {row} AND {believed('t', 'trait')} AND t.type <> ''"
            " ORDER BY t.created_at DESC, t.id DESC"
        )
        return _among(f"({last} LIMIT 1)", "types")

    # --- episodes ---

    def episode(self) -> str:
        """On a row r of `episodes`: that it is as asked."""
        mentions = "SELECT 1 FROM mentions n WHERE n.episode_id = r.id AND n.created_at <= :s"
        values = [
            f"coalesce((SELECT {_matches(number)} FROM json_each(r.metadata) j WHERE j.key = :f_key{number}), {_absent(one)})"
            for number, one in enumerate(self.attributes)
        ]
        dates = self._dates({"created_at": "r.created_at", "reference_time": "r.reference_time"})
        return _all(
            "" if self.entities is None else f"EXISTS ({mentions} AND {_among('n.entity_id', 'parts')})", dates, *values
        )

    # --- what they share ---

    def _dates(self, columns: Mapping[str, str]) -> str:
        """Any of the branches; a comparison of a date that is not there asks nothing."""
        if self.dates is None:
            return ""
        number, branches = 0, []
        for branch in self.dates:
            comparisons = []
            for one in branch:
                if one.name in columns:
                    comparisons.append(f"{columns[one.name]} {_OPERATORS[one.operator]} :f_date{number}")
                number += 1
            branches.append(_all(*comparisons) or "1")
        return "(" + " OR ".join(f"({branch})" for branch in branches) + ")"

    def _attributes(self, told: str, order: str) -> str:
        """The last telling of each attribute counts. told: the rows a, with `attributes`, that tell; order: the last first."""
        table, where = told.split(" WHERE ", 1)
        return _all(
            *(
                f"coalesce((SELECT {_matches(number)} FROM {table} CROSS JOIN json_each(a.attributes) j"
                f" WHERE {where} AND j.key = :f_key{number} ORDER BY {order} LIMIT 1), {_absent(one)})"
                for number, one in enumerate(self.attributes)
            )
        )


def _all(*conditions: str) -> str:
    return " AND ".join(condition for condition in conditions if condition)


def _among(value: str, name: str) -> str:
    return f"{value} IN (SELECT value FROM json_each(:f_{name}))"


def _claim(row: str, column: str) -> str:
    return f"(SELECT a.{column} FROM claims a NOT INDEXED WHERE a.id = {row})"


def _absent(attribute: AttributeCondition) -> int:
    return int(None in attribute.values)


def _matches(number: int) -> str:
    """On a JSON value j: that it, or where it is a list one of its elements, is a wanted one."""
    wanted = f"SELECT 1 FROM json_each(:f_values{number}) w WHERE {_same('j', 'w')}"
    inside = f"SELECT 1 FROM json_each(j.value) i CROSS JOIN json_each(:f_values{number}) w WHERE {_same('i', 'w')}"
    return f"CASE j.type WHEN 'array' THEN EXISTS ({inside}) ELSE EXISTS ({wanted}) END"


def _same(one: str, other: str) -> str:
    kinds = (f"CASE {side}.type WHEN 'integer' THEN 'real' ELSE {side}.type END" for side in (one, other))
    return f"{one}.atom IS {other}.atom AND {' = '.join(kinds)}"


def _told_by_claim(number: int) -> str:
    """On a claim a: that it tells the attribute so."""
    telling = f"EXISTS (SELECT 1 FROM json_each(a.attributes) j WHERE j.key = :f_key{number} AND {_matches(number)})"
    return f"a.attributes <> '{{}}' AND {telling}"
