"""An answer: frozen, complete, and readable; its bounds and its slopes; the formula that waits to be asked for."""

from __future__ import annotations

import copy
import math
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from multiprocessing import get_context

import numpy
import pytest
import sympy

import derive
from tests.derive.statements import bare, library, number, numbers, span
from tests.ordinary import every

ROOM = library(
    {
        "q": "W",
        "k": "W/(m*K)",
        "area": "m**2",
        "rise": "delta_degC",
        "depth": "m",
        "energy": "kWh",
        "t": "h",
        "life": "h",
    },
    {"equation": "q = k*area*rise/depth", "because": "conduction", "name": "fourier"},
    {"equation": "energy = q*t", "when": ["t < life"], "name": "metered"},
    values={"k": "0.8 W/(m*K)", "life": "100 h"},
    profiles={"glass": {"depth": "4 mm", "area": "2 m**2", "energy": "9 kWh"}},
)
GIVEN = {"rise": "10 delta_degC", "t": "2 h"}


@pytest.fixture
def answer() -> derive.Answer:
    return ROOM.solve("energy", "glass", **GIVEN)


def test_an_answer_is_frozen(answer):
    with pytest.raises(FrozenInstanceError):
        answer.base = 1.0
    with pytest.raises(FrozenInstanceError):
        answer.steps[0].value = "2"
    with pytest.raises(TypeError):
        answer.given["k"] = None


def test_the_value_is_in_the_declared_unit_and_in_others_on_demand(answer):
    assert number(answer) == pytest.approx(8)
    assert str(answer.value.units) == str(derive.units.Unit("kWh"))
    assert answer.to("MJ").magnitude == pytest.approx(28.8)
    with pytest.raises(derive.UnitError):
        answer.to("kg")


def test_the_steps_lead_from_the_givens_to_the_target(answer):
    assert [step.relation for step in answer.steps] == ["fourier", "metered"]
    first, last = answer.steps
    assert first.equation == "q = k*area*rise/depth"
    assert "4 kW" in first.value or "4000 W" in first.value
    assert "8 kWh" in last.value
    assert last.rearranged


def test_a_step_backwards_is_rearranged():
    (step,) = ROOM.without("metered").solve("depth", "glass", q="4 kW", rise="10 delta_degC").steps
    assert step.equation == "q = k*area*rise/depth"
    assert "q" in step.rearranged.split("=")[1]
    assert "0.004 m" in step.value


def test_what_was_given_and_where_it_comes_from_is_kept(answer):
    assert set(answer.given) == {"k", "area", "depth", "rise", "t", "life"}
    assert answer.sources
    assert {source for value in answer.given.values() for source in [value.source]} == set(answer.sources)


CASES = [
    [{"equation": "y = 2*x", "when": ["u < 3"]}, {"equation": "y = 5*x", "when": ["u >= 3"]}],
    [{"equation": "y = 2*x", "when": ["u < v"]}, {"equation": "y = 5*x*v", "when": ["u >= v"]}],
    ["y = 2*x if u < 3 else 5*x"],
]
BEHIND = [[], ["u = 2*w"], ["u = w + p", "p = 3*w"], [{"equation": "u = w", "when": ["p > 1"]}, "p = 2*v"]]


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("is_profile", [False, True])
@pytest.mark.parametrize("level", ["1", "4"])
def test_what_an_answer_lists_as_given_is_enough_to_ask_it_again(cases, behind, is_profile, level):
    """Also the values by which a relation applies, and those from which these follow."""
    values = {"v": "2", **({"w": level} if behind else {"u": level})}
    stated = {"profiles": {"some": values}} if is_profile else {"values": values}
    answer = bare("x y u v w p", *cases, *behind, **stated).solve("y", *(["some"] if is_profile else []), x=7)
    again = bare("x y u v w p", *cases, *behind).solve(
        "y", **{name: str(value) for name, value in answer.given.items()}
    )
    assert number(again) == number(answer)
    assert not again.assumptions or "assumed" not in " ".join(again.assumptions)


