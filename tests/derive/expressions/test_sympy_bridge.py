"""A tree becomes the sympy expression that it means, exactly, and comes back from it."""

from __future__ import annotations

import pickle

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from derive import ExpressionError, LimitError, Quantity
from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.sympy_bridge import from_sympy, to_relational, to_sympy
from derive.expressions.tree import render
from quantities.quantity import symbol
from tests.derive.corpus import FORMULAS, Formula, declared
from tests.derive.trees import value
from tests.ordinary import every, examples
from tests.processes import ended

A, B, C = (declared(name, "") for name in "abc")
DECLARED = {"a": A, "b": B, "c": C}
AT = {"a": 0.75, "b": 0.5, "c": 2.25}

MEANT = [
    ("a + b - c", A + B - C),
    ("a/b*c", A * C / B),
    ("-a**2", -(A**2)),
    ("0.07*a", sympy.Rational(7, 100) * A),
    ("1e-3 + a", sympy.Rational(1, 1000) + A),
    ("a/3", A / 3),
    ("2*pi*a", 2 * sympy.pi * A),
    ("sqrt(a)", sympy.sqrt(A)),
    ("a**(1/3)", sympy.cbrt(A)),
    ("a**b", A**B),
    ("exp(a) + log(b) + ln(c)", sympy.exp(A) + sympy.log(B) + sympy.log(C)),
    ("log10(a)", sympy.log(A, 10)),
    ("log2(a)", sympy.log(A, 2)),
    ("sin(a) + cos(a) + tan(a)", sympy.sin(A) + sympy.cos(A) + sympy.tan(A)),
    ("asin(a) + acos(a) + atan(a)", sympy.asin(A) + sympy.acos(A) + sympy.atan(A)),
    ("sinh(a) + cosh(a) + tanh(a)", sympy.sinh(A) + sympy.cosh(A) + sympy.tanh(A)),
    ("abs(a)", sympy.Abs(A)),
    ("max(a, b, c)", sympy.Max(A, B, C)),
    ("min(a, 2*b)", sympy.Min(A, 2 * B)),
    ("ceil(a) + floor(b)", sympy.ceiling(A) + sympy.floor(B)),
    ("a if a < b else c", sympy.Piecewise((A, A < B), (C, True))),
    (
        "a if a <= b and b > c else c if not a == 2 else b",
        sympy.Piecewise((A, sympy.And(A <= B, B > C)), (C, sympy.Not(sympy.Eq(A, 2))), (B, True)),
    ),
    ("Piecewise((a, a != b), (b, a >= c))", sympy.Piecewise((A, sympy.Ne(A, B)), (B, A >= C))),
]


@pytest.mark.parametrize(("text", "expected"), MEANT, ids=[text for text, _ in MEANT])
def test_a_text_is_the_sympy_expression_that_it_reads_like(text, expected):
    assert to_sympy(parse_expression(text), DECLARED) == expected


@pytest.mark.parametrize(("text", "expression"), MEANT, ids=[text for text, _ in MEANT])
def test_a_sympy_expression_becomes_a_tree_of_its_value(text, expression):
    tree, declared = from_sympy(expression)
    assert declared == {name: DECLARED[name].declaration for name in declared}
    assert set(map(symbol, declared.values())) == expression.free_symbols
    assert value(tree, AT) == pytest.approx(value(parse_expression(text), AT))
    assert to_sympy(tree, DECLARED) == expression


@pytest.mark.thorough
@every("formula", FORMULAS, ids=str, ordinary=8)
def test_a_published_formula_keeps_its_value_on_the_way_to_sympy_and_back(formula: Formula):
    quantities = formula.quantities
    right = to_sympy(parse_equation(formula.equation).rhs, quantities)
    at = {quantities[name]: sympy.Float(number, 30) for name, number in formula.values.items()}
    assert float(right.xreplace(at).evalf(15)) == pytest.approx(formula.value(), rel=1e-12)
    tree, declared = from_sympy(right)
    assert set(declared) == {symbol.name for symbol in right.free_symbols}
    assert value(tree, formula.values) == pytest.approx(formula.value(), rel=1e-12)
    assert value(parse_expression(render(tree)), formula.values) == pytest.approx(formula.value(), rel=1e-12)


@examples(200)
@given(st.decimals(min_value="1e-20", max_value="1e20", allow_nan=False, places=12))
def test_a_number_is_kept_to_its_last_digit(number):
    text = f"{number:f}"
    assert to_sympy(parse_expression(text), {}) == sympy.Rational(text)


@examples(200)
@given(st.floats(min_value=1e-200, max_value=1e200))
def test_a_float_of_python_is_the_decimal_that_it_prints(number):
    tree, _ = from_sympy(number * A)
    assert to_sympy(tree, DECLARED) == sympy.Rational(repr(number)) * A


def test_the_quantities_themselves_are_the_symbols():
    expression = to_sympy(parse_expression("2*a*b"), DECLARED)
    assert {id(symbol) for symbol in expression.free_symbols} == {id(A), id(B)}


@pytest.mark.parametrize(
    ("text", "kind"), [("a = a + 1", sympy.Eq), ("a <= 2*a", sympy.Le), ("a + b >= b", sympy.Ge), ("a = a", sympy.Eq)]
)
def test_an_equation_stays_one_where_sympy_could_decide_it(text, kind):
    relational = to_relational(parse_equation(text), DECLARED)
    assert isinstance(relational, kind)
    assert relational.lhs == A or text.startswith("a + b")


def test_a_relational_travels():
    relational = to_relational(parse_equation("a = a + b"), DECLARED)
    assert pickle.loads(pickle.dumps(relational)) == relational


