"""What is said of a definition that yields to what is given."""

from __future__ import annotations

import pytest

import derive

FACTOR = """
[quantities]
k = { unit = "1" }
x = { unit = "1" }
y = { unit = "1" }
[relations]
y = { equation = "y = k*x" }
[profiles.twice]
k = { value = "2", kind = "exact", source = "by definition" }
"""


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_definition_that_yields_is_named_with_the_number_that_replaced_it(k: int) -> None:
    answer = derive.load(FACTOR).solve("k", "twice", x=5, y=5 * k)
    assert answer.base == k
    said = [line for line in map(str, answer.assumptions) if "is replaced" in line]
    assert said == ([] if k == 2 else [f"k = 2 is replaced: it is {k} here"])
