"""Given the units, an equation fits or it does not; and where it does not, the smallest misfit is named."""

from __future__ import annotations

import ast
import math
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import derive
from derive.expressions.grammar import parse_condition, parse_equation, parse_expression
from derive.expressions.tree import Apply, render
from derive.model.dimensional_analysis import dimension_of, mark_of, mismatches, mismatches_of_condition
from derive.numerics.algebra.evaluation import value
from quantities import parse_unit
from quantities.errors import LimitError
from tests.derive.corpus import FORMULAS, Formula, relation_file
from tests.derive.mutants import mutants, sampled
from tests.derive.oracle import consistent
from tests.ordinary import every, examples

UNITS = {
    **dict.fromkeys(("x", "y", "L", "r"), "m"),
    **dict.fromkeys(("t", "tau"), "s"),
    "v": "m/s",
    "a": "m/s**2",
    "A": "m**2",
    "m": "kg",
    "E": "J",
    "W": "W",
    "p": "Pa",
    "p_2": "Pa",
    "V": "m**3",
    "V_2": "m**3",
    "T": "K",
    **dict.fromkeys(("k", "n", "gamma"), "1"),
    "share": "percent",
    "phi": "radian",
    "omega": "radian/s",
    "f": "Hz",
    "rate": "rpm",
    "turns": "revolution",
    "batch": "sequence",
    "tokens": "token",
    "chips": "chip",
    "size": "byte",
    "work": "FLOP",
    "speed": "FLOP/s",
}
KNOWN = {name: parse_unit(unit).dimension for name, unit in UNITS.items()}


def faults(equation: str) -> list[tuple[str, str]]:
    """The kind of each misfit, and the part that it is found in."""
    mismatched = mismatches(parse_equation(equation), KNOWN)
    return [(fault.kind, "" if fault.kind == "sides" else render(fault.node)) for fault in mismatched]


FITTING = [
    # sums, products and numbers
    "x = y + L",
    "x = y - L + 2*r",
    "x = -y",
    "x = 2*y",
    "x = y/2",
    "x = v*t + a*t**2/2",
    "k = x/y",
    "k = 1 + x/y",
    "k = n + 3",
    "k = share",
    "k = 2*pi + 1",
    "E = m*v**2/2",
    "W = E/t",
    "2 = x/y",
    # powers and roots
    "x**2 = A",
    "x = A**0.5",
    "x = A**(1/2)",
    "x = sqrt(A)",
    "x = sqrt(y*L)",
    "x = V**(1/3)",
    "x = (A*V)**(1/5)",
    "A = V**(2/3)",
    "V = A**1.5",
    "k = x**0",
    "x = 1/y**-1",
    "1/x = y**(-1)",
    "k = 2**n",
    "k = 2**(x/y)",
    # powers that are names
    "p*V**gamma = p_2*V_2**gamma",
    "p = p_2*(V_2/V)**gamma",
    "V**(gamma - 1)*V = V**gamma",
    "V**(gamma/2)*V**(gamma/2) = V**gamma",
    "(V**gamma)**2 = V**(2*gamma)",
    "(x*y)**n = x**n*y**n",
    "x**(n*gamma) = (y**gamma)**n",
    "x**((n + 1)*(n - 1)) = y**(n**2 - 1)",
    "x**(n/gamma) = (y**n)**(1/gamma)",
    "x**((gamma - 1)/gamma) = y/y**(1/gamma)",
    "sqrt(x**(2*n)) = y**n",
    "x**sqrt(n) = y**sqrt(n)",
    "x**(n*pi) = y**(pi*n)",
    "x**max(n, 1) = y**max(n, 1)",
    # functions that take numbers
    "k = exp(-x/y)",
    "k = log(x/y) + log10(n) + log2(2)",
    "k = sin(phi) + cos(omega*t) + tan(phi/2)",
    "phi = asin(x/y) + atan(y/x) + acos(n)",
    "k = sinh(x/L)*cosh(n)/tanh(k)",
    # functions that take anything
    "x = abs(y - L)",
    "x = max(y, L, v*t)",
    "v = min(x/t, a*t)",
    # choices and conditions
    "x = y if y > L else L",
    "x = y if t > tau and n < 1 else v*t",
    "x = y if not (t > tau or k == 2) else L",
    "x = y if 0 < y < L else L",
    "x = Piecewise((y, t < tau), (L, True))",
    "x = y if v*t > L else L if t >= tau else r",
    # zero has every dimension
    "x - y = 0",
    "x = max(y, 0)",
    "x = y + 0",
    "x = y if y > 0 else 0",
    "t = 0*tau",
    "x = 0*y + 0",
    "0 = v - x/t",
    "x = 0",
    # whole pieces
    "tokens = ceil(tokens)",
    "chips = ceil(chips/2)",
    "batch = floor(2*batch)",
    "k = ceil(x/y)",
    "n = floor(n + 0.5)",
    "k = ceil(2.5)",
    # turning
    "omega = 2*pi*rate",
    "rate = omega/(2*pi)",
    "v = 2*pi*rate*r/turns",
    "v = 2*pi*rate*r",
    "v = omega*r",
    "phi = 2*pi*turns",
    "k = sin(2*pi*rate*t)",
    "k = cos(2*pi*turns)",
    "W = 2*pi*rate*E",
    "omega = sqrt((2*pi)**2*rate**2)",
    "omega**2 = 4*pi**2*rate**2",
    "turns = rate*t",
    "omega = 2*pi*f",
    "phi = omega*t",
    # inequalities
    "x <= y + L",
    "E >= m*v**2",
]


