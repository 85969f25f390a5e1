"""Values that some case would leave a target, and what follows from them for the quantities that decide the case."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy
import pytest

from derive import DeriveError, InconsistentError, NoSolutionError
from tests.derive.statements import bare
from tests.ordinary import every


def test_a_value_beside_which_its_case_does_not_apply_is_no_answer():
    library = bare(
        "a b c d f",
        "d = 3/256*f**2*a",
        "c = 5/576*b**2*f**2",
        {"equation": "b = 12/a", "when": "c > 2.75"},
        {"equation": "b = 6/a", "when": "c <= 2.75"},
        {"equation": "f = 8/3*d", "when": "f > 2.75"},
        {"equation": "f = 16/3*d", "when": "f <= 2.75"},
    )
    assert [answer.base for answer in library.solve_all("a", b="3")] == [4]  # at a = 2, f is 16 and c is 20
    assert [answer.base for answer in library.solve_all("b", a="2")] == [6]


def product_by_case(draw, names, planted):
    """Two products, of which the one that applies holds at planted numbers, and their terms: one row of logarithms."""
    result, *others = draw.sample(names, draw.randint(2, 3))
    powers = {name: draw.choice((-1, 1, 1, 2)) for name in others}
    factor = planted[result] / math.prod(planted[name] ** power for name, power in powers.items())
    decider, edge = draw.choice(names), Fraction(draw.choice((3, 5, 7, 9, 11, 15)), 4)
    another = factor * draw.choice((Fraction(1, 2), 2, 3, Fraction(3, 2)))
    above, below = (factor, another) if planted[decider] > edge else (another, factor)
    product = "*".join(f"{name}**({power})" for name, power in powers.items())
    relations = (
        {"equation": f"{result} = ({above})*{product}", "when": f"{decider} > {float(edge)}"},
        {"equation": f"{result} = ({below})*{product}", "when": f"{decider} <= {float(edge)}"},
    )
    row = [(name == result) - powers.get(name, 0) for name in names]
    return relations, row, decider, edge, (above, below)


def values_over_all_cases(products, names, typed, target):
    """What all cases leave a target; None where some case does not fix its numbers, or lies on the edge of another."""
    rows = [row for _, row, *_ in products] + [[float(name == given) for name in names] for given in typed]
    if abs(numpy.linalg.det(rows)) < 1e-9:
        return None
    values = set()
    for are_above in itertools.product((True, False), repeat=len(products)):
        factors = [both[0] if is_above else both[1] for is_above, (*_, both) in zip(are_above, products, strict=True)]
        sums = [math.log(number) for number in (*factors, *typed.values())]
        numbers = dict(zip(names, numpy.exp(numpy.linalg.solve(rows, sums)), strict=True))
        if any(abs(numbers[decider] / float(edge) - 1) < 1e-9 for *_, decider, edge, _ in products):
            return None
        if are_above == tuple(bool(numbers[decider] > edge) for *_, decider, edge, _ in products):
            values.add(float(f"{numbers[target]:.9g}"))
    return sorted(values)


@every("seed", range(300), ordinary=30)
def test_the_values_of_a_target_are_those_that_all_cases_leave_it(seed):
    draw = random.Random(f"by case {seed}")
    names = "abcd"[: draw.randint(3, 4)]
    planted = {name: Fraction(draw.choice((1, 2, 3, 4, 5, 6, 8, 10)), draw.choice((1, 1, 2))) for name in names}
    typed = {name: planted[name] for name in draw.sample(names, draw.randint(1, 2))}
    products = [product_by_case(draw, names, planted) for _ in range(len(names) - len(typed))]
    target = draw.choice([name for name in names if name not in typed])
    values = values_over_all_cases(products, names, typed, target)
    if values is None:
        return
    library = bare(" ".join(names), *itertools.chain.from_iterable(relations for relations, *_ in products))
    try:
        answers = library.solve_all(target, **{name: str(float(number)) for name, number in typed.items()})
    except (NoSolutionError, InconsistentError):
        assert not values
    except DeriveError:
        return
    else:
        assert [answer.base for answer in answers] == pytest.approx(values)
