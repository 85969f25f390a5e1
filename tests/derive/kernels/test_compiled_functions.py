"""Plans as functions: both back ends against each other, against the solver, and against the text itself."""

from __future__ import annotations

import math

import numpy
import pytest

from derive import (
    AmbiguousError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
    UnknownNameError,
)
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.compiled_functions import compiled
from derive.library import Library
from derive.model.relation import relate
from derive.relation_files.loading import load
from quantities.quantity import Quantity
from tests.derive.corpus import FORMULAS, Formula
from tests.derive.random_libraries import hidden
from tests.derive.statements import bare
from tests.ordinary import every


def of(equation, domain="positive", /, **quantities):
    """A library of one relation or several, whose quantities are numbers unless a unit is given."""
    equations = [equation] if isinstance(equation, str) else equation
    names = sorted({word for text in equations for word in _words(text)})
    declared = [Quantity(name, quantities.get(name, ""), domain=domain) for name in names]
    return Library([relate(f"r{i}", text, quantities=declared) for i, text in enumerate(equations)], declared)


def _words(text):
    from derive.expressions.grammar import parse_equation
    from derive.expressions.tree import names_in

    written = parse_equation(text)
    return names_in(written.lhs, written.rhs)


def both(library, target, given):
    return compiled(library, target, given, "python"), compiled(library, target, given, "numpy")


@pytest.mark.thorough
@every("formula", FORMULAS, ids=str, ordinary=4, thorough=12)
def test_a_published_formula_is_a_function_of_its_inputs(formula: Formula):
    quantities = formula.quantities
    library = Library([relate("r", formula.equation, quantities=quantities)])
    target = formula.sides[0]
    given = [name for name in formula.units if name != target]
    scale = {name: quantities[name].unit for name in formula.units}
    # the values are numbers in base units, whatever the declared unit
    declared = {name: scale[name].from_base(formula.values[name]) for name in given}
    expected = scale[target].from_base(formula.value())
    python, arrays = both(library, target, given)
    assert python(**declared) == pytest.approx(expected, rel=1e-9)
    assert float(arrays(**declared)) == pytest.approx(python(**declared), rel=1e-12)


@every("formula", FORMULAS[4::13], ids=str, ordinary=10, thorough=12)
def test_a_published_formula_turned_round_is_what_the_solver_finds(formula: Formula):
    quantities = formula.quantities
    library = Library([relate("r", formula.equation, quantities=quantities)])
    at = {**formula.values, formula.sides[0]: formula.value()}
    for target in formula.units:
        known = {name: quantities[name].unit.from_base(number) for name, number in at.items() if name != target}
        python, arrays = both(library, target, list(known))
        units = library.quantities
        try:
            answer = library.solve(target, **{n: f"{x!r} {units[n].unit.text}" for n, x in known.items()})
            expected = answer.value.magnitude
        except AmbiguousError:
            continue
        except NoSolutionError:
            expected = math.nan
        assert python(**known) == pytest.approx(expected, rel=1e-7, nan_ok=True), target
        assert float(arrays(**known)) == pytest.approx(python(**known), rel=1e-12, nan_ok=True), target


@every("seed", range(40), ordinary=4)
def test_a_random_library_is_the_same_function_on_floats_and_on_arrays(seed):
    case = hidden(seed)
    targets = [name for name in case.library.quantities if name in case.library.holders and name.startswith("q")]
    target = targets[seed % len(targets)]
    given = {name: number for name, number in case.numbers.items() if name != target}
    python, arrays = both(case.library, target, list(given))
    one = python(**given)
    many = arrays(**{name: numpy.full(3, number) for name, number in given.items()})
    assert many == pytest.approx([one] * 3, rel=1e-12, nan_ok=True)
    assert one != one or one == pytest.approx(case.numbers[target], rel=1e-6) or _other_root(case, target, given, one)


def _other_root(case, target, given, one):
    """Whether another number also satisfies one of the relations that hold the target."""
    from derive.numerics.algebra.evaluation import residual

    at = {**given, target: one}
    return any(
        abs(residual(relation.written, at)) < 1e-9
        for relation in case.library.relations.values()
        if target in relation.quantities
    )


