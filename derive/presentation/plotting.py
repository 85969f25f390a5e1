"""Plotting: charts drawn with matplotlib, which no other module imports.

All pictures have one look: the colours of Okabe and Ito, which the colour-blind can distinguish, few lines besides the
data, and the names of marks beside the panel, where no curve crosses them. The same chart gives the same bytes: numbers
are rounded before they are drawn, since the last digit of a logarithm depends on the processor.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from itertools import count
from math import log
from textwrap import fill
from typing import Any

from derive.errors import DeriveError
from derive.files import MARK
from derive.presentation.charts import Axis, Chart, Series

_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
_SHADES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
_LOOK = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "lines.linewidth": 1.5,
    "hatch.linewidth": 0.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "figure.dpi": 100,
}
_HATCHES = (("///", "#D55E00"), ("\\\\\\", "#000000"), ("...", "#D55E00"))
_STYLES = {"line": "-", "dashed": "--", "dotted": ":"}
_POWER = re.compile(r"\*\*(?:\((-?[\d./]+)\)|(-?\d+(?:\.\d+)?))")
_RAISED = str.maketrans("-0123456789./", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·\N{FRACTION SLASH}")
_HASHED = re.compile(r'(?<= id=")[a-z][0-9a-f]{10}(?=")')
_PLACES = re.compile(r' (?:d|x|y|width|height|transform|points)="[^"]*"')
_DECIMAL = re.compile(r"-?\d+\.\d+")
_WIDTH = 6.4
_DOTS = 200  # of an inch of a PNG
_ROOM = 7  # labels up to which the legend is inside the panel
# Of points that bear a name: each shape stands around the ones before it, so that points at one place are told apart.
_POINTS = (("o", 4.0, "full"), ("s", 6.5, "none"), ("D", 8.5, "none"), ("^", 11.0, "none"))
_LETTERS = 110  # of a line below a picture
_SMALL = 7  # points, the size of the names of marks
_LETTER = 0.0105  # width of a small letter, as a share of a panel's
_ROW = 9.5  # points from one row of small words to the next
_PLAIN = (1e-3, 1e5)  # numbers of an axis between these are written out
_FEW = 100.0  # ratio of the ends of a logarithmic axis up to which its numbers are written out
_MARKED = {"color": "#777777", "linewidth": 0.9, "linestyle": (0, (4, 2))}


def figure(*charts: Chart) -> Any:
    """The figure of charts, plotted with matplotlib one below the other; a notebook shows it by itself."""
    matplotlib = _matplotlib()
    with matplotlib.rc_context(_LOOK):
        heights = [chart.height for chart in charts]
        drawn = matplotlib.figure.Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        panels = drawn.subplots(len(charts), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        for panel, chart in zip(panels, charts, strict=True):
            _draw_chart(panel, chart)
        captions = [chart.caption for chart in charts if chart.caption]
        if captions:
            words = "\n".join(fill(typeset(caption), _LETTERS) for caption in captions)
            drawn.supxlabel(words, x=0.01, ha="left", fontsize=_SMALL, color="#444444")
    drawn._repr_svg_ = partial(as_svg, "figure", *charts)  # what a notebook asks for
    return drawn


def as_svg(name: str, *charts: Chart) -> str:
    """The SVG of charts plotted as one picture; its name makes its inner identifiers unique on a page."""
    matplotlib = _matplotlib()
    out = io.StringIO()
    with matplotlib.rc_context({**_LOOK, "svg.hashsalt": name}):
        figure(*charts).savefig(out, format="svg", metadata={"Date": None, "Creator": MARK})
    lines = (line.rstrip() for line in out.getvalue().splitlines())
    return _same_on_every_machine(name, "\n".join(lines) + "\n")


def _same_on_every_machine(name: str, svg: str) -> str:
    """The SVG of a plotted picture with rounded numbers, and with identifiers that no processor changes.

    Matplotlib hashes the unrounded corners of what it clips into identifiers, and prints places to a millionth of a
    point. Both depend on the processor where the layout does: its last digits come from sums in another order.
    """
    salt = blake2b(name.encode(), digest_size=4).hexdigest()
    numbers = dict.fromkeys(_HASHED.findall(svg))
    for number, hashed in enumerate(numbers):
        svg = svg.replace(hashed, f"{hashed[0]}{salt}-{number}")
    return _PLACES.sub(lambda place: _DECIMAL.sub(lambda digits: f"{float(digits[0]):.6g}", place[0]), svg)


def as_picture(ending: str, name: str, *charts: Chart) -> str | bytes:
    """The plotted picture of charts in the format of a file that ends in `.svg`, `.png` or `.pdf`."""
    if ending == ".png":
        return _binary_picture(charts, "png", dpi=_DOTS, metadata={"Software": MARK})
    return as_pdf(*charts) if ending == ".pdf" else as_svg(name, *charts)


def as_pdf(*charts: Chart) -> bytes:
    """The PDF of charts plotted as one picture, for TeX."""
    return _binary_picture(charts, "pdf", metadata={"CreationDate": None, "Creator": MARK, "Producer": None})


def _binary_picture(charts: Sequence[Chart], kind: str, **how: Any) -> bytes:
    """The plotted picture of charts in a binary format of matplotlib's."""
    out = io.BytesIO()
    with _matplotlib().rc_context(_LOOK):
        figure(*charts).savefig(out, format=kind, **how)
    return out.getvalue()


