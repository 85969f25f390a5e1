"""A sweep over conditional relations, in some of which weak values yield: at each point it is what the solver says."""

from __future__ import annotations

import random

import numpy
import pytest

import derive


@pytest.mark.parametrize("seed", range(12))
def test_a_profile_counts_in_the_cases_that_use_it(seed: int) -> None:
    draw = random.Random(seed)
    edge, one, other = draw.randint(2, 8), draw.randint(1, 9), draw.choice(("0.1*x", "x + k", "k*x"))
    library = derive.load(
        "[quantities]\n" + "".join(f'{name} = {{ unit = "1" }}\n' for name in ("x", "y", "c", "k")) + "[relations]\n"
        f'a = {{ equation = "y = {one}*c", when = ["x < {edge}"] }}\n'
        f'b = {{ equation = "y = {other}", when = ["x >= {edge}"] }}\n'
        '[profiles.pp]\nc = "5.7"\nk = "2"\n'
    )
    points = [edge - 1.5, edge - 0.5, float(edge), edge + 2.0]
    table = library.sweep("y", "pp", x=points)
    assert numpy.allclose(table["y"], [library.solve("y", "pp", x=x).base for x in points])
