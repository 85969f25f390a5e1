"""A misfit comes with its mend: what the hint proposes, carried out, makes the relation consistent."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest

import derive
from derive.expressions.grammar import parse_equation
from derive.model.repairs import Vocabulary, exponent_of, factors_of, shown
from tests.derive.corpus import FORMULAS, Formula, declared, relation_file
from tests.derive.hints import mended, proposals
from tests.derive.mutants import factors, mutants
from tests.derive.oracle import consistent
from tests.derive.trees import shape
from tests.ordinary import every

SERVING = {
    "kv_time": "s",
    "batch": "sequence",
    "context": "token/sequence",
    "kv": "byte/token",
    "bandwidth": "byte/s",
    "x": "byte/parameter",
    "bytes_per_parameter": "byte/parameter",
}
CLUSTER = {"time": "s", "work": "FLOP", "peak": "FLOP/s/chip", "chips": "chip", "rate": "FLOP/s"}
BILL = {"cost": "USD", "price": "USD/token", "tokens": "token", "seqs": "sequence", "length": "token/sequence"}
STORE = {"size": "byte", "count": "parameter", "width": "byte/parameter", "kv": "byte/token", "tokens": "token"}
CIRCUIT = {"V": "V", "I": "A", "R": "ohm", "P": "W"}
HEAT = {"P": "W", "h": "W/m**2/K", "A": "m**2", "dT": "K"}
MOTION = {"E": "J", "m": "kg", "v": "m/s", "s": "m", "a": "m/s**2", "h": "m", "t": "s"}

# units, the wrong equation, the hint, the equation mended as the hint says
MENDED = [
    (
        SERVING,
        "kv_time = batch*context*kv/bandwidth*x",
        "A count of parameters meets bytes. Divide the right by bytes_per_parameter [byte/parameter], or leave out x.",
        "kv_time = batch*context*kv/bandwidth*x/bytes_per_parameter",
    ),
    (CIRCUIT, "V = I/R", "Multiply by R instead, or multiply the right by R**2.", "V = I*R"),
    (CIRCUIT, "I = V*R", "Divide by R instead, or divide the right by R**2.", "I = V/R"),
    (CIRCUIT, "P = V", "Multiply the right by I [A].", "P = V*I"),
    (CIRCUIT, "V = I + R", "Multiply instead of adding: I*R.", "V = I*R"),
    (HEAT, "P = h*A", "Multiply the right by dT [K].", "P = h*A*dT"),
    (HEAT, "P = h", "Multiply the right by A*dT.", "P = h*(A*dT)"),
    (
        {"power": "W", "flux": "W/m**2", "side": "m"},
        "power = flux",
        "Multiply the right by side**2.",
        "power = flux*side**2",
    ),
    (
        {"s": "m", "t": "s", "f": "m**2/s**2"},
        "s = t",
        "Multiply the right by sqrt(f).",
        "s = t*sqrt(f)",
    ),
    (
        {"time": "s", "bytes": "byte", "speed": "byte/s/chip", "chips": "chip"},
        "time = bytes/speed",
        "A per-chip value meets a total. Divide the right by chips [chip].",
        "time = bytes/speed/chips",
    ),
    (
        {"speed": "byte/s/chip", "total": "byte/s", "chips": "chip"},
        "speed = total",
        "A per-chip value meets a total. Divide the right by chips [chip].",
        "speed = total/chips",
    ),
    (
        CLUSTER,
        "work = peak*time",
        "A per-chip value meets a total. Multiply the right by chips [chip], or divide the right by peak/rate.",
        "work = peak*time*chips",
    ),
    (
        CLUSTER,
        "work = rate",
        "A rate meets an amount. Multiply the right by time [s].",
        "work = rate*time",
    ),
    (
        CLUSTER,
        "rate = work",
        "A rate meets an amount. Divide the right by time [s], or declare work in FLOP/s, if it is a rate.",
        "rate = work/time",
    ),
    (
        BILL,
        "cost = price*seqs",
        "Multiply the right by length [token/sequence], or divide the right by seqs/tokens.",
        "cost = price*seqs*length",
    ),
    (
        STORE,
        "size = count",
        "A count of parameters meets bytes. Multiply the right by width [byte/parameter].",
        "size = count*width",
    ),
    (
        STORE,
        "size = tokens",
        "A count of tokens meets bytes. Multiply the right by kv [byte/token].",
        "size = tokens*kv",
    ),
    (MOTION, "E = m*v", "Write v**2 instead of v, or divide the right by t/s.", "E = m*v**2"),
    (MOTION, "E = m*v/2 + m*a*s", "Write v**2 instead of v, or divide m*v/2 by t/s.", "E = m*v**2/2 + m*a*s"),
    (MOTION, "v = 2*a*s", "Take the square root of the right, or divide the right by s/t.", "v = sqrt(2*a*s)"),
    (MOTION, "s = v*t + a*t/2", "Write t**2 instead of t, or divide a*t/2 by v/h.", "s = v*t + a*t**2/2"),
    ({"A": "m**2", "s": "m"}, "A = s", "Square the right, or write s**2 instead of s.", "A = s**2"),
    (
        {"y": "1", "s": "m", "h": "m"},
        "y = exp(s)",
        "Divide s by h [m].",
        "y = exp(s/h)",
    ),
    (
        {"E": "J", "s": "m", "h": "m", "t": "s", "v": "m/s"},
        "s = max(h, t)",
        "Multiply t by v [m/s].",
        "s = max(h, t*v)",
    ),
]


@pytest.mark.parametrize(("units", "wrong", "hint", "right"), MENDED)
def test_a_wrong_relation_is_met_with_its_mend(units, wrong, hint, right):
    assert not consistent(wrong, units)
    assert consistent(right, units)
    (problem,) = derive.check(relation_file(units, {"r": wrong}))
    assert problem.hint == hint
    assert derive.check(relation_file(units, {"r": right})) == []


@pytest.mark.parametrize(
    ("units", "wrong", "hint"),
    [
        (
            {"omega": "radian/s", "n": "rpm"},
            "omega = n",
            "Cycles meet radians: one cycle is 2*pi radians. Multiply the right by 2*pi.",
        ),
        (
            {"phi": "radian", "turns": "revolution"},
            "phi = turns",
            "Cycles meet radians: one cycle is 2*pi radians. Multiply the right by 2*pi.",
        ),
        (
            {"omega": "radian/s", "n": "rpm"},
            "n = omega",
            "Cycles meet radians: one cycle is 2*pi radians. Multiply the left by 2*pi.",
        ),
        (
            {"time": "s", "work": "FLOP", "peak": "FLOP"},
            "time = work/peak",
            "A rate meets an amount. Declare peak in FLOP/s, if it is a rate.",
        ),
        ({"s": "m", "t": "s"}, "s = t", "Divide the right by something in s/m."),
        ({"s": "m", "t": "s"}, "s = s + t", "Divide t by something in s/m."),
        ({"s": "m", "h": "m"}, "s = ceil(h)", "Divide by a quantity of that unit before rounding."),
    ],
)
def test_a_slip_has_words_of_its_own(units, wrong, hint):
    (problem,) = derive.check(relation_file(units, {"r": wrong}))
    assert problem.hint == hint


def test_a_hertz_and_a_revolution_per_second_are_one_and_not_joined_by_2_pi():
    assert derive.check(relation_file({"f": "Hz", "n": "rpm"}, {"r": "f = n"})) == []
    (problem,) = derive.check(relation_file({"f": "Hz", "n": "rpm"}, {"r": "f = 2*pi*n"}))
    assert "Multiply the left by 2*pi" in problem.hint


def test_a_factor_is_turned_over_with_the_power_that_it_has():
    units = {"E": "J", "k": "N/m", "x": "m"}
    (problem,) = derive.check(relation_file(units, {"r": "E = k/x**2/2"}))
    assert problem.hint.startswith("Multiply by x**2 instead")


def test_quantities_that_the_relation_has_not_yet_are_proposed_first():
    units = {"F": "N", "p": "Pa", "A_1": "m**2", "A_2": "m**2"}
    (problem,) = derive.check(relation_file(units, {"r": "F = p*A_1/A_1"}))
    assert problem.hint == "Multiply the right by A_2 [m**2], or write A_1**2 instead of A_1."


def test_the_unknown_itself_is_never_proposed():
    (problem,) = derive.check(relation_file({"s": "m", "h": "m", "w": "m"}, {"r": "s = h*w"}))
    assert re.search(r"\bs\b", problem.hint) is None


# Planted in the published formulas

FORGETFUL = [
    formula for formula in FORMULAS if any(not consistent(e, formula.units) for _, e in factors(formula.equation))
]


@every("formula", FORGETFUL, ids=str, ordinary=4)
def test_a_forgotten_factor_is_named_or_made_up_for(formula: Formula):
    for name, forgetting in factors(formula.equation):
        if consistent(forgetting, formula.units):
            continue
        (problem,) = derive.check(relation_file(formula.units, {"r": forgetting}))
        assert proposals(problem.hint)
        for proposal in proposals(problem.hint):
            tried = mended(forgetting, proposal)
            assert tried, f"{proposal!r} proposes nothing, and {name} would have done"
            assert any(consistent(equation, formula.units) for equation in tried), (forgetting, proposal)


@pytest.mark.thorough
def test_a_forgotten_factor_is_nearly_always_the_one_that_is_named():
    named = total = 0
    for formula in FORGETFUL:
        for name, forgetting in factors(formula.equation):
            for problem in derive.check(relation_file(formula.units, {"r": forgetting})):
                total += 1
                named += bool(re.search(rf"\b{name}\b", problem.hint))
    assert total > 400
    assert named >= 0.95 * total


@pytest.mark.thorough
@every("formula", FORMULAS[::2], ids=str, ordinary=4)
def test_whatever_is_proposed_for_two_sides_mends_them(formula: Formula):
    slips = random.Random(formula.name).sample(candidates := mutants(formula.equation), min(6, len(candidates)))
    planted = {f"slip_{n}": text for n, (_, text) in enumerate(slips)}
    for problem in derive.check(relation_file(formula.units, planted)):
        if not problem.message.startswith(f"{problem.relation}: left is "):
            continue
        wrong = planted[problem.relation]
        for proposal in proposals(problem.hint):
            tried = mended(wrong, proposal)
            assert not tried or any(consistent(equation, formula.units) for equation in tried), (wrong, proposal)


# The parts that hints are made of


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("a*b/c", ["a^1", "b^1", "c^-1"]),
        ("a/(b*c**2)", ["a^1", "b^-1", "c^-2"]),
        ("sqrt(a*b)/c", ["a^1/2", "b^1/2", "c^-1"]),
        ("-(a*b)**2", ["a^2", "b^2"]),
        ("a*(b + c)", ["a^1", "add(b, c)^1"]),
        ("a**n", ["pow(a, n)^1"]),
        ("2*pi*a", ["2^1", "pi^1", "a^1"]),
    ],
)
def test_a_product_comes_apart_into_factors_and_powers(text, factors):
    side = parse_equation(f"x = {text}").rhs
    assert [f"{shape(factor)}^{power}" for factor, power in factors_of(side)] == factors


def test_a_long_part_is_told_in_brief():
    side = parse_equation("x = " + " + ".join(f"term_{n}" for n in range(99))).rhs
    assert len(shown(side)) < 60
    assert shown(side).endswith("...")


@pytest.mark.parametrize(("power", "text"), [("1", ""), ("-1", ""), ("2", "**2"), ("-3", "**3"), ("1/2", "**(1/2)")])
def test_an_exponent_is_told_without_its_sign(power, text):
    assert exponent_of(Fraction(power)) == text


def test_a_vocabulary_finds_its_names_by_what_they_measure():
    length, width, time = declared("length", "m"), declared("width", "mm"), declared("time", "s")
    vocabulary = Vocabulary({q.name: q for q in (length, width, time)})
    assert vocabulary.by_dimension == {length.dimension: ["length", "width"], time.dimension: ["time"]}
