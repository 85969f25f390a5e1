"""Tables: every cell is what the solver says of that point."""

from __future__ import annotations

import sys

import numpy
import pint
import pytest

import derive
from derive import (
    DeriveError,
    DomainError,
    ExpressionError,
    InconsistentError,
    LimitError,
    UnderdeterminedError,
    UnitError,
    UnknownNameError,
)
from derive.tables.axes import span
from tests.derive.statements import bare, library
from tests.derive.tables.specimens import GAS, ROOFLINE


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
        derive.units.Quantity([1000, 2000, 3000], "cm**3"),
    ],
    ids=["span", "texts", "quantities", "other unit", "whole numbers"],
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


@pytest.mark.thorough
def test_a_value_that_is_not_proved_to_be_the_only_one_is_remarked_upon():
    texts = ["exp(x) + y*z = a", "x*exp(y) + z = b", "x + y*exp(z) = c"]
    known = {"a": 2.28872, "b": 1.9068763537, "c": 2.2217221778}
    library = bare("x y z a b c", *texts, domains=dict.fromkeys("xyz", "real"))
    (doubt,) = library.solve("x", **known).assumptions
    assert "not proved" in doubt
    (remark,) = library.sweep("x", **known | {"a": [known["a"]]}).remarks
    assert (remark.target, remark.remark.kind, remark.remark.text) == ("x", "unproved", doubt)


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
        ("p", {"V": [], "n": "1 mol", "T": "20 degC"}, ExpressionError),
        ("p", {"V": numpy.ones((2, 2)) * derive.units.litre, "n": "1 mol", "T": "20 degC"}, ExpressionError),
        ("p", {"V": numpy.array([True, False]), "n": "1 mol", "T": "20 degC"}, ExpressionError),
        ("p", {"V": numpy.array([1.0, numpy.nan]) * derive.units.litre, "n": "1 mol", "T": "20 degC"}, DomainError),
        ("p", {"V": numpy.array([1.0, 0.0]) * derive.units.litre, "n": "1 mol", "T": "20 degC"}, DomainError),
        ("p", {"V": numpy.array([1.0, 2.0]), "n": "1 mol", "T": "20 degC"}, UnitError),
        ("p", {"V": numpy.array([1.0, 2.0]) * derive.units.kg, "n": "1 mol", "T": "20 degC"}, UnitError),
        ("p", {"V": ["1 litre", "2..3 litre"], "n": "1 mol", "T": "20 degC"}, ExpressionError),
        ("V", {"V": span("1..2 litre", 3), "n": "1 mol", "T": "20 degC"}, ExpressionError),
        (["p", "V"], {"V": span("1..2 litre", 3), "n": "1 mol", "T": "20 degC"}, ExpressionError),
        (3, {"V": span("1..2 litre", 3), "n": "1 mol", "T": "20 degC"}, UnknownNameError),
        ([], {"V": span("1..2 litre", 3), "n": "1 mol", "T": "20 degC"}, ExpressionError),
        (
            "p",
            {"V": span("1..2 litre", 3), "n": "1 mol", "T": "20 degC", "R": "8 J/mol/K", "W": "3 mJ"},
            InconsistentError,
        ),
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


def test_an_axis_of_temperatures_keeps_its_zero():
    kelvins = GAS.sweep("p", V="1 litre", n="1 mol", T=span("273.15..373.15 K", 3))
    assert kelvins.axes["T"] == pytest.approx([0, 50, 100])
    celsius = GAS.sweep("p", V="1 litre", n="1 mol", T=derive.units.Quantity(numpy.array([0.0, 50, 100]), "degC"))
    assert celsius.columns["p"] == pytest.approx(kelvins.columns["p"], rel=1e-14)


def test_an_axis_of_turns_is_read_as_turns():
    wheel = derive.load(
        '[quantities]\nspeed = { unit = "rad/s" }\nrim = { unit = "m/s" }\nradius = { unit = "m" }\n'
        '[relations]\nrim = { equation = "rim = speed*radius" }'
    )
    table = wheel.sweep("rim", speed=numpy.array([60.0, 120.0]) * derive.units.rpm, radius="1 m")
    assert table.columns["rim"] == pytest.approx([2 * numpy.pi, 4 * numpy.pi])


def test_the_regime_at_each_point_is_the_one_that_the_solver_tells():
    table = ROOFLINE.sweep(["rate", "step"], batch=span("1..4000", 40, log=True))
    words = table["step.regime"]
    assert set(words) == {"reading", "working"}
    for batch, word in zip(table.axes["batch"], words, strict=True):
        assert ROOFLINE.solve("rate", batch=float(batch)).regime == {"step": word}


def test_a_data_frame_has_a_column_for_each_axis_target_and_regime():
    pytest.importorskip("pandas")
    table = ROOFLINE.sweep(["rate", "step"], batch=span("1..4000", 4, log=True))
    assert table.to_pandas().columns.tolist() == ["batch", "rate", "step", *table.regimes, *table.own_names]
    assert [*table.regimes] == ["step.regime"]


