"""What an expression comes to is the same in every arithmetic, up to what each leaves out.

The expressions are all sides of all relations of the libraries, every function alone, and random ones. The reference
is `digits`, which shares nothing with the engine but the tree.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy
import pytest
import sympy
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from mpmath import mp, mpf

import derive
from derive.expressions.functions import TABLE
from derive.expressions.grammar import parse_expression
from derive.expressions.sympy_bridge import to_sympy
from derive.expressions.tree import Apply, Equation, Name, Node, names_in, render, walk
from derive.kernels.backends.emitter import Dialect, inlined
from derive.kernels.backends.numba_source import PlainPython
from derive.kernels.backends.python_numpy import Arrays, Floats
from derive.model.dimensional_analysis import dimension_of
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.algebra.homogeneity import degree
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.algebra.modular import PRIME, residue
from derive.numerics.algebra.multiprecision import exactly
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.local_solvers.automatic_differentiation import Tape
from derive.numerics.root_finding.expression_graph import dag_of
from quantities.quantity import Quantity
from tests.derive.digits import OutOfReachError, exact
from tests.derive.draws import expressions
from tests.ordinary import every, examples

LIBRARIES = ("beams", "channels", "circuits", "heat-pumps", "heat-transfer", "pipes")
RATIONAL = {"add", "mul", "neg", "inv"}
EXACT = RATIONAL | {"abs", "max", "min", "floor", "ceil"}
POINTS = st.integers(-24, 24).map(lambda n: n / 8)  # the same number as a double, as a decimal and as a fraction
DIGITS = 120

At = Mapping[str, float]


SIDES = [
    (relation.name, side, library)
    for library in (derive.llm, *map(derive.load, LIBRARIES))
    for relation in library.relations.values()
    for side in (relation.written.lhs, relation.written.rhs)
    if isinstance(side, Apply)
]
"""The sides of every relation that are more than a name, each with the relation's name and library."""


def drawn(seed: str, names: tuple[str, ...]) -> dict[str, float]:
    draw = random.Random(seed)
    return {name: draw.randint(1, 32) / 8 for name in names}


# Each arithmetic, as a function of an expression and the numbers of its names


def written_in(dialect: Dialect, node: Node, at: At, number: Callable[[float], object] = float) -> float:
    arguments = {name: f"a{i}" for i, name in enumerate(at)}
    text = (
        f"def compiled({', '.join(arguments.values())}):\n    return {inlined(node, arguments.__getitem__, dialect)}\n"
    )
    function = dialect.made(text, {"nan": math.nan, **dialect.names()})
    try:
        with numpy.errstate(all="ignore"):
            return float(numpy.ravel(function(*map(number, at.values())))[0])
    except (ValueError, ZeroDivisionError, OverflowError):
        return math.nan


def on_tape(node: Node, at: At) -> float:
    return float(Tape([Equation(node, "=", ZERO)], [*at], {}).gaps(numpy.array([*at.values()]))[0])


def in_sympy(node: Node, at: At) -> float:
    quantities = {name: Quantity(name, domain="real") for name in at}
    whole = to_sympy(node, quantities)
    found = whole.subs({quantities[name]: sympy.Rational(number) for name, number in at.items()}).evalf(30)
    return float(found) if found.is_real and found.is_finite else math.nan


NUMBERS: dict[str, Callable[[Node, At], float]] = {
    "floats": value,
    "balls": exactly,
    "Python": lambda node, at: written_in(Floats(), node, at),
    "NumPy": lambda node, at: written_in(Arrays(), node, at, lambda x: numpy.array([x, x])),
    "machine code": lambda node, at: written_in(PlainPython(), node, at),
    "tape": on_tape,
    "text": lambda node, at: value(parse_expression(render(node)), at),
}


def spans(node: Node, at: At) -> Iterator[tuple[str, tuple[float, float] | None]]:
    """Bounds of an expression at a point."""
    points = {name: (number, number) for name, number in at.items()}
    found = enclose(node, points, "")
    yield "enclosure", found and found.values
    graph = dag_of([Equation(node, "=", ZERO)], [*at], {})
    if graph is not None:
        run = graph.run([*points.values()])
        yield "graph", run and run.spans[graph.roots[0]]


def is_decided(node: Node, at: At) -> bool:
    """Whether doubles tell which arms are taken and which steps are reached; if not, rounding decides."""
    found = enclose(node, {name: (number, number) for name, number in at.items()}, "")
    return found is None or not found.partial


def sizes(node: Node, at: At) -> list[float]:
    """The sizes of all parts, NaN where one is undefined: rounding is a share of the largest."""
    conditions = [
        part for one in walk(node) if isinstance(one, Apply) and one.op == "piecewise" for part in one.args[1::2]
    ]
    skipped = {id(part) for condition in conditions for part in walk(condition)}
    return [abs(value(part, at)) for part in walk(node) if id(part) not in skipped]