def _matplotlib() -> Any:
    """The plotting package matplotlib, imported on first use; an error with a hint if it is not installed."""
    try:
        if "matplotlib" not in sys.modules:
            _import_without_back_end()
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise DeriveError("Pictures need matplotlib.", hint="pip install 'derive-engine[figures]'") from None
    return matplotlib


def _import_without_back_end() -> None:
    """Import matplotlib for plotting without a back end, since the one that MPLBACKEND names may not be there."""
    back_end = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib
    finally:
        if back_end is not None:
            os.environ["MPLBACKEND"] = back_end
    if back_end is not None:
        with suppress(ValueError):
            matplotlib.rcParams["backend"] = back_end  # as matplotlib itself would have taken it


def _draw_chart(panel: Any, chart: Chart) -> None:
    """Plot a chart on a panel of matplotlib: its series, axes, shades, marks, title, hatching and legend."""
    if chart.areas:
        _draw_map(panel, chart)
    elif chart.y.names:  # no lines along an axis of names
        panel.grid(True, axis="x")
    else:
        panel.grid(True, axis="y" if chart.x.names else "both")
    free_colors, shapes = count(), count()
    for series in chart.series:
        color = next(free_colors) if series.color is None else series.color
        shape = next(shapes) % len(_POINTS) if series.style == "points" and series.label else 0
        _draw_series(panel, series, _PALETTE[color % len(_PALETTE)], across=bool(chart.y.names), shape=shape)
    _scale_axis(panel.xaxis, panel.set_xscale, panel.set_xlim, chart.x)
    _scale_axis(panel.yaxis, panel.set_yscale, panel.set_ylim, chart.y)
    if chart.y.names:
        panel.invert_yaxis()
    labelled = [*(series for series in chart.series if series.label), *chart.hatches]
    _draw_shades(panel, chart)
    rows = _draw_marks_of_x(panel, chart)
    _draw_marks_of_y(panel, chart, is_outside=len(labelled) <= _ROOM)
    panel.set_title(typeset(chart.title), loc="left", pad=6 + _ROW * rows)
    _draw_hatches(panel, chart)
    if len(labelled) > _ROOM:
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif labelled:
        panel.legend(loc="best")


def _draw_map(panel: Any, chart: Chart) -> None:
    """Plot the regions of a chart's map with their names, and its levels with numbers along them."""
    _scale_axis(panel.xaxis, panel.set_xscale, panel.set_xlim, chart.x)
    _scale_axis(panel.yaxis, panel.set_yscale, panel.set_ylim, chart.y)
    for area in chart.areas:
        x, low, high = map(_rounded, (area.x, area.low, area.high))
        color = _PALETTE[area.color % len(_PALETTE)]
        panel.fill_between(x, low, high, color=color, alpha=0.16, linewidth=0, zorder=0.4)
        if area.is_hatched:
            look = {"facecolor": "none", "edgecolor": "#999999", "linewidth": 0, "zorder": 0.5}
            panel.fill_between(x, low, high, hatch=_HATCHES[0][0], **look)
    levels = chart.levels
    if levels is not None and levels.at:
        rows = [_rounded(row) for row in levels.rows]
        look = {"colors": "#333333", "linewidths": 0.6, "zorder": 1.6}
        drawn = panel.contour(levels.x, levels.y, rows, levels=list(levels.at), **look)
        names = dict(zip(drawn.levels, map(typeset, levels.names), strict=True))
        places = _places_of_level_names(panel, drawn, chart)
        panel.clabel(drawn, fmt=names, fontsize=_SMALL, inline_spacing=3, manual=places)
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}
    for words in chart.words:
        where = {"ha": "center", "va": "center", "fontsize": 8, "bbox": behind, "zorder": 5}
        panel.text(words.x, words.y, typeset(words.text), **where)


