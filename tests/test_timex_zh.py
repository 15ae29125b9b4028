"""Chinese time expressions: what words cover, how finely, and what only looks like a date."""

from __future__ import annotations

import datetime as dt
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import jionlp
from tkgmem.temporal.period import to_datetime
from tkgmem.temporal.timex import Prefer, TimeExpression, find
from tkgmem.temporal.timex.zh import lunar

BEIJING = dt.timezone(dt.timedelta(hours=8))
TOLD = dt.datetime(2025, 10, 15, 14, 30, tzinfo=BEIJING)
"""A Wednesday."""


def local(micros: int | None) -> str:
    """An instant in Beijing; without the time at midnight."""
    return "" if micros is None else to_datetime(micros).astimezone(BEIJING).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


def shown(found: TimeExpression) -> tuple[str, str, str, str]:
    return local(found.period.start), local(found.period.end), found.precision, found.role


def only(text: str, *, prefer: Prefer = "past", reference: dt.datetime = TOLD) -> tuple[str, str, str, str]:
    [found] = find(text, reference, prefer=prefer)
    return shown(found)


@pytest.mark.parametrize(
    ("text", "start", "end", "precision"),
    [
        ("十九世纪", "1800-01-01", "1900-01-01", "year"),
        ("上世纪80年代", "1980-01-01", "1990-01-01", "year"),
        ("二十世纪九十年代初", "1990-01-01", "1993-01-01", "year"),
        ("00年代", "2000-01-01", "2010-01-01", "year"),
        ("民国三十八年", "1949-01-01", "1950-01-01", "year"),
        ("光绪元年", "1875-01-01", "1876-01-01", "year"),
        ("零八年", "2008-01-01", "2009-01-01", "year"),
        ("98年4月", "1998-04-01", "1998-05-01", "month"),
        ("大前年", "2022-01-01", "2023-01-01", "year"),
        ("今明两年", "2025-01-01", "2027-01-01", "year"),
        ("去年上半年", "2024-01-01", "2024-07-01", "month"),
        ("2019年第三季度", "2019-07-01", "2019-10-01", "month"),
        ("今年前三季度", "2025-01-01", "2025-10-01", "month"),
        ("上个季度", "2025-07-01", "2025-10-01", "month"),
        ("去年年底", "2024-11-01", "2025-01-01", "month"),
        ("明年初", "2026-01-01", "2026-03-01", "month"),
        ("去年暑假", "2024-07-01", "2024-09-01", "month"),
        ("去年夏天", "2024-06-01", "2024-09-01", "month"),
        ("去年的前10天", "2024-01-01", "2024-01-11", "day"),
        ("2022年前十一个月", "2022-01-01", "2022-12-01", "month"),
        ("2021年的最后4个月", "2021-09-01", "2022-01-01", "month"),
        ("2021年的第三个月", "2021-03-01", "2021-04-01", "month"),
    ],
)
def test_years_and_their_parts(text: str, start: str, end: str, precision: str) -> None:
    assert only(text) == (start, end, precision, "point")


