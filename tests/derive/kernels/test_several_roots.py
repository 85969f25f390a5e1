"""Quantities on the way with several roots: each is followed, and what is left at the end is what solving leaves."""

from __future__ import annotations

import math
import random

import numpy
import pytest

import derive
from derive import AmbiguousError, NoSolutionError
from derive.kernels.backends.numba_source import is_at_hand
from tests.derive.statements import bare, number
from tests.ordinary import every

PAIR = "x**2 - 5*x + a = 0"  # 2 and 3 at a = 6, 1 and 4 at a = 4


def worth(library, target, **given):
    """What both back ends say, which has to be the same."""
    python, arrays = (float(library.compile(target, list(given), b)(**given)) for b in ("python", "numpy"))
    assert python == pytest.approx(arrays, rel=1e-12, nan_ok=True)
    return python


@pytest.mark.parametrize(("a", "expected"), [(6.0, math.nan), (4.0, 1.0), (7.0, math.nan), (0.99, 1.33921)])
def test_the_only_root_that_leads_to_an_answer_is_taken(a, expected):
    library = bare("a x y", PAIR, "y = sqrt(x - 3)")
    assert worth(library, "y", a=a) == pytest.approx(expected, rel=1e-4, nan_ok=True)


def test_roots_that_lead_to_the_same_are_one():
    library = bare("a x y", PAIR, "y = (x - 2.5)**2")
    assert worth(library, "y", a=4.0) == pytest.approx(2.25)


@pytest.mark.parametrize(("a", "b"), [(6, 4), (6, 3.4), (4, 4), (6, 3.2)])
def test_each_root_may_have_several_of_its_own(a, b):
    library = bare("a x b z y", PAIR, "z**2 - b*z + x = 0", "y = z + 0*sqrt(z - 1.9)")
    z = [(b + sign * math.sqrt(root)) / 2 for x in _roots(a) if (root := b * b - 4 * x) >= 0 for sign in (1, -1)]
    left = {round(one, 9) for one in z if one >= 1.9}
    expected = left.pop() if len(left) == 1 else math.nan
    assert worth(library, "y", a=float(a), b=float(b)) == pytest.approx(expected, rel=1e-6, nan_ok=True)


def _roots(a):
    return [(5 + sign * math.sqrt(25 - 4 * a)) / 2 for sign in (1, -1)]


def test_independent_quantities_are_combined_in_every_way():
    library = bare("a b x z y", PAIR, "z**2 - 5*z + b = 0", "y = log(x - z - 2.5)", domains={"y": "real"})
    assert worth(library, "y", a=4.0, b=4.0) == pytest.approx(math.log(4 - 1 - 2.5))
    assert math.isnan(worth(library, "y", a=6.0, b=6.0))
    a = numpy.array([[4.0], [6.0]])
    found = library.compile("y", ["a", "b"])(a=a, b=numpy.array([4.0, 6.0, 4.0]))
    assert found == pytest.approx(numpy.array([[math.log(0.5), math.nan, math.log(0.5)], [math.nan] * 3]), nan_ok=True)


def test_roots_that_are_sought_by_numbers_are_followed_too():
    library = bare("a x y", "x*exp(-x) = a", "y = sqrt(x - 1)")
    y = worth(library, "y", a=0.2)
    assert (y * y + 1) * math.exp(-(y * y) - 1) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("check", "b", "expected"), [("b = x + 1", 3.0, 4.0), ("b = x + 1", 4.0, 6.0), ("x <= b", 2.5, 4.0)]
)
def test_a_relation_that_is_not_needed_tells_roots_apart(check, b, expected):
    library = bare("a x y b", PAIR, "y = 2*x", check)
    assert worth(library, "y", a=6.0, b=b) == pytest.approx(expected)


@pytest.mark.parametrize(("a", "expected"), [(6.0, 4.0), (4.0, math.nan), (6.24, 4.8), (6.5, math.nan)])
def test_a_condition_tells_roots_apart(a, expected):
    cases = ({"equation": "y = 2*x", "when": ["x < 2.45"]}, {"equation": "y = x + 10", "when": ["x > 3.5"]})
    assert worth(bare("a x y", PAIR, *cases), "y", a=a) == pytest.approx(expected, nan_ok=True)


def test_what_is_only_bounded_on_the_way_may_cancel():
    library = bare("a b x y", "max(x, a) = b", "y = max(x, 7)")
    assert worth(library, "y", a=5.0, b=5.0) == 7.0
    assert worth(library, "y", a=5.0, b=9.0) == 9.0
    assert math.isnan(worth(library, "y", a=8.0, b=8.0))


@pytest.mark.parametrize(("b", "expected"), [(1e6, 1e-6), (3.0, 2 / (3 + math.sqrt(5)))])
def test_digits_that_cancel_in_a_root_are_not_lost(b, expected):
    library = bare("b x y", "x**2 - b*x + 1 = 0", "y = x + 0*sqrt(1 - x)")
    assert worth(library, "y", b=b) == pytest.approx(expected, rel=1e-11)


FORMS = (
    "{n}**2 - {c}*{n} + {k} = 0",
    "({n} - {c})**2 = {k}",
    "abs({n} - {c}) = {k}",
    "{n} = sqrt({k} - {c})",
    "{n} = {k} + {j}",
    "log({n}) = {k} - {j}",
    "max({n}, {k}) = {j} + {c}",
    "{n} = {k} if {j} > {c} else {j} + 2",
    "{k} = {n}**2/4 - {j}*{n} + {c}",
    "{n}*exp(-{n}) = {k}/{c}",
)