def test_the_regime_is_told_backwards_too():
    table = ROOFLINE.sweep("batch", step=span("4.5..20 ms", 30))
    words = ["reading" if step < 5 else "working" for step in table.axes["step"]]
    assert table["step.regime"].tolist() == words
    assert numpy.isfinite(table.columns["batch"]).all()


def test_where_there_is_no_answer_there_is_no_regime():
    table = ROOFLINE.sweep("batch", step=span("1..10 ms", 4))
    assert table["step.regime"].tolist() == ["", "", "working", "working"]
    assert numpy.isnan(table.columns["batch"]).tolist() == [True, True, False, False]


def test_a_choice_by_condition_is_a_regime_and_so_is_the_smaller_of_two():
    pipe = derive.load("""[quantities]
Re = { unit = "" }
friction = { unit = "" }
loss = { unit = "" }
[relations]
friction = { equation = "friction = 64/Re if Re < 2300 else 0.316/Re**0.25" }
loss = { equation = "loss = min(friction, 0.03) + 1" }
""")
    table = pipe.sweep("loss", Re=[1000, 2200, 5000, 100000])
    assert table["friction.regime"].tolist() == ["64/Re", "64/Re", "0.316/Re**0.25", "0.316/Re**0.25"]
    assert table["loss.regime"].tolist() == ["0.03", "friction", "0.03", "friction"]


def test_a_relation_that_does_not_apply_has_no_regime():
    pump = derive.load("""[quantities]
flow = { unit = "" }
power = { unit = "" }
[relations]
low = { equation = "power = max(1, flow)", when = ["flow < 3"] }
high = { equation = "power = max(9, flow**2)", when = ["flow >= 3"] }
""")
    table = pump.sweep("power", flow=[0.5, 2, 3.5, 5])
    assert table.columns["power"].tolist() == [1, 2, 12.25, 25]
    assert table["low.regime"].tolist() == ["1", "flow", "", ""]
    assert table["high.regime"].tolist() == ["", "", "flow**2", "flow**2"]


def test_a_given_range_bounds_the_target_at_every_point():
    table = ROOFLINE.sweep("step", batch=[10, 200], each="0.05 +/- 0.01 ms")
    assert table.columns["step"] == pytest.approx([4.1, 10])
    assert table.columns["step.low"] == pytest.approx([4.1, 8])
    assert table.columns["step.high"] == pytest.approx([4.1, 12])
    with pytest.raises(ExpressionError, match="range"):
        ROOFLINE.sweep("step", batch=span("1..2", 20_000), each="0.05 +/- 0.01 ms")


def test_a_column_that_is_not_there_is_named():
    table = ROOFLINE.sweep("step", batch=[10, 200])
    with pytest.raises(UnknownNameError, match="Did you mean step"):
        table["stepp"]


def test_a_table_is_a_data_frame_and_a_data_set():
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    table = ROOFLINE.sweep(["step", "rate"], batch=[10, 200], weights=span("1..4 ms", 3))
    frame, data = table.to_pandas(), table.to_xarray()
    assert list(frame.columns) == ["batch", "weights", "step", "rate", "step.regime", "holds", "fails"]
    assert len(frame) == 6
    row = frame.iloc[4]
    assert (row["batch"], row["weights"], row["step.regime"]) == (200, 2.5, "working")
    assert row["step"] == pytest.approx(float(data["step"].sel(batch=200, weights=2.5)))
    assert data["step"].attrs["units"] == data["weights"].attrs["units"] == "ms"
    assert str(data["step.regime"].sel(batch=200, weights=2.5).item()) == "working"


@pytest.fixture
def the_registry_of_the_program():
    before = pint.get_application_registry().get()
    yield pint.set_application_registry
    pint.set_application_registry(before)


def test_a_frame_has_its_units_where_they_are_wanted(the_registry_of_the_program):
    pytest.importorskip("pint_pandas", reason="pint-pandas comes with the extra tables")
    table = ROOFLINE.sweep("step", batch=[10, 200], weights=["1 ms", "4 ms"])
    named = table.to_pandas("names")
    assert list(named.columns) == ["batch", "weights [ms]", "step [ms]", "step.regime", "holds", "fails"]
    assert named["step [ms]"].tolist() == table["step"].ravel().tolist()
    with pytest.raises(UnknownNameError, match=r"place for units 'pin'\. Did you mean pint"):
        table.to_pandas("pin")
    the_registry_of_the_program(pint.UnitRegistry())
    with pytest.raises(DeriveError, match=r"pint.set_application_registry\(derive.units\)"):
        table.to_pandas("pint")
    the_registry_of_the_program(derive.units)
    frame = table.to_pandas("pint")
    assert [str(one.magnitude) for one in frame["step"]] == [str(one) for one in table["step"].ravel()]
    assert {one.units for one in frame["weights"]} == {derive.units.ms}
    assert frame.attrs["units"] == table.units


