"""A number that lies at the end of its domain in decimals lies in it, also where doubles put it a digit beyond.

The oracle is exact arithmetic with fractions.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy
import pytest

import derive
from derive.kernels.backends.numba_source import is_at_hand
from tests.derive.linear_cases import decimal
from tests.derive.statements import bare, library
from tests.ordinary import every

FORMS = {
    "{k}*x": lambda x, k: k * x,
    "x/{k}": lambda x, k: x / k,
    "x + {k}*x": lambda x, k: x + k * x,
    "x*x": lambda x, k: x * x,
    "x**2 + {k}": lambda x, k: x**2 + k,
    "(x + {k})*x": lambda x, k: (x + k) * x,
}
DIVISORS = (Fraction(1, 2), Fraction(8, 5), Fraction(1, 10), Fraction(4))  # which leave a decimal


@every("seed", range(200), ordinary=10, thorough=12)
@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_a_number_at_the_end_of_its_domain_is_one_for_every_verb(seed: int, backend: str) -> None:
    draw = random.Random(f"ends {seed}")
    x = Fraction(draw.randint(1, 99), draw.choice((10, 100)))
    form = draw.choice([*FORMS])
    factor = draw.choice(DIVISORS) if "/" in form else Fraction(draw.choice((3, 7, 11, 13, 1, 6)), 10)
    end = FORMS[form](x, factor)
    beyond = draw.choice((Fraction(0), Fraction(0), Fraction(1, 10**9)))
    low, high = draw.choice(((end + beyond, end + 5), (end - 5, end - beyond)))
    relations = [f"y = {form.format(k=decimal(factor))}", "c = y + 1"]
    domains = {"x": "real", "c": "real", "y": f"{decimal(low)}..{decimal(high)}"}
    library = bare("x y c", *relations, domains=domains)
    is_inside = low <= end <= high
    found = library.compile("c", ["x"], backend)(x=float(x) if backend == "python" else numpy.array([float(x)]))
    number = float(numpy.ravel(found)[0])
    expected = float(end + 1) if is_inside else math.nan
    assert number == pytest.approx(expected, nan_ok=True), (relations, domains, x)
    if is_inside:
        assert library.solve("c", x=decimal(x)).base == pytest.approx(expected)
        assert library.sweep("c", x=[float(x), float(x)]).columns["c"] == pytest.approx([expected, expected])
    else:
        with pytest.raises(derive.DeriveError):
            library.solve("c", x=decimal(x))


SUMS = {
    "b - {k}*x": lambda x, b, k: b - k * x,
    "{k}*x - b": lambda x, b, k: k * x - b,
    "b/{k} - x - {k}": lambda x, b, k: b / k - x - k,
    "x*(b - {k}) - b": lambda x, b, k: x * (b - k) - b,
}
ZEROS = {  # the b at which each is zero
    "b - {k}*x": lambda x, k: k * x,
    "{k}*x - b": lambda x, k: k * x,
    "b/{k} - x - {k}": lambda x, k: (x + k) * k,
    "x*(b - {k}) - b": lambda x, k: k * x / (x - 1),
}
DOMAINS = {  # each with the numbers near zero that lie in it
    "nonnegative": lambda y: y >= 0,
    "positive": lambda y: y > 0,
    "0..5000": lambda y: y >= 0,
    "-5000..0": lambda y: y <= 0,
}


@pytest.mark.thorough
@every("seed", range(200), ordinary=5, thorough=12)
@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_terms_that_cancel_at_a_domain_that_ends_in_zero_decide_exactly(seed: int, backend: str) -> None:
    assert_exact(seed, backend)


@pytest.mark.thorough
@every("seed", range(200), ordinary=20, thorough=180)  # machine code takes most of a second to be made
def test_so_they_do_in_machine_code(seed: int) -> None:
    pytest.importorskip("numba")
    assert_exact(seed, "numba")


def assert_exact(seed: int, backend: str) -> None:
    draw = random.Random(f"zeros {seed}")
    form, domain = draw.choice([*SUMS]), draw.choice([*DOMAINS])
    x = Fraction(draw.randint(1, 99), draw.choice((10, 100)))
    k = Fraction(draw.choice((1, 4, 5, 8)), 10)
    b = ZEROS[form](x, k) if x != 1 else Fraction(0)
    b = Fraction(round(b * 1000), 1000) + draw.choice((Fraction(0), Fraction(0), Fraction(1, 1000)))
    exact = SUMS[form](x, b, k)
    domains = {"x": "real", "b": "real", "c": "real", "y": domain}
    library = bare("x b y c", f"y = {form.format(k=decimal(k))}", "c = y + 1", domains=domains)
    one = backend == "python"
    numbers = {name: float(n) if one else numpy.array([float(n)] * 2) for name, n in (("x", x), ("b", b))}
    found = float(numpy.ravel(library.compile("c", ["x", "b"], backend)(**numbers))[0])
    is_inside = DOMAINS[domain](exact)
    assert found == pytest.approx(float(exact + 1) if is_inside else math.nan, nan_ok=True), (form, domain, x, b, k)
    given = {"x": decimal(x), "b": decimal(b)}
    if is_inside:
        assert library.solve("c", **given).base == pytest.approx(float(exact + 1))
    else:
        with pytest.raises(derive.DeriveError):
            library.solve("c", **given)


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
@pytest.mark.parametrize(
    ("form", "a", "b"),
    [
        ("acos(b/a)", 0.7, 0.7),
        ("acos((b - a)/0.4)", 0.9, 1.3),
        ("acosh(b/a)", 0.7, 0.7),
        ("(b - a - 0.4)**0.5", 0.9, 1.3),
    ],
)
def test_a_function_has_its_value_at_the_end_of_its_domain(form: str, a: float, b: float, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    library = bare("a b t", f"t = {form}", domains={"t": "real"})
    assert library.compile("t", ["a", "b"], backend)(a=a, b=b) == library.solve("t", a=a, b=b).base == 0


@pytest.mark.parametrize(
    ("end", "there"),
    [("acos(c/c)", 0), ("asin(c/(3*c)*3)", math.pi / 2), ("tanh(acosh(c/1.3))", 0), ("(3*c - 3.9)**1.5", 0)],
)
@pytest.mark.parametrize("condition", ["b < 0", "c < b", "acos(c/c) > 0"])
def test_an_arm_of_a_choice_has_a_value_at_the_end_of_a_domain(end: str, there: float, condition: str) -> None:
    library = bare("b c y", f"y = (b if {condition} else {end} + b)", domains={"b": "real", "y": "real"})
    assert library.solve("y", b=0.4, c=1.3).base == pytest.approx(there + 0.4)
    assert library.compile("y", ["b", "c"])(b=0.4, c=1.3) == pytest.approx(there + 0.4)


UNITS = {"": Fraction(1), "ms": Fraction(1, 1000), "km": Fraction(1000), "min": Fraction(60)}
OF_GIVENS = ("positive", "nonnegative", "real", "-2..3", "0..2.5", "1..4")


@every("seed", range(240), ordinary=30, thorough=8)
def test_a_given_outside_its_domain_has_no_number_in_a_compiled_function(seed: int) -> None:
    """As the solver refuses it. Numbers stand for the domain's own ones, so the oracle needs no unit."""
    draw = random.Random(f"givens {seed}")
    unit, domain = draw.choice([*UNITS]), draw.choice(OF_GIVENS)
    declared = f"{domain} {unit}".strip() if ".." in domain else domain
    names = {"x": unit, "y": unit, "z": ""}
    asked = library(names, "y = 3*x + x*max(z, -1)", domains={"x": declared, "y": "real", "z": "real"})
    numbers = [Fraction(draw.randint(-8, 20), draw.choice((1, 1, 2))) for _ in range(6)]
    numbers += [Fraction(end) for end in domain.split("..") if ".." in domain]
    values = numpy.array([float(x) for x in numbers])
    expected = [float(4 * x) if is_admitted(x, domain) else math.nan for x in numbers]
    for backend in ("auto", "numpy", *(["numba"] if is_at_hand() else [])):
        function = asked.compile("y", ["x", "z"], backend)
        assert function(x=values, z=1.0) == pytest.approx(expected, nan_ok=True), (declared, numbers)
        alone = [function(x=x, z=1.0) for x in values.tolist()]
        assert alone == pytest.approx(expected, nan_ok=True), (declared, numbers)
    for x, sum_of_x in zip(numbers, expected, strict=True):
        given = {"x": f"{decimal(x)} {unit}".strip(), "z": 1}
        if math.isnan(sum_of_x):
            with pytest.raises(derive.DomainError):
                asked.solve("y", **given)
        else:
            assert asked.solve("y", **given).value.magnitude == pytest.approx(sum_of_x)


def is_admitted(number: Fraction, domain: str) -> bool:
    """Whether a domain of the texts above has a number."""
    if ".." in domain:
        low, high = map(Fraction, domain.split(".."))
        return low <= number <= high
    return {"positive": number > 0, "nonnegative": number >= 0}.get(domain, True)


@pytest.mark.parametrize(("unit", "end"), [("inch", 12.3), ("inch", 18.1), ("mile", 0.9), ("mile", 1.1)])
def test_a_given_at_the_end_of_its_domain_does_not_miss_it_by_its_unit(unit: str, end: float) -> None:
    asked = library({"x": unit, "y": unit}, "y = x", domains={"x": f"0.05..{end} {unit}", "y": "real"})
    assert asked.compile("y", ["x"])(x=end) == pytest.approx(end)