@pytest.mark.thorough
@every("seed", range(30), ordinary=10, thorough=12)
def test_a_random_chain_comes_to_what_solving_comes_to(seed):
    draw, known, relations = random.Random(seed), ["a", "b"], []
    for name in ("x", "y", "z"):
        k, j, c = draw.choice(known), draw.choice(known), draw.choice((1, 2, 3, 5))
        relations.append(draw.choice(FORMS).format(n=name, k=k, j=j, c=c))
        known.append(name)
    library = bare(" ".join(known), *relations, domains={name: draw.choice(("positive", "real")) for name in "xyz"})
    for _ in range(3):
        given = {name: draw.choice((round(draw.uniform(0.2, 9), 2), float(draw.randint(1, 9)))) for name in "ab"}
        try:
            expected = float(library.solve("z", **given).value.magnitude)
        except derive.DeriveError:
            expected = math.nan
        assert worth(library, "z", **given) == pytest.approx(expected, rel=1e-8, nan_ok=True), relations


@pytest.mark.parametrize("equation", ["(x**3 - y)/5.06 = 0", "z = 3*(x**2 - y)", "z = (x**2 - y)*(x + 1)"])
def test_a_root_at_which_a_product_of_sums_cancels_is_the_value(equation):
    library = bare("x y z", equation, domains={"x": "0..10", "y": "real", "z": "real"})
    given = {"y": 5.0, "z": 0.0} if "z" in equation else {"y": 5.0}
    (answer,) = library.solve_all("x", **given)
    assert worth(library, "x", **given) == pytest.approx(answer.value.magnitude, rel=1e-12)


VANISHING = [
    "max({arm}, c)",
    "min(-({arm}), -c)",
    "abs({arm})",
    "{arm} if c < 1 else c - 7",
    "2*max({arm}, c - 9)",
    "max(abs({arm}), c)",
    "abs(max({arm}, c))",
    "({arm})**2",
    "({arm} if c > 0 else c + 1)**2",
    "max({arm}, -9) if c < 4 else c - 7",
    "max({arm}, c, c - 1)",
    "sqrt(max({arm}, c))",
]
"""Of c, with an arm whose terms cancel at an irrational number: in doubles, rounding alone is left of it there."""


@every("seed", range(60), ordinary=12, thorough=20)
def test_a_root_is_kept_where_rounding_alone_is_left_of_an_arm(seed):
    draw = random.Random(f"arms that vanish {seed}")
    square = draw.choice([2, 3, 5, 6, 7, 10, 11])
    arm = draw.choice([f"c**2 - {square}", f"exp(c) - {square}", f"c**2/{square} - 1", f"{square} - c**2"])
    library = bare("b c", "b = " + draw.choice(VANISHING).format(arm=arm), domains={"b": "real", "c": "real"})
    try:
        expected = number(library.solve("c", b=0))
    except (AmbiguousError, NoSolutionError):
        expected = math.nan
    assert worth(library, "c", b=0.0) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("form", ["c**2 - 2*c", "sin(c)", "c**3 - c", "abs(c - 1) - 1", "c*(c - 2) if c > 1 else -c"])
@pytest.mark.parametrize("backend", ["python", "numpy", pytest.param("numba", marks=pytest.mark.long)])
def test_where_one_root_leaves_the_target_free_no_other_root_answers_for_it(form, backend):
    """At c = 0, which is a root for b = 0, y may be anything where a is 0, and has no value where it is not."""
    if backend == "numba" and not is_at_hand():
        pytest.skip("it needs numba")
    library = bare("a b c y", f"b = {form}", "a = c*y", domains=dict.fromkeys("abcy", "real"))
    compiled = library.compile("y", ["a", "b"], backend)
    assert math.isnan(compiled(a=0.0, b=0.0))
    (free,) = library.solve_all("y", a=0, b=0)
    assert free.bounds == (-math.inf, math.inf)
    others = {number(answer) for answer in library.solve_all("y", a=1, b=0)}
    expected = others.pop() if len(others) == 1 else math.nan
    assert compiled(a=1.0, b=0.0) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("form", ["max(c**2 - 6, 1e-12*(c - 9))", "min(6 - c**2, 1e-12*(9 - c))"])
def test_the_rounding_of_an_arm_is_measured_by_that_arm(form):
    """That of the other arm, which has tiny terms, would let neither root hold."""
    library = bare("b c", f"b = {form}", domains={"b": "real", "c": "positive"})
    assert worth(library, "c", b=0.0) == pytest.approx(math.sqrt(6))


def test_roots_along_an_axis_of_their_own_meet_arrays_without_it():
    library = bare(
        "a b c p x",
        "b = x + 1",
        "a = max(p, x)",
        {"equation": "c = x**2", "when": "p >= -1"},
        {"equation": "c = 5", "when": "p < -1"},
        domains=dict.fromkeys("abcpx", "real"),
    )
    assert len(library.solve_all("b", a="3.5", c="3.5")) == 2
    assert numpy.isnan(library.compile("b", ["a", "c"])(a=numpy.array([3.5]), c=numpy.array([3.5]))).all()
    assert numpy.isnan(library.sweep("b", a=[3.5, 4.5], c="3.5").columns["b"]).all()
