"""The looks of a picture: black on white unless the screen is dark, and told apart by line and pattern, not colour alone.

Colours stand as plain values in both, since few programs other than browsers know CSS variables or media queries. What they do
not know they pass over, and draw the light picture; so does a printer.
"""

from __future__ import annotations

from tkgmem.pictures.svg import Markup, element

ROOT = "tkgmem"
"""The class of every picture: its rules apply below it only, also on a page that holds others."""

_FONTS = (
    "'Noto Sans','Helvetica Neue',Arial,'PingFang SC','Hiragino Sans GB','Microsoft YaHei','Noto Sans CJK SC',"
    "'Noto Sans SC','Source Han Sans SC','WenQuanYi Micro Hei',sans-serif"
)
_SHAPE = (
    f".{ROOT} text{{font-family:{_FONTS};font-size:10.5px}}"
    f".{ROOT} .title{{font-size:18px;font-weight:bold}}"
    f".{ROOT} .lane,.{ROOT} .when{{font-size:12px;font-weight:bold}}"
    f".{ROOT} .name{{font-size:12px;font-weight:bold}}"
    f".{ROOT} .dates{{font-size:10px}}"
    f".{ROOT} .strike{{text-decoration:line-through}}"
    f".{ROOT} .above{{font-weight:bold}}"
    f".{ROOT} .grid,.{ROOT} .rule{{stroke-width:1}}"
    f".{ROOT} .now{{stroke-width:1.5;stroke-dasharray:5 3}}"
    f".{ROOT} .asked{{stroke-width:1.5;stroke-dasharray:1.5 2.5}}"
    f".{ROOT} .bar{{stroke-width:1.3;stroke-linejoin:round}}"
    f".{ROOT} .holds{{stroke-width:2}}"
    f".{ROOT} .past,.{ROOT} .quiet{{stroke-width:1}}"
    f".{ROOT} .fresh{{stroke-width:2.6}}"
    f".{ROOT} .dashed{{stroke-dasharray:6 3}}"
    f".{ROOT} .gone,.{ROOT} .before{{stroke-width:1.2;stroke-dasharray:1.5 3;stroke-linecap:round;fill:none}}"
    f".{ROOT} .hatch,.{ROOT} .torn{{fill:none;stroke-width:1}}"
    f".{ROOT} .believed{{stroke-width:5}}"
    f".{ROOT} .sign{{stroke-width:1.6;fill:none}}"
)

_COLOURS: dict[str, tuple[str, str]] = {
    ".page": ("fill:#ffffff", "fill:#15171a"),
    "text": ("fill:#1c1c1c", "fill:#ececec"),
    ".faint": ("fill:#5c5c5c", "fill:#a9adb3"),
    ".grid": ("stroke:#e2e2e2", "stroke:#2f3338"),
    ".rule": ("stroke:#8c8c8c", "stroke:#767b82"),
    ".now": ("stroke:#b34700", "stroke:#f2a066"),
    ".told": ("fill:#9c3e00", "fill:#f2a066"),
    ".asked": ("stroke:#1c1c1c", "stroke:#ececec"),
    ".holds": ("fill:#d3e5f6;stroke:#1b5a94", "fill:#173a5c;stroke:#7fb8ea"),
    ".past": ("fill:#efefef;stroke:#7d7d7d", "fill:#282c31;stroke:#8d939b"),
    ".later": ("fill:#ffffff;stroke:#1b5a94", "fill:#15171a;stroke:#7fb8ea"),
    ".fresh": ("fill:#fde6d5;stroke:#b34700", "fill:#4a2a14;stroke:#f2a066"),
    ".quiet": ("fill:#f3f3f3;stroke:#a3a3a3", "fill:#22262a;stroke:#6d737b"),
    ".gone,.before": ("stroke:#6e6e6e", "stroke:#a3a9b1"),
    ".hatch": ("stroke:#9fbfdd", "stroke:#3c6a94"),
    ".solid": ("fill:#333333", "fill:#d8d8d8"),
    ".sign": ("stroke:#333333", "stroke:#d8d8d8"),
    ".believed": ("stroke:#4d4d4d", "stroke:#c9cdd2"),
    ".torn": ("stroke:#8c8c8c", "stroke:#767b82"),
    ".veil": ("stop-color:#ffffff", "stop-color:#15171a"),
}
"""What to the declarations on light and on dark ground."""


def style() -> Markup:
    """The style sheet and the patterns that a picture refers to."""
    light, dark = ("".join(_rule(what, looks[side]) for what, looks in _COLOURS.items()) for side in (0, 1))
    sheet = Markup(f"{_SHAPE}{light}@media screen and (prefers-color-scheme:dark){{{dark}}}")
    return Markup(element("style", sheet) + element("defs", _hatch(), *_veils()))


def _rule(what: str, looks: str) -> str:
    return ",".join(f".{ROOT} {one}" for one in what.split(",")) + f"{{{looks}}}"


def _hatch() -> Markup:
    stroke = element("path", class_="hatch", d="M-2 2L2 -2M0 8L8 0M6 10L10 6")
    return element("pattern", stroke, id="tkgmem-hatch", width=8.0, height=8.0, patternUnits="userSpaceOnUse")


def _veils() -> list[Markup]:
    """What lets an edge fade into the page: to the left, where a beginning is known roughly, and to the right for an end."""
    return [
        element("linearGradient", *(_stop(at, share) for at, share in stops), id=f"tkgmem-{name}")
        for name, stops in (("begins", ((0, 0.92), (1, 0))), ("ends", ((0, 0), (1, 0.92))))
    ]


def _stop(at: int, opacity: float) -> Markup:
    return element("stop", class_="veil", offset=at, stop_color="#ffffff", stop_opacity=opacity)
