"""Closed forms: put in the numbers, and the solver's value comes out."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import AmbiguousError, NoSolutionError, UnderdeterminedError
from derive.library import Library
from derive.model.relation import relate
from derive.relation_files.loading import load
from quantities.quantity import Quantity
from tests.derive.corpus import FORMULAS, Formula
from tests.derive.statements import bare
from tests.ordinary import every


def numbers(*equations, domain="positive"):
    from derive.expressions.grammar import parse_equation
    from derive.expressions.tree import names_in

    names = {
        name for text in equations for side in parse_equation(text).__getstate__()[:3:2] for name in names_in(side)
    }
    declared = [Quantity(name, domain=domain) for name in sorted(names)]
    return Library([relate(f"r{i}", text, quantities=declared) for i, text in enumerate(equations)])


def put_in(library, expression, **values):
    return float(expression.subs({library.quantities[name]: sympy.Float(x, 30) for name, x in values.items()}))


SMOOTH = [formula for formula in FORMULAS if not any(word in formula.equation for word in ("min(", "max(", " if "))]


@every("formula", SMOOTH[3::12], ids=str, ordinary=8)
def test_a_published_formula_turned_round_comes_to_its_sample(formula: Formula):
    positive = {name: Quantity(name, unit) for name, unit in formula.units.items()}
    library = Library([relate("r", formula.equation, quantities=positive)])
    at = {**formula.values, formula.sides[0]: formula.value()}
    found = 0
    for target in formula.units:
        try:
            expression = library.formula(target, [name for name in at if name != target])
        except (AmbiguousError, NoSolutionError):
            continue
        found += 1
        held = {name: number for name, number in at.items() if name != target}
        assert not expression.has(library.quantities[target])
        if not expression.has(sympy.asin, sympy.acos, sympy.atan):
            assert put_in(library, expression, **held) == pytest.approx(at[target], rel=1e-9), target
    assert found


ROOFLINE = load("""[quantities]
time = { unit = "s" }
work = { unit = "GFLOP" }
bytes = { unit = "GB" }
peak = { unit = "TFLOP/s" }
bandwidth = { unit = "GB/s" }
[relations.roofline]
equation = "time = max(work/peak, bytes/bandwidth)"
""")


@pytest.mark.parametrize(("time", "expected"), [(3.0, 6.0), (1.5, 3.0)])
def test_a_maximum_is_inverted_arm_by_arm(time, expected):
    expression = ROOFLINE.formula("work", ["time", "bytes", "peak", "bandwidth"])
    assert expression.has(sympy.Piecewise)
    at = {"time": time, "bytes": 2.0, "peak": 2.0, "bandwidth": 4.0}
    assert put_in(ROOFLINE, expression, **at) == pytest.approx(expected)
    slow = {ROOFLINE.quantities[name]: x for name, x in {**at, "bandwidth": 0.5}.items()}
    assert expression.subs(slow) in (sympy.nan, sympy.zoo) or expression.subs(slow).has(sympy.Piecewise)


def test_a_formula_forwards_keeps_the_maximum():
    names = ["work", "bytes", "peak", "bandwidth"]
    w, b, p, q = (ROOFLINE.quantities[name] for name in names)
    assert ROOFLINE.formula("time", names) == sympy.Max(w / p, b / q)


def test_a_chain_is_put_together_in_the_symbols_of_the_givens():
    library = numbers("b = 2*a", "c = b + 1", "d = c**2")
    a, d = library.quantities["a"], library.quantities["d"]
    assert sympy.simplify(library.formula("d", ["a"]) - (2 * a + 1) ** 2) == 0
    assert sympy.simplify(library.formula("a", ["d"]) - (sympy.sqrt(d) - 1) / 2) == 0


def test_a_linear_block_has_a_closed_form():
    library = numbers("x + y = a", "x - y = b")
    a, b = library.quantities["a"], library.quantities["b"]
    assert sympy.simplify(library.formula("x", ["a", "b"]) - (a + b) / 2) == 0


def test_the_target_among_the_givens_is_itself():
    library = numbers("b = 2*a")
    assert library.formula("a", ["a"]) == library.quantities["a"]


def test_both_roots_are_in_the_error_where_no_sign_decides():
    with pytest.raises(AmbiguousError) as caught:
        numbers("y = x**2 - x", domain="real").formula("x", ["y"])
    assert len(caught.value.answers) == 2


def test_a_root_of_the_wrong_sign_is_dropped():
    library = numbers("y = x**2")
    assert library.formula("x", ["y"]) == sympy.sqrt(library.quantities["y"])


@pytest.mark.parametrize(
    ("equation", "given", "error"),
    [("y = x*exp(x)", ["y"], NoSolutionError), ("y = x*z", ["y"], UnderdeterminedError)],
)
def test_where_there_is_no_closed_form_it_is_refused(equation, given, error):
    with pytest.raises(error):
        numbers(equation).formula("x", given)


CHOICES = {  # of x: rising, falling, or with several roots
    "max(a*x, b*x + c)": "positive",
    "max(a*x, b/x)": "positive",
    "min(a*x, b) + x**2": "positive",
    "max(a*x, -b*x)": "real",
    "max(a*x, b)*x": "real",
    "min(a*x, b - x)": "real",
    "(a*x if x > b else a*b - x)": "real",
    "(a*x if x > b else a*b)": "positive",
}


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("side", CHOICES)
@given(numbers=st.tuples(*[st.integers(1, 12)] * 4))
def test_where_several_arms_bind_at_once_a_formula_has_no_value(side, numbers):
    names = "".join(f'{name} = {{ unit = "", domain = "{CHOICES[side]}" }}\n' for name in "xyabc" if name in side + "y")
    library = load(f'[quantities]\n{names}[relations]\nr = {{ equation = "y = {side}" }}')
    known = {name: number for name, number in zip("yabc", numbers, strict=True) if name in library.quantities}
    form = library.formula("x", given=list(known))
    found = complex(form.subs({symbol: known[symbol.name] for symbol in form.free_symbols}).evalf()).real
    try:
        answers = library.solve_all("x", **{name: str(number) for name, number in known.items()})
    except NoSolutionError:
        answers = ()
    spans = [(one.low.magnitude, one.high.magnitude) for one in answers if one.value is None]
    values = [one.value.magnitude for one in answers if one.value is not None]
    if len(values) == 1 and not spans:
        assert found == pytest.approx(values[0])
    elif not any(low <= found <= high for low, high in spans):  # an end of an interval is one of its values
        assert found != found or (CHOICES[side] == "positive" and found <= 0)


def test_a_division_that_would_lose_the_solution_is_not_made():
    quantities = "".join(
        f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ("w", "part", "whole", "q", "g", "v", "z")
    )
    library = derive.load(f"""[quantities]
    {quantities}[relations]
    half = {{ equation = "part = 0.5*w" }}
    share = {{ equation = "part = q*whole/(q + q)" }}
    least = {{ equation = "g = min(v, 10*w) - q*z" }}
    """)
    assert str(library.formula("w", ["g", "z", "whole", "v"])) == "whole"


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("t = q if q >= f else 4", lambda t, f: t == 4),
        ("t = 4 if q < f else q", lambda t, f: t == 4),
        ("t = q if q >= f else f", lambda t, f: t == f),
        ("t = q if q >= f else f + 2", lambda t, f: t == f + 2),
    ],
)
def test_a_choice_has_no_formula_where_any_value_below_its_border_does(text, free):
    library = numbers(text, domain="real")
    form, function = library.formula("q", ["t", "f"]), library.compile("q", ["t", "f"])
    for t in range(-2, 8):
        for f in range(-2, 8):
            values = [float(t)] * (t >= f) + [f - 1.0, f - 2.0] * free(t, f)  # all the numbers below f, or none
            expected = pytest.approx(values[0] if len(values) == 1 else float("nan"), nan_ok=True)
            assert put_in(library, form, t=t, f=f) == expected
            assert function(t=t, f=f) == expected


@pytest.mark.parametrize("seed", range(12))
def test_a_form_says_nothing_where_the_other_arm_of_a_max_has_the_value(seed):
    """There the unknown has an interval of values, and no number: `y = max(a, x)` with y = a."""
    draw = random.Random(f"tie {seed}")
    factor, shift = draw.choice([1, 2, -3]), draw.choice([0, 1, -2])
    choice = draw.choice(["max", "min"])
    library = bare("x y a", f"y = {choice}(a, {factor}*x + {shift})", domains=dict.fromkeys("xya", "real"))
    form = library.formula("x", ["y", "a"])
    y, a = library.quantities["y"], library.quantities["a"]
    tie = draw.randint(-5, 5)
    beyond = tie + (1 if choice == "max" else -1)
    assert form.subs({y: beyond, a: tie}) == sympy.Rational(beyond - shift, factor)
    assert library.solve("x", y=beyond, a=tie).base == pytest.approx((beyond - shift) / factor)
    assert form.subs({y: tie, a: tie}) is sympy.nan
    with pytest.raises(AmbiguousError):
        library.solve("x", y=tie, a=tie)


def test_a_choice_in_the_condition_of_a_form_is_refused_in_words():
    library = bare(
        "x0 x1 y0 y1",
        {"equation": "y1 = min(y0, 2*x1)", "when": ["x0 <= 0"]},
        {"equation": "y1 = 3 - y0", "when": ["x0 > 0"]},
        {"equation": "y0 = max(x1, x0)", "when": ["x0 >= 1"]},
        {"equation": "y0 = x0 if x0 > x1 else x1*2", "when": ["x0 < 1"]},
    )
    with pytest.raises(NoSolutionError, match="no closed form"):
        library.formula("x0", ["x1", "y1"])


ARMS = {
    "2*{a}": lambda a, b: 2 * a,
    "{a} + {b}": lambda a, b: a + b,
    "{b} - {a}": lambda a, b: b - a,
    "{a}*{b}": lambda a, b: a * b,
    "{a}**2": lambda a, b: a**2,
    "min({a}, {b})": min,
    "max({b}, 2*{a})": lambda a, b: max(b, 2 * a),
    "3 - {b}": lambda a, b: 3 - b,
}


@pytest.mark.parametrize("seed", range(60))
def test_a_form_under_conditions_satisfies_the_relations_of_its_case(seed):
    """Each of two quantities has two formulas: that of z is chosen by y, which x alone, or with t, leads to."""
    draw = random.Random(f"arms {seed}")
    (low, f), (high, g), (last, h), (other, k) = (draw.choice([*ARMS.items()]) for _ in range(4))
    turn, edge, first = draw.randint(-1, 2), draw.randint(-1, 3), draw.choice("xy")
    library = bare(
        "x t y z",
        {"equation": f"y = {low.format(a='x', b='t')}", "when": [f"x < {turn}"]},
        {"equation": f"y = {high.format(a='x', b='t')}", "when": [f"x >= {turn}"]},
        {"equation": f"z = {last.format(a=first, b='t')}", "when": [f"y < {edge}"]},
        {"equation": f"z = {other.format(a=first, b='t')}", "when": [f"y >= {edge}"]},
        domains=dict.fromkeys("xtyz", "real"),
    )
    try:
        form = library.formula("x", ["t", "z"])
    except derive.DeriveError:
        return
    for _ in range(10):
        t, z = (Fraction(draw.randint(-16, 16), 4) for _ in range(2))
        found = form.subs({library.quantities["t"]: sympy.Rational(t), library.quantities["z"]: sympy.Rational(z)})
        if found.is_number and found.is_real:
            x = Fraction(str(sympy.nsimplify(found))) if found.is_rational else float(found)
            y = (f if x < turn else g)(x, t)
            assert (h if y < edge else k)({"x": x, "y": y}[first], t) == pytest.approx(z), (form, t, z)


@every("seed", range(20), ordinary=4)
def test_a_square_that_cancels_leaves_a_linear_form(seed):
    """`y = k*a + sqrt(x)`, `x = (k*a)**2 + b`: no square of a is left, and a is `(y**2 - b)/(2*k*y)`."""
    draw = random.Random(f"squares {seed}")
    k, b, y = (draw.randint(1, 90) / 10 for _ in range(3))
    library = bare("a x y b", f"y = {k}*a + x**0.5", f"x = ({k}*a)**2 + b", domains={"a": "real", "x": "real"})
    form = library.formula("a", ["y", "b"])
    right = (y * y - b) / (2 * k * y)
    assert float(form.subs({library.quantities["y"]: y, library.quantities["b"]: b})) == pytest.approx(right)
    is_root = y - k * right >= 0
    assert library.compile("a", ["y", "b"])(y=y, b=b) == pytest.approx(right if is_root else math.nan, nan_ok=True)


@pytest.mark.parametrize("side", ["x + max(x, a)", "max(a*x, b*x + c)", "min(a*x, b) + x**2", "a*min(x, b) + x*c"])
def test_the_arms_of_what_rises_do_not_exclude_each_other_in_a_formula(side):
    """Each value has one x: where the conditions of two arms hold at once, their forms are equal."""
    library = numbers(f"y = {side}")
    form = library.formula("x", [name for name in library.quantities if name != "x"])
    assert not form.atoms(sympy.Ne)
    falling_and_rising = numbers("y = max(a*x, b/x)")
    assert falling_and_rising.formula("x", ["a", "b", "y"]).atoms(sympy.Ne)


@pytest.mark.parametrize("repeated", ["max(x, a, 2*x - 1)", "max(x, a, x)", "min(x, a, 2*x + 1)", "max(a, x + 1, 2*x)"])
def test_a_formula_has_no_value_where_an_arm_without_the_unknown_ties(repeated):
    """Where a is y, as the solver says, any x does at which the other arms leave it."""
    library = bare("a x y", f"y = {repeated}", domains=dict.fromkeys("axy", "real"))
    form = library.formula("x", given=["a", "y"])
    at = {str(symbol): symbol for symbol in form.free_symbols}
    for a in (2, 5):
        (interval,) = library.solve_all("x", a=a, y=a)
        assert interval.value is None
        assert form.subs({at["a"]: a, at["y"]: a}) is sympy.nan


TORN = {  # a pair with a choice, and the numbers that follow from a and b
    ("y = sqrt(b) + x", "x = max(a, b)"): lambda a, b: (max(a, b), math.sqrt(b) + max(a, b)),
    ("y = sqrt(b) + x", "x = min(a, b)"): lambda a, b: (min(a, b), math.sqrt(b) + min(a, b)),
    ("y = min(b, 1/x)", "x = 9 - a*b"): lambda a, b: (9 - a * b, min(b, 1 / (9 - a * b))),
}


@pytest.mark.thorough
@every("seed", range(60), ordinary=12)
def test_a_formula_of_arms_holds_where_what_is_put_in_has_a_value(seed):
    """The square of `b = (y - x)**2` hides that x is at most y, and 1/y that x is positive: rivals fail there."""
    draw = random.Random(seed)
    pair = draw.choice([*TORN])
    a, b = draw.choice((Fraction(1, 4), 1, 2, 3)), draw.choice((Fraction(1, 4), 1, Fraction(9, 4), 4))
    if a * b >= 9:
        return
    x, y = TORN[pair](a, b)
    form = bare("a b x y", *pair).formula("x", given=["a", "y"])
    at = {str(symbol): symbol for symbol in form.free_symbols}
    exact = sympy.nsimplify(y, rational=True)
    assert float(form.subs({at["a"]: sympy.Rational(a), at["y"]: exact})) == pytest.approx(float(x))


# relations, the target, and what the other quantities are at a value of the first given
REPEATED = [
    (
        ["d = a*max(b, c)", "c = b/a", "c = a + 2"],
        "b",
        {"a": lambda a: a, "d": lambda a: max(a**2 * (a + 2), a**2 + 2 * a)},
    ),
    (["q = 10*q - 2*a - 4.3", "q = max(a - b, 0.5)", "b = a + 4"], "b", {"q": lambda a: Fraction(1, 2)}),
    (["b = a", "q = a**2 - 0.75", {"equation": "q = 3 - b", "when": ["a >= q"]}], "b", {"a": lambda a: a}),
    (["q = 4 + b if b < a else 4 + a", "b*(q - a) = a + 7"], "b", {"a": lambda a: a, "q": lambda a: a + 4}),
]


@pytest.mark.parametrize(("relations", "target", "given"), REPEATED)
@pytest.mark.parametrize("at", [Fraction(1, 2), Fraction(1), Fraction(5, 4), Fraction(3)])
def test_a_formula_has_a_value_where_another_relation_takes_one_of_an_interval(relations, target, given, at):
    tied = bare("a b c d q", *relations)
    numbers = {name: value(at) for name, value in given.items()}
    try:
        answer = tied.solve(target, **{name: str(number) for name, number in numbers.items()})
    except derive.DeriveError:
        return  # what is given does not fit together there
    form = tied.formula(target, given=[*given])
    symbols = {str(symbol): symbol for symbol in form.free_symbols}
    put_in = {symbols[name]: sympy.Rational(number) for name, number in numbers.items() if name in symbols}
    assert float(form.subs(put_in)) == pytest.approx(float(answer.value.magnitude))


def test_a_formula_without_conditions_comes_before_one_with_arms():
    library = bare("a b c d", "d = a*max(b, c)", "c = b/a", "c = a + 2")
    a = library.quantities["a"]
    assert sympy.expand(library.formula("b", given=["a", "d"]) - a * (a + 2)) == 0


def test_what_cancels_in_every_case_has_a_formula():
    cases = bare("a b q", "q = q + a - b", {"equation": "q = max(b, 10)", "when": ["q >= 5"]})
    assert cases.formula("b", given=["a"]) == cases.quantities["a"]