def test_a_weak_value_of_the_target_is_a_check(answer):
    (check,) = answer.checks
    assert (check.name, check.passed) == ("energy", False)
    assert check.gap == pytest.approx(1 / 9)


def test_the_regime_names_the_arm_that_binds():
    roof = bare("t a b", {"equation": "t = max(a, b)", "name": "roof"})
    assert roof.solve("t", a=3, b=2).regime == {"roof": "a"}
    assert roof.solve("t", a=2, b=3).regime == {"roof": "b"}
    assert bare("t a", "t = 2*a").solve("t", a=3).regime == {}


def test_a_condition_that_could_not_be_judged_is_an_assumption(answer):
    assert not answer.assumptions
    unknown = bare("y x z", {"equation": "y = 2*x", "when": ["z < 1"], "name": "low"})
    assert any("low" in note for note in unknown.solve("y", x=1).assumptions)


def test_the_text_has_the_answer_first_and_its_columns_aligned(answer):
    lines = answer.text().splitlines()
    assert lines[0] == "energy = 8 kWh"
    assert str(answer) == answer.text()
    assert "steps" in lines or any(line.startswith("1. ") for line in lines)
    assert not any(line != line.rstrip() for line in lines)
    given = lines[lines.index("given") + 1 :][:5]
    assert len({line.index(" = ") for line in given}) == 1


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_every_form_tells_every_step_and_every_given(answer, form):
    told = getattr(answer, form)().replace("\\", "").replace("mathrm", "")
    assert all(name in told for name in ("energy", "fourier", "metered", "depth", "rise"))


def test_a_user_s_text_cannot_break_the_latex():
    answer = bare("a_1 b_2", {"equation": "a_1 = 2*b_2", "name": "half_of"}).solve("b_2", a_1=4)
    told = answer.latex()
    assert told.count("{") - told.count(r"\{") == told.count("}") - told.count(r"\}")


# Ranges


@pytest.mark.parametrize(
    ("relation", "given", "expected"),
    [
        ("y = a*b", {"a": "2..3", "b": "5..7"}, (10, 21)),
        ("y = a/b", {"a": "2..3", "b": "5..7"}, (2 / 7, 3 / 5)),
        ("y = a**2 - b", {"a": "3 +/- 1", "b": "0.5"}, (3.5, 15.5)),
        ("y = max(a, b)", {"a": "2..6", "b": "4"}, (4, 6)),
        ("y = a*exp(-a) + b", {"a": "0.5..3", "b": "1"}, (1 + 3 * math.exp(-3), 1 + math.exp(-1))),
        ("y = (a - 2)**2 + b", {"a": "1..4", "b": "1"}, (1, 5)),
        ("y = a*(4 - a)", {"a": "1..3.5", "b": "1"}, (1.75, 4)),
        ("y = a - a*b", {"a": "1..2", "b": "0.25..0.5"}, (0.5, 1.5)),
    ],
)
def test_ranges_give_the_ends_of_the_answer(relation, given, expected):
    assert span(bare("y a b", relation).solve("y", **given)) == pytest.approx(expected, rel=2e-6)


def test_bounds_that_are_exact_are_said_to_be_and_others_too():
    product = bare("y a b", "y = a*b").solve("y", a="2..3", b="5..7")
    assert span(product) == (10, 21)
    assert any("exact" in note for note in product.assumptions)
    assert any("search" in note for note in bare("y a", "y = a*(4 - a)").solve("y", a="1..3.5").assumptions)


def test_ranges_go_backwards_and_through_a_max():
    assert span(bare("y a b", "y = a*b").solve("a", y="10..20", b="2..4")) == pytest.approx((2.5, 10))
    assert span(bare("y a b", "y = a*max(b, 3)").solve("y", a="1..2", b="1..5")) == pytest.approx((3, 10))
    chain = bare("y a b c", "a = b + c", "y = a*b")
    assert span(chain.solve("y", b="1..2", c="3")) == pytest.approx((4, 10))