@pytest.mark.parametrize(
    ("text", "start", "end", "precision"),
    [
        ("去年3月5号", "2024-03-05", "2024-03-06", "day"),
        ("十月31", "2024-10-31", "2024-11-01", "day"),
        ("上上个月", "2025-08-01", "2025-09-01", "month"),
        ("下个月9号", "2025-11-09", "2025-11-10", "day"),
        ("29日", "2025-09-29", "2025-09-30", "day"),
        ("6月上旬", "2025-06-01", "2025-06-11", "day"),
        ("2018年10月底", "2018-10-25", "2018-11-01", "day"),
        ("月初", "2025-10-01", "2025-10-06", "day"),
        ("本月第2周", "2025-10-13", "2025-10-20", "day"),
        ("八月份的第一个周二", "2025-08-05", "2025-08-06", "day"),
        ("四月的最后一个星期一", "2025-04-28", "2025-04-29", "day"),
        ("2021年第52周", "2021-12-27", "2022-01-03", "day"),
        ("上上周", "2025-09-29", "2025-10-06", "day"),
        ("下下下周一", "2025-11-03", "2025-11-04", "day"),
        ("上周周六", "2025-10-11", "2025-10-12", "day"),
        ("这周末", "2025-10-18", "2025-10-20", "day"),
        ("礼拜一", "2025-10-13", "2025-10-14", "day"),
        ("週三", "2025-10-15", "2025-10-16", "day"),
        ("大前天", "2025-10-12", "2025-10-13", "day"),
        ("大大后天", "2025-10-19", "2025-10-20", "day"),
        ("明后天", "2025-10-16", "2025-10-18", "day"),
        ("去年今天", "2024-10-15", "2024-10-16", "day"),
        ("周末晚上八点", "2025-10-18", "2025-10-20", "day"),
        ("2019.9.6号", "2019-09-06", "2019-09-07", "day"),
        ("20240307号文件", "2024-03-07", "2024-03-08", "day"),
    ],
)
def test_months_weeks_and_days(text: str, start: str, end: str, precision: str) -> None:
    assert only(text) == (start, end, precision, "point")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("1991年农历8月23号", "1991-09-30", "1991-10-01"),
        ("二零一二年农历正月十五", "2012-02-06", "2012-02-07"),
        ("2020年闰四月", "2020-05-23", "2020-06-21"),
        ("去年腊月", "2024-12-31", "2025-01-29"),
        ("去年五月初五", "2024-06-10", "2024-06-11"),
        ("去年十一月廿九", "2024-12-29", "2024-12-30"),
        ("2023年大年三十", "2024-02-09", "2024-02-10"),
        ("大年初三", "2025-01-31", "2025-02-01"),
        ("春节", "2025-01-29", "2025-01-30"),
        ("中秋节", "2025-10-06", "2025-10-07"),
        ("去年端午", "2024-06-10", "2024-06-11"),
        ("国庆", "2025-10-01", "2025-10-02"),
        ("五一", "2025-05-01", "2025-05-02"),
        ("去年十一", "2024-10-01", "2024-10-02"),
        ("元旦前一天", "2024-12-31", "2025-01-01"),
        ("2021年母亲节", "2021-05-09", "2021-05-10"),
        ("2019年感恩节", "2019-11-28", "2019-11-29"),
        ("2024年冬至", "2024-12-21", "2024-12-22"),
        ("2017年大寒", "2018-01-20", "2018-01-21"),
        ("清明那天", "2025-04-04", "2025-04-05"),
    ],
)
def test_the_lunar_calendar_and_the_festivals(text: str, start: str, end: str) -> None:
    assert only(text)[:2] == (start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("今天下午三点", "2025-10-15 15:00", "2025-10-15 16:00"),
        ("昨晚8时35分", "2025-10-14 20:35", "2025-10-14 20:36"),
        ("今早八点一刻", "2025-10-15 08:15", "2025-10-15 08:16"),
        ("上周六中午12点", "2025-10-11 12:00", "2025-10-11 13:00"),
        ("明天晚上十二点", "2025-10-17", "2025-10-17 01:00"),
        ("前天半夜1点", "2025-10-13 01:00", "2025-10-13 02:00"),
        ("5月30号12:37", "2025-05-30 12:37", "2025-05-30 12:38"),
        ("昨天九点零九", "2025-10-14 09:09", "2025-10-14 09:10"),
        ("明天下午七八点", "2025-10-16 19:00", "2025-10-16 21:00"),
        ("三天前下午3点", "2025-10-12 15:00", "2025-10-12 16:00"),
        ("3月11日(周二)：下午15:30", "2025-03-11 15:30", "2025-03-11 15:31"),
        ("昨天上午", "2025-10-14 07:00", "2025-10-14 12:00"),
        ("明天周四晚上", "2025-10-16 18:00", "2025-10-17"),
        ("十一点半", "2025-10-15 11:30", "2025-10-15 11:31"),
    ],
)
def test_times_of_day(text: str, start: str, end: str) -> None:
    assert only(text) == (start, end, "time", "point")


def test_a_part_of_a_day_is_that_day_where_parts_are_not_asked_for() -> None:
    [found] = find("昨天晚上去了苏州", TOLD, parts_of_day=False)
    assert shown(found) == ("2025-10-14", "2025-10-15", "day", "point")