@every("equation", FITTING)
def test_an_equation_that_fits_has_no_fault(equation):
    assert faults(equation) == []


SIDES = ("sides", "")
MISFITS = [
    # what a simplifier would hide
    ("t = tau + L - L", [("terms", "tau + L - L")]),
    ("x = x + L - L", []),
    ("x = x + t - t", [("terms", "x + t - t")]),
    ("x = y + 0*t", [("terms", "y + 0*t")]),
    ("x = x + 1", [("terms", "x + 1")]),
    ("x = y + t**0", [("terms", "y + t**0")]),
    ("x = y*(t/tau + 1 + t)", [("terms", "t/tau + 1 + t")]),
    ("x = 0*t", [SIDES]),
    # sums, products and numbers
    ("x = t", [SIDES]),
    ("x = v", [SIDES]),
    ("x = v/t", [SIDES]),
    ("x = 2", [SIDES]),
    ("2 = x", [SIDES]),
    ("pi = x", [SIDES]),
    ("x = y + t", [("terms", "y + t")]),
    ("x = y - 1", [("terms", "y - 1")]),
    ("x = 1 - y", [("terms", "1 - y")]),
    ("E = m*v", [SIDES]),
    ("W = E", [SIDES]),
    ("speed = work", [SIDES]),
    ("size = work", [SIDES]),
    ("tokens = batch", [SIDES]),
    ("k = tokens", [SIDES]),
    ("work = 1", [SIDES]),
    # powers and roots
    ("x = A", [SIDES]),
    ("x = A**(1/3)", [SIDES]),
    ("x = A**0.333", [SIDES]),
    ("x = sqrt(V)", [SIDES]),
    ("A = V**0.6666666", [SIDES]),
    ("k = n**x", [("exponent", "n**x")]),
    ("x = y**t", [("exponent", "y**t")]),
    ("k = 2**(x + 1)", [("terms", "x + 1")]),
    # powers that are names
    ("p*V**gamma = p_2*V_2**n", [SIDES]),
    ("p*V**gamma = p_2*V_2", [SIDES]),
    ("x**n = y", [SIDES]),
    ("x**(n + 1) = y**n", [SIDES]),
    ("x**(n**2) = y**(2*n)", [SIDES]),
    ("x**sqrt(n) = y**sqrt(gamma)", [SIDES]),
    ("x**n = y**max(n, 1)", [SIDES]),
    ("x + x**n = y", [("terms", "x + x**n")]),
    ("k = x**n", [SIDES]),
    # functions that take numbers
    ("k = exp(x)", [("argument", "exp(x)")]),
    ("k = exp(-t)", [("argument", "exp(-t)")]),
    ("k = log(p)", [("argument", "log(p)")]),
    ("k = log(p) - log(p_2)", [("argument", "log(p)"), ("argument", "log(p_2)")]),
    ("k = log10(x) + log2(t)", [("argument", "log10(x)"), ("argument", "log2(t)")]),
    ("k = sin(omega)", [("argument", "sin(omega)")]),
    ("k = asin(x)", [("argument", "asin(x)")]),
    ("k = tanh(t)", [("argument", "tanh(t)")]),
    ("x = exp(y/L)", [SIDES]),
    # functions that take anything
    ("x = abs(t)", [SIDES]),
    ("x = max(y, t)", [("terms", "max(y, t)")]),
    ("x = min(y, 1)", [("terms", "min(y, 1)")]),
    ("x = max(y, L, 2*t)", [("terms", "max(y, L, 2*t)")]),
    ("t = max(y, L)", [SIDES]),
    # choices and conditions
    ("x = y if y > t else L", [("terms", "y > t")]),
    ("x = y if y > 3 else L", [("terms", "y > 3")]),
    ("x = y if n > 3 else t", [("terms", "y if n > 3 else t")]),
    ("x = t if n > 3 else tau", [SIDES]),
    ("x = y if n > 3 and y == t else L", [("terms", "y == t")]),
    ("x = y if not 1 <= y else L", [("terms", "1 <= y")]),
    ("x = Piecewise((y, t < x), (L, True))", [("terms", "t < x")]),
    ("x = y if t < x else t", [("terms", "t < x"), ("terms", "y if t < x else t")]),
    ("x = y if exp(t) > 2 else L", [("argument", "exp(t)")]),
    # whole pieces
    ("x = ceil(y)", [("rounding", "ceil(y)")]),
    ("t = floor(t)", [("rounding", "floor(t)")]),
    ("speed = ceil(speed)", [("rounding", "ceil(speed)")]),
    ("tokens**2 = ceil(tokens**2)", [("rounding", "ceil(tokens**2)")]),
    ("1/tokens = floor(1/tokens)", [("rounding", "floor(1/tokens)")]),
    ("k = ceil(tokens*batch)", [("rounding", "ceil(tokens*batch)")]),
    ("k = ceil(tokens)", [SIDES]),
    ("tokens = ceil(2.5)", [SIDES]),
    ("x**n = floor(x**n)", [("rounding", "floor(x**n)")]),
    # turning
    ("omega = rate", [SIDES]),
    ("omega = 2*rate", [SIDES]),
    ("omega = rate/(2*pi)", [SIDES]),
    ("rate = 2*pi*omega", [SIDES]),
    ("rate = omega", [SIDES]),
    ("f = rate", [SIDES]),
    ("phi = turns", [SIDES]),
    ("k = sin(rate*t)", [("argument", "sin(rate*t)")]),
    ("v = rate*r", [SIDES]),
    ("omega = pi*rate**2*t", [SIDES]),
    # several, each of its own
    ("x = exp(t) + sin(x)", [("argument", "exp(t)"), ("argument", "sin(x)"), SIDES]),
    ("x = y*(1 + t)/(1 + tau)", [("terms", "1 + t"), ("terms", "1 + tau")]),
    ("x + t = y + t", [("terms", "x + t"), ("terms", "y + t")]),
    # an inequality
    ("x <= t", [SIDES]),
]


