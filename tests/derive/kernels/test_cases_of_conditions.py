"""A condition on a quantity that has cases of its own: compiled functions ask the solver which of them holds."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from derive import DeriveError
from tests.derive.statements import bare, number
from tests.ordinary import every


def value(library, x):
    try:
        return number(library.solve("a", x=str(x)))
    except DeriveError:
        return math.nan


@every("seed", range(60), ordinary=6, thorough=4)
def test_a_function_has_no_number_of_a_case_whose_condition_is_false(seed):
    draw = random.Random(f"cases of conditions {seed}")
    cut, edge = draw.choice([1, 2, 3]), draw.choice([0.5, 1.5, 2.5])
    below, above = draw.choice(["4*x - 1", "x/2", "1 - x"]), draw.choice(["x + 1", "2*x", "x**2 + 2"])
    relations = (
        {"equation": f"w = {below}", "when": f"w < {cut}"},
        {"equation": f"w = {above}", "when": f"w >= {cut}"},
        {"equation": "a = 1", "when": f"w <= {edge}"},
        {"equation": f"a = {draw.choice([2, 7])}", "when": f"w > {edge}"},
    )
    library = bare("a w x", *relations, domains={"a": "0..3", "w": "real", "x": "real"})
    numbers = [-2, 0.25, 0.6, 1.25, 4]
    expected = pytest.approx([value(library, x) for x in numbers], nan_ok=True)
    assert library.compile("a", ["x"])(x=np.array(numbers)).tolist() == expected
    assert library.sweep("a", x=numbers).columns["a"].tolist() == expected
