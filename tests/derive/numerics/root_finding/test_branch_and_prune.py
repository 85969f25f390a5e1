"""Branch and prune: the known number of solutions of classical systems, and nothing lost of random ones."""

from __future__ import annotations

import math
import os
import random
from itertools import pairwise, product

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.root_finding.branch_and_prune import cut_of, located
from derive.numerics.root_finding.contractors import BoxConsistency, contracted
from derive.numerics.root_finding.expression_graph import dag_of
from derive.numerics.root_finding.krawczyk import newton
from tests.ordinary import every

SEEDS = range(*map(int, os.environ.get("DERIVE_SEEDS", "0..20").split("..")))


def numbered(count, low, high):
    return {f"x{i}": (low, high) for i in range(1, count + 1)}


def found_in(texts, box, allowance=600_000):
    return located([parse_equation(text) for text in texts], list(box), {}, list(box.values()), allowance)


SIZES = st.floats(1e-100, 1e100)
ENDS = st.one_of(SIZES, SIZES.map(lambda x: -x), st.sampled_from([-math.inf, -1e308, 0.0, 0.05, 1e308, math.inf]))


@given(ENDS, ENDS)
def test_a_span_is_cut_inside(one, other):
    low, high = sorted((one, other))
    if high - low <= 1e-9 * min(abs(low), abs(high)) or min(abs(low), abs(high)) > 1e150:
        return
    cut = cut_of((low, high))
    assert low < cut <= high
    assert cut < high or low == -math.inf


def brown(n):
    """Brown's almost linear system (Moré, Garbow and Hillstrom 1981, no. 27)."""
    total = " + ".join(f"x{i}" for i in range(1, n + 1))
    factors = "*".join(f"x{i}" for i in range(1, n + 1))
    return [*(f"x{i} + {total} = {n + 1}" for i in range(1, n)), f"{factors} = 1"]


def chebyquad(n):
    """Fletcher 1965 (Moré, Garbow and Hillstrom 1981, no. 35), whose solutions are one and its permutations."""
    of = ["(2*{0} - 1)", "(2*(2*{0} - 1)**2 - 1)", "(4*(2*{0} - 1)**3 - 3*(2*{0} - 1))"]
    sums = [" + ".join(of[k].format(f"x{i}") for i in range(1, n + 1)) for k in range(n)]
    return [f"({total})/{n} = {f'-1/{k * k - 1}' if k % 2 == 0 else 0}" for k, total in enumerate(sums, 1)]