def _places_of_level_names(panel: Any, drawn: Any, chart: Chart) -> list[tuple[float, float]]:
    """The places of the names of levels on a plotted map: on its curve, far from sides and other words."""
    import numpy

    inside = panel.transData - panel.transAxes
    taken: list[Any] = []  # places in shares of the panel; a text is at its middle and at its ends
    for words in chart.words:
        x, y = inside.transform((words.x, words.y))
        half = _LETTER * max(map(len, words.text.split("\n"))) / 2
        taken += [(x - half, y), (x, y), (x + half, y)]
    for series in chart.series:
        taken += [*inside.transform(numpy.column_stack([series.x, series.y]))]
    places = []
    for pieces in filter(len, drawn.allsegs):
        points = numpy.concatenate(pieces)
        shares = inside.transform(points)
        room = numpy.minimum(shares, 1 - shares).min(axis=1)
        if taken:
            gaps = numpy.linalg.norm(shares[:, None, :] - numpy.array(taken)[None, :, :], axis=2)
            room = numpy.minimum(room, gaps.min(axis=1))
        best = int(numpy.argmax(numpy.round(room, 6)))  # rounded, so that the last digits of a processor decide nothing
        taken.append(shares[best])
        places.append((float(points[best][0]), float(points[best][1])))
    return places


def _draw_series(panel: Any, series: Series, color: str, across: bool, shape: int) -> None:
    """Plot a series of a chart with its tags; with `across`, for a vertical axis of names, bars are horizontal."""
    x, y = _rounded(series.x), _rounded(series.y)
    label = typeset(series.label) or None
    if series.style == "bars":
        draw = panel.barh if across else panel.bar
        place, end = (y, x) if across else (x, y)
        start = _rounded(series.start) or [0.0] * len(end)
        length = [high - low for low, high in zip(start, end, strict=True)]
        base = {"left" if across else "bottom": start}
        draw(place, length, **base, color=color, label=label, alpha=0.85)
    elif series.style == "points":
        marker, size, inside = _POINTS[shape]
        look = {"marker": marker, "markersize": size, "fillstyle": inside, "zorder": 4}
        panel.plot(x, y, linestyle="", color=color, label=label, **look)
    elif series.style == "hatched":
        look = {"facecolor": "none", "edgecolor": color, "linewidth": 0, "zorder": 1.5}
        panel.fill_between(x, y, hatch=_HATCHES[0][0], label=label, **look)
    elif series.style == "crosses":
        panel.plot(x, y, "x", color=color, label=label, markersize=5, zorder=4)
    else:
        look = {"linewidth": 2.4, "zorder": 3} if series.strong else {"linewidth": 1.5, "zorder": 2}
        panel.plot(x, y, _STYLES[series.style], color=color, label=label, **look)
    _draw_tags(panel, series, across=across)


def _draw_tags(panel: Any, series: Series, across: bool) -> None:
    """Plot the tags of a series on its chart: beside the right end of each bar, or above each point."""
    x, y = _rounded(series.x), _rounded(series.y)
    where: dict[str, Any]
    if across and series.style == "bars":
        x = [max(start, end) for start, end in zip(series.start or (0.0,) * len(x), x, strict=True)]
        where = {"xytext": (3, 0), "ha": "left", "va": "center"}
    elif not across and len(x) > 1 and (x[-1] - x[0]) * (y[-1] - y[0]) > 0:  # it rises: the room is on the left
        where = {"xytext": (-4, 3), "ha": "right"}
    else:
        where = {"xytext": (4, 3), "ha": "left"}
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.4}
    for tag, at, level in zip(series.tags, x, y, strict=False):
        if tag:
            panel.annotate(typeset(tag), (at, level), textcoords="offset points", fontsize=_SMALL, bbox=behind, **where)


def typeset(text: str) -> str:
    """The text of a plotted picture with units as they are printed: powers raised, products with a dot.

    >>> typeset("flow [m**3/h]"), typeset("1/s**-0.5 of N*m")
    ('flow [m³/h]', '1/s⁻⁰·⁵ of N·m')
    """
    raised = _POWER.sub(lambda power: (power[1] or power[2]).translate(_RAISED), text)
    return raised.replace("*", "\N{MIDDLE DOT}")


