"""What the picture of a table says: axes, regimes, knees, bounds."""

from __future__ import annotations

import pytest

import derive
from derive.tables.table_charts import charts
from tests.derive.statements import bare
from tests.derive.tables.specimens import GAS, ROOFLINE


def test_the_regimes_are_shaded_and_the_knee_is_found_between_the_points():
    (chart,) = charts(ROOFLINE.sweep("step", batch=derive.span("1..3000", 12, log=True)))
    (mark,) = chart.marks
    assert mark.at == pytest.approx(100, rel=1e-6)
    assert mark.label == "100"
    assert [(shade.low, shade.high, shade.label) for shade in chart.shades] == [
        (1, pytest.approx(100, rel=1e-6), "reading binds"),
        (pytest.approx(100, rel=1e-6), 3000, "working binds"),
    ]


def test_an_axis_is_logarithmic_where_it_spans_two_decades_or_was_asked_to_be():
    (asked,) = charts(ROOFLINE.sweep("rate", batch=derive.span("10..30", 12, log=True)))
    assert asked.x.log
    (wide,) = charts(ROOFLINE.sweep("rate", batch=derive.span("1..3000", 12, log=True)))
    (narrow,) = charts(ROOFLINE.sweep("rate", batch=derive.span("10..30", 12)))
    assert (wide.x.log, narrow.x.log) == (True, False)
    assert wide.y.label == "rate [1/s]"


def test_each_of_several_lines_has_its_knee_as_a_point():
    table = ROOFLINE.sweep("step", batch=derive.span("1..1000", 40, log=True), each=["0.05 ms", "0.11 ms", "1 us"])
    (chart,) = charts(table)
    *lines, knees = chart.series
    assert [line.label for line in lines] == ["each = 0.05 ms", "each = 0.11 ms", "each = 0.001 ms"]
    assert knees.x == pytest.approx([100, 40], rel=1e-6)  # and the third line has none
    assert knees.y == pytest.approx([5, 4.4], rel=1e-2)
    assert not chart.marks
    assert not chart.shades


@pytest.mark.thorough
def test_bounds_are_dotted_beside_their_line():
    (chart,) = charts(ROOFLINE.sweep("step", batch=[10, 200], each="0.05 +/- 0.01 ms"))
    assert [line.style for line in chart.series] == ["line", "dotted", "dotted"]
    assert chart.series[1].y == pytest.approx([4.1, 8])


@pytest.mark.long
def test_a_curve_and_its_bounds_go_along_the_axis_in_whatever_order_its_values_are_given():
    there, back = (charts(ROOFLINE.sweep("step", batch=b, each="0.05 +/- 0.01 ms")) for b in ([10, 200], [200, 10]))
    assert [line.x for line in back[0].series] == [(10, 200)] * 3
    assert there == back


def test_a_target_without_a_choice_has_no_regime_in_its_picture():
    (chart,) = charts(GAS.sweep("p", "room", V=derive.span("1..2 litre", 3), n="1 mol"))
    assert (chart.marks, chart.shades) == ((), ())


def test_a_figure_is_drawn_by_default():
    pytest.importorskip("matplotlib")
    figure = ROOFLINE.sweep(["step", "rate"], batch=derive.span("1..3000", 12, log=True)).plot()
    assert [panel.get_xscale() for panel in figure.axes] == ["log", "log"]


def test_a_table_without_an_axis_has_no_picture():
    with pytest.raises(derive.ExpressionError, match="no axis"):
        charts(ROOFLINE.sweep("step", batch=3))


def test_the_bounds_of_a_table_are_dotted_lines():
    table = bare("x y z k", "z = k*x + y").sweep("z", x=[1.0, 2.0, 3.0], y="2 +/- 1", k="3")
    (chart,) = charts(table)
    assert [series.y for series in chart.series] == [(5, 8, 11), (4, 7, 10), (6, 9, 12)]
    assert [series.style for series in chart.series[1:]] == ["dotted", "dotted"]


def test_regimes_that_change_too_often_are_not_shaded():
    waves = bare("x z", "z = max(sin(x), cos(x))", domains={"z": "real"})
    (often,) = charts(waves.sweep("z", x=derive.span("0.1..200", 500)))
    (seldom,) = charts(waves.sweep("z", x=derive.span("0.1..3", 50)))
    assert (len(often.shades), len(seldom.shades)) == (0, 2)
