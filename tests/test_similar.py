"""Names that may be merged without asking, names that are worth asking about, and names that are two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkgmem.ingest.similar import compare
from tkgmem.ingest.similar.parts import take_apart
from tkgmem.store.names import name_key

PIECES = """Ines Duarte Sergei Sergey Lavrov Dr. Mr. Mrs. Ltd GmbH II IV 41 42 Bay Jr Sr. A. al- bin & Bank 李 明 公司 小 老师
C++ Müller Илья of , ."""
WORDS = st.sampled_from(PIECES.split())
NAMES = st.text(min_size=1, max_size=30) | st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


def check(verdict: str, *pairs: tuple[str, str]) -> None:
    for first, second in pairs:
        assert (first, second, compare(first, second)) == (first, second, verdict)
        assert (second, first, compare(second, first)) == (second, first, verdict)


def test_an_exact_name_is_the_same_however_short() -> None:
    check("same", ("DQF", "dqf"), ("DQF", "ＤＱＦ"), ("李明", "李 明"), ("김민준", "김 민준"), ("", " "))


@pytest.mark.parametrize("spaced", ["Planner ", "Planner\u00a0", "\tplanner", "\u200bPlanner"])
def test_white_space_around_a_name_makes_no_second_one(spaced: str) -> None:
    check("same", ("Planner", spaced))


def test_names_that_differ_in_a_number_are_two() -> None:
    check("different", ("Bay 41", "Bay 42"), ("KX700", "KX701"), ("2031 plan", "2032 plan"), ("Mark II", "Mark III"))
    check("different", ("Henry VIII Society", "Henry VII Society"), ("First Street Church", "Second Street Church"))
    check(
        "different",
        ("Route 4 Stage 5", "Route 5 Stage 4"),
        ("Bay 4 1", "Bay 41"),
        ("3号会议室", "4号会议室"),
        ("Vitamin B6", "Vitamin B12"),
    )
    check("different", ("Release 1.2.3", "Release 123"), ("Release 3.5", "Release 35"))
    check("different", ("Plan A", "Plan B"), ("Building C", "Building D"), ("Model S Owners Club", "Model X Owners Club"))


def test_a_number_is_one_number_however_it_is_written() -> None:
    check("same", ("Mark II", "Mark 2"), ("Brigade Forty-Four", "Brigade 44"), ("2nd Street", "Second Street"))


def test_a_number_that_one_name_lacks_is_asked_about() -> None:
    check("maybe", ("2031 plan", "plan"), ("Solutions of Ashfield II", "Solutions of Ashfield"))


def test_legal_forms_are_one_in_every_spelling() -> None:
    check(
        "same", ("Volkswagen Gesellschaft mit beschränkter Haftung", "Volkswagen GmbH"), ("Vodafone Limited", "VODAFONE LTD.")
    )
    check("same", ("Ashfield p.l.c.", "Ashfield plc"), ("Rada Sp. z o.o.", "Rada spółka z ograniczoną odpowiedzialnością"))
    check(
        "same",
        ("OOO Severny Bereg", "ООО «Северный Берег»"),
        ("Hon Hai Precision Industry Co., Ltd.", "Hon Hai Precision Industry Co Ltd"),
    )
    check("same", ("SiemensAG", "Siemens AG"), ("Fern Robotics", "Fern Robotics, Inc."), ("阿里巴巴集团", "阿里巴巴"))


def test_two_legal_forms_are_two_bodies_unless_someone_knows_better() -> None:
    check("maybe", ("Ashfield Inc", "Ashfield Ltd"), ("Iskusstvo Krasoty LLC", "ANO Iskusstvo Krasoty"))


def test_a_legal_form_on_a_bare_name_is_asked_about() -> None:
    check("maybe", ("Duarte", "Duarte Inc."), ("Nicolas Duarte", "Nicolas Duarte LLC"), ("腾讯", "腾讯公司"))
    check("different", ("A 公司", "B 公司"), ("L.X.C. Aviation", "LAU Aviation"))


def test_titles_do_not_count_beside_a_full_name() -> None:
    check(
        "same",
        ("Dr. Ines Duarte", "Ines Duarte"),
        ("Präsident Kwame Mensah", "President Kwame Mensah"),
        ("王建国老师", "王建国"),
    )
    check("same", ("Ms. Duarte", "Miss Duarte"), ("Duarte, Ines, PhD", "Ines Duarte"), ("Dr. DUARTE, Ines", "Ines Duarte"))


def test_a_part_of_a_name_is_asked_about_and_never_merged() -> None:
    check(
        "maybe", ("Duarte", "Ines Duarte"), ("Ms. Duarte", "Ines Duarte"), ("Ms. Duarte", "Duarte"), ("J. Smith", "John Smith")
    )
    check(
        "maybe",
        ("Ines", "Ines Duarte"),
        ("Ana Lopez", "Ana Maria Lopez"),
        ("Ashfield Systems Ltd", "Ashfield Ltd"),
        ("晓薇", "于晓薇"),
    )
    check("maybe", ("陈教授", "陈建国"), ("阿伟", "郭俊伟"), ("小李", "李明"), ("田中さん", "田中"), ("北大", "北京大学"))


def test_initials_stand_for_names_and_contradict_others() -> None:
    check("same", ("Ali A. Velayati", "Ali Akbar Velayati"), ("John Q. Smith", "John Smith"), ("J.P. Morgan", "JP Morgan"))
    check(
        "different",
        ("Boyko Borisov", "Ashfield B & B Hotels"),
        ("William G. Frost", "William W. Frost"),
        ("Hans O. Friedrich", "Hans Joachim Friedrich"),
    )


def test_order_and_repetition_do_not_count_where_the_family_name_shows() -> None:
    check(
        "same",
        ("SHOIGU, Sergey", "Sergey Shoigu"),
        ("SHOIGU Sergey", "Sergey Shoigu"),
        ("Sergey Sergey Shoigu", "Sergey Shoigu"),
    )
    check("same", ("Frost, William W.", "William W Frost"))
    check("maybe", ("Friedrich Hans", "Hans Friedrich"), ("Li Wei", "Wei Li"))


def test_spellings_in_latin_letters_are_one() -> None:
    check(
        "same", ("Moammar Qaddafi", "Muammar Gaddafi"), ("Osama bin Laden", "Usama ibn Laden"), ("Hans Müller", "Hans Mueller")
    )
    check(
        "same",
        ("Сергей Лавров", "Sergey Lavrov"),
        ("Γιώργος Παπαδόπουλος", "Giorgos Papadopoulos"),
        ("Bashar al-Assad", "Bashar Assad"),
    )
    check("same", ("Volodymyr Zelenskyy", "Volodymyr Zelenskiy"), ("Vladimir Putin", "Vladimir Vladimirovich Putin"))


def test_marks_count_in_names_with_little_else() -> None:
    check("same", ("Inês Duarte", "Ines Duarte"), ("São Paulo", "Sao Paulo"), ("Jean-Pierre Dupont", "Jean Pierre Dupont"))
    check("maybe", ("Zaneta", "Żaneta"), ("Müller", "Muller"))


def test_short_forms_of_given_names_need_the_family_name_and_one_reading() -> None:
    check("same", ("Ben Netanyahu", "Benjamin Netanyahu"), ("Kate Winslow", "Katherine Winslow"))
    check("maybe", ("Chris Young", "Christopher Young"), ("Bill Smith", "Will Smith"))
    check("maybe", ("Tom", "Thomas"), ("Sam", "Samuel Okafor"), ("Дима", "Dmitry Petrov"))
    check("different", ("Tom", "Tim"), ("Frank Richter", "Frederik Richter"))


def test_a_slip_of_the_pen_is_forgiven_in_long_names_only() -> None:
    check(
        "same",
        ("Donlad Trump", "Donald Trump"),
        ("Emanuel Macron", "Emmanuel Macron"),
        ("Friedrich Lindenburg", "Friedrich Lindenberg"),
    )
    check("same", ("Shamil Magomedovich Ismagilov", "Shamil Magomedovich Ismailov"), ("Harbour College", "Harbor College"))
    check(
        "maybe",
        ("Tim Cock", "Tim Cook"),
        ("Anna Ivanov", "Anna Ivanova"),
        ("Lunch Team", "Launch Team"),
        ("Hans Müller", "Hans Möller"),
    )


def test_another_given_name_or_patronymic_is_another_person() -> None:
    check(
        "different",
        ("Mikhail Petrov", "Mikhaila Petrov"),
        ("Christian Weber", "Christina Weber"),
        ("Marta Lopez", "Maria Lopez"),
    )
    check(
        "different",
        ("Rustam Ibrahimovich Aselderov", "Rustam Magomedovich Aselderov"),
        ("Halla Jónsdóttir", "Halla Tómasdóttir"),
    )
    check("different", ("Barack Obama", "Michelle Obama"), ("Larry Page", "Harry Page"))


def test_generations_and_forms_of_address_contradict() -> None:
    check("different", ("John Smith Jr.", "John Smith, Sr."), ("Mr. Duarte", "Mrs. Duarte"))
    check("maybe", ("John Smith Jr.", "John Smith"))


def test_one_other_character_is_another_name_where_a_character_is_a_word() -> None:
    check(
        "different",
        ("李明", "李鸣"),
        ("김민준", "김민중"),
        ("王建国", "王建军"),
        ("Li Xiaoming", "Li Xiaoling"),
        ("สมชาย", "สมหมาย"),
    )
    check("same", ("張偉", "张伟"), ("李明", "李 明"))


def test_signs_count() -> None:
    check("different", ("C", "C++"), ("C#", "C++"), ("Team 🚀", "Team 🌟"))
    check(
        "same",
        ("Node.js", "NodeJS"),
        ("Johnson & Johnson", "Johnson and Johnson"),
        ("The World Bank", "World Bank"),
        ("A.B.C. Aviation", "ABC Aviation"),
    )


def test_an_acronym_is_asked_about() -> None:
    check("maybe", ("IBM", "International Business Machines"), ("W.H.O.", "World Health Organization"))
    check("different", ("UK", "Ukraine"))


def test_a_known_kind_decides_what_words_mean() -> None:
    assert compare("腾讯科技", "腾讯科技公司", kind="Organization") == "same"
    assert compare("Ashby Valentin", "Ashby J. Valentin", kind="person") == "same"
    assert compare("Ashby Hartmann", "Ashby Hartmonn", kind="Person") == "same"
    assert compare("Ashby Hartmann", "Ashby Hartmonn", kind="building") == "maybe"


@given(NAMES, NAMES, st.sampled_from([None, "person", "organization", "thing"]))
def test_comparing_never_fails_and_does_not_depend_on_the_order(first: str, second: str, kind: str | None) -> None:
    verdict = compare(first, second, kind=kind)
    assert verdict == compare(second, first, kind=kind)
    if name_key(first) == name_key(second):
        assert verdict == "same"
    elif (one := take_apart(first).numbers) != (two := take_apart(second).numbers):
        assert verdict == "different" if one and two else verdict != "same"


@given(st.text("ABCDEFGHILMNORST", min_size=1, max_size=7), st.text("ABCDEFGHILMNORST", min_size=1, max_size=7))
def test_short_single_names_are_merged_by_their_exact_letters_only(first: str, second: str) -> None:
    if name_key(first) != name_key(second):
        assert compare(first, second) != "same"


@given(st.text("李王明鸣伟建国小老张陈", min_size=1, max_size=5), st.text("李王明鸣伟建国小老张陈", min_size=1, max_size=5))
def test_names_of_characters_are_merged_by_their_exact_characters_only(first: str, second: str) -> None:
    assert (compare(first, second) == "same") == (first == second)