def _scale_axis(axis: Any, set_scale: Any, set_limits: Any, stated: Axis) -> None:
    """Plot an axis with matplotlib as the chart states it: its label, its scale and its ends."""
    axis.set_label_text(typeset(stated.label))
    if stated.names:
        axis.set_ticks(range(len(stated.names)), labels=[*map(typeset, stated.names)])
    elif stated.log:
        set_scale("log")
        axis.set_major_formatter(_number_formatter())
        axis.set_minor_formatter(_number_formatter())
    if stated.low is not None or stated.high is not None:
        set_limits(stated.low, stated.high)


def _number_formatter() -> Any:
    """The formatter of a plotted logarithmic axis that writes out numbers where few powers of ten are spanned."""
    from matplotlib.ticker import LogFormatterSciNotation

    class Plain(LogFormatterSciNotation):
        def __call__(self, x: float, pos: int | None = None) -> str:
            shown = super().__call__(x, pos)
            low, high = sorted(self.axis.get_view_interval()) if self.axis else (0.0, 0.0)
            return f"{x:g}" if shown and high < _FEW * low and _PLAIN[0] <= x < _PLAIN[1] else shown

    return Plain()


def _draw_shades(panel: Any, chart: Chart) -> None:
    """Plot the regimes of a chart as shades, with their names above."""
    limits = panel.get_xlim()
    for i, shade in enumerate(chart.shades):
        low, high = max(shade.low, min(limits)), min(shade.high, max(limits))
        if low >= high:
            continue
        panel.axvspan(low, high, color=_SHADES[i % len(_SHADES)], alpha=0.08, linewidth=0)
        middle = (low * high) ** 0.5 if chart.x.log else (low + high) / 2
        words = {"ha": "center", "va": "bottom", "fontsize": 7.5, "color": "#444444"}
        panel.text(middle, 1.005, typeset(shade.label), transform=panel.get_xaxis_transform(), **words)
    panel.set_xlim(limits)


def _draw_marks_of_x(panel: Any, chart: Chart) -> int:
    """Plot a chart's marks of the horizontal axis, with rows of names above, and return the number of rows.

    Each name begins at its line. They are placed from the right, so that a line that goes on to a higher row has only
    names to its right to pass.
    """
    limits = panel.get_xlim()
    first = 1 if chart.shades else 0
    starts: list[float] = []  # of the leftmost name of each row
    scale = log if chart.x.log else float
    for mark in sorted((mark for mark in chart.marks if mark.axis == "x"), key=lambda mark: -mark.at):
        panel.axvline(mark.at, **_MARKED)
        if not mark.label:
            continue
        low, place, high = map(scale, (limits[0], mark.at, limits[1]))
        begins = (place - low) / (high - low)
        ends = begins + _LETTER * (len(mark.label) + 1)
        row = next((row for row, start in enumerate(starts) if ends < start), len(starts))
        starts[row : row + 1] = [begins]
        line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0)}
        where = {"xycoords": panel.get_xaxis_transform(), "textcoords": "offset points", "arrowprops": line}
        above = (0, 3 + _ROW * (first + row))
        panel.annotate(typeset(mark.label), (mark.at, 1.0), above, fontsize=_SMALL, color="#444444", **where)
    panel.set_xlim(limits)
    return first + len(starts)


def _draw_marks_of_y(panel: Any, chart: Chart, is_outside: bool) -> None:
    """Plot a chart's marks of the vertical axis with names at the right, outside unless the legend is there."""
    for mark in chart.marks:
        if mark.axis == "y":
            panel.axhline(mark.at, **_MARKED)
            label = fill(typeset(mark.label), 16) if is_outside else typeset(mark.label)
            where = {"xytext": (3, 0), "va": "center"} if is_outside else {"xytext": (-3, 2), "ha": "right"}
            look = {"fontsize": _SMALL, "color": "#444444", "textcoords": "offset points"}
            panel.annotate(label, (1.0, mark.at), xycoords=panel.get_yaxis_transform(), **look, **where)


def _draw_hatches(panel: Any, chart: Chart) -> None:
    """Plot hatching on a chart where something fails, with its name in the legend."""
    limits = panel.get_xlim()
    for i, hatch in enumerate(chart.hatches):
        look = {"facecolor": "none", "edgecolor": _HATCHES[i % len(_HATCHES)][1], "linewidth": 0, "zorder": 0.5}
        for number, (low, high) in enumerate(hatch.stretches):
            label = None if number else typeset(hatch.label)
            panel.axvspan(low, high, hatch=_HATCHES[i % len(_HATCHES)][0], label=label, **look)
    panel.set_xlim(limits)


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]