@pytest.mark.parametrize(
    ("text", "start", "end", "precision", "role"),
    [
        ("半年前", "2025-04-01", "2025-05-01", "month", "point"),
        ("一年半以前", "2024-04-01", "2024-05-01", "month", "point"),
        ("3个月后", "2026-01-01", "2026-02-01", "month", "point"),
        ("5周后", "2025-11-19", "2025-11-20", "day", "point"),
        ("5个工作日后", "2025-10-22", "2025-10-23", "day", "point"),
        ("2小时前", "2025-10-15 12:30", "2025-10-15 13:30", "time", "point"),
        ("半小时后", "2025-10-15 15:00", "2025-10-15 16:00", "time", "point"),
        ("两三天前", "2025-10-12", "2025-10-14", "day", "point"),
        ("三五年内", "2025-10-15 14:30", "2031-01-01", "year", "range"),
        ("十几年前", "2005-01-01", "2016-01-01", "year", "point"),
        ("三年来", "2022-01-01", "", "year", "since"),
        ("三个多月以来", "2025-07-01", "", "month", "since"),
        ("近三个月", "2025-07-15", "", "month", "since"),
        ("最近两周", "2025-10-01", "", "day", "since"),
        ("过去两周", "2025-10-01", "2025-10-15 14:30", "day", "range"),
        ("未来五天", "2025-10-15 14:30", "2025-10-20", "day", "range"),
        ("60日内", "2025-10-15 14:30", "2025-12-15", "day", "range"),
    ],
)
def test_counted_spans(text: str, start: str, end: str, precision: str, role: str) -> None:
    assert only(text) == (start, end, precision, role)


@pytest.mark.parametrize(
    ("text", "start", "end", "role"),
    [
        ("2017年8月11日至8月22日", "2017-08-11", "2017-08-23", "range"),
        ("2016年一月十日到十二日", "2016-01-10", "2016-01-13", "range"),
        ("2019年4月12-19日", "2019-04-12", "2019-04-20", "range"),
        ("2018年2——4月", "2018-02-01", "2018-05-01", "range"),
        ("1985到89年9月", "1985-01-01", "1989-10-01", "range"),
        ("2015年和2018年之间", "2015-01-01", "2019-01-01", "range"),
        ("去年11月到今年3月", "2024-11-01", "2025-04-01", "range"),
        ("11月到3月", "2024-11-01", "2025-04-01", "range"),
        ("2019年感恩节到2021年母亲节", "2019-11-28", "2021-05-10", "range"),
        ("4月12日（周六）-13日（周日）", "2025-04-12", "2025-04-14", "range"),
        ("今天下午1点到3点十分", "2025-10-15 13:00", "2025-10-15 15:11", "range"),
        ("大前天晚上9~11点", "2025-10-12 21:00", "2025-10-12 23:00", "range"),
        ("9~12点半", "2025-10-15 09:00", "2025-10-15 12:31", "range"),
        ("13:20~次日05:40", "2025-10-15 13:20", "2025-10-16 05:41", "range"),
        ("自2020-05-26起至2020-05-29止", "2020-05-26", "2020-05-30", "range"),
        ("从去年9月起", "2024-09-01", "", "since"),
        ("2001年至今", "2001-01-01", "", "since"),
        ("去年到现在", "2024-01-01", "", "since"),
        ("2019年8月6日或之后", "2019-08-06", "", "since"),
        ("2018年之后", "2019-01-01", "", "since"),
        ("今晚八点以后", "2025-10-15 20:00", "", "since"),
        ("2019年4月5日或之前", "", "2019-04-06", "until"),
        ("2015年前", "", "2015-01-01", "until"),
        ("年底前", "", "2025-01-01", "until"),
        ("截至昨天", "", "2025-10-15", "until"),
    ],
)
def test_ranges_and_open_sides(text: str, start: str, end: str, role: str) -> None:
    found = only(text)
    assert (*found[:2], found[3]) == (start, end, role)


@pytest.mark.parametrize(
    ("prefer", "text", "start"),
    [
        ("past", "10月20日", "2024-10-20"),
        ("same_year", "10月8日", "2025-10-08"),
        ("future", "10月8日", "2026-10-08"),
        ("past", "2月29日", "2024-02-29"),
        ("future", "2月29日", "2028-02-29"),
        ("past", "周五", "2025-10-10"),
        ("same_year", "周五", "2025-10-17"),
        ("future", "周三", "2025-10-22"),
        ("future", "春节", "2026-02-17"),
        ("future", "29日", "2025-10-29"),
        ("future", "下午2点", "2025-10-16 14:00"),
        ("same_year", "二月十五", "2025-03-14"),
    ],
)
def test_words_without_a_year_follow_the_preference(prefer: Prefer, text: str, start: str) -> None:
    assert only(text, prefer=prefer)[0] == start


def test_days_in_a_list_share_their_month() -> None:
    assert [shown(found)[0] for found in find("9月10号，11号，12号", TOLD)] == ["2025-09-10", "2025-09-11", "2025-09-12"]