@pytest.mark.parametrize(
    ("equation", "target", "known"),
    [
        ("x**2 = -y", "x", {"y": 4.0}),
        ("y = x + 5", "x", {"y": 4.0}),
        ("y = x**2 - x + 1", "x", {"y": 0.8}),  # two admissible values
        ("y = exp(x)", "x", {"y": 0.5}),
        ("y = 1/(a - b)*x", "y", {"x": 1.0, "a": 2.0, "b": 2.0}),
        ("y = x + exp(x)", "x", {"y": 0.5}),
        ("y = max(x, a)", "x", {"y": 1.0, "a": 2.0}),
        ("y = max(x, a)", "x", {"y": 2.0, "a": 2.0}),  # only bounded
        ("y = abs(abs(abs(x - 9) - 4) - 2)", "x", {"y": 1.0}),  # eight, the last of which is not the one
        ("y = abs(abs(x - 9) - 4)", "x", {"y": 4.5}),  # three, of which one is outside and two remain
    ],
)
def test_a_point_without_one_admissible_value_is_no_number(equation, target, known):
    for function in both(of(equation), target, list(known)):
        assert math.isnan(float(function(**known)))


@pytest.mark.parametrize("y", [2.0, 9.0, 2.5e4])
def test_the_admissible_root_is_picked(y):
    for function in both(of("y = x**2 - x"), "x", ["y"]):
        assert float(function(y=y)) == pytest.approx((1 + math.sqrt(1 + 4 * y)) / 2)


@pytest.mark.parametrize(("x", "expected"), [(-4.0, 2.0), (9.0, 9.0)])
def test_an_arm_is_worked_out_only_where_it_is_chosen(x, expected):
    for function in both(of("y = sqrt(-x) if x < 0 else x", "real"), "y", ["x"]):
        assert float(function(x=x)) == expected


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("arc", "inverse", "low", "high"),
    [("asin", numpy.sin, -math.pi / 2, math.pi / 2), ("acos", numpy.cos, 0, math.pi), ("atan", numpy.tan, -1.57, 1.57)],
)
@pytest.mark.parametrize("backend", ["python", "numpy", *(["numba"] if is_at_hand() else [])])
def test_an_arc_has_an_inverse_only_as_far_as_it_goes(arc, inverse, low, high, backend):
    library = of(f"y + 1 = {arc}(x) + 1", "real")
    points = numpy.array([-4.0, -3.0, -1.58, -1.5, 0.0, 0.3, 1.5, 1.58, 3.0, 4.0])
    expected = numpy.where((low <= points) & (points <= high), inverse(points), math.nan)
    call = library.compile("x", ["y"], backend)
    found = [call(y=y) for y in points.tolist()] if backend == "python" else call(y=points)
    assert list(found) == pytest.approx(expected, nan_ok=True)


def test_an_array_goes_through_all_arms_point_by_point():
    arrays = compiled(of("y = log(-x) if x < -1 else 1/x if x > 1 else 5", "real"), "y", ["x"])
    x = numpy.array([-math.e, 4.0, 0.0])
    assert arrays(x=x) == pytest.approx([1.0, 0.25, 5.0])


def test_arrays_broadcast_against_each_other():
    function = compiled(of("z = x*y"), "z", ["x", "y"])
    found = function(x=numpy.array([[1.0], [2.0]]), y=numpy.array([1.0, 2.0, 3.0]))
    assert found == pytest.approx(numpy.array([[1, 2, 3], [2, 4, 6]]))
    assert function(x=numpy.array([1.0, 2.0]), y=3) == pytest.approx([3, 6])
    assert isinstance(function(x=2.0, y=3.0), float)


@every("shape", [(0,), (0, 3), (1,), (2, 9), (700_000,)], ordinary=5)
def test_the_result_has_the_shape_of_the_arrays(shape):
    function = compiled(of("z = x*max(y, k)"), "z", ["x", "y", "k"])
    x = numpy.linspace(-1, 2, math.prod(shape)).reshape(shape)
    found = function(x=x, y=numpy.full(shape[-1:], 3.0), k=2.0)
    assert found.shape == shape
    assert found == pytest.approx(numpy.where(x > 0, 3 * x, math.nan), nan_ok=True)


@pytest.mark.parametrize(
    "name", ["E", "I", "lambda_", "np", "m", "v0", "a0", "nan", "power", "math", "h0", "N", "others", "quick", "found"]
)
def test_a_name_means_the_quantity_whatever_it_looks_like(name):
    library = of(f"y = 2*{name} + max({name}, 1)*k")
    for function in both(library, "y", [name, "k"]):
        assert float(function(**{name: 3.0, "k": 0.5})) == pytest.approx(7.5)


