"""Special functions: one entry of the table is all that each room needs."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from mpmath import mp, mpf

import derive
from derive.errors import DimensionError, DomainError, NoSolutionError
from derive.expressions.functions import SPECIAL
from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.sympy_bridge import from_sympy
from derive.expressions.tree import FUNCTIONS, Apply, Name
from derive.numerics.algebra.evaluation import value
from derive.numerics.local_solvers.automatic_differentiation import Tape
from derive.numerics.root_finding.contractors import _INVERSES

AT = {"erf": (-2.0, -0.3, 0.0, 0.7, 3.0), "erfinv": (-0.9, 0.0, 0.2, 0.99), "gamma": (0.2, 1.0, 1.7, 4.5, 20.0)}
AT["lambertw"] = (-0.36, -0.1, 0.0, 1.0, 40.0)
EXACT = {name: getattr(mp, name) for name in SPECIAL} | {"lambertw": lambda x: mp.lambertw(x).real}
SLOPES = {
    "erf": lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
    "erfinv": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2),
    "gamma": lambda x: mp.gamma(x) * mp.psi(0, x),
    "lambertw": lambda x: mp.exp(-mp.lambertw(x).real) / (1 + mp.lambertw(x).real),
}
TEXT = """
[quantities]
x = {{ unit = "", domain = "{domain}" }}
y = {{ unit = "", domain = "real" }}
long = {{ unit = "m" }}
[relations]
special = {{ equation = "y = {name}(x)" }}
"""


def library(name: str, domain: str = "real") -> derive.Library:
    return derive.load(TEXT.format(name=name, domain=domain))


def drawn(name: str, draw: random.Random) -> float:
    low, high = SPECIAL[name].domain
    if not math.isfinite(high):
        high = 150.0 if name == "gamma" else 1e9
    near = draw.choice((max(low, -6.0), min(high, 6.0), SPECIAL[name].turn[0] if SPECIAL[name].turn else 0.0))
    x = draw.choice(
        (draw.uniform(max(low, -30.0), min(high, 30.0)), near + draw.choice((-1, 1)) * 10 ** draw.uniform(-17, 0))
    )
    return min(max(x, low), high)


@pytest.mark.parametrize("name", SPECIAL)
def test_values_and_slopes_are_as_near_as_the_entry_says(name):
    draw, entry = random.Random(name), SPECIAL[name]
    with mp.workdps(60):
        for x in [drawn(name, draw) for _ in range(1500)]:
            try:
                found = entry.value(x)
            except ValueError:
                assert x in entry.domain
                continue
            true = EXACT[name](mpf(x))
            assert abs(mpf(found) - true) <= entry.off * math.ulp(float(true)), x
            if entry.domain[0] < x < entry.domain[1] and abs(slope := SLOPES[name](mpf(x))) > 1e-290:
                assert abs(mpf(entry.slope(x)) - slope) <= entry.slope_off * math.ulp(float(slope)), x


@pytest.mark.parametrize("name", SPECIAL)
def test_it_rises_and_falls_as_the_entry_says(name):
    entry = SPECIAL[name]
    points = sorted(drawn(name, random.Random(f"{name} {i}")) for i in range(300))
    points = [x for x in points if entry.domain[0] < x < entry.domain[1]]
    for one, other in itertools.pairwise(points):
        falls = entry.turn is not None and other <= entry.turn[0]
        straddles = entry.turn is not None and one < entry.turn[0] < other
        if other - one > 1e-9 and not straddles:
            rise = (entry.value(other) - entry.value(one)) * (-1 if falls else 1)
            assert rise >= -2 * entry.off * math.ulp(entry.value(one))
    assert all(entry.between[0] <= entry.value(x) <= entry.between[1] for x in points)


@pytest.mark.parametrize("spelling", [spelling for entry in SPECIAL.values() for spelling in entry.spellings])
def test_each_spelling_is_read(spelling):
    assert parse_expression(f"{spelling}(x)") == Apply(FUNCTIONS[spelling], (Name("x"),))


@pytest.mark.parametrize("name", SPECIAL)
def test_it_takes_a_number_and_no_length(name):
    with pytest.raises(DimensionError, match=f"{name} takes a number"):
        derive.load(TEXT.format(name=name, domain="real").replace("(x)", "(long)"))


@pytest.mark.parametrize("name", SPECIAL)
def test_it_is_answered_forwards_and_backwards(name):
    known = library(name, "0.5..100" if name == "gamma" else "real")
    for x in AT[name]:
        if name == "gamma" and x < 0.5:
            continue
        y = known.solve("y", x=x).value.magnitude
        assert y == pytest.approx(float(EXACT[name](x)), rel=1e-13, abs=1e-300)
        back = [answer.value.magnitude for answer in known.solve_all("x", y=y)]
        assert any(one == pytest.approx(x, rel=1e-9, abs=1e-9) for one in back), (x, back)
        assert all(EXACT[name](one) == pytest.approx(y, rel=1e-9) for one in back)


@pytest.mark.parametrize("name", [name for name, entry in SPECIAL.items() if entry.inverse])
def test_what_the_entry_calls_its_inverse_leads_back(name):
    form = parse_expression(SPECIAL[name].inverse)
    for x in AT[name]:
        assert value(form, {"y": SPECIAL[name].value(x)}) == pytest.approx(x, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", SPECIAL)
def test_its_steepness_is_no_less_than_its_slope(name):
    form = parse_expression(SPECIAL[name].steepness)
    for x in AT[name]:
        assert abs(value(form, {"x": x})) >= abs(SPECIAL[name].slope(x)) * (1 - 1e-9)


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
def test_compiled_it_comes_to_the_same(name, backend):
    pytest.importorskip("numba") if backend == "numba" else None
    function = library(name).compile("y", given=["x"], backend=backend)
    with mp.workdps(30):
        expected = [float(EXACT[name](mpf(x))) for x in AT[name]]
    found = [function(x=x) for x in AT[name]] if backend == "python" else function(x=np.array(AT[name]))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", SPECIAL)
def test_where_it_is_undefined_there_is_no_answer_and_no_number(name):
    entry = SPECIAL[name]
    if entry.domain[0] == -math.inf:
        return
    outside = entry.domain[0] - 1
    with pytest.raises((NoSolutionError, DomainError)):
        library(name).solve("y", x=outside)
    assert np.isnan(library(name).compile("y", given=["x"], backend="numpy")(x=np.array([outside, 0.5]))[0])


@pytest.mark.parametrize("name", SPECIAL)
def test_sympy_has_the_same_function(name):
    formula = library(name).formula("y", ["x"])
    assert from_sympy(formula)[0] == Apply(name, (Name("x"),))
    (x,) = formula.free_symbols
    for at in AT[name]:
        assert float(formula.subs(x, at)) == pytest.approx(SPECIAL[name].value(at), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", SPECIAL)
def test_it_has_a_name_on_paper(name):
    assert SPECIAL[name].latex in library(name).solve("y", x=0.5).latex()


def test_all_solutions_of_a_function_that_turns_are_found_and_proved():
    answers = library("gamma").solve_all("x", y=2)
    assert [answer.value.magnitude for answer in answers] == pytest.approx([0.442877396484727, 3.0])
    mixed = derive.load(TEXT.format(name="erf", domain="real").replace("y = erf(x)", "y = x + erf(x)"))
    (answer,) = (mixed.solve("x", y=1.2),)
    assert "proved" in " ".join(answer.assumptions)


@pytest.mark.parametrize("name", SPECIAL)
def test_its_derivative_is_taken_automatically(name):
    tape = Tape([parse_equation(f"2*{name}(x) = y")], ["x"], {"y": 0.0})
    for x in AT[name]:
        with mp.workdps(30):
            expected = 2 * float(EXACT[name](mpf(x))), 2 * float(SLOPES[name](mpf(x)))
        found = tape.gaps(np.array([x]))[0], tape.jacobian(np.array([x]))[0][0]
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("name", SPECIAL)
def test_going_back_from_a_value_loses_no_argument(name):
    draw = random.Random(name)
    for _ in range(300):
        x = drawn(name, draw)
        if SPECIAL[name].domain[0] < x < SPECIAL[name].domain[1]:
            y = SPECIAL[name].value(x)
            found = _INVERSES[name]((y - 1e-15 * abs(y), y + 1e-15 * abs(y)), (-math.inf, math.inf))
            assert any(low <= x <= high for low, high in found), x


def test_a_system_of_several_unknowns_is_solved():
    system = derive.load(
        '[quantities]\na = { unit = "" }\nb = { unit = "" }\np = { unit = "" }\nq = { unit = "" }\n'
        '[relations]\none = { equation = "p = gamma(a) + b" }\ntwo = { equation = "q = a + erf(b)" }\n'
    )
    given = {"p": math.gamma(3.3) + 0.4, "q": 3.3 + math.erf(0.4)}
    pairs = [
        (one.value.magnitude, other.value.magnitude)
        for one in system.solve_all("a", **given)
        for other in system.solve_all("b", **given, a=one.value)
    ]
    assert (3.3, 0.4) in [pytest.approx(pair) for pair in pairs]
    for a, b in pairs:
        assert (math.gamma(a) + b, a + math.erf(b)) == pytest.approx((given["p"], given["q"]))