MOORE_AND_JONES = [
    "x1 = 0.25428722 + 0.18324757*x4*x3*x9",
    "x2 = 0.37842197 + 0.16275449*x1*x10*x6",
    "x3 = 0.27162577 + 0.16955071*x1*x2*x10",
    "x4 = 0.19807914 + 0.15585316*x7*x1*x6",
    "x5 = 0.44166728 + 0.19950920*x7*x6*x3",
    "x6 = 0.14654113 + 0.18922793*x8*x5*x10",
    "x7 = 0.42937161 + 0.21180486*x2*x5*x8",
    "x8 = 0.07056438 + 0.17081208*x1*x7*x6",
    "x9 = 0.34504906 + 0.19612740*x10*x6*x8",
    "x10 = 0.42651102 + 0.21466544*x4*x8*x1",
]
COMBUSTION = [
    "x2 + 2*x6 + x9 + 2*x10 = 1e-5",
    "x3 + x8 = 3e-5",
    "x1 + x3 + 2*x5 + 2*x8 + x9 + x10 = 5e-5",
    "x4 + 2*x7 = 1e-5",
    "0.5140437e-7*x5 = x1**2",
    "0.1006932e-6*x6 = 2*x2**2",
    "0.7816278e-15*x7 = x4**2",
    "0.1496236e-6*x8 = x1*x3",
    "0.6194411e-7*x9 = x1*x2",
    "0.2089296e-14*x10 = x1*x2**2",
]
ECONOMICS = [  # with four unknowns; the constants make x1 = x2 = x3 = -1/3, x4 = 3 one of its solutions
    "(x1 + x1*x2 + x2*x3)*x4 = -1/3",
    "(x2 + x1*x3)*x4 = -2/3",
    "x3*x4 = -1",
    "x1 + x2 + x3 = -1",
]
NEUROPHYSIOLOGY = [  # the right-hand sides make sin and cos of 0.5 and 1.1, and 2 and 3, one of its solutions
    "x1**2 + x3**2 = 1",
    "x2**2 + x4**2 = 1",
    f"x5*x3**3 + x6*x4**3 = {2 * math.cos(0.5) ** 3 + 3 * math.cos(1.1) ** 3!r}",
    f"x5*x1**3 + x6*x2**3 = {2 * math.sin(0.5) ** 3 + 3 * math.sin(1.1) ** 3!r}",
    f"x5*x1*x3**2 + x6*x4**2*x2 = {2 * math.sin(0.5) * math.cos(0.5) ** 2 + 3 * math.sin(1.1) * math.cos(1.1) ** 2!r}",
    f"x5*x1**2*x3 + x6*x2**2*x4 = {2 * math.sin(0.5) ** 2 * math.cos(0.5) + 3 * math.sin(1.1) ** 2 * math.cos(1.1)!r}",
]
BURDEN = "Burden and Faires, Numerical Analysis, 9th ed., section 10"
MORE = "Moré, Garbow and Hillstrom 1981"
CLASSICS = {
    f"{BURDEN}.1, example": (
        ["3*x1 - cos(x2*x3) - 1/2 = 0", "x1**2 - 81*(x2 + 0.1)**2 + sin(x3) + 1.06 = 0",
         "exp(-x1*x2) + 20*x3 + (10*pi - 3)/3 = 0"], numbered(3, -1.0, 1.0), 2, (0.5, 0.0, -math.pi / 6)),
    f"{BURDEN}.1, exercise 5": (
        ["x1**2 - 10*x1 + x2**2 + 8 = 0", "x1*x2**2 + x1 - 10*x2 + 8 = 0"], numbered(2, 0.0, 5.0), 2, (1.0, 1.0)),
    f"Rosenbrock, {MORE}, 1": (
        ["10*(x2 - x1**2) = 0", "1 - x1 = 0"], numbered(2, -1e6, 1e6), 1, (1.0, 1.0)),
    f"Freudenstein and Roth, {MORE}, 2": (
        ["x1 - 13 + ((5 - x2)*x2 - 2)*x2 = 0", "x1 - 29 + ((x2 + 1)*x2 - 14)*x2 = 0"],
        numbered(2, -1e3, 1e3), 1, (5.0, 4.0)),
    f"Powell badly scaled, {MORE}, 3": (
        ["10000*x1*x2 = 1", "exp(-x1) + exp(-x2) = 1.0001"], numbered(2, 0.0, 100.0), 2,
        (1.09815933e-5, 9.10614674)),
    f"Brown almost linear, five unknowns, {MORE}, 27": (brown(5), numbered(5, -10.0, 10.0), 3, (1.0,) * 5),
    f"Brown almost linear, eight unknowns, {MORE}, 27": (brown(8), numbered(8, -5.0, 5.0), 2, (1.0,) * 8),
    f"Chebyquad, two unknowns, {MORE}, 35": (chebyquad(2), numbered(2, 0.0, 1.0), 2, None),
    f"Chebyquad, three unknowns, {MORE}, 35": (chebyquad(3), numbered(3, 0.0, 1.0), 6, None),
    "Himmelblau 1972, stationary points": (
        ["4*x1**3 + 4*x1*x2 + 2*x2**2 - 42*x1 - 14 = 0", "4*x2**3 + 2*x1**2 + 4*x1*x2 - 26*x2 - 22 = 0"],
        numbered(2, -5.0, 5.0), 9, (3.0, 2.0)),
    "Bronstein, COPRIN": (
        ["x1**2 + x2**2 + x3**2 = 36", "x1 + x2 = x3", "x1*x2 + x3**2 = 1"], numbered(3, -1e8, 1e8), 4, None),
    "Moore and Jones 1977": (MOORE_AND_JONES, numbered(10, -2.0, 2.0), 1, None),
    "combustion, Morgan 1987, chapter 9": (COMBUSTION, numbered(10, 0.0, 1.0), 1, None),
    "arm of two links, Craig, Introduction to Robotics, chapter 4": (
        ["3*cos(x1) + 2*cos(x1 + x2) = 3.5", "3*sin(x1) + 2*sin(x1 + x2) = 2"], numbered(2, -3.0, 3.0), 2, None),
    "seven solutions, some of them apart by twelve digits": (
        ["0.00001069*x1**4 + 200*x1**3*x2 + 100000*x1**3 - 180000*x1 - 0.0001283 = 0",
         "0.02*x1*x2**2 + 10*x2**2 - 10 = 0"], {"x1": (-510.0, 1.4), "x2": (-510.0, 1.1)}, 7, None),
}  # fmt: skip
LONG = {
    "cyclohexane, COPRIN": (
        ["y**2*(1 + z**2) + z*(z - 24*y) = -13", "x**2*(1 + y**2) + y*(y - 24*x) = -13",
         "z**2*(1 + x**2) + x*(x - 24*z) = -13"], dict.fromkeys("xyz", (-20.0, 20.0)), 16),
}  # fmt: skip