def test_ranges_go_through_a_simultaneous_block():
    block = bare("x y s p", "x + y = s", "x - y = p", domains={"p": "real"})
    assert span(block.solve("x", s="4..6", p="1..2")) == pytest.approx((2.5, 4), rel=1e-6)


def test_without_a_range_there_are_no_bounds(answer):
    assert answer.low is None
    assert answer.high is None


def test_a_range_agrees_with_a_check_where_it_overlaps():
    ohm = bare("v i r", "v = i*r")
    assert [check.passed for check in ohm.solve("v", v="10..14", i=2, r=6).checks] == [True]
    assert [check.passed for check in ohm.solve("v", v=12, i="1..3", r=6).checks] == [True]
    with pytest.raises(derive.InconsistentError):
        ohm.solve("v", v="13..14", i=2, r=6)


@every("tenths", range(1, 60), ordinary=20)
def test_a_range_agrees_with_a_check_at_its_end(tenths):
    """In doubles 0.2 + 2.69 is more than 2.89."""
    sums = bare("x a b c", "x = a + b", "c = 2*b")
    a, b = Fraction(tenths, 10), Fraction(269, 100)
    given = {"a": float(a), "b": float(b)}
    low, high = float(a + b), float(a + b + 1)
    assert number(sums.solve("c", x=f"{low}..{high}", **given)) == pytest.approx(5.38)
    assert number(sums.solve("c", x=f"{low - 1}..{low}", **given)) == pytest.approx(5.38)
    with pytest.raises(derive.InconsistentError):
        sums.solve("c", x=f"{low + 1e-6}..{high}", **given)


# Slopes and closed forms


@pytest.mark.parametrize(
    ("relation", "given", "expected"),
    [
        ("y = 3*a**2/b", {"a": 2, "b": 5}, {"a": 2, "b": -1}),
        ("y = a + b", {"a": 2, "b": 6}, {"a": 0.25, "b": 0.75}),
        ("y = max(a, b)", {"a": 2, "b": 6}, {"a": 0, "b": 1}),
        ("y = exp(a)*sqrt(b)", {"a": 2, "b": 6}, {"a": 2, "b": 0.5}),
        ("y + log(y) = a + b", {"a": 2, "b": 3}, None),
    ],
)
def test_elasticities_are_the_logarithmic_slopes(relation, given, expected):
    answer = bare("y a b", relation).solve("y", **given)
    if expected is None:
        slope = 1 / (1 + 1 / number(answer)) / number(answer)
        expected = {name: slope * value for name, value in given.items()}
    assert dict(answer.elasticities) == pytest.approx(expected, abs=1e-6)


def test_a_formula_is_of_the_library_s_symbols_and_gives_the_value(answer):
    form = answer.formula
    assert isinstance(form, sympy.Expr)
    assert form.free_symbols <= set(ROOM.quantities.values())
    at = {ROOM.quantities[name]: value.base[1] for name, value in answer.given.items()}
    assert float(form.subs(at)) == pytest.approx(answer.value.to_base_units().magnitude)


def test_a_formula_too_large_is_refused_when_asked_for_and_not_before():
    count = 14
    doubling = bare(
        " ".join(f"x{i}" for i in range(count + 1)),
        *(f"x{i + 1} = (x{i} + 1)*(x{i} + 2)/(x{i} + 3)" for i in range(count)),
    )
    answer = doubling.solve(f"x{count}", x0=1)
    x = 1.0
    for _ in range(count):
        x = (x + 1) * (x + 2) / (x + 3)
    assert number(answer) == pytest.approx(x)
    assert len(answer.steps) == count
    with pytest.raises(derive.LimitError):
        doubling.formula(f"x{count}", ["x0"])


def test_where_there_is_only_a_number_there_is_no_formula():
    answer = bare("x y", "y = x + exp(x)").solve("x", y=3)
    assert answer.formula is None


def test_answers_compare_by_what_they_say(answer):
    assert answer == ROOM.solve("energy", "glass", **GIVEN)
    assert numbers([answer]) == [pytest.approx(8)]


