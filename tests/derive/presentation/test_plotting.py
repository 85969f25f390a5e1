"""Pictures: they show the chart that was stated, and the same chart makes the same file."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from derive.presentation.charts import Axis, Chart, Mark, Series, Shade
from derive.presentation.plotting import as_pdf, as_svg, figure

LINE = Series.of([1, 10, 100], [2, 20, 200], "a line")
CHART = Chart(
    Axis("batch", log=True),
    Axis("time"),
    (LINE, Series.of([5], [7], "a point", style="points", tags=("here",))),
    (Mark(30, "the knee"), Mark(50, "the limit", "y")),
    (Shade(1, 30, "memory binds"), Shade(30, 100, "compute binds")),
    title="Latency",
)
PROGRAM = """
from tests.derive.presentation.test_plotting import CHART
from derive.presentation.plotting import as_pdf, as_svg
import hashlib
print(hashlib.sha256(as_svg("one", CHART).encode() + as_pdf(CHART)).hexdigest())
"""


def words(panel):
    return [text.get_text() for text in panel.texts] + [panel.get_title(loc="left"), panel.get_xlabel()]


def test_a_figure_shows_every_line_mark_shade_and_word_of_its_chart():
    (panel,) = figure(CHART).axes
    assert [list(line.get_xdata()) for line in panel.lines[:2]] == [[1, 10, 100], [5]]
    assert [list(line.get_ydata()) for line in panel.lines[:2]] == [[2, 20, 200], [7]]
    assert {"the knee", "the limit", "memory binds", "compute binds", "here", "Latency", "batch"} <= set(words(panel))
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["a line", "a point"]
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "linear")


def test_names_stand_along_an_axis_from_the_top():
    chart = Chart(Axis("balance"), Axis("", names=("first", "second")), (Series.of([3, 4], [0, 1], style="points"),))
    (panel,) = figure(chart).axes
    assert [label.get_text() for label in panel.get_yticklabels()] == ["first", "second"]
    low, high = panel.get_ylim()
    assert low > high


def test_charts_stand_below_each_other():
    first, second = figure(CHART, CHART).axes
    assert first.get_position().y0 > second.get_position().y1 - 1e-9


@pytest.mark.parametrize(
    ("numbers", "is_log"), [([1, 99], False), ([1, 100], True), ([0, 1e6], False), ([-5, 1e6], False), ([], False)]
)
def test_an_axis_is_logarithmic_over_two_decades_of_positive_numbers(numbers, is_log):
    assert Axis.of("x", numbers).log is is_log


@pytest.mark.long
def test_the_same_chart_makes_the_same_bytes_in_another_process():
    run = [subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True) for _ in "ab"]
    assert run[0].stdout == run[1].stdout != ""


def test_digits_that_no_eye_sees_do_not_change_the_file():
    def drawn(last):
        return as_svg("one", Chart(Axis("x"), Axis("y"), (Series.of([1, 2], [3, last]),)))

    assert drawn(4.0) == drawn(4.0 * (1 + 1e-12)) != drawn(4.1)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("scale", [1 + 1e-15, 1 - 1e-14, 1 + 1e-12])
def test_the_last_digits_of_the_layout_do_not_change_the_file(monkeypatch, scale):
    """As on another processor: every number that the layout comes to differs in digits that nobody sees."""
    from matplotlib.transforms import Bbox

    chart = Chart(Axis("x"), Axis("y"), (Series.of([1, 2], [3, 4], label="a line", style="hatched"),))
    before = as_svg("one", chart)
    bounds = Bbox.from_bounds
    monkeypatch.setattr(Bbox, "from_bounds", lambda *sides: bounds(*(side * scale for side in sides)))
    assert as_svg("one", chart) == before


@pytest.mark.thorough
def test_two_pictures_on_one_page_share_no_label_that_means_two_things():
    other = Chart(Axis("x"), Axis("y"), (Series.of([1, 2], [3, 9]),))
    clips = [
        set(re.findall(r'clipPath id="([^"]+)"', as_svg(name, chart))) for name, chart in (("a", CHART), ("b", other))
    ]
    assert clips[0]
    assert not clips[0] & clips[1]


@pytest.mark.thorough
def test_no_file_says_when_it_was_made():
    assert "dc:date" not in as_svg("one", CHART)
    assert b"CreationDate" not in as_pdf(CHART)


@pytest.mark.parametrize(("low", "high", "shown"), [(25, 90, "30"), (25, 500, "100"), (1, 4096, "{10^{2}}")])
def test_a_short_logarithmic_axis_writes_its_numbers_out(low, high, shown):
    axis = Axis("speed", log=True, low=low, high=high)
    drawn = figure(Chart(axis, Axis("cost"), (Series.of([low, high], [1, 2]),)))
    drawn.canvas.draw()
    (panel,) = drawn.axes
    ticks = [tick.get_text() for tick in panel.get_xticklabels() + panel.get_xticklabels(minor=True)]
    assert any(shown in tick for tick in ticks)
    assert any("10^" in tick for tick in ticks) == (high > 100 * low)
