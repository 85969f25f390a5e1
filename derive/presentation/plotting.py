"""Charts drawn with matplotlib, which no other module imports.

All pictures have one look: colours that the colour-blind can distinguish, few lines besides the data, labels where
there is room. The same chart gives the same bytes: numbers are rounded before they are drawn, since the last digit of
a logarithm depends on the processor.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import count
from typing import Any

from derive.errors import DeriveError
from derive.presentation.charts import Axis, Chart, Series

__all__ = ["as_pdf", "as_svg", "figure"]

_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#B22222")
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
_HATCHES = (("///", "#B22222"), ("\\\\\\", "#555555"), ("...", "#B22222"))
_STYLES = {"line": "-", "dashed": "--", "dotted": ":"}
_WIDTH = 6.4
_ROOM = 7  # labels up to which the legend is inside the panel


def figure(*charts: Chart) -> Any:
    """A matplotlib figure of charts one below the other."""
    matplotlib = _matplotlib()
    with matplotlib.rc_context(_LOOK):
        drawn = matplotlib.figure.Figure(figsize=(_WIDTH, sum(chart.height for chart in charts)), layout="constrained")
        heights = [chart.height for chart in charts]
        panels = drawn.subplots(len(charts), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        for panel, chart in zip(panels, charts, strict=True):
            _draw(panel, chart)
    return drawn


def as_svg(name: str, *charts: Chart) -> str:
    """The picture as SVG; the name makes its inner identifiers unique on a page with other pictures."""
    matplotlib = _matplotlib()
    out = io.StringIO()
    with matplotlib.rc_context({**_LOOK, "svg.hashsalt": name}):
        figure(*charts).savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def as_pdf(*charts: Chart) -> bytes:
    """The picture as PDF, for TeX."""
    matplotlib = _matplotlib()
    out = io.BytesIO()
    with matplotlib.rc_context(_LOOK):
        figure(*charts).savefig(out, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return out.getvalue()


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise DeriveError("Pictures need matplotlib.", hint="pip install 'derive-engine[figures]'") from None
    return matplotlib


def _draw(panel: Any, chart: Chart) -> None:
    panel.set_title(chart.title, loc="left")
    panel.grid(True, axis="x" if chart.y.names else "y" if chart.x.names else "both")
    free = iter(count())
    for series in chart.series:
        color = _PALETTE[(next(free) if series.color is None else series.color) % len(_PALETTE)]
        _draw_series(panel, series, color, bool(chart.y.names))
    _scale(panel.xaxis, panel.set_xscale, panel.set_xlim, chart.x)
    _scale(panel.yaxis, panel.set_yscale, panel.set_ylim, chart.y)
    if chart.y.names:
        panel.invert_yaxis()
    _annotate(panel, chart)
    _hatch(panel, chart)
    labelled = [*(one for one in chart.series if one.label), *chart.hatches]
    if len(labelled) > _ROOM:
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    elif labelled:
        panel.legend(loc="best")


def _draw_series(panel: Any, series: Series, color: str, across: bool) -> None:
    x, y = _rounded(series.x), _rounded(series.y)
    label = series.label or None
    if series.style == "bars":
        draw = panel.barh if across else panel.bar
        place, end = (y, x) if across else (x, y)
        start = _rounded(series.start) or [0.0] * len(end)
        length = [high - low for low, high in zip(start, end, strict=True)]
        draw(place, length, **{"left" if across else "bottom": start}, color=color, label=label, alpha=0.85)
    elif series.style == "points":
        panel.plot(x, y, "o", color=color, label=label, markersize=4.5)
    elif series.style == "hatched":
        look = {"facecolor": "none", "edgecolor": color, "linewidth": 0, "zorder": 1.5}
        panel.fill_between(x, y, hatch=_HATCHES[0][0], label=label, **look)
    elif series.style == "crosses":
        panel.plot(x, y, "x", color=color, label=label, markersize=5, zorder=4)
    else:
        width = 2.4 if series.strong else 1.5
        panel.plot(
            x, y, _STYLES[series.style], color=color, label=label, linewidth=width, zorder=3 if series.strong else 2
        )
    for tag, at, level in zip(series.tags, x, y, strict=False):
        panel.annotate(tag, (at, level), xytext=(4, 3), textcoords="offset points", fontsize=7)


def _scale(axis: Any, set_scale: Any, set_limits: Any, stated: Axis) -> None:
    axis.set_label_text(stated.label)
    if stated.names:
        axis.set_ticks(range(len(stated.names)), labels=stated.names)
    elif stated.log:
        set_scale("log")
    if stated.low is not None or stated.high is not None:
        set_limits(stated.low, stated.high)


def _annotate(panel: Any, chart: Chart) -> None:
    """Regimes as shades with their names above, knees and limits as lines with their names."""
    limits = panel.get_xlim()
    for i, shade in enumerate(chart.shades):
        low, high = max(shade.low, min(limits)), min(shade.high, max(limits))
        if low >= high:
            continue
        panel.axvspan(low, high, color=_SHADES[i % len(_SHADES)], alpha=0.08, linewidth=0)
        middle = (low * high) ** 0.5 if chart.x.log else (low + high) / 2
        words = {"ha": "center", "va": "bottom", "fontsize": 7.5, "color": "#444444"}
        panel.text(middle, 1.005, shade.label, transform=panel.get_xaxis_transform(), **words)
    for mark in chart.marks:
        if mark.axis == "x":
            panel.axvline(mark.at, color="#777777", linewidth=0.9, linestyle=(0, (4, 2)))
            where = {"xytext": (3, 4), "xycoords": panel.get_xaxis_transform(), "rotation": 90, "va": "bottom"}
            panel.annotate(mark.label, (mark.at, 0.0), textcoords="offset points", fontsize=7, color="#444444", **where)
        else:
            panel.axhline(mark.at, color="#777777", linewidth=0.9, linestyle=(0, (4, 2)))
            where = {"xytext": (-3, 2), "xycoords": panel.get_yaxis_transform(), "ha": "right"}
            panel.annotate(mark.label, (1.0, mark.at), textcoords="offset points", fontsize=7, color="#444444", **where)
    panel.set_xlim(limits)


def _hatch(panel: Any, chart: Chart) -> None:
    """Hatching where something fails, with its name in the legend."""
    limits = panel.get_xlim()
    for i, hatch in enumerate(chart.hatches):
        look = {"facecolor": "none", "edgecolor": _HATCHES[i % len(_HATCHES)][1], "linewidth": 0, "zorder": 0.5}
        for number, (low, high) in enumerate(hatch.stretches):
            label = None if number else hatch.label
            panel.axvspan(low, high, hatch=_HATCHES[i % len(_HATCHES)][0], label=label, **look)
    panel.set_xlim(limits)


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]