def test_temperatures_go_in_and_come_out_with_their_zero():
    library = load("""[quantities]
    T = { unit = "degC" }
    V = { unit = "litre" }
    k = { unit = "litre/K" }
    [relations.gas]
    equation = "V = k*T"
    """)
    for function in both(library, "V", ["T", "k"]):
        assert float(function(T=26.85, k=0.1)) == pytest.approx(30.0)
    for function in both(library, "T", ["V", "k"]):
        assert float(function(V=30.0, k=0.1)) == pytest.approx(26.85)


def test_units_are_the_declared_ones():
    library = load("""[quantities]
    s = { unit = "km" }
    v = { unit = "m/s" }
    t = { unit = "hour" }
    [relations.way]
    equation = "s = v*t"
    """)
    for function in both(library, "s", ["v", "t"]):
        assert float(function(v=10.0, t=0.5)) == pytest.approx(18.0)
    for function in both(library, "t", ["s", "v"]):
        assert float(function(s=18.0, v=10.0)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("equations", "target", "known", "expected"),
    [
        (["x + y = a", "x - y = b"], "x", {"a": 5.0, "b": 1.0}, 3.0),
        (["x + y = a", "x - y = b"], "y", {"a": 5.0, "b": 1.0}, 2.0),
        (["x*y = a", "x/y = b", "z = x + y"], "z", {"a": 8.0, "b": 2.0}, 6.0),
        (["y = x*exp(x)"], "x", {"y": math.e}, 1.0),
        (["c = x*exp(x)", "z = c + x"], "x", {"z": math.e + 1}, 1.0),
    ],
)
def test_what_has_no_closed_form_is_solved_by_numbers(equations, target, known, expected):
    library = of(equations)
    python, arrays = both(library, target, list(known))
    assert python(**known) == pytest.approx(expected, rel=1e-9)
    doubled = arrays(**{name: numpy.array([number, math.nan]) for name, number in known.items()})
    assert doubled == pytest.approx([expected, math.nan], rel=1e-9, nan_ok=True)


def test_a_default_is_used_until_it_is_given():
    mass, weight = Quantity("mass", "kg"), Quantity("weight", "N")
    gravity = Quantity("gravity", "m/s**2", default="9.8 m/s**2")
    library = Library([relate("r", weight, mass * gravity)])
    assert compiled(library, "weight", ["mass"])(mass=2.0) == pytest.approx(19.6)
    assert compiled(library, "weight", ["mass", "gravity"])(mass=2.0, gravity=1.5) == pytest.approx(3.0)


def test_what_is_open_is_refused():
    with pytest.raises(UnderdeterminedError):
        compiled(of("y = x*k"), "y", ["x"])


def test_an_unknown_backend_is_refused():
    with pytest.raises(UnknownNameError):
        compiled(of("y = x*k"), "y", ["x", "k"], "fortran")


def test_what_profiles_may_contradict_is_not_compiled():
    stated = bare("a b c y", "y = a*b", "b = 2*a", "c = 3*b", profiles={"p": {"b": "4"}})
    assert stated.compile("y", ["a"], profiles=["p"])(a=1.0) == 2
    with pytest.raises(LimitError, match="What is given may contradict r3"):
        stated.compile("y", ["a", "c"], profiles=["p"])


def test_a_domain_that_ends_at_zero_ends_there_for_doubles_too():
    below = bare("a b y", "y = a - b", domains={"y": "-9..0", "a": "real", "b": "real"}).compile("y", ["a", "b"])
    assert below(a=2.9, b=3.0) == pytest.approx(-0.1)
    assert below(a=0.1 + 0.2, b=0.3) == 0
    assert math.isnan(below(a=3.1, b=3.0))


def test_an_irrational_number_that_is_whole_is_rounded_to_itself():
    steps = bare("a b y", "y = floor(sqrt(a)*sqrt(b) + 1) + ceil(exp(log(a)))").compile("y", ["a", "b"])
    assert [steps(a=a, b=b) for a, b in [(2.0, 8.0), (3.0, 3.0), (5.0, 5.0), (7.0, 28.0)]] == [7, 7, 11, 22]