@every(("equation", "expected"), MISFITS)
def test_the_smallest_misfits_are_named_and_nothing_above_them(equation, expected):
    assert faults(equation) == expected


def test_a_misfit_tells_both_its_parts_and_what_they_measure():
    (fault,) = mismatches(parse_equation("x = 2*(y + v*L)"), KNOWN)
    assert (render(fault.left), str(fault.left_dimension)) == ("y", "m")
    assert (render(fault.right), str(fault.right_dimension)) == ("v*L", "m**2/s")


@pytest.mark.parametrize(
    ("rotation", "fits"),
    [
        (["omega = 2*pi*rate + omega", "omega = omega + 2*pi*rate"], True),
        (["omega = pi*rate + rate", "omega = rate + pi*rate"], False),
        (["turns = (2*pi*rate + omega)*t", "turns = (omega + 2*pi*rate)*t"], False),
        (["omega = max(2*pi*rate, omega)", "omega = max(omega, 2*pi*rate)"], True),
        (["rate = max(2*pi*rate, omega)", "rate = max(omega, 2*pi*rate)"], False),
        (["phi = (omega + 2*pi*rate)*t", "phi = (2*pi*rate + omega)*t"], True),
    ],
)
def test_the_order_of_terms_does_not_turn_cycles_into_radians(rotation, fits):
    assert [not faults(equation) for equation in rotation] == [fits, fits]


