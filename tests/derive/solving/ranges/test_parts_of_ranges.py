"""A range of which a part alone is possible: neither a contradiction nor a number without a word."""

from __future__ import annotations

import math
import random

import pytest

import derive
from derive import AmbiguousError, InconsistentError
from tests.derive.statements import bare, span
from tests.ordinary import every

RISING = {"y = n**2": lambda n: n**2, "y = 1 + sqrt(n)": lambda n: 1 + math.sqrt(n), "y = n*n + n": lambda n: n * n + n}
FALLING = {"y = 19/n": lambda n: 19 / n, "y = exp(-n)": lambda n: math.exp(-n)}


@pytest.mark.parametrize("seed", range(24))
def test_a_number_that_a_limit_forbids_is_never_told_as_one_that_keeps_it(seed: int) -> None:
    draw = random.Random(seed)
    relation, function = draw.choice([*RISING.items(), *FALLING.items()])
    low, high = sorted(round(draw.uniform(0.2, 9), 1) for _ in range(2))
    ends = sorted((function(low), function(high)))
    limit = round(draw.uniform(0.5 * ends[0], 1.2 * ends[1]), 3)
    library = bare("n y", relation, f"y <= {limit}", domains={"n": "positive", "y": "positive"})
    try:
        answer = library.solve("y", n=f"{low}..{high}")
    except derive.InconsistentError:
        assert ends[0] > limit
        return
    assert answer.base == pytest.approx(function((low + high) / 2))
    assert bool(answer.failed) == (answer.base > limit)
    assert all("in the middle of the ranges" in one.verdict for one in answer.failed)


