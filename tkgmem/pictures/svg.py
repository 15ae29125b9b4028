"""SVG as text. Markup is made here only; what a user wrote goes through `words` or an attribute, where none of it is syntax."""

from __future__ import annotations

import re
from typing import NewType
from xml.sax.saxutils import escape

Markup = NewType("Markup", str)
"""Well-formed markup: never a user's text as it came."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TURNS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """A user's text on one line, with the characters that XML cannot carry made visible, and without those that turn the
    direction of what follows.

    >>> one_line("a\\n b\\x00\\u202e")
    'a b\ufffd'
    """
    return " ".join(_TURNS.sub("", _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)).split())


def words(text: str) -> Markup:
    """A user's text as the content of an element.

    >>> words("</text><script>")
    '&lt;/text&gt;&lt;script&gt;'
    """
    return Markup(escape(one_line(text)))


def number(value: float) -> str:
    """A coordinate to a hundredth of a pixel.

    >>> number(12.0), number(-0.001), number(1 / 3)
    ('12', '0', '0.33')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *children: Markup, **attributes: str | float | None) -> Markup:
    """One element. In the names of attributes _ stands for -, and one at the end for nothing; None leaves it out.

    >>> element("rect", class_="bar", x=1.5, stroke_width="2")
    '<rect class="bar" x="1.5" stroke-width="2"/>'
    """
    parts = [tag]
    for name, value in attributes.items():
        if value is not None:
            shown = escape(value, {'"': "&quot;"}) if isinstance(value, str) else number(value)
            parts.append(f'{name.rstrip("_").replace("_", "-")}="{shown}"')
    inside = "".join(children)
    return Markup(f"<{' '.join(parts)}>{inside}</{tag}>" if inside else f"<{' '.join(parts)}/>")


def text(content: str, x: float, y: float, kind: str, *, anchor: str | None = None) -> Markup:
    """A line of text from (x, y) on, or to it (anchor "end"), or around it ("middle"). kind: its class."""
    return element("text", words(content), class_=kind, x=x, y=y, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return element("line", class_=kind, x1=x1, y1=y1, x2=x2, y2=y2)


def path(points: list[tuple[float, float]], kind: str, *, closed: bool = True) -> Markup:
    """A line through points, closed to a shape unless told otherwise."""
    steps = " ".join(f"{'L' if index else 'M'}{number(x)} {number(y)}" for index, (x, y) in enumerate(points))
    return element("path", class_=kind, d=steps + ("Z" if closed else ""))


def group(*children: Markup, title: str | None = None) -> Markup:
    """Elements that belong together. title: what a reader is told who points at them."""
    told = [] if title is None else [element("title", words(title))]
    return element("g", *told, *children)