@every("name", CLASSICS, ordinary=6)
def test_a_classical_system_has_as_many_solutions_as_are_known(name):
    texts, box, count, known = CLASSICS[name]
    result = found_in(texts, box)
    assert (len(result.solutions), result.complete) == (count, True)
    for narrow in result.solutions:
        assert_solution(texts, list(box), narrow)
    if known is not None:
        assert any(is_around(narrow, known) for narrow in result.solutions)


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_a_larger_classical_system_too(name):
    texts, box, count = LONG[name]
    result = found_in(texts, box, 4_000_000)
    assert (len(result.solutions), result.complete) == (count, True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("texts", "box", "hidden"),
    [
        (ECONOMICS, numbered(4, -10.0, 10.0), (-1 / 3, -1 / 3, -1 / 3, 3.0)),
        (NEUROPHYSIOLOGY, numbered(6, -4.0, 4.0), (*map(math.sin, (0.5, 1.1)), *map(math.cos, (0.5, 1.1)), 2.0, 3.0)),
    ],
    ids=["economics", "neurophysiology"],
)
def test_what_is_not_finished_is_not_called_complete(texts, box, hidden):
    result = found_in(texts, box, 100_000)
    listed = any(is_around(narrow, hidden) for narrow in result.solutions)
    assert listed or any(all(a <= x <= b for x, (a, b) in zip(hidden, part, strict=True)) for part in result.open)


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    "texts",
    [
        ["x1**3 - 3*x1*x2**2 = 0", "3*x1**2*x2 - x2**3 = 0"],
        ["x1**2 + x2**2 = 2", "x1 + x2 = 2"],
        ["x1**2 + x2**2 = 3", "3*x1**2 + 3*x2**2 = 9"],
    ],
)
def test_around_a_multiple_solution_or_a_curve_nothing_is_claimed(texts):
    result = found_in(texts, numbered(2, -5.0, 5.0), 100_000)
    assert (result.solutions, result.complete) == ((), False)


def assert_solution(texts, names, narrow):
    """Newton's method with thirty digits, from the middle, ends inside the box or within its rounding."""
    gaps = [sympy.sympify(f"({one.split('=')[0]}) - ({one.split('=')[1]})", rational=True) for one in texts]
    with mpmath.workdps(40):
        functions = sympy.lambdify([sympy.Symbol(name) for name in names], gaps, "mpmath")
        start = [mpmath.mpf(low + high) / 2 for low, high in narrow]
        root = mpmath.findroot(functions, start, tol=1e-30)
        for x, (low, high) in zip(root, narrow, strict=True):
            assert low <= x <= high


def is_around(narrow, point):
    return all(abs((a + b) / 2 - x) <= 1e-6 * max(1.0, abs(x)) for x, (a, b) in zip(point, narrow, strict=True))