def assert_same(node: Node, at: At) -> None:
    """Every arithmetic comes to what exact arithmetic does."""
    try:
        true = exact(node, at, DIGITS)
    except OutOfReachError:
        return
    for name, bounds in spans(node, at):
        assert bounds is not None or true is None, name
        assert true is None or bounds[0] <= true <= bounds[1], name
    fractions = {name: Fraction(number) for name, number in at.items()}
    fraction = exact_value(node, fractions)
    if fraction is not None:
        with mp.workdps(DIGITS):
            assert abs(mpf(fraction.numerator) / fraction.denominator - true) <= abs(true) * mpf(10) ** -90
    operations = {part.op for part in walk(node) if isinstance(part, Apply)}
    if operations <= EXACT:
        assert (fraction is None) == (true is None)
    if operations <= RATIONAL and fraction is not None and all(x.is_integer() for x in at.values()):
        whole = {name: int(number) % PRIME for name, number in at.items()}
        assert residue(node, whole) == fraction.numerator * pow(fraction.denominator, -1, PRIME) % PRIME
    parts = sizes(node, at)
    if not is_decided(node, at) or not (true is None or max(parts) < 1e100):  # a part that overflows is NaN
        return
    for name, number in NUMBERS.items():
        found = number(node, at)
        if true is None:
            assert not math.isfinite(found), name
        else:
            assert found == pytest.approx(float(true), rel=1e-9, abs=1e-9 * max(1.0, *parts)), name


@every("name, node, library", SIDES, ids=[name for name, _, _ in SIDES], ordinary=12)
def test_a_side_of_a_relation_is_the_same_in_every_arithmetic(name, node, library):
    assert_same(node, drawn(name, names_in(node)))


@examples(400, suppress_health_check=list(HealthCheck))
@given(expressions(), POINTS, POINTS)
def test_a_random_expression_is_the_same_in_every_arithmetic(text, x, y):
    node = parse_expression(text)
    assert_same(node, {name: {"x": x, "y": y}[name] for name in names_in(node)})


@examples(60, suppress_health_check=list(HealthCheck))
@given(expressions(4), st.integers(1, 24), st.integers(1, 24))
def test_sympy_comes_to_the_same(text, x, y):
    node = parse_expression(text)
    at = {name: {"x": x / 8, "y": y / 8}[name] for name in names_in(node)}
    if is_decided(node, at) and max(sizes(node, at)) < 1e6:  # NaN compares with nothing
        assert in_sympy(node, at) == pytest.approx(value(node, at), rel=1e-9, abs=1e-9 * max(1.0, *sizes(node, at)))


@pytest.mark.parametrize(
    "text",
    ["Piecewise((x, x < 1))", "Piecewise((x, x < 1), (1/x, x > 2))", "1 if x < 0 else 2 if x < 1 else log(x - 2)"],
)
def test_a_choice_without_a_true_condition_is_undefined_in_every_arithmetic(text):
    for eighths in range(-24, 25):
        assert_same(parse_expression(text), {"x": eighths / 8})


@pytest.mark.ordinary(4)
@pytest.mark.parametrize("name", TABLE)
def test_a_function_is_the_same_in_every_arithmetic(name):
    for eighths in range(-24, 25):
        assert_same(Apply(name, (Name("x"),)), {"x": eighths / 8})


@every("name, node, library", SIDES, ids=[name for name, _, _ in SIDES], ordinary=6)
def test_a_side_scales_as_its_dimension_says(name, node, library):
    """In units half as large, a length is twice the number, and an area four times."""
    measured = {one: library.declared[one].dimension for one in names_in(node)}
    whole = dimension_of(node, measured)
    stepped = any(isinstance(part, Apply) and part.op in ("floor", "ceil") for part in walk(node))
    if (
        whole is None
        or stepped
        or any(monomial for one in (whole, *measured.values()) for (_, monomial), _ in one.powers)
    ):
        return
    draw = random.Random(name)
    factors = {base: draw.choice((0.25, 0.5, 2.0, 4.0)) for base in ("mass", "length", "time", "token", "information")}

    def scale(dimension: object) -> float:
        return math.prod(factors.get(base, 1.0) ** float(power) for base, power in dimension.bases.items())

    at = drawn(name, names_in(node))
    larger = {one: number * scale(measured[one]) for one, number in at.items()}
    expected = value(node, at) * scale(whole)
    size = max((size for size in sizes(node, larger) if size == size), default=0.0)
    assert value(node, larger) == pytest.approx(expected, rel=1e-9, abs=1e-9 * size, nan_ok=True)


@examples(200)
@given(expressions(), st.integers(1, 24), st.integers(1, 24))
def test_an_expression_scales_as_its_degree_says(text, x, y):
    node, at = parse_expression(text), {"x": x / 8, "y": y / 8}
    power = degree(node, dict.fromkeys("xy", Fraction(1)))
    if power is not None:
        doubled = {name: 2 * number for name, number in at.items()}
        expected = value(node, at) * 2.0 ** float(power)
        slack = 1e-9 * max((size for size in sizes(node, doubled) if size == size), default=0.0)
        assert value(node, doubled) == pytest.approx(expected, rel=1e-9, abs=slack, nan_ok=True)