def test_sixty_rpm_are_not_6_hertz():
    """A hertz counts cycles, so that a factor 2 pi between it and the revolution is a mistake."""
    units = {"f": "Hz", "omega": "radian/s", "rate": "rpm"}
    wrong = {"r": "f = 2*pi*rate", "s": "rate = f/(2*pi)"}
    assert [problem.relation for problem in derive.check(relation_file(units, wrong))] == ["r", "s"]
    assert derive.check(relation_file(units, {"r": "omega = 2*pi*rate", "s": "omega = 2*pi*f"})) == []


@pytest.mark.parametrize(
    ("condition", "kinds"),
    [
        ("x < y", []),
        ("x < 0", []),
        ("phi < 0.3", []),
        ("0 < x < L and t > tau", []),
        ("x < 0.3", ["terms"]),
        ("x < y and t > x", ["terms"]),
        ("exp(x) < 1 or t == 2", ["argument", "terms"]),
        ("not x == t", ["terms"]),
    ],
)
def test_a_condition_compares_like_with_like(condition, kinds):
    assert [fault.kind for fault in mismatches_of_condition(parse_condition(condition), KNOWN)] == kinds


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("m*a*x/t", "kg*m**2/s**3"),
        ("sqrt(A)/V**(1/3)", "1"),
        ("V**gamma", "m**(3*gamma)"),
        ("speed*size/work", "byte/s"),
        ("rate", "revolution/s"),
        ("phi", "1"),
        ("x**(1/2)", "m**(1/2)"),
    ],
)
def test_an_expression_measures_something(text, dimension):
    assert str(dimension_of(parse_expression(text), KNOWN)) == dimension


@pytest.mark.parametrize("text", ["0", "x + t", "0*x + sin(t)", "max(0, 0)"])
def test_a_bare_zero_and_a_misfit_measure_nothing_in_particular(text):
    assert dimension_of(parse_expression(text), KNOWN) is None


@pytest.mark.parametrize(
    ("equation", "kind", "node", "left", "right"),
    [
        ("x = t", "sides", "x = t", ("x", "m"), ("t", "s")),
        ("x <= t", "sides", "x = t", ("x", "m"), ("t", "s")),
        ("x = max(0, y, t)", "terms", "max(0, y, t)", ("y", "m"), ("t", "s")),
        ("x = y if n > 1 else t", "terms", "y if n > 1 else t", ("y", "m"), ("t", "s")),
        ("k = log(n) + exp(t)", "argument", "exp(t)", ("t", "s"), ("1", "1")),
        ("k = n**(2*t)", "exponent", "n**(2*t)", ("2*t", "s"), ("1", "1")),
        ("x = ceil(2*x)", "rounding", "ceil(2*x)", ("2*x", "m"), ("1", "1")),
    ],
)
def test_each_kind_of_misfit_tells_where_it_is_and_what_meets_there(equation, kind, node, left, right):
    (fault,) = mismatches(parse_equation(equation), KNOWN)
    sides = ((fault.left, fault.left_dimension), (fault.right, fault.right_dimension))
    assert fault.kind == kind
    assert fault.node == (Apply("=", (fault.left, fault.right)) if kind == "sides" else parse_expression(f"({node})"))
    assert tuple((render(part), str(dimension)) for part, dimension in sides) == (left, right)


