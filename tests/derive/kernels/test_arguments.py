"""What a compiled function is called with: by keyword, as numbers, and never with another meaning."""

from __future__ import annotations

import inspect
import math
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest

import derive
from derive import DomainError, ExpressionError, UnitError, UnknownNameError
from derive.kernels.compiled_functions import compiled
from tests.derive.statements import bare, library

PRODUCT = bare("k x y", "y = x*k")
LENGTHS = library({"k": "", "x": "m", "y": "m"}, "y = x*k")


@pytest.mark.parametrize("numbers", [{}, {"x": 1.0}, {"x": 1.0, "k": 1.0, "z": 2.0}])
def test_a_call_names_what_it_was_compiled_for(numbers):
    with pytest.raises(UnknownNameError):
        compiled(PRODUCT, "y", ["x", "k"])(**numbers)


def test_a_function_says_what_it_takes():
    function = compiled(PRODUCT, "y", ["x", "k"])
    assert {p.kind.name for p in inspect.signature(function).parameters.values()} == {"KEYWORD_ONLY", "VAR_KEYWORD"}
    assert set(inspect.signature(function).parameters) == {"x", "k", "others"}
    assert function.__doc__ == "y from x, k, in declared units."


@pytest.mark.parametrize("number", [3, True, numpy.float32(3), numpy.array(3.0), Fraction(3)])
def test_a_number_of_any_kind_comes_out_as_a_float(number):
    for backend in ("python", "numpy", "auto"):
        function = compiled(PRODUCT, "y", ["x", "k"], backend)
        found = function(x=number, k=2.0)
        assert isinstance(found, float)
        assert found == 2.0 * float(number)


@pytest.mark.parametrize("backend", ["auto", "python", "numpy"])
@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (derive.units.Quantity(3.0, "ft"), UnitError, 'Write x=value.m_as("m").'),
        (derive.units.Quantity([3.0, 4.0], "m"), UnitError, 'Write x=value.m_as("m").'),
        ([derive.units.Quantity(3.0, "m"), 4.0], UnitError, 'Write x=value.m_as("m").'),
        (1 + 2j, ExpressionError, "x: '(1+2j)' (complex) is no real number, and no array of them."),
        (numpy.array([1 + 2j]), ExpressionError, "(array of complex128) is no real number"),
        (numpy.array(["2020-01-01"], dtype="datetime64[D]"), ExpressionError, "(array of datetime64[D])"),
        ("3 ft", ExpressionError, "x: '3 ft' (str) is no real number, and no array of them. A compiled function takes"),
        ("3", ExpressionError, "takes numbers in m; `solve` reads texts with units."),
        (["1", "2 %"], ExpressionError, "(list) is no real number"),
        ({1.0, 2.0}, ExpressionError, "(set) is no real number"),
        ([[1.0], [2.0, 3.0]], ExpressionError, "(list) is no real number"),
        (None, ExpressionError, "'None' (NoneType) is no real number"),
        (10**400, DomainError, "x: it exceeds the range of double precision."),
        ([10**400, 1], DomainError, "x: it exceeds the range of double precision."),
        (Decimal("1e400"), DomainError, "x: it exceeds the range of double precision."),
        (Decimal("-1e-400"), DomainError, "Give a number between 1e-300 and 1e300."),
        ([Fraction(1, 10**400), 1], DomainError, "x: it exceeds the range of double precision."),
        ([[derive.units.Quantity([3.0, 4.0], "ft")]], UnitError, 'Write x=value.m_as("m").'),
        (numpy.array([derive.units.Quantity(3.0, "ft"), None], dtype=object), UnitError, 'Write x=value.m_as("m").'),
        (bytearray(b"12"), ExpressionError, "(bytearray) is no real number"),
    ],
)
def test_what_a_call_would_read_with_another_meaning_is_refused(backend, given, error, said):
    function = compiled(LENGTHS, "y", ["x", "k"], backend)
    with pytest.raises(error) as refused:
        function(x=given, k=2.0)
    assert said in str(refused.value)


def test_what_is_masked_or_missing_in_an_array_has_no_value():
    function = compiled(PRODUCT, "y", ["x", "k"])
    masked = numpy.ma.array([1.0, 5.0], mask=[False, True])
    assert function(x=masked, k=2.0) == pytest.approx([2.0, math.nan], nan_ok=True)
    assert function(x=[1.0, None], k=2.0) == pytest.approx([2.0, math.nan], nan_ok=True)
    objects = numpy.ma.array([1, "under the mask"], mask=[False, True], dtype=object)
    whole = numpy.ma.array([1, 5], mask=[False, True])
    for given in (objects, whole, [1.0, numpy.ma.masked], [numpy.ma.array(1.0), numpy.ma.array(5.0, mask=True)]):
        assert function(x=given, k=2.0) == pytest.approx([2.0, math.nan], nan_ok=True)
    truths = numpy.array([True, None], dtype=object)
    assert function(x=truths, k=2.0) == pytest.approx([2.0, math.nan], nan_ok=True)
    (row,) = function(x=[masked], k=2.0)
    assert row == pytest.approx([2.0, math.nan], nan_ok=True)
    for alone in (numpy.ma.masked, numpy.ma.array(5.0, mask=True)):
        assert math.isnan(function(x=alone, k=2.0))


def test_what_pandas_marks_as_missing_has_no_value():
    pandas = pytest.importorskip("pandas")
    function = compiled(PRODUCT, "y", ["x", "k"])
    for column in (pandas.Series([1, pandas.NA], dtype=object), pandas.array([1, None], dtype="Int64")):
        assert function(x=column, k=2.0) == pytest.approx([2.0, math.nan], nan_ok=True)
    with pytest.raises(ExpressionError, match="no real number"):
        function(x=pandas.NA, k=2.0)


def test_an_array_that_states_its_unit_must_be_in_the_declared_one():
    xarray = pytest.importorskip("xarray")
    function = compiled(LENGTHS, "y", ["x", "k"])
    for numbers in ([1.0], 1.0):
        assert function(x=xarray.DataArray(numbers, attrs={"units": "metre"}), k=2.0) == pytest.approx(2.0)
        for unit, shown in (("ft", "ft"), ("degrees_north", "degrees_north"), ("", "1"), ("s", "s")):
            with pytest.raises(UnitError) as refused:
                function(x=xarray.DataArray(numbers, attrs={"units": unit}), k=2.0)
            assert f"x: a compiled function takes bare numbers in m, and this is in {shown}." in str(refused.value)
            assert "Convert it to m, and give the numbers alone: x=array.values." in str(refused.value)
    in_feet = xarray.DataArray(1.0, attrs={"units": "ft"})
    for given in ([[in_feet]], numpy.array([in_feet, None], dtype=object)):
        with pytest.raises(UnitError, match="and this is in ft"):
            function(x=given, k=2.0)


def test_arrays_that_do_not_fit_each_other_are_named_with_their_shapes():
    function = compiled(PRODUCT, "y", ["x", "k"])
    with pytest.raises(ExpressionError, match=r"Arrays of these shapes do not fit each other: x \(2,\), k \(3,\)\."):
        function(x=numpy.ones(2), k=numpy.ones(3))
    with pytest.raises(ExpressionError, match='Compile with backend="numpy"'):
        compiled(PRODUCT, "y", ["x", "k"], "python")(x=numpy.ones(2), k=2.0)