@pytest.mark.thorough
@every("seed", SEEDS, ordinary=6)
def test_as_many_solutions_are_found_as_exact_algebra_counts(seed):
    """An ellipse and a cubic: the real roots of the resultant, after a shear that keeps solutions apart, by Sturm."""
    draw = random.Random(f"curves {seed}")
    x, y = sympy.symbols("x y")
    a, b, c = draw.randint(2, 9), draw.randint(2, 9), draw.randint(-1, 1)
    ellipse = a * x**2 + b * y**2 + c * x * y + draw.randint(-5, 5) * x - draw.randint(9, 60)
    powers = [x**i * y**j for i, j in product(range(4), repeat=2) if i + j <= 3]
    cubic = sum(draw.randint(-6, 6) * one for one in powers)
    sheared = [sympy.expand(one.subs(x, x - sympy.Rational(37, 11) * y)) for one in (ellipse, cubic)]
    resultant = sympy.Poly(sympy.resultant(*sheared, y), x)
    if resultant.is_zero or sympy.gcd(resultant, resultant.diff(x)).degree() > 0:
        return
    result = found_in([f"{ellipse} = 0", f"{cubic} = 0"], {"x": (-16.0, 16.0), "y": (-16.0, 16.0)})
    assert result.complete
    assert len(result.solutions) == resultant.count_roots()


def placed(draw):
    """Two solutions for each unknown: at the ends of boxes, at powers of two, nearly double, tiny beside large."""
    one = draw.choice([0.0, 1.0, 2.0 ** draw.randint(-20, 9), draw.uniform(-9, 9), 10.0 ** draw.randint(-12, 2)])
    return [one, draw.choice([one + draw.choice([1e-6, 1e-3, 1.0, 77.0]), -one - 0.5, draw.uniform(-500, 500)])]


@every("seed", SEEDS, ordinary=4)
def test_no_hidden_solution_of_rotated_products_is_lost(seed):
    """(u - a)*(u - b) = 0 and so on, where each u is a sum of two unknowns: all solutions are known."""
    draw = random.Random(f"hidden {seed}")
    size = draw.choice([2, 2, 3])
    pairs = [placed(draw) for _ in range(size)]
    names = [f"x{i}" for i in range(1, size + 1)]
    factor = draw.choice([0.0, 0.0, 0.5, -0.25])
    forms = [f"({one} + {factor!r}*{other})" for one, other in pairwise([*names, names[0]])]
    forms[-1] = names[-1]
    texts = [f"({form} - {a!r})*({form} - {b!r}) = 0" for form, (a, b) in zip(forms, pairs, strict=True)]
    hidden = {solved_backwards(choice, factor) for choice in product(*pairs)}
    sizes = [max(abs(float(point[i])) for point in hidden) for i in range(size)]
    ends = [draw.choice([1.0, 1.0, 1.5]) * one or 1.0 for one in sizes]  # with a solution on the end itself
    result = found_in(texts, {name: (-end, end) for name, end in zip(names, ends, strict=True)})
    for point in hidden:
        inside = [
            all(low <= x <= high for x, (low, high) in zip(point, part, strict=True)) for part in result.solutions
        ]
        assert any(inside) or any(
            all(low <= x <= high for x, (low, high) in zip(point, part, strict=True)) for part in result.open
        )
    for narrow in result.solutions:
        assert sum(all(low <= x <= high for x, (low, high) in zip(p, narrow, strict=True)) for p in hidden) == 1
    if result.complete:
        assert len(result.solutions) == len(hidden)


def solved_backwards(choice, factor):
    """The unknowns of `x1 + f*x2 = u1` and so on, of which the last is u itself, as fractions."""
    found = [sympy.Rational(choice[-1])]
    for one in reversed(choice[:-1]):
        found.append(sympy.Rational(one) - sympy.Rational(factor) * found[-1])
    return tuple(reversed(found))


@every("seed", SEEDS, ordinary=8)
def test_a_simple_solution_at_a_corner_where_all_unknowns_are_zero_is_found(seed):
    """Integer coefficients, with a dominant diagonal: the slopes at zero are regular."""
    draw = random.Random(f"corner {seed}")
    size = draw.choice([2, 3, 4])
    names = [f"x{i}" for i in range(1, size + 1)]
    texts = []
    for name in names:
        linear = [f"{4 if one == name else draw.choice([-1, 0, 1])}*{one}" for one in names]
        square = f"{draw.randint(1, 9)}*{draw.choice(names)}*{name}"
        texts.append(f"{' + '.join(linear)} = {square}")
    end = draw.choice([1.0, 100.0, 1e6])
    result = found_in(texts, dict.fromkeys(names, (0.0, end)))
    assert any(is_around(narrow, (0.0,) * size) for narrow in result.solutions)