MARKS = {name: mark_of(parse_unit(unit)) for name, unit in UNITS.items()}
TURNING = ("omega", "2*pi*f", "f", "omega/(2*pi)", "2*pi*rate", "rate", "1/t", "v/r", "pi/2*f", "2*pi/t", "f*0")


def fits(equation):
    return not mismatches(parse_equation(equation), KNOWN, MARKS)


@pytest.mark.thorough
@every("form", ["{} + {}", "max({}, {})", "({} if n > 1 else {})"], ordinary=3)
def test_a_sum_fits_what_each_of_its_terms_fits_and_nothing_else(form):
    pairs = {(term, other) for term, other in product(TURNING, repeat=2) if fits(f"{term} = {other}")}
    for term, other, head in product(TURNING, repeat=3):
        together = {(head, term), (head, other), (term, other)} <= pairs
        terms = form.format(term, other)
        assert fits(f"{head} = {terms}") == fits(f"{terms} = {head}") == together, (head, terms)


@pytest.mark.parametrize(
    ("equation", "kinds"),
    [
        ("omega = f", ["sides"]),
        ("omega = 2*pi*f", []),
        ("f = omega/(2*pi)", []),
        ("omega = omega - f", ["terms"]),
        ("omega = (2*pi*f + f)*t/tau", ["sides"]),
        ("omega = (2*pi*f + v/r)*t/tau", []),
        ("f = (1/t + omega)*t/tau", ["sides"]),
        ("f = (pi/2*f + f)*t/tau", []),
        ("omega = omega - f + 2*pi*f", ["terms"]),
        ("omega = 2*pi*f + omega - f", ["terms"]),
        ("f = rate + f + omega/(2*pi) + rate", []),
        ("omega = max(2*pi*rate, omega, 2*pi*f)", []),
        ("f = 2*pi*rate", ["sides"]),
        ("f = rate", []),
        ("v = omega*r", []),
        ("k = n + t*f", []),
        ("k = sin(2*pi*f*t) + cos(omega/f)", []),
        ("k = sin(rate/f)", []),
        ("k = n**(rate/f)", []),
        ("k = sin(rate*t)", ["argument"]),
        ("k = n**(rate*t)", ["exponent"]),
        ("k = n**(2*pi*rate*t)", []),
    ],
)
def test_what_the_units_say_of_turning_is_held_together(equation, kinds):
    assert [fault.kind for fault in mismatches(parse_equation(equation), KNOWN, MARKS)] == kinds
    assert [fault.kind for fault in mismatches_of_condition(parse_condition("f < omega"), KNOWN, MARKS)] == ["terms"]
    assert mismatches_of_condition(parse_condition("2*pi*f < omega"), KNOWN, MARKS) == []


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_is_no_argument_and_no_sum(op):
    def kinds(text):
        return [fault.kind for fault in mismatches_of_condition(parse_condition(text), KNOWN)]

    assert kinds(f"x {op} y") == []
    assert kinds(f"x {op} t and exp(t) {op} 1") == ["terms", "argument"]
    assert kinds(f"n {op} 1 or x {op} t") == ["terms"]


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("A = (x + t)**2", [("terms", "x + t")]),
        ("A = (x + t)**n", [("terms", "x + t")]),
        ("k = 1/(x + t)", [("terms", "x + t")]),
        ("k = sqrt(x + t)", [("terms", "x + t")]),
        ("k = exp(x + t)", [("terms", "x + t")]),
        ("k = n**(x + t)", [("terms", "x + t")]),
        ("k = ceil(x + t)", [("terms", "x + t")]),
        ("x = (x + t)*(L + tau)", [("terms", "x + t"), ("terms", "L + tau")]),
        ("x = max(y, (x + t)*L, r, t)", [("terms", "x + t"), ("terms", "max(y, (x + t)*L, r, t)")]),
        ("t = (x**t)**2", [("exponent", "x**t")]),
        ("x = y if n > 1 else L if x > t else r", [("terms", "x > t")]),
        ("x = 0**2 + y", []),
        ("k = 0**n + 1", []),
        ("x = 2*0*y*3", []),
        ("x = 2*t*3*v", []),
        ("k = n**gamma", []),
        ("x*n**gamma = y", []),
        ("x = max(0, y*0, L)", []),
        ("t = max(0, y*0, L)", [SIDES]),
        ("chips = floor(0*tokens)", [SIDES]),
        ("k = ceil(0) + floor(n)", []),
        ("speed*x/v = ceil(chips/chips)*work", []),
    ],
)
def test_what_holds_a_misfit_is_judged_no_further(equation, expected):
    assert faults(equation) == expected


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("omega + 2*pi*rate", "1/s"),
        ("2*pi*rate + omega", "1/s"),
        ("rate + rate", "revolution/s"),
        ("(2*pi*rate + omega)*t", "1"),
        ("max(omega, 2*pi*rate)*t", "1"),
        ("0 + x", "m"),
        ("max(0, 0, t)", "s"),
        ("x*0", "m"),
        ("pi", "1"),
        ("x < y", "1"),
        ("abs(-x)", "m"),
        ("k*x**0", "1"),
        ("n**gamma", "1"),
        ("x**(n - n)", "1"),
        ("x**(n + 1 - n)", "m"),
        ("ceil(3*tokens)", "token"),
        ("floor(x/y)", "1"),
    ],
)
def test_the_dimension_of_the_whole_is_made_of_those_of_its_parts(text, dimension):
    found = dimension_of(parse_expression(text) if "<" not in text else parse_condition(text), KNOWN)
    assert found == parse_unit(dimension).dimension