@pytest.mark.parametrize(
    "text",
    [
        "一点也不好吃", "有点冷", "早点睡", "差点忘了", "一天到晚忙", "想了半天", "两点意见", "三点建议", "十分高兴",
        "一下子", "三星手机", "五一劳动奖章", "五一路", "六一堂", "3号楼", "坐5号线", "三号车间", "3号会议室", "2.5万元",
        "涨了3.12%", "升高10点五度", "二十点六", "零点五", "每周三", "每月4号", "每天晚上8点到9点", "每年9月到11月",
        "一周三次", "7日游", "24小时营业", "90后", "工作了15年", "三天两头", "五月天演唱会", "十月怀胎", "谷雨眠",
        "芮小满", "下大雪", "喜欢夏天", "早上好", "喝早茶", "当前天气", "吃元宵", "百年老店", "订单CZ20251122",
        "提前30分钟", "10分钟前臂训练", "2019年2月29日", "平时", "2022年款", "周一鸣", "马上一年半", "财税36号文", "一日三餐",
        "三年级", "前三名", "第一年", "几天",
    ],
)  # fmt: skip
def test_what_is_not_a_date_gives_nothing(text: str) -> None:
    assert find(text, TOLD) == []


def test_what_follows_a_time_is_not_taken_for_a_tail() -> None:
    assert [shown(found)[3] for found in find("早上7点起床，2020年前往北京，2019年后来", TOLD)] == ["point", "point", "point"]


@pytest.mark.parametrize("year", [1901, 1950, 2000, 2033, 2099])
def test_lunar_years_follow_each_other_without_a_gap(year: int) -> None:
    months = [lunar.lunar_month(year, month, leap=leap) for month in range(1, 13) for leap in (False, True)]
    first, after = lunar.lunar_day(year, 1, 1), lunar.lunar_day(year + 1, 1, 1)
    assert first is not None
    assert after is not None
    assert sum(month[1] for month in months if month) == (after - first).days


def test_outside_the_lunar_table_there_is_no_such_day() -> None:
    assert find("1800年腊月初八", TOLD) == []
    assert lunar.lunar_day(2020, 5, 1, leap=True) is None


def test_the_items_of_a_test_file_are_read_without_running_it(tmp_path: Path) -> None:
    source = """
        class TestTimeParser:
            def test_time_parser(self):
                _ts_1 = 1623604000
                items = [
                    ['去年3月', _ts_1, {'type': 'time_point', 'time': ['2020-03-01 00:00:00', '2020-03-31 23:59:59']}],
                    ['两年半', None, {'type': 'time_delta', 'time': {'year': 2.5}}],
                    ['上周', [2021, 6], {'type': 'time_span', 'time': ['-inf', '2021-06-30 23:59:59']}],
                ]
                for item in items:
                    jio.parse_time(item[0], time_base=item[1], ret_future=True)
    """
    path = tmp_path / "test_time_parser.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    march, week = jionlp.parser_items(path)
    assert (march.text, march.base.isoformat(), march.prefer) == ("去年3月", "2021-06-14T01:06:40+08:00", "future")
    assert (march.start, march.end) == (dt.datetime(2020, 3, 1, tzinfo=BEIJING), dt.datetime(2020, 4, 1, tzinfo=BEIJING))
    assert (week.start, week.end, week.base_end) == (None, *[dt.datetime(2021, 7, 1, tzinfo=BEIJING)] * 2)


PIECES = [
    "2012", "年", "3", "三", "十", "月", "号", "日", "去年", "上个", "下", "周", "天", "半", "前", "后", "从", "到", "至今",
    "农历", "初", "闰", "腊月", "点", "时", "分", ":", "-", "/", ".", "晚上", "第", "个", "季度", "世纪", "最后", "每", "民国",
    "春节", "近", "内", "（周六）", "\ud800", "²",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.sampled_from(["past", "future", "same_year"]),
    st.sampled_from([TOLD, dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(9999, 12, 31, 23, 59, tzinfo=dt.UTC)]),
)
def test_any_words_give_expressions_in_order(text: str, prefer: Prefer, reference: dt.datetime) -> None:
    position = 0
    for found in find(text, reference, prefer=prefer):
        assert position <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        position = found.end


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["三", "年", "3月", "2012年", "从2012年到", "2月30日", "今天明天", "1:", "每", "前两", "（周"]
)
def test_a_long_monotonous_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert all(text[found.start : found.end] == found.text for found in find(text, TOLD))
