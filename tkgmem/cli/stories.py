"""The two stories of the demo, as data: what was told when, and what is asked afterwards.

Nothing here is an answer. Every date is midnight UTC; the facts are read from the sentences as any text would be.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Correction:
    """What a telling corrects: the fact of this triple that holds at `at` gets another start."""

    source: str
    relation: str
    target: str
    at: str
    valid_at: str


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence and the day on which the memory hears it. gloss: the same in English."""

    day: str
    text: str
    speaker: str | None = None
    gloss: str | None = None
    correction: Correction | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of what was believed of one relation: valid time across from `first` to `last`, with these dates marked."""

    title: str
    source: str
    relation: str
    first: str
    last: str
    marks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A dated question. known_at: as the memory would have answered on that day."""

    words: str
    valid_at: str
    source: str
    relation: str
    known_at: str | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """A story with its pictures and its questions."""

    title: str
    tellings: tuple[Telling, ...]
    charts: tuple[Chart, ...]
    questions: tuple[Question, ...]


def _years(first: int, last: int) -> tuple[tuple[str, str], ...]:
    return tuple((f"{year}-01-01", str(year)) for year in range(first, last + 1))


XIAO_LI = Story(
    title="小李's jobs, in Chinese",
    tellings=(
        Telling("2024-03-05", "小李从 2024 年 3 月 1 日起在 A 公司工作。", gloss="works at company A since 1 March 2024"),
        Telling("2026-06-03", "小李 6 月 1 日跳槽到 B 公司。", gloss="changed to company B on 1 June"),
        Telling("2026-07-01", "小李 2022 年 7 月起在 C 公司实习。", gloss="was an intern at C from July 2022"),
        Telling("2026-10-02", "小李 2026 年 9 月从 B 公司离职。", gloss="left B in September 2026"),
    ),
    charts=(Chart("Where 小李 works", "小李", "WORKS_AT", "2022-01-01", "2027-01-01", _years(2022, 2026)),),
    questions=(
        Question("Where did 小李 work on 1 January 2023?", "2023-01-01", "小李", "WORKS_AT"),
        Question("And what was known of that on 15 June 2026?", "2023-01-01", "小李", "WORKS_AT", "2026-06-15"),
        Question("Where did 小李 work on 1 January 2025?", "2025-01-01", "小李", "WORKS_AT"),
        Question("On 2 June 2026 itself, where was 小李 thought to work?", "2026-06-02", "小李", "WORKS_AT", "2026-06-02"),
        Question("Where did 小李 work on 1 August 2026?", "2026-08-01", "小李", "WORKS_AT"),
        Question("And on 1 October 2026?", "2026-10-01", "小李", "WORKS_AT"),
    ),
)

MAYA = Story(
    title="Maya's job, her home, and a ticket that changes hands",
    tellings=(
        Telling("2025-01-10", "I have worked at Northwind since January 2024.", "Maya"),
        Telling("2025-01-11", "I moved to Lisbon in March 2023.", "Maya"),
        Telling("2025-06-03", "Ticket T-41 was assigned to Maya yesterday."),
        Telling("2025-06-09", "Ticket T-41 was reassigned to Omar on Friday."),
        Telling("2025-09-01", "I joined Contoso in August.", "Maya"),
        Telling("2025-10-15", "I lived in Porto from 2019 to 2021.", "Maya"),
        Telling(
            "2025-11-03",
            "Correction: Omar took over T-41 on 5 June already.",
            correction=Correction("T-41", "ASSIGNED_TO", "Omar", at="2025-06-06", valid_at="2025-06-05"),
        ),
    ),
    charts=(
        Chart("Where Maya works", "Maya", "WORKS_AT", "2023-07-01", "2026-07-01", _years(2024, 2026)),
        Chart("Where Maya lives", "Maya", "LIVES_IN", "2019-01-01", "2026-07-01", _years(2019, 2026)),
        Chart(
            "Who has ticket T-41",
            "T-41",
            "ASSIGNED_TO",
            "2025-06-01",
            "2025-06-11",
            tuple((f"2025-06-{day:02}", f"{day} June" if day == 1 else f"{day}") for day in range(1, 11)),
        ),
    ),
    questions=(
        Question("Where did Maya work on 1 March 2025?", "2025-03-01", "Maya", "WORKS_AT"),
        Question("Where did she work on 1 October 2025?", "2025-10-01", "Maya", "WORKS_AT"),
        Question("Where did she live in the summer of 2020?", "2020-07-01", "Maya", "LIVES_IN"),
        Question("And what was known of that on 1 September 2025?", "2020-07-01", "Maya", "LIVES_IN", "2025-09-01"),
        Question("Who had ticket T-41 on 5 June 2025?", "2025-06-05", "T-41", "ASSIGNED_TO"),
        Question("And who was thought to, before the correction?", "2025-06-05", "T-41", "ASSIGNED_TO", "2025-11-01"),
    ),
)

STORIES = (XIAO_LI, MAYA)