ATOMS = st.sampled_from(["n", "gamma", "k", "2", "0", "(-3)", "(1/2)", "sqrt(n)", "exp(k)"])
EXPONENTS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("{}*{}".format, inner, inner),
        st.builds("{}/{}".format, inner, ATOMS.filter(lambda atom: atom != "0")),
        st.builds("{}/(n + {})".format, inner, ATOMS),
        st.builds("({})**{}".format, inner, st.integers(1, 3)),
        st.builds("(n + {})**{}".format, ATOMS, st.sampled_from([1, 8, 9, -1, -2])),
    ),
    max_leaves=4,
)


@examples(150)
@given(EXPONENTS)
def test_an_exponent_made_of_names_comes_to_its_number(text):
    at = {"n": 1.7, "gamma": 0.6, "k": 2.3}
    exponent = parse_expression(text)
    assume(math.isfinite(value(exponent, at)))
    try:
        dimension = dimension_of(parse_expression(f"A**({text})"), KNOWN)
    except LimitError:
        return
    total = sum(
        float(factor) * math.prod(value(parse_expression(atom), at) ** power for atom, power in monomial)
        for (_, monomial), factor in dimension.powers
    )
    assert total == pytest.approx(2 * value(exponent, at), rel=1e-9, abs=1e-6)
    assert {base for (base, _), _ in dimension.powers} <= {"length"}


def test_an_exponent_of_very_many_terms_is_refused():
    def raised(terms):
        return parse_expression(f"x**(({' + '.join('abcdefgh')})*({' + '.join(terms)}))")

    known = {**KNOWN, **{name: parse_unit("1").dimension for name in "abcdefghijklmnopq"}}
    assert len(dimension_of(raised("ijklmnop"), known).powers) == 64
    with pytest.raises(LimitError) as caught:
        dimension_of(raised("ijklmnopq"), known)
    assert str(caught.value) == (
        "An exponent with a dimension below it has more than 64 terms. Give the exponent its own name."
    )
    assert caught.value.limit == "64 terms"


