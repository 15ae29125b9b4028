"""Pictures of facts: what they show, that they hold any text, and that nothing in them overlaps."""

from __future__ import annotations

import datetime as dt
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import Entity, Memory, Version
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.pictures import history_svg, timeline_svg
from tkgmem.pictures.scale import Piece, Scale
from tkgmem.pictures.ticks import ticks
from tkgmem.pictures.widths import width
from tkgmem.temporal.period import parse_moment, to_datetime, to_micros
from tkgmem.testing import FixedClock, HashEmbedder

SVG = "{http://www.w3.org/2000/svg}"
NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
SIZES = {"title": (18, 1.08), "lane": (12, 1.08), "name": (12, 1.08), "dates": (10, 1)}
HOSTILE = "</text><script>alert(1)</script> & \" ' ]]> <!-- \x00\x1b[31m\ud800\ufffe"
Box = tuple[float, float, float, float]


def version(
    source: str,
    relation: str,
    target: str,
    start: str | None = None,
    end: str | None = None,
    cause: str | None = None,
    *,
    known: str = "2026-01-01",
    until: str | None = None,
    planned: bool = False,
    fact: str | None = None,
) -> Version:
    def bound(text: str | None) -> tuple[dt.datetime | None, str | None]:
        moment = None if text is None else parse_moment(text)
        return (None, None) if moment is None else (to_datetime(moment.micros), moment.precision)

    valid_at, fine = bound(start)
    invalid_at, end_fine = bound(end)
    created_at, expired_at = bound(known)[0], bound(until)[0]
    ends = [Entity(f"uuid of {name}", "default", name) for name in (source, target)]
    told = fact or f"{source} {relation.replace('_', ' ').lower()} {target}"
    return Version(
        f"{source} {relation} {target} {start}", valid_at, invalid_at, created_at, expired_at, cause,
        ends[0], relation, ends[1], told, None, planned, fine, end_fine,
    )  # fmt: skip


XIAO_LI = [
    version("小李", "WORKS_AT", "C 公司", "2022-07-01", "2024-03-01", "superseded"),
    version("小李", "WORKS_AT", "A 公司", "2024-03-01", "2026-06-01", "superseded"),
    version("小李", "WORKS_AT", "B 公司", "2026-06-01"),
]


def timeline(versions: Sequence[Version], title: str = "Ana", **more: dt.datetime | dt.tzinfo) -> ET.Element:
    return ET.fromstring(timeline_svg(versions, title=title, now=NOW, **more))


def history(versions: Sequence[Version], title: str = "Ana", **more: dt.tzinfo) -> ET.Element:
    return ET.fromstring(history_svg(versions, title=title, now=NOW, **more))


def texts(root: ET.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}text")]


def hovers(root: ET.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}title")]


def shapes(root: ET.Element, kind: str) -> list[ET.Element]:
    return [node for node in root.iter() if kind in node.get("class", "").split()]