# What travels


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_an_answer_travels_whole(protocol):
    answer = derive.solve("step_time", "h100-sxm:fp8", "llama3-70b", chips="8 chip", batch="16..64 sequence",
                          context="8 ktoken/sequence", pod_length=3)  # fmt: skip
    sent = pickle.loads(pickle.dumps(answer, protocol))
    assert sent == answer
    assert (sent.unused, sent.failed, sent.value, sent.low) == (
        ("pod_length",),
        answer.failed,
        answer.value,
        answer.low,
    )
    assert (sent.text(9), sent.markdown(), sent.latex(9)) == (answer.text(9), answer.markdown(), answer.latex(9))
    assert (sent.formula, sent.elasticities) == (answer.formula, answer.elasticities)
    assert (sent.steps, sent.checks) == (answer.steps, answer.checks)
    assert pickle.loads(pickle.dumps(sent, protocol)) == answer
    with pytest.raises(TypeError):
        sent.given["batch"] = None


def test_an_answer_travels_without_its_library():
    answer = derive.solve("kv_bytes_per_token", kv_bytes_per_sequence="1 GB/sequence", context="8 ktoken/sequence")
    assert len(pickle.dumps(answer)) < 20_000


def test_a_copy_of_an_answer_is_the_answer():
    answer = derive.solve("kv_bytes_per_token", kv_bytes_per_sequence="1 GB/sequence", context="8 ktoken/sequence")
    assert copy.copy(answer) is answer
    assert copy.deepcopy([answer]) == [answer]
    assert replace(answer, regime={}) == answer


@pytest.mark.long
def test_answers_are_worked_out_side_by_side():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        many = list(pool.map(_drained, (1.0, 2.0)))
    assert [answer.to("s").magnitude for answer in many] == [1.0, 2.0]
    assert many[1].steps[0].value == "2 s"


def _drained(size):
    return derive.solve("drain_time", hbm_capacity=f"{size} TB/chip", hbm_bandwidth="1 TB/s/chip")


@pytest.mark.parametrize("digits", [1, 3, 9, 15])
def test_as_many_digits_are_shown_as_are_asked_for(digits):
    answer = derive.solve("drain_time", hbm_capacity="1 TB/chip", hbm_bandwidth="7 TB/s/chip")
    number = f"{1 / 7:.{digits}g}"
    head, *_, value = (line for line in answer.text(digits).split("\n\ngiven")[0].splitlines() if line)
    assert (head, value.split("= ")[1]) == (f"drain_time = {number} s", f"{number} s")
    for page in (answer.latex(digits), answer.markdown(digits)):
        assert page.count(f"{1000 / 7:.{digits}g}") == 2 or digits < 3


@pytest.mark.parametrize("digits", [0, -1, 18, 10**9, 1.5, "3", True, math.nan])
def test_digits_that_no_number_has_are_refused(digits):
    for form in (ROOM.solve("energy", "glass", **GIVEN), ROOM.least("q", "glass", rise="10..20 delta_degC")):
        for write in (form.text, form.latex, form.markdown) if isinstance(form, derive.Answer) else (form.text,):
            with pytest.raises(derive.ExpressionError, match="Give a whole number from 1 to 17") as refused:
                write(digits)
            assert f"digits = {digits!r} is not allowed." in str(refused.value)


def test_digits_may_be_a_whole_number_of_numpy():
    answer = ROOM.solve("energy", "glass", **GIVEN)
    assert answer.text(numpy.int64(3)) == answer.text(3)


@pytest.mark.parametrize("unit", [None, 1, ["cm"], b"cm", derive.units.m])
def test_what_is_no_text_is_no_unit_of_an_answer(answer, unit):
    with pytest.raises(derive.UnitError, match="is not a unit"):
        answer.to(unit)


def test_digits_that_nobody_asks_for_stay_as_they_were():
    answer = derive.solve("drain_time", hbm_capacity="1 TB/chip", hbm_bandwidth="7 TB/s/chip")
    assert answer.text() == answer.text(6) == str(answer)
    assert "142.857" in answer.latex()
