"""Two cases on either side of a decimal, asked backwards at it and just beside it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from quantities.rational import exact_of, written
from tests.ordinary import every


@every("seed", range(400), ordinary=12, thorough=28)
def test_beside_a_threshold(seed: int) -> None:
    rng = random.Random(seed)
    threshold = Fraction(rng.randint(1, 500), 100)
    lines = [
        (Fraction(rng.choice((-1, 1)) * rng.randint(1, 40), 10), Fraction(rng.randint(-40, 40), 10)) for _ in range(2)
    ]
    aside = rng.choice((0, 1, -1)) * Fraction(1, 10 ** rng.randint(1, 13))
    slope, offset = rng.choice(lines)
    y = slope * (threshold + aside) + offset
    if exact_of(written(float(y))) != y:  # it has more digits than a typed number keeps
        return
    at = float(threshold)
    library = derive.load(
        f"""
[quantities]
x = {{ unit = "1", domain = "real" }}
y = {{ unit = "1", domain = "real" }}
[relations.below]
equation = "y = {float(lines[0][0])}*x + {float(lines[0][1])}"
when = ["x < {at}"]
[relations.above]
equation = "y = {float(lines[1][0])}*x + {float(lines[1][1])}"
when = ["x >= {at}"]
"""
    )
    below, above = ((y - shift) / rise for rise, shift in lines)
    right = sorted({*([below] if below < threshold else []), *([above] if above >= threshold else [])})
    if not right:
        with pytest.raises(derive.NoSolutionError):
            library.solve_all("x", y=repr(float(y)))
        return
    numbers = [answer.value.magnitude for answer in library.solve_all("x", y=repr(float(y)))]
    assert numbers == [float(x) for x in right], (numbers, right)
