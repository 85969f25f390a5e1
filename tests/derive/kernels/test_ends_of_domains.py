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
from tests.derive.linear_cases import decimal
from tests.derive.statements import bare
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


@every("seed", range(200), ordinary=5)
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
