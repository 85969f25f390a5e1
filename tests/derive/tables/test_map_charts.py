"""Maps drawn: a name stands in the region that it names, and the number of a level on its level."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import derive
from derive.presentation.plotting import figure
from derive.tables.regime_map import _DrawnAxis
from derive.tables.trapezoids import Scale
from quantities.spelling import parse_unit
from tests.ordinary import examples

LARGE = 0.3  # share of the map from which a region has room for its name, wherever it lies
EXPONENTS = st.tuples(*[st.sampled_from([-2, -1, 1, 2])] * 2)


def drawn(first: tuple[int, int], second: tuple[int, int]) -> Any:
    library = derive.load(f"""
[quantities]
height = {{ unit = "m" }}
rise = {{ unit = "m" }}
fall = {{ unit = "m" }}
width = {{ unit = "" }}
depth = {{ unit = "" }}
unity = {{ unit = "m", value = "1 m" }}
[relations.height]
equation = "height = max(rise, fall)"
[relations.rise]
equation = "rise = unity*width**({first[0]})*depth**({first[1]})"
[relations.fall]
equation = "fall = 3*unity*width**({second[0]})*depth**({second[1]})"
""")
    return library.border("height", over=("width", "depth"), width="1..1000", depth="0.1..100")


@pytest.mark.thorough
@examples(12)
@given(EXPONENTS, EXPONENTS)
def test_names_and_levels_stand_where_plain_arithmetic_puts_them(first, second):
    def heights(x: float, y: float) -> dict[str, float]:
        return {"rise": x ** first[0] * y ** first[1], "fall": 3 * x ** second[0] * y ** second[1]}

    (chart,) = drawn(first, second).charts
    assert chart.words
    for words in chart.words:
        here = heights(words.x, words.y)
        assert words.text == f"{max(here, key=here.__getitem__)} binds"
    picture = figure(chart)
    picture.canvas.draw()
    (panel,) = picture.axes
    named = dict(zip(chart.levels.names, chart.levels.at, strict=True))
    numbers = [text for text in panel.texts if text.get_text() in named]
    assert numbers
    for text in numbers:
        x, y = text.get_position()
        assert max(heights(x, y).values()) == pytest.approx(named[text.get_text()], rel=0.25)


@examples(8)
@given(EXPONENTS, EXPONENTS)
def test_no_name_of_a_large_region_crosses_the_side_of_the_panel(first, second):
    found = drawn(first, second)
    large = {f"{one.arms['height']} binds" for one in found.regions if one.share > LARGE}
    picture = figure(*found.charts)
    picture.canvas.draw()
    (panel,) = picture.axes
    inside = panel.get_window_extent()
    names = [text for text in panel.texts if text.get_text() in large]
    assert {text.get_text() for text in names} == large != set()
    for text in names:
        box = text.get_window_extent()
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
        assert inside.y0 <= box.y0 < box.y1 <= inside.y1


@example(-5.0, 5.0)  # an axis that ends at zero
@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12))
def test_the_ends_of_a_drawn_axis_are_those_of_the_range(low, width):
    high = low + width
    assume(low < high)
    axis = _DrawnAxis.of_scale("heat", Scale((low, high), False), "J").axis
    size = float(parse_unit(axis.label.removeprefix("heat [").removesuffix("]")).size)
    assert (axis.low * size, axis.high * size) == (pytest.approx(low), pytest.approx(high))