def bars(root: ET.Element) -> dict[str, ET.Element]:
    """The bars of a picture, without those of its key, by what each says, when pointed at, before a colon."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        title, bar = group.find(f"{SVG}title"), group.find(f"{SVG}path[@class]")
        if title is not None and bar is not None and "bar" in bar.get("class", "").split():
            found[(title.text or "").split(":")[0]] = bar
    return found


def span(bar: ET.Element) -> tuple[float, float]:
    """The left and the right edge of a bar."""
    xs = [float(x) for x in re.findall(r"[ML]([\d.-]+) ", bar.get("d", ""))]
    return min(xs), max(xs)


def heights(bar: ET.Element) -> list[float]:
    """The heights of its corners."""
    return [float(y) for y in re.findall(r"[ML][\d.-]+ ([\d.-]+)", bar.get("d", ""))]


def spans(root: ET.Element) -> dict[str, tuple[float, float]]:
    """What each bar says to its edges."""
    return {said: span(bar) for said, bar in bars(root).items()}


def box(node: ET.Element) -> Box:
    """The estimated box of a text: left, upper, right, lower edge."""
    size, bold = next((SIZES[kind] for kind in node.get("class", "").split() if kind in SIZES), (10.5, 1.0))
    wide = width(node.text or "", size) * bold
    x, y = float(node.get("x", "0")), float(node.get("y", "0"))
    left = x - {"end": wide, "middle": wide / 2}.get(node.get("text-anchor", ""), 0)
    return left, y - 0.75 * size, left + wide, y + 0.2 * size


def overlapping(root: ET.Element) -> Iterator[tuple[str, str]]:
    """Pairs of texts that touch each other."""
    boxes = sorted((box(node), node.text or "") for node in root.iter(f"{SVG}text"))
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        if other[0] < one[2] - 0.5 and one[1] < other[3] and other[1] < one[3]:
            yield first, second


def assert_legible(root: ET.Element) -> None:
    """Every text is on the page, and none touches another."""
    wide, high = float(root.get("width", "0")), float(root.get("height", "0"))
    for node in root.iter(f"{SVG}text"):
        left, upper, right, lower = box(node)
        assert left >= 0, node.text
        assert right <= wide, node.text
        assert upper >= 0, node.text
        assert lower <= high, node.text
    assert list(overlapping(root)) == []
    for left, right in spans(root).values():
        assert 0 < left < right < wide


def crowd(names: Sequence[str], count: int) -> list[Version]:
    """Many facts about the first name, of all lengths and kinds."""
    relations = ["WORKS_AT", "LIVES_IN", "LIKES", "MEMBER_OF", "IS_RESPONSIBLE_FOR"]
    causes = ["stated", "ended", "superseded", "judged"]
    found = []
    for index in range(count):
        year, month, day = 2005 + index * 7 % 21, 1 + index * 5 % 12, 1 + index * 11 % 28
        start = [f"{year}", f"{year}-{month:02}", f"{year}-{month:02}-{day:02}", None][index % 4]
        end = f"{year + 1 + index % 3}-{day % 12 + 1:02}" if index % 3 else None
        ends = [names[0], f"{names[1 + index % (len(names) - 1)]} {index}"]
        known = (dt.date(2024, 1, 1) + dt.timedelta(days=5 * index)).isoformat()
        cause = None if end is None else causes[index % 4]
        relation = relations[index % len(relations)]
        source, target = ends if index % 6 else ends[::-1]
        found.append(version(source, relation, target, start, end, cause, known=known, planned=index % 17 == 0))
    return found


ENGLISH = crowd(["Maya", "Northwind", "Contoso", "the Lisbon rowing club", "tea"], 200)
CHINESE = crowd(["小李", "北京", "广州图书馆", "少年先锋队", "绿茶"], 200)


# --- what a timeline shows ---


def test_a_bar_lies_between_its_dates_on_the_axis() -> None:
    facts = [
        version("Ana", "LIVES_IN", "Rome", "2020-01-01", "2021-01-01"),
        version("Ana", "LIVES_IN", "Oslo", "2021-01-01", "2023-01-01"),
    ]
    root = timeline(facts)
    above = {node.text: box(node)[0] for node in shapes(root, "above")}
    rome, oslo = spans(root).values()
    assert rome[1] == pytest.approx(oslo[0], abs=0.05)
    assert (oslo[1] - oslo[0]) / (rome[1] - rome[0]) == pytest.approx(730 / 366, abs=0.01)
    half = width("Jan", 10.5) / 2
    assert (above["2020"] + half, above["2021"] + half) == pytest.approx(rome, abs=0.05)


def test_stints_that_follow_each_other_share_a_lane() -> None:
    root = timeline(XIAO_LI, "小李")
    names = {node.text: float(node.get("y", "0")) for node in root.iter(f"{SVG}text") if node.get("class") == "name"}
    assert list(names) == ["C 公司", "A 公司", "B 公司"]
    assert len(set(names.values())) == 1
    assert texts(root).count("works at …") == 1


def test_dates_are_told_as_finely_as_they_were_stated() -> None:
    facts = [
        version("Ana", "LIKES", "tea", "2019", "2022", "stated"),
        version("Ana", "LIKES", "rye", "2024-03"),
        version("Ana", "LIKES", "rum"),
        version("Ana", "LIKES", "ale", None, "2020-02-03", "ended"),
        version("Ana", "LIKES", "gin", "2025-05-06T09:30:00", "2025-05-06T11:00:00", "stated"),
        version("Ana", "LIKES", "mead", "2030", planned=True),
    ]
    said = {"2019 to 2022", "since Mar 2024", "since unknown", "until 3 Feb 2020, since unknown", "planned, from 2030"}
    assert {*said, "6 May 2025 09:30 to 11:00"} <= set(texts(timeline(facts)))


def test_dates_and_axis_are_those_of_the_zone() -> None:
    facts = [version("Ana", "IS", "awake", "2026-11-30T20:00:00", "2026-11-30T23:30:00", "stated")]
    here = timeline(facts, zone=dt.timezone(dt.timedelta(hours=2)))
    assert "30 Nov 2026 22:00 to 1 Dec 2026 01:30" in texts(here)
    assert any("UTC+02:00" in text for text in texts(here))


def test_what_is_not_known_of_an_end_is_visible() -> None:
    facts = [version("Ana", "LIKES", "tea"), version("Ana", "LIKES", "rum", "2020-01-01", "2022-01-01", "ended")]
    corners = {said: bar.get("d", "").count("L") for said, bar in bars(timeline(facts)).items()}
    assert corners["Ana likes tea"] > 7  # torn on the left, a tip on the right
    assert corners["Ana likes rum"] == 3


def test_a_bound_known_to_the_year_fades_and_one_known_to_the_day_does_not() -> None:
    def fading(start: str) -> int:
        page = timeline_svg([version("Ana", "LIKES", "tea", start, "2026-01-01", "ended")], title="Ana", now=NOW)
        return page.count('fill="url(#tkgmem-begins)"')

    assert fading("2019") > fading("2019-01-01") == 0


@pytest.mark.parametrize(("cause", "beyond"), [("stated", False), ("ended", True), ("superseded", True)])
def test_a_stint_fades_within_its_last_year_and_what_was_ended_within_the_next(cause: str, beyond: bool) -> None:
    def right(end: str) -> float:
        facts = [version("Ana", "LIKES", "tea", "2019-01-01", end, cause), version("Ana", "LIKES", "rum", "2015-01-01")]
        return spans(timeline(facts))["Ana likes tea"][1]

    assert (right("2023") > right("2023-01-01") + 20) == beyond
    assert right("2023") >= right("2023-01-01")


@pytest.mark.parametrize(
    ("cause", "meaning"),
    [("ended", "someone said"), ("superseded", "gave way"), ("judged", "contradicted"), ("stated", None)],
)
def test_why_a_fact_ends_is_told_by_a_sign_and_its_key(cause: str, meaning: str | None) -> None:
    root = timeline([version("Ana", "LIKES", "tea", "2019-01-01", "2026-01-01", cause)])
    assert bool(shapes(root, "solid") or shapes(root, "sign")) == (meaning is not None)
    assert any(meaning in text for text in texts(root)) if meaning else not any("gave" in text for text in texts(root))


def test_a_plan_without_a_date_has_no_place_on_the_axis() -> None:
    root = timeline([*XIAO_LI, version("小李", "PLANS_TO", "sail", planned=True)], "小李")
    assert "planned, without a date" in " ".join(texts(root))
    assert [text for text in texts(root) if "sail" in text] == ["plans to sail"]
    assert set(spans(timeline(XIAO_LI, "小李")).items()) < set(spans(root).items())
    assert min(y for y in heights(bars(root)["小李 plans to sail"])) > max(heights(bars(root)["小李 works at B 公司"]))


def test_facts_at_whose_far_end_the_entity_is_have_a_lane_of_their_own() -> None:
    facts = [
        version("Ana", "REPORTS_TO", "Omar", "2020"),
        version("Zoe", "REPORTS_TO", "Ana", "2021"),
        version("Ana", "LIKES", "tea"),
    ]
    said = texts(timeline(facts))
    assert {"reports to …", "Omar", "Zoe"} <= set(said)
    assert "… reports to" in " ".join(said)


def test_the_picture_is_about_whom_most_facts_are_about() -> None:
    facts = [version("Zoe", "REPORTS_TO", "Ana", "2021"), version("Ana", "LIKES", "tea"), version("Ana", "LIKES", "rum")]
    assert "likes …" in texts(timeline(facts, "a nickname"))


def test_a_label_that_a_line_would_cross_has_a_ground_of_its_own() -> None:
    root = timeline([version("Ana", "LIKES", "tea of a hill", "2026-04-01"), version("Ana", "LIKES", "rum", "2019")])
    now = float(shapes(root, "now")[0].get("x1", "0"))
    crossed = [node for node in shapes(root, "name") if box(node)[0] < now < box(node)[2]]
    grounds = [group.find(f"{SVG}rect") for group in root.iter(f"{SVG}g") for node in group if node in crossed]
    assert [node.text for node in crossed] == ["tea of a hill"]
    assert None not in grounds


def test_an_old_date_does_not_squash_the_rest() -> None:
    old = version("Firm", "FOUNDED", "Society", "1850-01-01")
    facts = [
        version("Firm", "USES", "Oracle", "2024-01-01", "2025-01-01", "ended"),
        version("Firm", "USES", "SQLite", "2025-01-01"),
    ]
    root = timeline([old, *facts], "Firm")
    left, right = spans(root)["Firm uses Oracle"]
    assert right - left > 150
    assert shapes(root, "torn")
    assert not shapes(timeline(facts, "Firm"), "torn")


def test_what_was_asked_for_is_said_and_marked() -> None:
    root = timeline(
        XIAO_LI[1:2], "小李", valid_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC), known_at=dt.datetime(2026, 2, 2, tzinfo=dt.UTC)
    )
    assert "1 fact holding on 1 Jan 2025, as believed on 2 Feb 2026. Dates in UTC." in texts(root)
    assert "asked for 1 Jan 2025" in texts(root)
    assert len(shapes(root, "asked")) == 1


@pytest.mark.parametrize("draw", [timeline, history])
def test_a_picture_of_nothing_says_so(draw: Callable[..., ET.Element]) -> None:
    root = draw([])
    assert any(text.startswith(("No fact is known", "Nothing was ever believed")) for text in texts(root))
    assert float(root.get("height", "0")) < 120


# --- what a history shows ---

BELIEFS = [
    version("小李", "WORKS_AT", "A 公司", "2024-03-01", known="2024-03-05", until="2026-06-03"),
    version("小李", "WORKS_AT", "A 公司", "2024-03-01", "2026-06-01", "superseded", known="2026-06-03"),
    version("小李", "WORKS_AT", "B 公司", "2026-06-01", known="2026-06-03"),
    version("小李", "WORKS_AT", "C 公司", "2022-07-01", "2024-03-01", "superseded", known="2026-07-01"),
]


def test_each_change_of_belief_is_a_layer_from_the_oldest_down() -> None:
    root = history(BELIEFS, "小李")
    layers = [text for text in texts(root) if re.match(r"(to |since )?\d+ \w+ \d{4}$", text)]
    first = layers.index("5 Mar 2024")
    assert [text for text in layers[first:] if not text.startswith("since") or text == "since 1 Jul 2026"] == [
        "5 Mar 2024", "to 3 Jun 2026", "3 Jun 2026", "to 1 Jul 2026", "since 1 Jul 2026",
    ]  # fmt: skip
    assert [text for text in texts(root) if re.fullmatch(r"\d+ (new|changed)(, \d+ changed)?", text)] == [
        "1 new", "1 new, 1 changed", "1 new",
    ]  # fmt: skip


def test_what_changed_stands_out_and_the_rest_is_pale() -> None:
    root = history(BELIEFS, "小李")
    tones = [kind for node in shapes(root, "bar") for kind in node.get("class", "").split() if kind in {"fresh", "quiet"}]
    assert tones == ["fresh", "fresh", "fresh", "fresh", "quiet", "quiet", "fresh", "quiet"]  # the last two are the key
    assert len(shapes(root, "before")) == 2  # the old end of A, and the key
    assert "1 Mar 2024 to 1 Jun 2026, before: since 1 Mar 2024" in texts(root)


def test_what_is_as_before_stands_beside_what_changed_where_it_fits() -> None:
    lower = [node for node in shapes(history(BELIEFS, "小李"), "name") if node.text in {"works at C 公司", "works at B 公司"}]
    assert len({node.get("y") for node in lower[-2:]}) == 1


def test_of_many_that_are_as_before_the_nearest_are_shown() -> None:
    jobs = [version("Ana", "WORKS_AT", f"firm {year}", f"{year}", f"{year + 1}", "superseded") for year in range(2000, 2020)]
    last = version("Ana", "WORKS_AT", "the last firm", "2020", known="2026-02-01")
    said = [text for text in texts(history([*jobs, last])) if "2018" in text or "2001" in text]
    assert any(text.startswith("works at firm 2018,") for text in said)
    assert not any(text.startswith("works at firm 2001,") for text in said)


def test_changes_of_one_second_share_a_layer() -> None:
    at = "2026-01-01T10:00:00.00000"
    root = history([version("Ana", "LIKES", "tea", known=f"{at}1"), version("Ana", "LIKES", "rum", known=f"{at}2")])
    assert texts(root).count("believed") == 1
    assert "2 changes in one" in texts(root)


def test_what_is_no_longer_believed_is_struck_through() -> None:
    root = history([version("Ana", "LIVES_IN", "Rome", "2020", known="2024-01-01", until="2025-01-01")])
    struck = [node.text for node in shapes(root, "strike")]
    assert struck == ["lives in Rome"]
    assert "since 2020, no longer believed" in texts(root)


def test_the_time_of_a_belief_is_drawn_on_the_same_axis() -> None:
    root = history(BELIEFS, "小李")
    strips = [(float(node.get("x1", "0")), float(node.get("x2", "0"))) for node in shapes(root, "believed")][:-1]
    for (_, ended), (begun, _) in itertools.pairwise(strips):
        assert ended == begun
    assert strips[-1][1] == pytest.approx(float(shapes(root, "now")[0].get("x1", "0")))


def test_a_change_that_nobody_can_see_makes_no_layer() -> None:
    same = [
        version("Ana", "LIVES_IN", "Rome", "2020", known="2024-01-01", until="2025-01-01"),
        version("Ana", "LIVES_IN", "Rome", "2020", known="2025-01-01"),
    ]
    assert "since 1 Jan 2024" in texts(history(same))


def test_many_changes_of_belief_share_layers_and_none_is_lost() -> None:
    root = history(ENGLISH, "Maya")
    starts = [text for text in texts(root) if text == "believed"]
    assert 10 < len(starts) <= 60
    together = [int(match[1]) for text in texts(root) if (match := re.match(r"(\d+) changes in one", text))]
    assert sum(together) == 200
    new = [int(match[1]) for text in texts(root) if (match := re.match(r"(\d+) new", text))]
    assert sum(new) == 200
    hidden = [text for text in texts(root) if "more facts as before" in text]
    assert hidden


# --- any text, any number, any date ---


@pytest.mark.parametrize("draw", [timeline, history])
def test_a_users_text_is_never_markup(draw: Callable[..., ET.Element]) -> None:
    facts = [
        version(HOSTILE, f"LIKES_{HOSTILE}", "tea", "2020", fact=HOSTILE),
        version("Ana", "LIKES", HOSTILE, "2021", "2022", "judged"),
    ]
    root = draw(facts, HOSTILE)
    known = {"svg", "title", "desc", "style", "defs", "pattern", "linearGradient", "stop", "g", "rect", "line", "path", "text"}
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= known
    shown = "".join(texts(root) + hovers(root))
    assert "<script>alert(1)</script>" in shown
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", shown)


def test_marks_that_turn_the_direction_of_text_are_left_out_and_its_letters_stay() -> None:
    said = "".join(texts(timeline([version("Ana", "LIKES", "\u202eشاي\u2066", "2020")])))
    assert "شاي" in said
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", said)


def test_a_long_name_is_cut_and_whole_where_it_is_pointed_at() -> None:
    name = "The Society for the Advancement of Exceedingly Long Names " * 3
    root = timeline([version("Ana", "MEMBER_OF", name, "2020", "2021", "ended")])
    assert any(text.endswith("…") and text.startswith("The Society") for text in texts(root))
    assert any(name.strip() in hover for hover in hovers(root))
    assert_legible(root)


@pytest.mark.parametrize("draw", [timeline, history])
@pytest.mark.parametrize("facts", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_two_hundred_facts_stay_on_the_page_and_apart(draw: Callable[..., ET.Element], facts: list[Version]) -> None:
    root = draw(facts, facts[1].source.name)
    assert_legible(root)
    assert float(root.get("width", "0")) == 960
    if draw is timeline:
        assert sum(f"{version.target.name}" in " ".join(hovers(root)) for version in facts) == 200


def test_labels_of_the_axis_never_touch_even_across_a_break() -> None:
    first, last = (to_micros(dt.datetime(year, 1, 1, tzinfo=dt.UTC)) for year in (2000, 2010))
    far, end = (to_micros(dt.datetime(year, 1, 1, tzinfo=dt.UTC)) for year in (2050, 2060))
    found = ticks(Scale((Piece(first, last, 100, 600), Piece(far, end, 630, 1130))), dt.UTC)
    assert [tick.label for tick in found if tick.label in {"2009", "2010", "2050", "2051"}] == ["2009", "2010", "2051"]


def test_labels_of_the_axis_stay_on_the_page() -> None:
    found = ticks(Scale((Piece(0, 10_000_000, 164, 936),)), dt.UTC)
    assert found[0].x == 164
    assert all(tick.x + width(tick.label, 10.5) / 2 <= 960 for tick in found)


def test_a_history_can_hold_a_plan_without_a_date() -> None:
    root = history([version("Ana", "PLANS_TO", "sail", planned=True, known="2024-01-01", until="2025-01-01")])
    assert {"plans to sail", "planned, without a date, new", "planned, without a date, no longer believed"} <= set(texts(root))
    assert_legible(root)


@pytest.mark.parametrize("hours", [-12, 0, 14])
@pytest.mark.parametrize("draw", [timeline, history])
def test_the_ends_of_the_calendar_can_be_drawn(draw: Callable[..., ET.Element], hours: int) -> None:
    facts = [
        version("Ana", "LIKES", "Rome", "0001", "0001-02", "stated"),
        version("Ana", "PLANS_TO", "rest", "9999-12-31", planned=True),
    ]
    assert_legible(draw(facts, zone=dt.timezone(dt.timedelta(hours=hours))))


names = st.sampled_from(["Ana", "小李的广州图书馆", "x", "", "MMMMMM WWWWWW", "é" * 40, "\u202e", "ｗｉｄｅ", "👩‍🚀 crew"])
minutes = st.integers(0, 599).map(lambda second: f"2024-01-01T00:{second // 60:02}:{second % 60:02}")
days = st.none() | st.dates().map(str) | st.dates(dt.date(2024, 1, 1), dt.date(2024, 2, 1)).map(str) | minutes


@st.composite
def facts(draw: st.DrawFn) -> Version:
    start, end = draw(days), draw(days)
    if start is not None and end is not None and end <= start:
        end = None
    known = draw(st.dates(dt.date(2024, 1, 1), dt.date(2024, 3, 1)))
    until = draw(st.none() | st.integers(1, 40).map(lambda more: (known + dt.timedelta(more)).isoformat()))
    cause = draw(st.sampled_from([None, "stated", "ended", "superseded", "judged"])) if end else None
    relation, target, planned = draw(names) or "LIKES", draw(names), draw(st.booleans())
    return version("Ana", relation, target, start, end, cause, known=known.isoformat(), until=until, planned=planned)


@settings(max_examples=15)
@given(st.lists(facts(), min_size=1, max_size=8))
def test_any_facts_make_a_legible_picture(found: list[Version]) -> None:
    assert_legible(timeline(found))
    assert_legible(history(found))


# --- the file ---

PAGES = [timeline_svg(ENGLISH[:40], title="Maya", now=NOW), history_svg(ENGLISH[:40], title="Maya", now=NOW)]


def test_the_same_facts_give_the_same_bytes() -> None:
    some = ENGLISH[:30]
    assert timeline_svg(some, title="Maya", now=NOW) == timeline_svg(list(some), title="Maya", now=NOW)
    assert history_svg(some, title="Maya", now=NOW) == history_svg(list(some), title="Maya", now=NOW)


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_needs_nothing_from_elsewhere(page: str) -> None:
    assert "href" not in page
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) <= {"#"}
    assert re.findall(r"https?://[^\"]*", page) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize("page", PAGES)
def test_every_colour_has_its_counterpart_in_the_dark(page: str) -> None:
    root = ET.fromstring(page)
    sheet = root.find(f"{SVG}style").text
    light, dark = sheet.split("@media screen and (prefers-color-scheme:dark){")
    used = {kind for node in root.iter() for kind in node.get("class", "").split()} - {"tkgmem", "bar", "dashed"}
    for kind in used:
        assert f".{kind}" in light, kind
        coloured = re.search(rf"\.{kind}\{{[^}}]*#", light)
        assert not coloured or f".{kind}{{" in dark, kind
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"


# --- the command line ---

Run = Callable[..., Result]


@pytest.fixture
def run(path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(8)))
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        memory.add_fact("小李", "WORKS_AT", "A 公司", valid_at="2024-03-01")
        memory.add_fact("小李", "WORKS_AT", "B 公司", valid_at="2026-06-01")
    return lambda *args: CliRunner().invoke(main, ["--db", str(path), *args])


@pytest.mark.parametrize("verb", ["timeline", "history"])
def test_the_command_line_draws_into_a_new_file(run: Run, tmp_path: Path, verb: str) -> None:
    place = tmp_path / "picture.svg"
    done = run(verb, "小李", "--svg", str(place))
    assert (done.exit_code, done.stdout) == (0, "")
    assert str(place) in done.stderr
    assert any("A 公司" in text for text in texts(ET.fromstring(place.read_text("utf-8"))))
    assert sorted(file.name for file in tmp_path.iterdir() if "tkgmem" in file.name or file.suffix == ".svg") == ["picture.svg"]


def test_a_picture_never_takes_the_place_of_a_file(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "picture.svg"
    place.write_text("mine")
    done = run("timeline", "小李", "--svg", str(place))
    assert done.exit_code == 4
    assert "is there already" in done.stderr
    assert place.read_text() == "mine"


def test_a_picture_can_go_to_standard_output_in_the_asked_zone(run: Run) -> None:
    asked = ("--valid-at", "2026-09-01", "--known-at", "2027-01-01")
    done = run("--tz", "Asia/Shanghai", "timeline", "小李", *asked, "--svg", "-")
    assert done.exit_code == 0
    said = texts(ET.fromstring(done.stdout))
    assert "since 1 Jun 2026 08:00" in said
    assert "1 fact holding on 1 Sep 2026, as believed on 1 Jan 2027. Dates in Asia/Shanghai." in said
    assert run("--json", "timeline", "小李", "--svg", "-").exit_code == 2


def test_the_history_of_a_uuid_is_titled_in_words(run: Run, path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(8), read_only=True) as memory:
        fact = memory.history("小李")[0].uuid
    done = run("history", fact, "--svg", "-")
    assert "小李 works at A 公司: what was believed when" in texts(ET.fromstring(done.stdout))
    assert fact not in done.stdout
