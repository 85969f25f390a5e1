"""Where nothing is said against an answer, it has as many roots as an independent and rigorous count finds."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from derive.expressions.grammar import parse_equation
from derive.expressions.tree import Apply
from derive.solving.blocks.one_unknown import values_of
from quantities.domain import Domain
from tests.derive.certified import counted_by_intervals, counted_by_sturm
from tests.derive.statements import bare

TERMS = (
    "x",
    "x**2",
    "x**3",
    "exp(x/{k})",
    "exp(-x/{k})",
    "sin({k}*x)",
    "cos({k}*x)",
    "log(x + {k})",
    "sqrt(x + {k})",
    "1/(x + {k})",
    "x*sin(x)",
    "x*exp(-x)",
    "sin(x)*cos({k}*x)",
)


def polynomial(draw: random.Random) -> tuple[str, list[Fraction], float, float]:
    """Of few digits, so that its zeros are apart, or in two neighbouring places."""
    degree = draw.randint(2, 6)
    coefficients = [Fraction(draw.choice((-1, 1)) * draw.randint(1, 9)) for _ in range(degree + 1)]
    if draw.random() < 0.5:  # a zero at a power of two, perhaps twice
        root = Fraction(draw.choice((-1, 1))) * Fraction(2) ** draw.randint(-5, 5)
        for _ in range(draw.choice((1, 2))):
            coefficients = [
                a - root * b for a, b in zip([*coefficients, Fraction(0)], [Fraction(0), *coefficients], strict=True)
            ]
    degree = len(coefficients) - 1
    text = " + ".join(f"({c.numerator}/{c.denominator})*x**{degree - i}" for i, c in enumerate(coefficients))
    low, high = draw.choice(((-8.0, 8.0), (0.0, 4.0), (-2.0, 0.5), (-0.25, 1.0)))
    return text, coefficients, low, high


def sum_of_terms(draw: random.Random) -> tuple[str, float, float]:
    terms = [draw.choice(TERMS).format(k=draw.randint(1, 6)) for _ in range(draw.randint(2, 3))]
    shares = [f"({draw.choice((-1, 1)) * draw.randint(1, 20)}/4)" for _ in terms]
    text = " + ".join(f"{share}*{term}" for share, term in zip(shares, terms, strict=True))
    low, high = draw.choice(((0.0, 8.0), (-0.5, 3.0), (1.0, 4.0), (0.0, 20.0)))
    return f"{text} + ({draw.randint(-9, 9)}/2)", low, high


def verdict(seed: int) -> str:
    """What is wrong with an answer, in words; nothing, if nothing is."""
    draw = random.Random(seed)
    count: int | None
    if draw.random() < 0.4:
        text, coefficients, low, high = polynomial(draw)
        count = counted_by_sturm(coefficients, Fraction(low), Fraction(high))
        equation = parse_equation(f"{text} = 0")
    else:
        text, low, high = sum_of_terms(draw)
        equation = parse_equation(f"{text} = 0")
        assert isinstance(equation.lhs, Apply)
        count = counted_by_intervals(equation.lhs, low, high)
    found = values_of(equation, "x", {}, Domain("", low, high))
    if count is None or found.caveat or found.undecided or any(one.spans for one in found.solutions):
        return ""
    values = [one.values["x"] for one in found.solutions]
    return "" if len(values) == count else f"{text} from {low} to {high}: {count} roots, told {values}"


def wrong(seeds: range) -> dict[int, str]:
    return {seed: told for seed in seeds if (told := verdict(seed))}


def test_an_answer_has_as_many_roots_as_there_are():
    assert not wrong(range(40))


@pytest.mark.long
@pytest.mark.parametrize("batch", range(40))
def test_an_answer_has_as_many_roots_as_there_are_at_length(batch):
    assert not wrong(range(500 * batch, 500 * batch + 500))


def test_the_counts_themselves_are_right():
    cubic = [Fraction(c) for c in (1, -6, 11, -6)]
    assert counted_by_sturm(cubic, Fraction(1), Fraction(3)) == 3
    assert counted_by_sturm(cubic, Fraction(3, 2), Fraction(5, 2)) == 1
    assert counted_by_sturm([Fraction(1), Fraction(-2), Fraction(1)], Fraction(0), Fraction(2)) == 1
    assert counted_by_intervals(parse_equation("sin(3*x) = 0").lhs, 0.5, 7.0) == 6
    assert counted_by_intervals(parse_equation("x**2 + 1 = 0").lhs, -3.0, 7.0) == 0
    assert counted_by_intervals(parse_equation("x**2 = 0").lhs, -3.0, 7.0) is None


def test_a_number_that_only_a_case_leaves_is_not_called_proved():
    relations = (
        "j = min(a, (u if s >= h else a))",
        {"equation": "k = 2*u + a", "when": "j <= a"},
        {"equation": "k = u - a", "when": "j > a"},
    )
    answer = bare("a h j k s u", *relations).solve("j", a="2", s="4", u="6", k="14")
    assert answer.base == 2
    assert derive.verify(answer) is False
