"""Tables: every cell is what the solver says of that point."""

from __future__ import annotations

import sys

import numpy
import pytest

import derive
from derive import DeriveError, DomainError, LimitError, UnderdeterminedError, UnitError, UnknownNameError
from derive.compiling.sweeping import span

GAS = derive.load("""[quantities]
p = { unit = "bar" }
V = { unit = "litre" }
n = { unit = "mol" }
T = { unit = "degC" }
R = { unit = "J/(mol*K)", value = "8.314462618 J/(mol*K)" }
W = { unit = "J" }
[relations.gas]
equation = "p*V = n*R*T"
[relations.work]
equation = "W = p*V"
[profiles.room]
T = "20 degC"
""")


def test_the_table_has_an_axis_for_each_given_that_varies():
    table = GAS.sweep(["p", "W"], V=span("1..4 litre", 4), T=span("0..100 degC", 3), n="2 mol")
    assert list(table.axes) == ["V", "T"]
    assert table.columns["p"].shape == table.columns["W"].shape == (4, 3)
    assert len(table) == 12
    assert table.axes["V"] == pytest.approx([1, 2, 3, 4])
    assert table.units == {"V": "litre", "T": "degC", "p": "bar", "W": "J"}


def test_every_cell_is_the_answer_at_its_point():
    table = GAS.sweep(
        ["p", "W"], V=span("1..400 litre", 3, log=True), T=numpy.array(["-20 degC", "35 degC"]), n="2 mol"
    )
    for i, volume in enumerate(table.axes["V"]):
        for j, heat in enumerate(table.axes["T"]):
            for target in ("p", "W"):
                answer = GAS.solve(target, V=f"{volume} litre", T=f"{heat} degC", n="2 mol")
                assert table.columns[target][i, j] == pytest.approx(answer.value.magnitude, rel=1e-12)


@pytest.mark.parametrize(
    "axis",
    [
        span("1000..3000 cm**3", 3),
        ["1 litre", "2000 ml", "0.003 m**3"],
        numpy.array([1.0, 2.0, 3.0]) * derive.units.litre,
        numpy.array([1e-3, 2e-3, 3e-3]) * derive.units.m**3,
    ],
    ids=["span", "texts", "quantities", "other unit"],
)
def test_an_axis_in_any_unit_comes_out_in_the_declared_one(axis):
    table = GAS.sweep("p", "room", V=axis, n="1 mol")
    assert table.axes["V"] == pytest.approx([1.0, 2.0, 3.0])
    expected = [1 * 8.314462618 * 293.15 / (litre * 1e-3) / 1e5 for litre in (1, 2, 3)]
    assert table.columns["p"] == pytest.approx(expected)


def test_a_question_without_axes_is_one_cell():
    table = GAS.sweep("p", "room", V="1 litre", n="1 mol")
    assert table.columns["p"].shape == ()
    assert float(table.columns["p"]) == pytest.approx(GAS.solve("p", "room", V="1 litre", n="1 mol").value.magnitude)


def test_a_point_without_a_value_is_no_number():
    roots = derive.load(
        '[quantities]\nx = { unit = "" }\ny = { unit = "" }\n[relations]\nr = { equation = "y = x + 2" }'
    )
    found = roots.sweep("x", y=span("1..4", 4)).columns["x"]
    assert found == pytest.approx([numpy.nan, numpy.nan, 1.0, 2.0], nan_ok=True)


@pytest.mark.parametrize(
    ("log", "expected"), [(False, [1, 25.75, 50.5, 75.25, 100]), (True, [1, 10**0.5, 10, 10**1.5, 100])]
)
def test_a_span_is_even_in_its_values_or_in_their_logarithms(log, expected):
    assert span("1..100 m", 5, log=log).numbers == pytest.approx(expected)


@pytest.mark.parametrize(
    ("target", "given", "error"),
    [
        ("p", {"V": span("1..2 m", 3), "n": "1 mol", "T": "20 degC"}, UnitError),
        ("p", {"V": span("1..2", 3), "n": "1 mol", "T": "20 degC"}, UnitError),
        ("p", {"V": span("-1..2 litre", 3), "n": "1 mol", "T": "20 degC"}, DomainError),
        ("p", {"V": span("1..2 litre", 3)}, UnderdeterminedError),
        ("q", {"V": span("1..2 litre", 3)}, UnknownNameError),
        ("p", {"U": span("1..2 litre", 3)}, UnknownNameError),
        ("p", {"V": span("1..2 litre", 5000), "n": span("1..2 mol", 5000), "T": "20 degC"}, LimitError),
    ],
)
def test_what_cannot_be_swept_is_refused(target, given, error):
    with pytest.raises(error):
        GAS.sweep(target, **given)


@pytest.mark.parametrize(
    ("way", "package", "extra"),
    [("to_pandas", "pandas", "tables"), ("to_xarray", "xarray", "tables"), ("plot", "matplotlib.figure", "figures")],
)
def test_what_is_not_installed_is_named_with_what_installs_it(monkeypatch, way, package, extra):
    table = GAS.sweep("p", "room", V=span("1..2 litre", 3), n="1 mol")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DeriveError) as caught:
        getattr(table, way)()
    assert package.partition(".")[0] in str(caught.value)
    assert f"pip install 'derive-engine[{extra}]'" in str(caught.value)
