"""The pure derivation: judged conflicts, symmetric relations, and what any order of arrival must give."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tkgmem.temporal.claim import Claim, Conflict, Held, Stint
from tkgmem.temporal.relations import Relation, Relations
from tkgmem.temporal.timeline import derive

TABLE = Relations(
    [
        Relation("LIVES_IN", functional=True),
        Relation("MARRIED_TO", functional=True, inverse="MARRIED_TO"),
        Relation("LIKES", functional=False),
        Relation("DISLIKES", functional=False),
        Relation("REPORTS_TO", functional=True, inverse="MANAGES"),
        Relation("MANAGES", functional=False, inverse="REPORTS_TO"),
        Relation("CAPITAL_OF", functional=True, inverse="HAS_CAPITAL"),
        Relation("HAS_CAPITAL", functional=True, inverse="CAPITAL_OF"),
    ]
)
ANA, BO, CY, DEE, TEA = range(1, 6)


def claim(number: int, source: int, relation: str, target: int, start: int | None = None, **more: object) -> Claim:
    resolved = TABLE.resolve(relation)
    triple = resolved.triple(1, source, target)
    return Claim(number, (number, 0, f"c{number}"), triple, resolved.slots(triple), start=start, **more)  # type: ignore[arg-type]


def periods(stints: list[Stint], triple: tuple[int, int, str, int]) -> list[tuple[int | None, int | None]]:
    return [(held.start, held.end) for stint in stints if stint.triple == triple for held in stint.periods]


def cause(stints: list[Stint], number: int) -> Held:
    return next(stint.periods[-1] for stint in stints if stint.first.id == number)


def test_a_judged_conflict_lets_the_later_start_end_the_earlier_across_relations() -> None:
    likes, dislikes = claim(1, ANA, "LIKES", TEA, 10), claim(2, ANA, "DISLIKES", TEA, 20)
    assert periods(derive([likes, dislikes]), likes.triple) == [(10, None)]
    stints = derive([likes, dislikes], [Conflict("c1", "c2")])
    assert periods(stints, likes.triple) == [(10, 20)]
    assert periods(stints, dislikes.triple) == [(20, None)]
    assert (cause(stints, 1).cause, cause(stints, 1).by) == ("judged", 2)


def test_a_judged_conflict_with_a_bounded_fact_takes_only_its_portion() -> None:
    likes, dislikes = claim(1, ANA, "LIKES", TEA, 10), claim(2, ANA, "DISLIKES", TEA, 20, end=30)
    assert periods(derive([likes, dislikes], [Conflict("c2", "c1")]), likes.triple) == [(10, 20), (30, None)]


def test_a_judged_conflict_touches_only_the_facts_that_hold_the_two_claims() -> None:
    """It is not transitive: DISLIKES tea ends LIKES tea, and nothing else that Ana likes."""
    claims = [claim(1, ANA, "LIKES", TEA, 10), claim(2, ANA, "DISLIKES", TEA, 20), claim(3, ANA, "LIKES", BO, 10)]
    stints = derive(claims, [Conflict("c1", "c2"), Conflict("c2", "unknown")])
    assert periods(stints, claims[2].triple) == [(10, None)]


def test_what_a_judgement_ended_can_begin_anew() -> None:
    """LIKES tea, DISLIKES tea, LIKES tea again: two facts of the first triple, as A, B, A gives by rule."""
    claims = [claim(1, ANA, "LIKES", TEA, 10), claim(2, ANA, "DISLIKES", TEA, 20), claim(3, ANA, "LIKES", TEA, 30)]
    links = [Conflict("c1", "c2"), Conflict("c2", "c3")]
    stints = derive(claims, links)
    assert periods(stints, claims[0].triple) == [(10, 20), (30, None)]
    assert periods(stints, claims[1].triple) == [(20, 30)]
    assert len({stint.first.id for stint in stints}) == 3


def test_a_judged_conflict_dates_an_undated_claim_by_its_reference_time() -> None:
    claims = [claim(1, ANA, "LIKES", TEA, 10), claim(2, ANA, "DISLIKES", TEA, reference=25)]
    assert periods(derive(claims), claims[1].triple) == [(None, None)]
    stints = derive(claims, [Conflict("c1", "c2")])
    assert periods(stints, claims[1].triple) == [(25, None)]
    assert periods(stints, claims[0].triple) == [(10, 25)]


def test_a_symmetric_functional_relation_is_single_valued_at_both_ends() -> None:
    first, second = claim(1, ANA, "MARRIED_TO", BO, 10), claim(2, CY, "MARRIED_TO", BO, 20)
    stints = derive([first, second])
    assert periods(stints, first.triple) == [(10, 20)]
    assert periods(stints, second.triple) == [(20, None)]
    again = claim(3, BO, "MARRIED_TO", ANA, 12)
    assert [sorted(c.id for c in stint.claims) for stint in derive([first, again])] == [[1, 3]]


def test_pairs_without_a_common_end_do_not_meet() -> None:
    pairs = [claim(1, ANA, "MARRIED_TO", BO, 10), claim(2, CY, "MARRIED_TO", DEE, 20)]
    assert [held for stint in derive(pairs) for held in stint.periods if held.end is not None] == []


def test_an_inverse_is_kept_under_the_functional_one() -> None:
    assert claim(1, ANA, "MANAGES", BO).triple == claim(2, BO, "REPORTS_TO", ANA).triple == (1, BO, "REPORTS_TO", ANA)
    stints = derive([claim(1, ANA, "MANAGES", BO, 10), claim(2, BO, "REPORTS_TO", CY, 20)])
    assert periods(stints, (1, BO, "REPORTS_TO", ANA)) == [(10, 20)]


def test_two_functional_inverses_are_single_valued_at_both_ends() -> None:
    first, other_end = claim(1, ANA, "CAPITAL_OF", BO, 10), claim(2, CY, "CAPITAL_OF", BO, 20)
    assert periods(derive([first, other_end]), first.triple) == [(10, 20)]
    assert claim(3, BO, "HAS_CAPITAL", ANA).triple == first.triple


starts = st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True)


@st.composite
def piles(draw: st.DrawFn) -> tuple[list[Claim], list[Conflict]]:
    """Claims with distinct starts over all the relations, and some judged conflicts between them."""
    claims = []
    for number, start in enumerate(draw(starts), 1):
        relation = draw(st.sampled_from(["LIVES_IN", "MARRIED_TO", "LIKES", "DISLIKES", "CAPITAL_OF"]))
        source, target = draw(st.permutations([ANA, BO, CY, DEE]))[:2]
        end = draw(st.one_of(st.none(), st.integers(1, 20)))
        claims.append(claim(number, source, relation, target, start, end=None if end is None else start + end))
    uuids = [c.uuid for c in claims]
    pairs = draw(st.lists(st.tuples(st.sampled_from(uuids), st.sampled_from(uuids)), max_size=3))
    return claims, [Conflict(a, b) for a, b in pairs if a != b]


@given(piles(), st.randoms(use_true_random=False))
def test_distinct_starts_give_the_same_facts_in_any_order_of_arrival(pile: tuple[list[Claim], list[Conflict]], random) -> None:
    claims, links = pile
    order = list(range(len(claims)))
    random.shuffle(order)
    shuffled = [replace(c, order=(place, 0, c.uuid)) for c, place in zip(claims, order, strict=True)]
    shown = [sorted((stint.triple, held.start, held.end) for stint in derive(some, links) for held in stint.periods)
             for some in (claims, shuffled)]  # fmt: skip
    assert shown[0] == shown[1]


@given(piles())
def test_no_slot_holds_two_facts_at_once_and_no_fact_overlaps_itself(pile: tuple[list[Claim], list[Conflict]]) -> None:
    claims, links = pile
    held: dict[object, list[tuple[float, float]]] = {}
    for stint in derive(claims, links):
        for slot in stint.slots:
            for piece in stint.periods:
                bounds = (-1 if piece.start is None else piece.start, 10**6 if piece.end is None else piece.end)
                assert bounds[0] < bounds[1]
                held.setdefault(slot, []).append(bounds)
    for pieces in held.values():
        pieces.sort()
        assert all(before[1] <= after[0] for before, after in pairwise(pieces))


@given(piles())
def test_claims_of_other_slots_change_nothing(pile: tuple[list[Claim], list[Conflict]]) -> None:
    claims, _ = pile
    alone = {c.triple: [c for c in claims if set(c.slots) & set(claims[0].slots)] for c in claims[:1]}
    if any(len(c.slots) > 1 for c in claims):
        return  # a chain of pairs links slots to each other
    for triple, few in alone.items():
        assert periods(derive(few), triple) == periods(derive(claims), triple)  # type: ignore[arg-type]