def test_a_table_is_written_with_its_units_and_to_the_last_digit(tmp_path):
    table = ROOFLINE.sweep("step", batch=[0.1, 3], weights=["1 ms", "4 ms"])
    table.to_csv(tmp_path / "steps.csv")
    heading, *lines = (tmp_path / "steps.csv").read_text().splitlines()
    assert heading == "batch,weights [ms],step [ms],step.regime,holds,fails"
    assert [float(line.split(",")[2]) for line in lines] == table.columns["step"].ravel().tolist()
    assert lines[3].startswith("3.0,4.0,")
    assert lines[3].endswith(",reading,True,")
    with pytest.raises(DeriveError, match="cannot be written"):
        table.to_csv(tmp_path / "nowhere" / "steps.csv")


def test_a_table_survives_being_sent():
    import pickle

    table = ROOFLINE.sweep("step", batch=[10, 200])
    again = pickle.loads(pickle.dumps(table))
    assert again.columns["step"].tolist() == table.columns["step"].tolist()
    assert again["step.regime"].tolist() == ["reading", "working"]
    assert pickle.loads(pickle.dumps(again))["step.regime"].tolist() == ["reading", "working"]


def test_what_spans_nothing_is_refused():
    for text, points in (("3 m", 5), ("1..2 m", 1), ("1..2 m", 2.5), ("1..2 m", "many"), (3, 5)):
        with pytest.raises(ExpressionError):
            span(text, points)
    with pytest.raises(ExpressionError, match="logarithm"):
        span("0..2 m", 5, log=True)


def test_a_sweep_over_what_a_profile_states_is_asked_as_the_solver_is():
    shop = derive.load("""[quantities]
width = { unit = "m" }
depth = { unit = "m" }
floor = { unit = "m**2" }
rent = { unit = "USD" }
price = { unit = "USD/m**2", value = "3 USD/m**2" }
[relations]
floor = { equation = "floor = width*depth" }
rent = { equation = "rent = price*floor" }
[profiles.corner]
width = "5 m"
depth = "4 m"
floor = "20 m**2"
""")
    table = shop.sweep("rent", "corner", width=["2 m", "5 m", "7 m"])
    answers = [shop.solve("rent", "corner", width=f"{width} m").value.magnitude for width in table.axes["width"]]
    assert table.columns["rent"].tolist() == answers


@pytest.mark.thorough
def test_slow_points_are_worked_out_a_few_at_a_time():
    curve = derive.load("""[quantities]
x = { unit = "" }
y = { unit = "" }
[relations]
curve = { equation = "y = x + exp(x)/9 + 3*sin(x)" }
""")
    survey = curve.stream("x", y=span("1..9", 10**6)).survey
    assert survey.pace() < 10_000
    quick = ROOFLINE.stream("step", batch=span("1..9", 10**6)).survey
    assert quick.pace() > 10_000


def test_a_large_table_has_the_numbers_of_every_piece():
    table = GAS.sweep(["p", "W"], V=span("1..4 litre", 700), n=span("1..3 mol", 500), T="26.85 degC")
    moles, litres = table.axes["n"], table.axes["V"][:, None]
    assert numpy.allclose(table["p"], moles * 8.314462618 * 300 / (litres * 1e-3) / 1e5, rtol=1e-12)
    assert numpy.allclose(table["W"], moles * 8.314462618 * 300 * litres / litres, rtol=1e-12)


def test_a_column_of_a_large_table_that_hangs_on_one_axis_only_is_as_large_as_the_table():
    table = ROOFLINE.sweep(["reading", "rate"], batch=span("1..400", 700), each=span("0.01..0.1 ms", 500))
    assert table["reading"].shape == table["rate"].shape == (700, 500)
    assert (table["reading"] == table["reading"][:, :1]).all()
    assert not (table["rate"] == table["rate"][:, :1]).all()
    assert table["reading"].flags.writeable


def test_the_value_that_a_profile_states_of_a_target_counts_where_nothing_leads_to_it():
    values = {"made": {"y": "6 km", "b": "2"}, "rough": {"y": "5..7 km"}}
    held = library({"a": "1", "b": "1", "y": "m", "z": "m"}, "y = a*b*z", profiles=values)
    for profile in values:
        assert held.solve("y", profile, a=2).base == 6000
        assert held.sweep("y", profile, a=[1.0, 2.0]).columns["y"].tolist() == [6000, 6000]
        assert held.compile("y", ["a"], profiles=[profile])(a=2.0) == 6000
    assert held.sweep(["y", "z"], "made", a=[1.0, 2.0]).columns["z"].tolist() == [3000, 1500]
    assert held.sweep("y", "made", a=[1.0, 2.0], z="4 m").columns["y"].tolist() == [8, 16]
    with pytest.raises(UnderdeterminedError):
        held.sweep("y", a=[1.0, 2.0])
