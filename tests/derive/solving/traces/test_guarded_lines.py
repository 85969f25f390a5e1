"""Lines for questions that ranges move: exact where each range ends, and none where what follows may turn."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every


def is_explained(answer: derive.Answer) -> bool:
    """Whether more than the number of an answer was found, as the solver does."""
    return "checks" in vars(answer)


@every("seed", range(40), ordinary=10)
def test_an_unknown_of_two_arms_is_bounded_by_a_trace(seed: int) -> None:
    """`t = max(a*x + b, c*x + e)`, where `e` is `d` or nothing by a condition on what is given."""
    draw = random.Random(f"two arms {seed}")
    a, b, c, d = (draw.randint(1, 40) / 10 for _ in range(4))
    n = draw.choice((2, 4))
    system = bare("x t u v n", f"u = {a}*x + {b}", f"v = {c}*x + ({d} if n > 3 else 0)", "t = max(u, v)")

    def arms(t: float) -> tuple[float, float]:
        return (t - b) / a, (t - (d if n > 3 else 0)) / c

    for low in (5, 6, 7.5):
        answer = system.solve("x", t=f"{low}..{low + 2}", n=n)
    assert answer.bounds == pytest.approx((min(arms(low)), min(arms(low + 2))), rel=1e-6)
    first, second = zip(arms(5), arms(9.5), strict=True)
    if (first[0] < second[0]) == (first[1] < second[1]):  # the same arm is the larger one for all that was asked
        assert not is_explained(answer)


@every("seed", range(40), ordinary=20)
@pytest.mark.parametrize(
    ("form", "at"),
    [
        ("x*x - x", lambda x: x * x - x),
        ("3 - (x - 1)**2", lambda x: 3 - (x - 1) ** 2),
        ("1/(x**2 + 1)", lambda x: 1 / (x * x + 1)),
    ],
)
def test_a_range_over_which_a_form_turns_is_not_taken_at_its_ends(
    seed: int, form: str, at: Callable[[float], float]
) -> None:
    """Each turns at 0, at a half or at 1, which the range holds; plain Python looks at a grid of it."""
    draw = random.Random(f"turns {seed}")
    system = bare("x y", f"y = {form}", domains={"x": "real", "y": "real"})
    for _ in range(3):
        low, high = -draw.randint(1, 30) / 10, draw.randint(11, 40) / 10
        answer = system.solve("y", x=f"{low}..{high}")
    values = [at(low + (high - low) * step / 2000) for step in range(2001)]
    assert answer.bounds == pytest.approx((min(values), max(values)), abs=1e-4)


CANCELLING = ("sqrt(a)**2", "sqrt(a)**2/a", "log(a)*0 + a", "2*sqrt(a + 1)**4 - b", "b*asin(a)/asin(a)")


@pytest.mark.parametrize("form", CANCELLING)
def test_what_cancels_is_undefined_also_where_it_is_asked_again(form: str) -> None:
    """At a = -3 the square root and the others have no value, though their square has one."""
    library = bare("a b x y", f"x = {form}", "y = abs(x) + 1", domains=dict.fromkeys("abxy", "real"))
    for target in "xy":
        for a in (0.25, 0.5, 0.75):
            library.solve(target, a=a, b=2)
        with pytest.raises(derive.NoSolutionError):
            library.solve(target, a=-3, b=2)


DIVIDING = ("a = x/b", "a = b/x", "x/b = a/b", "x + 1/b = a + 1/b", "2*x = a*b/b", "2*x = (b - 3*b)/(b - 3*b)*a")


@pytest.mark.parametrize("equation", DIVIDING)
@pytest.mark.parametrize("a", [2, -1])
def test_what_is_divided_by_zero_has_no_value_also_where_it_is_asked_again(equation: str, a: float) -> None:
    library = bare("a b x", equation, domains=dict.fromkeys("abx", "real"))
    for b in (3, 5, 7):
        library.solve("x", a=a, b=b)
    with pytest.raises(derive.DeriveError):
        library.solve("x", a=a, b=0)


@pytest.mark.parametrize("relation", ["a*x = a*b", "a*(x + 1) = a*b", "a*abs(x) = a*b", "a*b/x = a"])
def test_a_divisor_that_the_form_does_not_show_is_not_zero(relation):
    """The form for x is b, and with a = 0 any x is a solution."""
    library = bare("a b x", relation, domains={"a": "real", "b": "real", "x": "positive"})
    known = [library.solve("x", a=a, b=2).base for a in (3, 4, 5)]
    assert known[0] == known[1] == known[2]
    with pytest.raises(derive.errors.AmbiguousError):
        library.solve("x", a=0, b=2)
