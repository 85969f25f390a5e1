"""What is an axis and what is none: every odd one is either taken at its word or refused in words."""

from __future__ import annotations

import math

import numpy
import pytest

import derive
from derive import DeriveError, DomainError, ExpressionError, UnitError
from derive.tables.axes import span
from tests.derive.statements import bare
from tests.derive.terminal import ask, settle

SHOP = """[quantities]
width = { unit = "m" }
depth = { unit = "m" }
floor = { unit = "m**2" }
rent = { unit = "USD" }
rooms = { unit = "", domain = "1..100" }
each = { unit = "m**2" }
price = { unit = "USD/m**2", value = "3 USD/m**2" }
[relations]
floor = { equation = "floor = width*depth" }
rent = { equation = "rent = price*floor" }
each = { equation = "each = floor/rooms" }
[profiles.corner]
width = "5 m"
depth = "4 m"
floor = "19 m**2"
"""
LIBRARY = derive.load(SHOP)


@pytest.mark.parametrize(
    ("axis", "error", "told"),
    [
        (numpy.array([5, math.nan]) * derive.units.m, DomainError, "nan is on the axis, at place 1"),
        (numpy.array([math.inf, 5]) * derive.units.m, DomainError, "inf is on the axis, at place 0"),
        (["nan m"], DomainError, "not a finite number"),
        ([], ExpressionError, "the axis is empty"),
        (range(0), ExpressionError, "the axis is empty"),
        (numpy.array([]) * derive.units.m, ExpressionError, "the axis is empty"),
        ([None], ExpressionError, "is not a value"),
        (["2 m", 3], UnitError, "has no unit"),
        (["2 m", "3 kg"], UnitError, "kg"),
        (["0 m", "2 m"], DomainError, "outside its domain"),
        (numpy.array([2, -2]) * derive.units.m, DomainError, "outside its domain"),
    ],
)
def test_what_is_no_axis_is_refused_in_words(axis, error, told):
    for asked in (LIBRARY.sweep, LIBRARY.stream):
        with pytest.raises(error) as caught:
            asked("rent", "corner", width=axis)
        assert told in str(caught.value)
        assert "width" in str(caught.value)


def test_a_unit_that_cannot_be_read_is_told_with_the_name_of_its_axis():
    xarray = pytest.importorskip("xarray")
    with pytest.raises(UnitError, match="price: the axis states a unit that cannot be read: "):
        derive.load(SHOP).sweep("rent", floor="2 m**2", price=xarray.DataArray([1.0, 2.0], attrs={"units": "$ m-2"}))


def test_each_number_of_a_list_may_state_its_unit():
    xarray = pytest.importorskip("xarray", reason="xarray comes with the extra dev")
    shares = [xarray.DataArray(5.0, attrs={"units": "percent"}), xarray.DataArray(0.5)]
    assert bare("x y", "y = 2*x").sweep("y", x=shares).rows()["y"].tolist() == [0.1, 1.0]


def test_a_masked_number_is_no_point_of_an_axis():
    masked = numpy.ma.array([1.0, 2.0, 9.0], mask=[False, False, True])
    for axis in (masked, derive.units.Quantity(masked, "USD/m**2")):
        with pytest.raises(ExpressionError, match="a masked number is on the axis, at place 2") as refused:
            derive.load(SHOP).sweep("rent", floor="2 m**2", price=axis)
        assert refused.value.hint == "Give array.compressed()."
    rents = derive.load(SHOP).sweep("rent", floor="2 m**2", price=derive.units.Quantity(masked[:2], "USD/m**2"))
    assert rents.rows()["rent"].tolist() == [2.0, 4.0]


@pytest.mark.parametrize("text", ["9..1 m", "1..1 m", "1..inf m", "nan..9 m", "", "1..2"])
def test_a_span_has_two_ends_and_the_lower_comes_first(text):
    with pytest.raises(DeriveError):
        LIBRARY.sweep("rent", "corner", width=span(text, 3))


