"""A curve that jumps has a gap, one that only bends has none; the arm of a choice applies, that of a maximum binds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from derive.tables.table_charts import captioned, charts, charts_of_each

FEE = """
[quantities]
mass = {{ unit = "kg" }}
fee = {{ unit = "USD" }}
border = {{ unit = "kg", value = "{border!r} kg" }}
rate = {{ unit = "USD/kg", value = "2 USD/kg" }}
[relations]
fee = {{ equation = "fee = {above!r}*rate*mass if mass > border else rate*mass" }}
[profiles.cheap]
rate = "1 USD/kg"
"""
BENT = FEE.replace("{above!r}*rate*mass if mass > border else rate*mass", "max(rate*mass, rate*border)")


def drawn(text: str, points: int = 20, **numbers: float):
    (chart,) = charts(derive.load(text.format(**numbers)).sweep("fee", mass=derive.span("1..20 kg", points)))
    return chart


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(st.floats(2, 19), st.floats(1.1, 10), st.integers(5, 40))
def test_a_jump_is_a_gap_between_the_values_on_both_sides(border, above, points):
    chart = drawn(FEE, points, border=border, above=above)
    (curve,) = (one for one in chart.series if not one.label)
    gaps = [i for i, y in enumerate(curve.y) if math.isnan(y)]
    assert len(gaps) == 1
    (gap,) = gaps
    assert curve.x[gap] == pytest.approx(border, rel=1e-4)
    assert curve.y[gap - 1] == pytest.approx(2 * border, rel=1e-3)
    assert curve.y[gap + 1] == pytest.approx(2 * above * border, rel=1e-3)
    assert list(curve.x) == sorted(curve.x)


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(st.floats(2, 19), st.integers(5, 40))
def test_a_bend_is_no_jump(border, points):
    chart = drawn(BENT, points, border=border, above=1.0)
    assert not any(math.isnan(y) for one in chart.series for y in one.y)


def test_the_arm_of_a_maximum_binds_and_that_of_a_choice_applies():
    assert {shade.label for shade in drawn(BENT, border=7.0, above=1.0).shades} == {
        "rate*border binds",
        "rate*mass binds",
    }
    assert all(shade.label.endswith(" applies") for shade in drawn(FEE, border=7.0, above=3.0).shades)


def test_a_jump_is_a_gap_in_each_of_several_curves():
    library = derive.load(FEE.format(border=7.0, above=3.0))
    tables = {name: library.sweep("fee", *name.split(), mass=derive.span("1..20 kg", 9)) for name in ("", "cheap")}
    (chart,) = charts_of_each(tables)
    curves = [one for one in chart.series if one.style == "line"]
    assert [sum(map(math.isnan, one.y)) for one in curves] == [1, 1]


@pytest.mark.thorough
def test_the_caption_says_what_holds_everywhere():
    library = derive.load(FEE.format(border=7.0, above=3.0))
    table = library.sweep("fee", "cheap", mass=derive.span("1..20 kg", 9), border="8 kg")
    assert captioned(charts(table), table)[-1].caption == "cheap; border = 8 kg"
    plain = library.sweep("fee", mass=derive.span("1..20 kg", 9), border="8 kg")
    assert captioned(charts(table), table, plain)[-1].caption == "border = 8 kg"
    assert "border" in table.plot()._supxlabel.get_text()
