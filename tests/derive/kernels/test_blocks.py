"""Blocks without a closed form: every back end against routes of other people, and against the solver."""

from __future__ import annotations

import math

import mpmath
import numpy
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive import DeriveError
from derive.expressions.grammar import parse_equation
from derive.expressions.tree import names_in
from derive.kernels.backends.numba_source import is_at_hand
from derive.kernels.blocks import block_kernels
from derive.kernels.blocks.block_kernels import ArraySolutions, PointSolutions
from derive.kernels.blocks.block_lines import ParametricSystem, attempts_of
from derive.kernels.several_targets import JointFunctions
from derive.solving.blocks.block import solve_block
from quantities.domain import Domain
from tests.derive.draws import expressions
from tests.derive.statements import bare
from tests.ordinary import examples

BACKENDS = ["python", "numpy", *(["numba"] if is_at_hand() else [])]
MANY = 300
PRODUCT = bare("x a", "x*exp(x) = a")
KEPLER = bare("E e M", "M = E - e*sin(E)", domains={"E": "real", "M": "real", "e": "0..1"})
MESHES = bare(
    "i1 i2 i3 u v R1 R2 R3 R4 R5",
    "u = R1*i1 + R2*(i1 - i2)",
    "0 = R2*(i2 - i1) + R3*i2 + R4*(i2 - i3)",
    "v = R4*(i3 - i2) + R5*i3",
    domains=dict.fromkeys(("i1", "i2", "i3"), "real"),
)
PIPE = bare(
    "f rough Re",
    {"equation": "f = 64/Re", "when": ["Re < 2300"]},
    {"equation": "1/sqrt(f) = -2*log10(rough/3.7 + 2.51/(Re*sqrt(f)))", "when": ["Re >= 4000"]},
)


def drawn(**ranges):
    """Columns of numbers, evenly spread over the logarithms of ranges."""
    draw = numpy.random.default_rng(len(ranges))
    return {name: numpy.exp(draw.uniform(*numpy.log(ends), MANY)) for name, ends in ranges.items()}


def alike(library, target, **columns):
    """What all back ends say of columns of numbers, which has to be the same."""
    results = [library.compile(target, list(columns), backend)(**columns) for backend in BACKENDS[1:]]
    python = library.compile(target, list(columns), "python")
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    alone = [python(**dict(zip(columns, row, strict=True))) for row in rows]
    for result in results:
        numpy.testing.assert_allclose(result, alone, rtol=1e-12, atol=0)
    return numpy.array(alone)


@pytest.fixture
def no_solver(monkeypatch):
    """The solver may not be asked, for a point of which it was would not be a test of these lines."""

    def asked(*_):
        raise AssertionError("the solver was asked")

    monkeypatch.setattr(block_kernels, "_solutions", lambda *_: asked)


# By other routes


@pytest.mark.thorough
@pytest.mark.usefixtures("no_solver")
def test_a_product_with_its_exponential_is_lamberts_function():
    columns = drawn(a=(1e-4, 1e6))
    expected = [float(mpmath.lambertw(a)) for a in columns["a"]]
    assert alike(PRODUCT, "x", **columns) == pytest.approx(expected, rel=1e-12)


@pytest.mark.thorough
@pytest.mark.usefixtures("no_solver")
def test_keplers_equation_is_what_a_series_of_bessel_functions_comes_to():
    columns = drawn(M=(0.05, 3.0), e=(0.05, 0.6))
    found = alike(KEPLER, "E", **columns)
    for i in range(0, MANY, 30):
        M, e = mpmath.mpf(float(columns["M"][i])), mpmath.mpf(float(columns["e"][i]))
        terms = (mpmath.besselj(n, n * e) * mpmath.sin(n * M) * 2 / n for n in range(1, 130))
        assert found[i] == pytest.approx(float(M + mpmath.fsum(terms)), rel=1e-12)


@pytest.mark.thorough
@pytest.mark.usefixtures("no_solver")
def test_friction_by_colebrook_is_what_fixed_point_iteration_comes_to():
    columns = drawn(rough=(1e-6, 0.05), Re=(4e3, 1e8))
    root = numpy.full(MANY, 8.0)
    for _ in range(100):
        root = -2 * numpy.log10(columns["rough"] / 3.7 + 2.51 / columns["Re"] * root)
    assert alike(PIPE, "f", **columns) == pytest.approx(root**-2, rel=1e-12)


