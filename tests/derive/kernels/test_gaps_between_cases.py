"""Where further relations tell roots apart, or what is missing cancels in a case, compiled functions are as solving."""

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


@every("seed", range(60), ordinary=8, thorough=12)
def test_a_root_that_leads_out_of_a_domain_is_none(seed: int) -> None:
    """`x = m*(b - s)**2` has two roots; `y = k*b + c` is positive at both, one or none of them."""
    draw = random.Random(f"followers {seed}")
    m, s, c = (Fraction(draw.randint(low, 40), 10) for low in (1, -40, -40))
    k, root = Fraction(draw.choice([-30, -5, 5, 20]), 10), Fraction(draw.randint(1, 40), 10)
    right = [b for b in (s - root, s + root) if k * b + c > 0]
    library = bare(
        "x b y",
        f"x = {decimal(m)}*(b - ({decimal(s)}))**2",
        f"y = ({decimal(k)})*b + ({decimal(c)})",
        domains={"b": "real", "y": "positive"},
    )
    expected = float(right[0]) if len(right) == 1 else math.nan
    x = float(m * root * root)
    for backend in ("python", "numpy"):
        found = library.compile("b", ["x"], backend=backend)(x=x)
        assert float(found) == pytest.approx(expected, nan_ok=True), (backend, seed)


@every("seed", range(40), ordinary=8)
def test_a_case_in_which_the_missing_cancels_has_its_value(seed: int) -> None:
    """`y = k*q/q` says k whatever q is; beside it stands a case that needs nothing that is missing."""
    draw = random.Random(f"cancelling {seed}")
    turn, k, slope = (Fraction(draw.randint(1, 40), 10) for _ in range(3))
    ratio = draw.choice(["q/q", "(2*q)/q", "(q + q)/q"])
    library = bare(
        "x y q",
        {"equation": f"y = {decimal(slope)}*x", "when": [f"x < {decimal(turn)}"]},
        {"equation": f"y = {decimal(k)}*{ratio}", "when": [f"x >= {decimal(turn)}"]},
    )
    factor = 1 if ratio == "q/q" else 2
    points = [turn / 2, turn, turn * 2]
    expected = [float(slope * x) if x < turn else float(factor * k) for x in points]
    function = library.compile("y", ["x"])
    assert [function(x=float(x)) for x in points] == pytest.approx(expected)
    assert library.compile("y", ["x"], backend="numpy")(x=numpy.array([float(x) for x in points])) == pytest.approx(
        expected
    )
    with pytest.raises(derive.NoSolutionError):  # no form holds in both cases
        library.formula("y", ["x"])
