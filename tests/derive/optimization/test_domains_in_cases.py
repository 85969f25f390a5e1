"""What nobody asked for leaves its domain by a relation of some case only: the best choice lies elsewhere."""

from __future__ import annotations

import random

import pytest

import derive
from derive.errors import InconsistentError

_POINTS = 801


def _margin(cut: float, slopes: tuple[float, float], starts: tuple[float, float], x: float) -> float:
    below = x <= cut
    return starts[not below] + slopes[not below] * x


@pytest.mark.ordinary(5)
@pytest.mark.parametrize("seed", range(30))
def test_the_best_choice_lies_where_nothing_leaves_its_domain(seed: int) -> None:
    """A margin, which must not be negative, is a line on either side of a cut, or nothing at all beyond it."""
    draw = random.Random(seed)
    cut, peak = round(draw.uniform(-2, 2), 1), round(draw.uniform(-4, 4), 1)
    slopes = tuple(round(draw.uniform(-2, 2), 1) for _ in range(2))
    starts = tuple(round(draw.uniform(-1, 3), 1) for _ in range(2))
    is_open_beyond = draw.random() < 0.4  # nothing determines the margin there
    beyond = (
        ""
        if is_open_beyond
        else f"""
    beyond = {{ equation = "margin = {starts[1]} + {slopes[1]}*x", when = ["x > {cut}"] }}"""
    )
    beam = derive.load(f"""
    [quantities]
    x = {{ unit = "", domain = "real" }}
    margin = {{ unit = "", domain = "nonnegative" }}
    cost = {{ unit = "" , domain = "real" }}
    [relations]
    cost = {{ equation = "cost = (x - ({peak}))**2 + x/3" }}
    within = {{ equation = "margin = {starts[0]} + {slopes[0]}*x", when = ["x <= {cut}"] }}{beyond}
    """)

    def is_admitted(x: float) -> bool:
        return (is_open_beyond and x > cut) or _margin(cut, slopes, starts, x) >= 0

    grid = [-4 + 8 * i / (_POINTS - 1) for i in range(_POINTS)]
    costs = [(x - peak) ** 2 + x / 3 for x in grid if is_admitted(x)]
    for verb, best in (("least", min), ("most", max)):
        if not costs:
            with pytest.raises(InconsistentError):
                getattr(beam, verb)("cost", x="-4..4")
            continue
        found = getattr(beam, verb)("cost", x="-4..4")
        x = found.chosen["x"]
        value = (x - peak) ** 2 + x / 3
        assert found.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert is_admitted(x) or _margin(cut, slopes, starts, x) >= -1e-9
        assert (value - best(costs)) * (1 if verb == "least" else -1) <= 1e-9


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("seed", range(6))
def test_so_do_all_points_of_a_front(seed: int) -> None:
    draw = random.Random(seed)
    cut, wall = round(draw.uniform(1, 3), 1), round(draw.uniform(0.2, 0.9), 2)
    beam = derive.load(f"""
    [quantities]
    x = {{ unit = "" }}
    margin = {{ unit = "", domain = "nonnegative" }}
    price = {{ unit = "" }}
    sag = {{ unit = "" }}
    [relations]
    price = {{ equation = "price = 2*x" }}
    sag = {{ equation = "sag = 3/x" }}
    within = {{ equation = "margin = x - {wall}", when = ["x <= {cut}"] }}
    beyond = {{ equation = "margin = 5 - x", when = ["x > {cut}"] }}
    """)
    points = beam.front(["least price", "least sag"], x="0.1..9", points=5).points
    numbers = [point.chosen["x"] for point in points]
    assert min(numbers) == pytest.approx(wall)
    assert max(numbers) == pytest.approx(5)
    assert all(wall - 1e-9 <= x <= 5 + 1e-9 for x in numbers)


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("seed", range(12))
def test_what_one_of_several_cases_forbids_rules_out_that_case_alone(seed: int) -> None:
    """`b = abs(a)` from an edge on, and `b = a` below it, where a is negative: only the former leaves b a value."""
    draw = random.Random(seed)
    edge, slope = draw.randint(1, 4), draw.choice((-3, -2, 1, 2))
    library = derive.load(
        "[quantities]\n"
        + "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ("x", "a", "y"))
        + 'b = { unit = "1", domain = "nonnegative" }\n[relations]\n'
        f'r0 = {{ equation = "a = x - {edge + 1}" }}\n'
        f'r1 = {{ equation = "b = abs(a)", when = ["x >= {edge}"] }}\n'
        f'r2 = {{ equation = "b = a", when = ["x < {edge}"] }}\nr3 = {{ equation = "y = {slope}*x" }}\n'
    )
    assert library.least("y", x="-2..5").value.magnitude == pytest.approx(min(slope * edge, slope * 5))
    assert library.most("y", x="-2..5").value.magnitude == pytest.approx(max(slope * edge, slope * 5))