@pytest.mark.thorough
def test_each_case_has_its_own_block():
    columns = {"rough": numpy.full(4, 1e-3), "Re": numpy.array([1e3, 3e3, 1e5, math.nan])}
    found = alike(PIPE, "f", **columns)
    assert found[0] == pytest.approx(0.064)
    assert found[2] == pytest.approx(0.02217, rel=1e-3)
    assert numpy.isnan(found[[1, 3]]).all()


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize("target", ["i1", "i2", "i3"])
def test_currents_in_meshes_are_those_of_a_matrix(target):
    columns = drawn(u=(1, 20), v=(30, 60), **{f"R{i}": (0.1, 50) for i in range(1, 6)})
    u, v, r1, r2, r3, r4, r5 = columns.values()
    zero = numpy.zeros(MANY)
    matrix = numpy.array([[r1 + r2, -r2, zero], [-r2, r2 + r3 + r4, -r4], [zero, -r4, r4 + r5]])
    expected = numpy.linalg.solve(matrix.transpose(2, 0, 1), numpy.stack([u, zero, v], axis=1)[:, :, None])[:, :, 0]
    found = alike(MESHES, target, **columns)
    numpy.testing.assert_allclose(found, expected[:, int(target[1]) - 1], rtol=1e-11)


@pytest.mark.thorough
@pytest.mark.usefixtures("no_solver")
def test_a_pair_that_comes_down_to_one_unknown_holds_when_it_is_put_back():
    library = bare("x y a b", "x*exp(y) = a", "y = x + b")
    columns = drawn(a=(1, 50), b=(0.1, 2))
    x, y = (alike(library, target, **columns) for target in "xy")
    assert x * numpy.exp(y) == pytest.approx(columns["a"], rel=1e-12)
    assert y == pytest.approx(x + columns["b"], rel=1e-12)
    assert x == pytest.approx(
        [float(mpmath.lambertw(a * mpmath.exp(-b))) for a, b in zip(*columns.values(), strict=True)]
    )


@pytest.mark.thorough
@pytest.mark.usefixtures("no_solver")
def test_one_block_feeds_the_next():
    library = bare("a x z y", "x*exp(x) = a", "z + log(z) = x", "y = x*z")
    columns = drawn(a=(0.1, 1e3))
    x = numpy.array([float(mpmath.lambertw(a)) for a in columns["a"]])
    z = numpy.array([float(mpmath.lambertw(mpmath.exp(one))) for one in x])
    assert alike(library, "y", **columns) == pytest.approx(x * z, rel=1e-11)


# Where there is not one value


