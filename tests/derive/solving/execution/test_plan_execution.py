"""Other ways to a target: past relations in which it cancels, and past those that others imply."""

from __future__ import annotations

import math
import random

import pytest

from derive import InconsistentError, LimitError, NoSolutionError
from tests.derive.statements import bare, numbers
from tests.ordinary import every


@every("seed", range(40), ordinary=14)
def test_a_maximum_that_another_term_binds_limits_what_the_other_relations_fix(seed: int) -> None:
    """`x + w = x*w` has the solutions `t` and `t/(t - 1)`, each the partner of the other; `x` is at most `a`."""
    draw = random.Random(f"at most {seed}")
    small = draw.randint(11, 19) / 10
    partners = [small, small / (small - 1)]
    limit = draw.choice((partners[0] + 0.01, partners[1] + 1))
    system = bare("x y a z w", "y = max(x, a)", "z = x + w", "z = x*w")
    answers = system.solve_all("x", y=limit, a=limit, z=sum(partners))
    assert sorted(numbers(answers)) == pytest.approx([x for x in partners if x <= limit])


@every("seed", range(40), ordinary=10)
def test_of_two_relations_that_say_the_same_one_is_enough(seed: int) -> None:
    """The product and the sum of its logarithms fix one number of two; the sum fixes both."""
    draw = random.Random(f"the same {seed}")
    x, y = draw.sample(range(2, 40), 2)
    system = bare("x y p q s", "p = x*y", "q = log(x) + log(y)", "s = x + y")
    answers = system.solve_all("x", p=x * y, q=math.log(x) + math.log(y), s=x + y)
    assert sorted(numbers(answers)) == pytest.approx(sorted((x, y)))


@every("seed", range(40), ordinary=10)
def test_a_relation_whose_condition_held_by_a_default_alone_gives_way_to_another(seed: int) -> None:
    """What is given makes `k` one of two numbers, both above the default by which `y = x` would apply."""
    draw = random.Random(f"gives way {seed}")
    low, x, q = draw.randint(2, 5), draw.randint(1, 9), draw.randint(1, 9)
    high = low + draw.randint(1, 5)
    system = bare(
        "x y k t z q",
        {"equation": "y = x", "when": ["k < 1.5"]},
        "y = 3*q",
        "t = y + k",
        f"z = (k - {low})*(k - {high})",
        domains={"z": "real"},
        values={"k": "1"},
    )
    answers = system.solve_all("t", x=x, q=q, z=0)
    assert sorted(numbers(answers)) == pytest.approx([3 * q + low, 3 * q + high])


@pytest.mark.parametrize("target", ["x", "y"])
def test_a_refusal_of_simultaneous_relations_has_a_reason(target):
    library = bare("x y s p", "sqrt(x) + sqrt(y) = s", "x + y = p", domains={"x": "real", "y": "real"})
    with pytest.raises(NoSolutionError, match="no values in the domains fit all relations"):
        library.solve(target, s="1", p="1.000001")


@pytest.mark.parametrize("number", ["2.01", "2.2", "2.5"])
def test_what_is_given_inside_a_range_belongs_to_no_other_case(number):
    """In the middle of the range `b = u` fails: u is 2.25 there, which says nothing of u = b."""
    library = bare(
        "x a v b u",
        {"equation": "x = 1.5", "when": "a < 1"},
        {"equation": "x = 3", "when": "a >= 1"},
        {"equation": "a = v**2", "when": "a < 1"},
        {"equation": "a = v - 1", "when": "a >= 1"},
        {"equation": "b = u**2", "when": "u < 2"},
        {"equation": "b = u", "when": "u >= 2"},
    )
    assert [answer.base for answer in library.solve_all("x", u="2..2.5", b=number)] == [1.5, 3]
    with pytest.raises(InconsistentError):
        library.solve_all("x", u="2..2.5", b="2.6")


@every("seed", range(40), ordinary=12)
def test_what_an_angle_in_another_turn_leads_to_is_not_denied(seed: int) -> None:
    """The angle a of `b = sin(a)` is sought in one turn, and `a = k*x` may lead into the domain of x from another."""
    draw = random.Random(f"another turn {seed}")
    k, low = draw.randint(1, 4), draw.randint(-20, 20)
    angle = k * (low + 3 * draw.random())
    chain = bare("a b x", f"a = {k}*x", "b = sin(a)", domains={"a": "real", "b": "real", "x": f"{low}..{low + 3}"})
    sine = math.sin(angle)
    bases = (math.asin(sine), math.pi - math.asin(sine))
    roots = [(base + turn * math.tau) / k for base in bases for turn in range(-50, 50)]
    try:
        answers = numbers(chain.solve_all("x", b=sine))
    except LimitError:
        return
    assert answers
    assert all(any(math.isclose(answer, root, abs_tol=1e-7) for root in roots) for answer in answers)