# The published formulas

SIZE = 4  # mutants of each formula


@every("formula", FORMULAS, ids=str, ordinary=4)
def test_a_published_formula_is_consistent(formula: Formula):
    assert consistent(formula.equation, formula.units), "the data are wrong: the oracle refuses them"
    assert derive.check(relation_file(formula.units, {formula.name: formula.equation})) == []


@every("formula", FORMULAS, ids=str, ordinary=30, thorough=20)
def test_a_slip_is_reported_just_when_it_breaks_the_dimensions(formula: Formula):
    planted = {f"slip_{n}": text for n, (_, text) in enumerate(sampled(formula.name, formula.equation, SIZE))}
    broken = {name for name, text in planted.items() if not consistent(text, formula.units)}
    problems = derive.check(relation_file(formula.units, planted))
    assert {problem.relation for problem in problems} == broken, planted
    first = 3 + len(formula.units)
    for problem in problems:
        assert problem.message.startswith(f"{problem.relation}: ")
        assert problem.line == first + list(planted).index(problem.relation)
        assert problem.hint.endswith(".")


@pytest.mark.long
def test_the_slips_are_many_and_of_every_kind():
    taken = [(formula, *slip) for formula in FORMULAS for slip in sampled(formula.name, formula.equation, SIZE)]
    verdicts = [consistent(text, formula.units) for formula, _, text in taken]
    assert len(taken) >= 2000
    assert {slip for _, slip, _ in taken} == {"raised", "dropped", "inverted", "added", "power lost", "root lost"}
    assert 400 < sum(verdicts) < len(verdicts) - 1000


# What cannot change a verdict

CASES = st.sampled_from(FORMULAS[::4]).flatmap(
    lambda formula: st.sampled_from([(formula, text) for _, text in sampled(formula.name, formula.equation, 2)])
)


@examples(300)
@given(CASES, st.sampled_from(["swapped", "turned", "scaled", "squared", "commuted", "doubled"]))
def test_rewriting_both_sides_alike_keeps_the_verdict(case, how):
    formula, text = case
    known = {name: parse_unit(unit).dimension for name, unit in formula.units.items()}
    left, right = text.split(" = ")
    factor = next(iter(formula.units))
    rewritten = {
        "swapped": f"{right} = {left}",
        "turned": f"1/({left}) = 1/({right})",
        "scaled": f"({left})*{factor} = {factor}*({right})",
        "squared": f"({left})**2 = ({right})**2",
        "commuted": f"{left} = {_commuted(right)}",
        "doubled": f"{left} = ({right})/2 + ({right})/2",
    }[how]
    before = mismatches(parse_equation(text), known)
    after = mismatches(parse_equation(rewritten), known)
    assert bool(before) == bool(after), rewritten


def _commuted(text: str) -> str:
    """The same text with the operands of every sum and product exchanged."""

    class Exchanged(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
            self.generic_visit(node)
            if isinstance(node.op, (ast.Add, ast.Mult)):
                return ast.BinOp(node.right, node.op, node.left)
            return node

    return ast.unparse(Exchanged().visit(ast.parse(text, mode="eval").body))


@examples(200)
@given(st.sampled_from(FORMULAS), st.data())
def test_another_unit_of_the_same_kind_changes_no_verdict(formula, data):
    """The verdict is about what is measured: millimetres fit where metres do."""
    text = data.draw(st.sampled_from([formula.equation, *(mutant for _, mutant in mutants(formula.equation)[:8])]))
    swaps = {"m": "km", "s": "h", "kg": "lb", "Pa": "bar", "J": "kWh", "W": "hp", "N": "lbf", "1": "percent"}
    units = {name: swaps.get(unit, unit) for name, unit in formula.units.items()}
    known, other = ({n: parse_unit(u).dimension for n, u in table.items()} for table in (formula.units, units))
    assert bool(mismatches(parse_equation(text), known)) == bool(mismatches(parse_equation(text), other))
