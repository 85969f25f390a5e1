"""A value that two opposite limits leave, and a third limit that it breaks or keeps."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from tests.ordinary import every


@every("seed", range(40), ordinary=8)
def test_third_limit(seed: int) -> None:
    rng = random.Random(seed)
    c = Fraction(rng.randint(1, 900), 100)
    factor = rng.choice((1, 2, Fraction(1, 2)))
    aside = rng.choice((-1, 1)) * rng.choice((Fraction(1, 1000), Fraction(1, 2), Fraction(0)))
    limit = factor * c * c + 2 * c + aside
    library = derive.load(
        f"""
[quantities]
x = {{ unit = "1", domain = "real" }}
c = {{ unit = "1", domain = "real" }}
[relations]
least = {{ equation = "x >= c*c" }}
most = {{ equation = "x <= c*c" }}
third = {{ equation = "{float(factor)}*x + 2*c >= {float(limit)!r}" }}
"""
    )
    if aside > 0:
        with pytest.raises(derive.InconsistentError):
            library.solve_all("x", c=str(float(c)))
    else:
        (answer,) = library.solve_all("x", c=str(float(c)))
        assert answer.value.magnitude == float(c * c)
