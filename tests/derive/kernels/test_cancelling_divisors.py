"""Compiled functions beside the solver, where a divisor is a sum of decimals that is zero or nearly so."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy
import pytest

import derive
from derive.kernels.backends.numba_source import is_at_hand
from tests.derive.statements import bare
from tests.ordinary import every

FORMS = (
    "y = x*(a + b - c)",
    "y = x*a*b - x*c + d",
    "y = (a + b - c)*x**2 + d*x",
    "y = (x + a)/(x + b)",
)


def _library(form: str) -> derive.Library:
    declared = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in "abcdy")
    return derive.load(
        f'[quantities]\nx = {{ unit = "1", domain = "real" }}\n{declared}[relations.r]\nequation = "{form}"\n'
    )


LIBRARIES = {form: _library(form) for form in FORMS}


@every("form, seed", [(form, seed) for seed in range(60) for form in FORMS], ordinary=12, thorough=16)
def test_as_the_solver(form: str, seed: int) -> None:
    rng = random.Random(f"{form} {seed}")
    library = LIBRARIES[form]
    a, b, d, y = (Fraction(rng.randint(1, 999), 100) for _ in range(4))
    c = a * b if "a*b" in form else a + b
    if "/" in form:
        b = a
    aside = rng.choice((Fraction(0), Fraction(0), Fraction(1, 10**6), Fraction(1, 10**11)))
    exact = {"a": a, "b": b, "c": c + aside, "d": d, "y": rng.choice((y, Fraction(0), d, Fraction(1)))}
    given = {name: number for name, number in exact.items() if name in form}
    try:
        found = library.solve("x", **{name: repr(float(number)) for name, number in given.items()}).value.magnitude
    except (derive.NoSolutionError, derive.AmbiguousError):
        found = math.nan
    numbers = {name: float(number) for name, number in given.items()}
    for backend in ("python", "numpy"):
        compiled = library.compile("x", given=list(given), backend=backend)
        at_point = float(compiled(**numbers))
        assert math.isclose(at_point, found, rel_tol=1e-6) or (math.isnan(at_point) and math.isnan(found)), backend
    along = library.compile("x", given=list(given))(**numbers | {"y": numpy.array([numbers["y"]] * 3)})
    assert numpy.allclose(along, found, rtol=1e-6, equal_nan=True)


@pytest.mark.parametrize("equation", ["a = y/b", "a = y/(b - c)", "b = a/y", "a*b = c/y", "a = y/(b/c)", "y = a*b/b"])
def test_a_form_has_no_value_where_a_divisor_of_its_relation_alone_is_zero(equation: str) -> None:
    """The form of `a = y/b` is `y = a*b`, and the relation has no y where b is zero."""
    held = bare("a b c y", equation, domains=dict.fromkeys("abcy", "real"))
    names = [name for name in "abc" if name in equation]
    columns = {name: numbers for name, numbers in {"a": 2.0, "b": [0.0, 0.3, 1.0], "c": 0.3}.items() if name in names}
    right = []
    for b in columns["b"]:
        try:
            right.append(held.solve("y", **{**columns, "b": b}).base)
        except derive.NoSolutionError:
            right.append(math.nan)
    assert any(map(math.isnan, right))
    assert numpy.allclose(held.compile("y", names, "numpy")(**columns), right, equal_nan=True)
    by_floats = held.compile("y", names, "python")
    assert numpy.allclose([by_floats(**{**columns, "b": b}) for b in columns["b"]], right, equal_nan=True)
    assert numpy.allclose(held.sweep("y", **columns).columns["y"], right, equal_nan=True)


@pytest.mark.thorough
@pytest.mark.parametrize("domain", ["real", "nonnegative", "positive"])
def test_what_follows_from_a_quantity_that_may_be_anything_is_asked_of_the_solver(domain: str) -> None:
    """Where n = y*a with a = n = 0, y is anything, and z = y/(y - a) is 1 for any y but 0."""
    held = bare("a n y z", "n = y*a", "z = y/(y - a)", domains={**dict.fromkeys("anz", "real"), "y": domain})
    columns = {"a": [0.0, 0.0, 1.0], "n": [0.0, 2.0, 2.0]}
    right = [held.solve("z", a=0, n=0).base, math.nan, held.solve("z", a=1, n=2).base]
    assert right[0] == 1
    with pytest.raises(derive.InconsistentError):
        held.solve("z", a=0, n=2)
    for backend in ("numpy", "numba") if is_at_hand() else ("numpy",):
        assert numpy.allclose(held.compile("z", ["a", "n"], backend)(**columns), right, equal_nan=True)
    by_floats = held.compile("z", ["a", "n"], "python")
    points = zip(*columns.values(), strict=True)
    assert numpy.allclose([by_floats(a=a, n=n) for a, n in points], right, equal_nan=True)


@pytest.mark.parametrize("of_a", ["real", "nonnegative", "positive"])
@pytest.mark.parametrize(
    ("of_b", "divisor"), [("real", "b"), ("nonnegative", "b"), ("positive", "b"), ("real", "(b - c)")]
)
def test_a_quantity_beside_the_target_may_not_be_a_zero_divisor(of_a: str, of_b: str, divisor: str) -> None:
    """For a = y/b with y = 0, b would be 0, where the relation has no value: the givens contradict it unless a is 0."""
    domains = {**dict.fromkeys("cpqyz", "real"), "a": of_a, "b": of_b}
    held = bare("a b c p q y z", f"a = y/{divisor}", "y = p - q", "z = p + 1", domains=domains)
    names = ["a", "p", "q", *(["c"] if "c" in divisor else [])]
    points = [(2.0, 1.0, 1.0, 0.1), (2.0, 2.0, 1.0, 0.1), (2.0, 0.3, 0.1, 0.1), (0.5, 0.3, 0.3, 0.1)]
    right = []
    for point in points:
        try:
            right.append(held.solve("z", **dict(zip(names, point, strict=False))).base)
        except derive.InconsistentError:
            right.append(math.nan)
    assert list(map(math.isnan, right)) == [True, False, False, True]
    columns = dict(zip(names, numpy.array(points).T, strict=False))
    assert numpy.allclose(held.compile("z", names, "numpy")(**columns), right, equal_nan=True)
    by_floats = held.compile("z", names, "python")
    assert numpy.allclose(
        [by_floats(**dict(zip(names, point, strict=False))) for point in points], right, equal_nan=True
    )


@pytest.mark.parametrize(
    "equation",
    [
        "x*log(8) = 3.000000000001*x*log(2) + y",
        "x = y/(log(8) - 3.000000000001*log(2))",
        "x = y*(log(8) - 3.000000000001*log(2))",
        "y = exp(log(8)*x - 3.000000000001*log(2)*x)",
    ],
)
@pytest.mark.parametrize(("target", "given"), [("x", "y"), ("y", "x"), ("z", "y"), ("z", "x")])
def test_constants_that_cancel_keep_all_digits(equation: str, target: str, given: str) -> None:
    held = bare("x y z", equation, "z = 2*x + y", domains=dict.fromkeys("xyz", "real"))
    numbers = [0.3, 1.0, 2.5]
    right = [held.solve(target, **{given: number}).base for number in numbers]
    for backend in ("numpy", "numba") if is_at_hand() else ("numpy",):
        found = held.compile(target, [given], backend)(**{given: numpy.array(numbers)})
        assert numpy.allclose(found, right, rtol=1e-13, atol=0)
    by_floats = held.compile(target, [given], "python")
    assert numpy.allclose([by_floats(**{given: number}) for number in numbers], right, rtol=1e-13, atol=0)


def test_bounds_have_all_digits_of_constants_that_cancel() -> None:
    held = bare("x y", "x*log(8) = 3.000000000001*x*log(2) + y", domains=dict.fromkeys("xy", "real"))
    bounds = held.solve("x", y="0.3..2.5")
    right = [held.solve("x", y=number).base for number in (2.5, 0.3)]
    assert numpy.allclose([bounds.low.magnitude, bounds.high.magnitude], right, rtol=1e-12, atol=0)
    assert f"most x = {right[1]:.6g} " in held.most("x", y="0.3..2.5").text()