X = sympy.Symbol("x")
REFUSED = [
    (X, "sympy symbol without a unit"),
    (A + X, "sympy symbol without a unit"),
    (sympy.Function("f")(A), "sympy symbol without a unit"),
    (sympy.Dummy("d"), "sympy symbol without a unit"),
    (sympy.I * A, "ImaginaryUnit"),
    (sympy.oo, "Infinity"),
    (sympy.nan, "NaN"),
    (sympy.zoo, "ComplexInfinity"),
    (float("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (1j, "ImaginaryUnit"),
    (sympy.zeta(A), "zeta"),
    (sympy.besselj(0, A), "besselj"),
    (sympy.factorial(A), "factorial"),
    (sympy.sec(A), "sec"),
    (sympy.Integral(A, A), "Integral"),
    (sympy.Derivative(A**2, A), "Derivative"),
    (sympy.Sum(A, (X, 1, 3)), "Sum"),
    (sympy.Matrix([A, B]), "Matrix"),
    (sympy.FiniteSet(A), "FiniteSet"),
    ((A, B), "Tuple"),
    ([A], "list"),
    ("a + b", "str"),
    (None, "NoneType"),
    (object(), "object"),
    (len, "builtin_function_or_method"),
]


@pytest.mark.parametrize(
    ("expression", "said"), REFUSED, ids=[str(said) + str(n) for n, (_, said) in enumerate(REFUSED)]
)
def test_what_has_no_unit_or_no_place_is_refused_in_words(expression, said):
    with pytest.raises(ExpressionError) as caught:
        from_sympy(expression)
    assert said in caught.value.what
    assert caught.value.hint


def test_a_plain_symbol_is_told_how_to_become_a_quantity():
    with pytest.raises(ExpressionError) as caught:
        from_sympy(2 * sympy.Symbol("mass"))
    assert caught.value.hint == 'Declare it: Quantity("mass", "unit").'


def test_two_quantities_of_one_name_do_not_meet():
    with pytest.raises(ExpressionError, match="The quantity a is declared twice with two meanings: in"):
        from_sympy(A + Quantity("a", "m"))


def test_an_expression_of_thousands_of_levels_is_refused_in_words():
    nested = A
    for _ in range(5000):
        nested = sympy.sin(nested, evaluate=False)
    with pytest.raises(LimitError, match="nested too deep"):
        from_sympy(nested)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (A - B, "a - b"),
        (3 - A, "3 - a"),
        (-A, "-a"),
        (A / B, "a/b"),
        (A / (B * C), "a/b/c"),
        (1 / (A + B), "1/(a + b)"),
        (sympy.sqrt(A / B), "sqrt(a/b)"),
        (2 * sympy.pi * sympy.sqrt(A / B), "2*pi*sqrt(a/b)"),
        (A**-2, "1/a**2"),
        (A**-B, "1/a**b"),
        (A ** (B - 1), "a**(b - 1)"),
        (A ** sympy.Rational(3, 2), "a**1.5"),
        (2 * A - 3, "2*a - 3"),
        (-2 * A - 3 * B, "-(2*a) - 3*b"),
        (A * (B + C), "a*(b + c)"),
        (sympy.exp(-A), "exp(-a)"),
        (sympy.E * A, "exp(1)*a"),
        (0.07 * A, "0.07*a"),
        (sympy.Max(A, 2 * B), "max(a, 2*b)"),
    ],
)
def test_a_sympy_expression_is_written_as_a_person_would(expression, written):
    tree, _ = from_sympy(expression)
    assert render(tree) == written


@pytest.mark.parametrize(
    "expression",
    [
        sympy.tan(sympy.pi / 4 - A / 2),
        sympy.tan(sympy.pi / 2 - A),
        sympy.tan(A + sympy.pi / 2),
        sympy.sin(A + sympy.pi / 2) / sympy.cos(A),
        sympy.exp(2 * sympy.log(A)),
        sympy.cosh(sympy.log(B)),
    ],
    ids=str,
)
def test_what_sympy_makes_of_the_functions_of_a_relation_file_is_still_read(expression):
    """sympy turns tan(pi/4 - x) into cot(pi/4 + x) while it builds."""
    tree, _ = from_sympy(expression)
    at = {DECLARED[name]: number for name, number in AT.items()}
    assert value(tree, AT) == pytest.approx(float(expression.xreplace(at)))


HANGING = ["ceil(exp(600)*sin(1e200))", "atan(tan(1e299))"]


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("text", HANGING)
def test_a_constant_that_no_double_holds_is_refused_or_stands_at_once(text):
    """sympy would work out hundreds of digits of it, and may not come back."""
    program = (
        "import derive, sys\n"
        "quantities = [derive.Quantity(name, '') for name in 'xy']\n"
        "try:\n"
        "    derive.relate('r', 'y = x*' + sys.argv[1], quantities=quantities).equation\n"
        "except derive.DeriveError as error:\n"
        "    print(error)\n"
    )
    done = ended(program, text)
    assert done.returncode == 0, done.stderr


def test_a_float_exponent_is_the_root_that_is_meant():
    x, y = Quantity("x"), Quantity("y")
    texts = [render(from_sympy(each)[0]) for each in (x ** (1 / 3), x**-0.5, x**0.3333, x - 2 * x * y)]
    assert texts == ["x**(1/3)", "1/x**0.5", "x**0.3333", "-(2*x*y) + x"]
    assert render(from_sympy(sympy.Pow(sympy.E, x, evaluate=False))[0]) == "exp(x)"


def test_numbers_beyond_doubles_are_refused():
    x = Quantity("x")
    for number in (sympy.Float("1e-400"), sympy.Float("1e400"), sympy.Integer(10) ** 400):
        with pytest.raises(LimitError):
            from_sympy(number * x)