@pytest.mark.parametrize("axis", [["2 m"], ["7 m", "5 m", "2 m"], ["5 m", "5 m"], ["5 m", "2 m", "5 m"]])
def test_points_stand_in_the_order_in_which_they_were_given(axis):
    table = LIBRARY.sweep("rent", "corner", width=axis)
    solved = [LIBRARY.solve("rent", "corner", width=width) for width in axis]
    assert table.columns["rent"].tolist() == [answer.value.magnitude for answer in solved]
    assert table.holds.tolist() == [not answer.failed for answer in solved]


@pytest.mark.parametrize("points", [5, 33, 321])
def test_an_axis_through_what_a_profile_states_says_what_the_solver_says_there_too(points):
    table = LIBRARY.sweep("rent", "corner", width=span("1..9 m", points))
    for i, width in enumerate(table.axes["width"].tolist()):
        answer = LIBRARY.solve("rent", "corner", width=f"{width!r} m")
        assert table.columns["rent"][i] == pytest.approx(answer.value.magnitude, rel=1e-12)
        assert table.holds[i] == (not answer.failed)


def test_an_axis_that_leaves_the_domain_is_refused_and_one_within_is_taken():
    with pytest.raises(DomainError, match="rooms"):
        LIBRARY.sweep("each", "corner", rooms=span("1..101", 3))
    assert LIBRARY.sweep("each", "corner", rooms=range(1, 101)).columns["each"][-1] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("width=1..9 m", "width=2 m"), "given twice"),
        (("width=1..9 m", "width=2..3 m"), "given twice"),
        (("width=9..1 m",), "lower end first"),
        (("width=0..9 m",), "outside its domain"),
        (("width=1..inf m",), "not a finite number"),
        (("width=..9 m",), "does not begin with a number"),
    ],
)
def test_the_command_line_says_what_is_wrong_with_an_axis(words, told, tmp_path, monkeypatch):
    settle(tmp_path, {"shop.toml": SHOP}, monkeypatch)
    said = ask("sweep", "rent", *words, "--with", "corner", "--library", "shop.toml")
    assert said.status == 2
    assert told in " ".join(said.err.split())


def test_a_data_sets_column_is_an_axis_in_the_unit_that_it_states():
    xarray = pytest.importorskip("xarray", reason="xarray comes with the extra tables")
    widths = xarray.DataArray([100.0, 250.0], dims="width", attrs={"units": "cm"})
    table = LIBRARY.sweep("rent", "corner", width=widths)
    assert table.axes["width"].tolist() == [1.0, 2.5]
    again = LIBRARY.sweep("rent", "corner", width=table.to_xarray()["width"])
    assert again.axes["width"].tolist() == [1.0, 2.5]
    with pytest.raises(UnitError, match="has no unit"):
        LIBRARY.sweep("rent", "corner", width=xarray.DataArray([1.0], dims="width"))
    with pytest.raises(UnitError, match=r"does not convert|does not fit"):
        LIBRARY.sweep("rent", "corner", width=xarray.DataArray([1.0], dims="width", attrs={"units": "s"}))


def test_a_logarithmic_axis_may_be_longer_than_doubles_are():
    table = bare("x y", "y = x").sweep("y", x=span("1e-200..1e200", 5, log=True))
    assert table.columns["y"] == pytest.approx([1e-200, 1e-100, 1, 1e100, 1e200])


def test_the_length_of_a_dask_axis_has_to_be_known():
    array = pytest.importorskip("dask.array").from_array([1.0, 2.0, 3.0])
    with pytest.raises(ExpressionError, match=r"dask does not know how long the axis is\. Call array\.compute_chunk"):
        bare("x y", "y = x").sweep("y", x=array[array > 1.5])


@pytest.mark.parametrize("points", [1, 0, -3])
def test_a_span_of_too_few_points_is_said_to_have_them(points: int) -> None:
    with pytest.raises(derive.ExpressionError, match=f"at least 2 points, and is to have {points}"):
        derive.span("1..3 m", points)