@pytest.mark.thorough
def test_both_roots_are_followed_and_what_follows_tells_them_apart():
    library = bare("x a y", "x*exp(-x) = a", "y = sqrt(x - 1)")
    columns = {"a": numpy.linspace(0.01, 0.4, 20)}
    found = alike(library, "y", **columns)
    expected = [float((-mpmath.lambertw(-a, -1)).real) if a < math.exp(-1) else math.nan for a in columns["a"]]
    assert found**2 + 1 == pytest.approx(expected, rel=1e-9, nan_ok=True)
    assert alike(library, "x", **columns) == pytest.approx(expected, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("a", [-1.0, 0.0, math.nan, math.inf, 1e-200, 1e308])
def test_an_odd_number_is_what_the_solver_says_of_it(a):
    try:
        expected = float(PRODUCT.solve("x", a=a).value.magnitude)
    except DeriveError:
        expected = math.nan
    near = numpy.concatenate([[a], numpy.linspace(1, 2, 50)])
    for column in (numpy.array([a]), near):
        found = [PRODUCT.compile("x", ["a"], backend)(a=column) for backend in BACKENDS[1:]]
        found.append([PRODUCT.compile("x", ["a"], "python")(a=a)])
        for one in found:
            assert one[0] == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("a", [2.0 * math.exp(2), 7.0 * math.exp(7), 0.5 * math.exp(0.5), 0.4])
def test_the_ends_of_a_domain_belong_to_it(a):
    library = bare("x a", "x*exp(x) = a", domains={"x": "0.5..7"})
    found = alike(library, "x", a=numpy.array([a]))[0]
    assert found == pytest.approx(float(mpmath.lambertw(a)) if a > 0.8 else math.nan, rel=1e-12, nan_ok=True)


@pytest.mark.thorough
def test_singular_and_contradictory_systems_have_no_value():
    library = bare("x y a b", "x + a*y = 3", "x + 2*y = b", domains={"x": "real", "y": "real"})
    columns = {"a": numpy.array([1.0, 2.0, 2.0, 2.0 + 1e-14]), "b": numpy.array([4.0, 3.0, 5.0, 4.0])}
    assert alike(library, "y", **columns)[:3] == pytest.approx([1.0, math.nan, math.nan], nan_ok=True)


@pytest.mark.thorough
def test_a_current_that_is_zero_is_zero():
    library = bare("x y a b", "x + y = a", "x - y = b", "x + 2*y = a + y", domains={"x": "real", "y": "real"})
    assert alike(library, "y", a=numpy.array([3.0, 0.3]), b=numpy.array([3.0, 0.3])).tolist() == [0.0, 0.0]


@pytest.mark.thorough
def test_arrays_broadcast():
    M, e = numpy.linspace(0.3, 3, 7)[:, None], numpy.linspace(0.1, 0.9, 5)
    for backend in BACKENDS[1:]:
        E = KEPLER.compile("E", ["M", "e"], backend)(M=M, e=e)
        assert E.shape == (7, 5)
        assert E - e * numpy.sin(E) == pytest.approx(M + 0 * e, rel=1e-12)


def test_digits_that_are_lost_on_the_way_leave_the_point_to_the_solver():
    library = bare("x a", "(sqrt(x + 1e10) - 1e5)*exp(x) = a")
    (equation,) = (relation.written for relation in library.relations.values())
    domains = {name: library.quantities[name].domain for name in "xa"}
    (found,) = attempts_of(ParametricSystem((equation,), ("x",), ("a",), domains))
    with numpy.errstate(all="ignore"):
        _, pending = ArraySolutions(found)([numpy.linspace(1e-5, 1e-3, 50)])
    assert pending.all()


@pytest.mark.thorough
@pytest.mark.skipif("numba" not in BACKENDS, reason="numba is not installed")
@pytest.mark.parametrize(
    ("library", "columns"), [(KEPLER, {"M": (0.05, 6.0), "e": (0.05, 0.9)}), (PRODUCT, {"a": (1, 9)})]
)
def test_machine_code_asks_no_other_dialect_where_a_proof_covers_the_inputs(library, columns, monkeypatch):
    target = next(name for name in library.quantities if name not in columns)
    columns = drawn(**columns)
    expected = library.compile(target, list(columns), "numpy")(**columns)
    monkeypatch.setattr(JointFunctions, "on_arrays", None)
    found = library.compile(target, list(columns), "numba")(**columns)
    numpy.testing.assert_allclose(found, expected, rtol=1e-12)


# Against the solver

DOMAINS = {
    "positive": Domain("positive", 0.0, math.inf, open_low=True),
    "real": Domain("real", -math.inf, math.inf),
    "0..6": Domain("0..6", 0.0, 6.0),
}
NUMBERS = st.one_of(st.sampled_from([0.5, 1.0, 2.0, 3.0]), st.floats(0.1, 20))


@examples(20, suppress_health_check=list(HealthCheck))
@given(expressions(6), expressions(3), st.sampled_from([*DOMAINS]), st.lists(NUMBERS, min_size=3, max_size=3))
def test_what_is_vouched_for_is_all_that_the_solver_finds(left, right, domain, numbers):
    equation = parse_equation(f"{left} = {right}*y")
    assume("x" in names_in(equation.lhs, equation.rhs))
    domains = {"x": DOMAINS[domain], "y": DOMAINS["positive"]}
    ways = attempts_of(ParametricSystem((equation,), ("x",), ("y",), domains))
    assume(ways)
    agree(ways[0], [equation], ["x"], [numpy.array(numbers)], domains)


TERMS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "2", "0.1", "(a - b)", "a*b", "sqrt(a)"]), st.sampled_from("xyz")),
    min_size=1,
    max_size=3,
)


@examples(60, suppress_health_check=list(HealthCheck))
@given(st.lists(TERMS, min_size=3, max_size=3), st.lists(NUMBERS, min_size=3, max_size=3), st.sampled_from([*DOMAINS]))
def test_a_linear_system_is_what_the_solver_makes_of_it(rows, numbers, domain):
    unknowns = sorted({name for row in rows for _, name in row})
    texts = [" + ".join(f"{factor}*{name}" for factor, name in row) + " = a + b" for row in rows]
    equations = [parse_equation(text) for text in texts][: len(unknowns)]
    assume(len(unknowns) > 1 and set(unknowns) <= {*names_in(*(equation.lhs for equation in equations))})
    domains = dict.fromkeys(unknowns, DOMAINS[domain]) | dict.fromkeys("ab", DOMAINS["positive"])
    a = numpy.array(numbers)
    system = ParametricSystem(tuple(equations), tuple(unknowns), ("a", "b"), domains)
    agree(attempts_of(system)[0], equations, unknowns, [a, a[::-1].copy()], domains)


def agree(way, equations, unknowns, columns, domains):
    """What is not left to the solver is what it says, at many points and at each alone."""
    with numpy.errstate(all="ignore"):
        solutions, pending = ArraySolutions(way)(columns)
    alone = PointSolutions(way)
    for i, numbers in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        known = dict(zip(way.system.inputs, numbers, strict=True))
        try:
            theirs = solve_block(equations, unknowns, known, domains)
        except DeriveError:
            continue
        expected = sorted(tuple(one.values.get(name, math.nan) for name in unknowns) for one in theirs.solutions)
        there = [] if pending[i] else [tuple(one) for one in solutions[:, :, i].T if one[0] == one[0]]
        for found in (None if pending[i] else there, alone(*numbers)):
            if found is not None:
                assert len(found) == len(expected), known
                for ours, other in zip(sorted(found), expected, strict=True):
                    assert ours == pytest.approx(other, rel=1e-11, abs=0), known