@pytest.mark.parametrize("seed", range(12))
def test_a_case_in_the_middle_of_a_range_contradicts_nothing_beyond_it(seed: int) -> None:
    """`y = a` from an edge on is more than the limit allows, and below it y is n."""
    draw = random.Random(seed)
    edge, above = draw.randint(2, 4), draw.randint(6, 9)
    library = derive.load(
        '[quantities]\ny = { unit = "1" }\nn = { unit = "1" }\nz = { unit = "1" }\n[relations]\n'
        f'high = {{ equation = "y = {above}*n", when = ["n > {edge}"] }}\n'
        f'low = {{ equation = "y = n", when = ["n <= {edge}"] }}\n'
        'lim = { equation = "y <= 5" }\nother = { equation = "z = 3*n" }\n'
    )
    with pytest.raises(AmbiguousError) as told:
        library.solve("y", n=f"1..{2 * edge}")
    (answer,) = told.value.answers
    assert answer.bounds == (1, edge)
    assert [one.bounds for one in library.solve_all("z", n=f"1..{2 * edge}")] == [(3, 3 * edge)]


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("slope", [1.5, 2, 2.5, 4])
def test_bounds_over_all_cases_are_not_called_as_close_as_those_of_one(slope: float) -> None:
    """`y = ceil(-slope*x)` below 10 leaves x from 4 to 12 over the slope; `y = 4*x` from there on leaves it nothing."""
    library = derive.load(
        '[quantities]\nx = { unit = "1", domain = "-10..30" }\nv = { unit = "1", domain = "real" }\n'
        'y = { unit = "1", domain = "real" }\n[relations]\na = { equation = "y = 4*x", when = ["x >= 10"] }\n'
        f'b = {{ equation = "y = ceil(v)", when = ["x < 10"] }}\nc = {{ equation = "v = -{slope}*x" }}\n'
    )
    (answer,) = library.solve_all("x", y="-11..-4")
    low, high = answer.bounds
    assert low <= 4 / slope * (1 + 1e-6)
    assert high >= 12 / slope * (1 - 1e-6)
    if any("to one part in a million" in text for text in answer.assumptions):
        assert (low, high) == pytest.approx((4 / slope, 12 / slope), rel=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_what_the_middle_of_a_range_leaves_no_value_is_told(seed: int) -> None:
    """`s = a - b*x` is nonnegative up to a place of x, and nobody asks for it."""
    draw = random.Random(seed)
    a, b, low = draw.randint(1, 9), draw.randint(1, 4), draw.randint(-5, 0)
    high = low + 2 * draw.randint(1, 9)
    domains = {"x": "real", "s": "nonnegative", "y": "real"}
    library = bare("x s y", f"s = {a} - {b}*x", "y = 7*x + 6", domains=domains)
    answer = library.solve("y", x=f"{low}..{high}")
    middle = (low + high) / 2
    assert answer.base == 7 * middle + 6
    assert bool(answer.failed) == (b * middle > a)


@pytest.mark.parametrize("seed", range(12))
def test_a_contradiction_by_a_case_that_no_range_moves_is_told(seed: int) -> None:
    """`y = s*x` where k, which is twice m, is more than the edge; z comes from a range that has no part in it."""
    draw = random.Random(seed)
    edge, slope, m, x = (draw.randint(1, 9) for _ in range(4))
    library = derive.load(
        "[quantities]\n"
        + "".join(f'{name} = {{ unit = "1" }}\n' for name in ("x", "y", "k", "m", "n", "z"))
        + '[relations]\ndouble = { equation = "k = 2*m" }\nother = { equation = "z = 3*n" }\n'
        f'case = {{ equation = "y = {slope}*x", when = ["k > {edge}"] }}\n'
    )
    given = {"m": m, "x": x, "y": slope * x + 1, "n": "1..4"}
    if 2 * m > edge:
        with pytest.raises(derive.InconsistentError):
            library.solve("z", **given)
    else:
        assert library.solve("z", **given).bounds == (3, 12)


@pytest.mark.thorough
@every("seed", range(40), ordinary=20, thorough=12)
def test_a_factor_that_is_zero_in_the_middle_of_its_range_contradicts_nothing(seed: int) -> None:
    """Of `a = (x - m)*y` and `b = k*(x - m)*y` only b = k*a is asked of the givens, whatever x is."""
    draw = random.Random(f"zero in the middle {seed}")
    middle, width, k = draw.randint(-2, 2), draw.choice((0.5, 1, 3)), draw.choice((2, -3, 0.5))
    a = draw.choice((1, -2, 5))
    product = bare(
        "a b x y", f"a = (x - {middle})*y", f"b = {k}*(x - {middle})*y", domains=dict.fromkeys("abxy", "real")
    )
    x = f"{middle - width}..{middle + width}"
    for given in ({"a": a}, {"a": a, "b": k * a}):
        (answer,) = product.solve_all("y", x=x, **given)
        low, high = span(answer)
        assert all(low <= a / (share * width) <= high for share in (-1, -0.1, -0.001, 0.001, 0.1, 1))
    with pytest.raises(InconsistentError, match="r1, r2"):
        product.solve_all("y", x=x, a=a, b=k * a + draw.choice((-1, 0.5)))


ARMED = {
    "max(x, 2*x)": lambda x: max(x, 2 * x),
    "x*(x/abs(x))": abs,
    "abs(x - 1)": lambda x: abs(x - 1),
    "x + abs(x)/2": lambda x: x + abs(x) / 2,
    "x/x - x": lambda x: 1 - x,
    "x**2": lambda x: x * x,
}


@pytest.mark.thorough
@every("seed", range(60), ordinary=12, thorough=20)
def test_two_ranges_that_one_number_fits_contradict_nothing(seed: int) -> None:
    """In the middle of the ranges another arm or root may hold, which leads to a contradiction there alone."""
    draw = random.Random(f"fits both {seed}")
    (first, f), (other, g) = draw.sample([*ARMED.items()], 2)
    x = draw.choice((-1, 1)) * draw.uniform(0.2, 2.5)
    pair = bare("a b x", f"a = {first}", f"b = {other}", domains={"a": "real", "b": "real", "x": "-3..3"})
    given = {}
    for name, at in (("a", f(x)), ("b", g(x))):
        given[name] = f"{at - draw.uniform(0.02, 2):.2f}..{at + draw.uniform(0.02, 2):.2f}"
    try:
        answers = pair.solve_all("x", **given)
    except derive.LimitError:
        return
    said = " ".join(note for answer in answers for note in answer.assumptions)
    if "there may be others" not in said and "not proved" not in said:
        assert any(low <= x <= high for low, high in map(span, answers))


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize(
    ("pair", "a", "b", "x"),
    [
        (("a = x*(x/abs(x))", "b = abs(x)"), "-0.66..1.19", "0.27..1.4", 0.8),
        (("a = x/x - x", "b = x + 62.5"), "-0.13..2.03", "61.95..62", -0.52),
        (("a = max(x, 2*x)", "b = x + 5"), "-1..1.2", "4.2..4.4", -0.7),
    ],
)
def test_a_number_that_fits_two_ranges_beside_their_middles_is_not_denied(pair, a: str, b: str, x: float) -> None:
    answers = bare("a b x", *pair, domains={"a": "real", "b": "real", "x": "-3..3"}).solve_all("x", a=a, b=b)
    said = " ".join(note for answer in answers for note in answer.assumptions)
    assert "not proved" in said or "may be others" in said or any(low <= x <= high for low, high in map(span, answers))


SIGNS = ["b = x/(a/abs(a))", "b = x*abs(a)/a", "b = x*a/abs(a)"]


@pytest.mark.ordinary(9)
@pytest.mark.parametrize("relation", SIGNS)
@pytest.mark.parametrize("step", ["ceil(y)", "floor(y + 1)", "min(ceil(y), 0)"])
@pytest.mark.parametrize("ends", [(-0.5, -0.25), (-1.5, -0.25), (-2.5, -1.25)])
def test_a_number_over_its_size_has_no_value_where_it_is_zero(relation, step, ends):
    """The sign of a step from -1.5 to -0.25 is that below -1: above, the step is at zero."""
    low, high = ends
    signs = bare("a b c x y", relation, f"a = {step}", "c = b/y", domains=dict.fromkeys("abcxy", "real"))
    given = {"x": "0.5..1", "y": f"{low}..{high}"}
    if low > -1:
        with pytest.raises(derive.NoSolutionError):
            signs.solve_all("c", **given)
        return
    (answer,) = signs.solve_all("c", **given)
    assert span(answer) == pytest.approx((0.5 / -low, 1 / -min(high, -1)), rel=1e-5)