TWICE = ("x**3 - 3*x*y + y", "x*(y - x)*(2 - x)", "x**2*y - x*y**2 + x", "exp(x)*x - y**2", "sin(x)*(x + y)")


@pytest.mark.parametrize("seed", SEEDS)
def test_box_consistency_keeps_every_point_and_cuts_where_an_unknown_stands_twice(seed):
    """The equation takes its value at a point, which is reckoned in fifty digits."""
    draw = random.Random(f"twice {seed}")
    text = draw.choice(TWICE)
    at = {"x": draw.uniform(0.2, 4.0), "y": draw.uniform(0.2, 4.0)}
    with mpmath.workdps(50):
        exact = sympy.lambdify(sympy.symbols("x y"), sympy.sympify(text), "mpmath")(*map(mpmath.mpf, at.values()))
    graph = dag_of([parse_equation(f"{text} = c")], ["x", "y"], {"c": float(exact)}, blur=1e-15)
    consistency = BoxConsistency.of(graph)
    for share in (1e-6, 0.1, 1.0, 30.0):
        box = tuple((x - share * draw.random(), x + share * draw.random()) for x in at.values())
        narrowed = consistency.contracted(box)
        assert narrowed is not None
        assert all(low <= x <= high for x, (low, high) in zip(at.values(), narrowed, strict=True))


def test_box_consistency_cuts_what_contractors_of_single_expressions_cannot():
    """The zeros of x*(x - 1) and of x*(x - 1)*(x - 2) are at the ends of what is left, after enough cuts."""
    for text, low, high in (("x*(x - 1) = 0", 0, 1), ("x*(x - 1)*(x - 2) = 0", 0, 2)):
        graph = dag_of([parse_equation(text)], ["x"], {})
        box = ((-9.0, 9.0),)
        for _ in range(40):
            box = BoxConsistency.of(graph).contracted(box)
        assert box[0] == pytest.approx((low, high), abs=1e-9)
        assert box[0][0] <= low
        assert box[0][1] >= high


TERMS = ("x*y", "x**2 - y", "exp(x) + y**3", "sin(x)*y", "cos(x + y)", "x/y", "sqrt(x) - 1/y", "log(x)*tanh(y)")
MORE_TERMS = ("atan(x*y)", "max(x, y) + x", "min(x, 2*y)", "abs(x - y)", "x**1.5 + y**(-2)", "tan(x/9)*y", "x**y")


@pytest.mark.parametrize("seed", SEEDS)
def test_contractors_keep_every_point_at_which_the_equations_hold(seed):
    draw = random.Random(f"kept {seed}")
    at = {name: draw.choice([draw.uniform(0.1, 8), 2.0 ** draw.randint(-3, 2), 1.0]) for name in "xy"}
    texts = draw.sample([*TERMS, *MORE_TERMS], 2)
    graph = dag_of([parse_equation(f"{one} = c{i}") for i, one in enumerate(texts)], ["x", "y"], levels(texts, at))
    box = [(x - draw.choice([0.0, 1e-9, 0.1]) * x, x + draw.choice([1e-9, 0.1, 30.0])) for x in at.values()]
    wide = [(low - 1e-9 * abs(low), high) for low, high in box]
    narrowed = contracted(graph, wide)
    assert narrowed is not None
    narrowed = BoxConsistency.of(graph).contracted(narrowed)
    assert narrowed is not None
    assert all(low - 1e-12 * x <= x <= high + 1e-12 * x for x, (low, high) in zip(at.values(), narrowed, strict=True))
    step = newton(graph, narrowed)
    if step is not None and all(low < x < high for x, (low, high) in zip(at.values(), narrowed, strict=True)):
        assert step.left is not None
        assert all(a - 1e-12 * x <= x <= b + 1e-12 * x for x, (a, b) in zip(at.values(), step.left, strict=True))


def levels(texts, at):
    return {f"c{i}": value(parse_expression(text), at) for i, text in enumerate(texts)}
