"""What is cut off a box holds nothing: no point at which a form is not positive, and no whole number of a count."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

from derive.certificates.forms import Form
from derive.expressions.grammar import parse_expression
from derive.numerics.intervals.boxes import rounded_inwards
from tests.ordinary import every

NAMES = ("x", "y", "z")


@every("seed", range(300), ordinary=40)
def test_no_point_is_cut_away_at_which_a_form_is_not_positive(seed: int) -> None:
    """The value at each point of a grid is exact: what a cut loses by rounding would show."""
    draw = random.Random(f"cut {seed}")
    names = NAMES[: draw.randint(1, 3)]
    sizes = [draw.choice((1e-9, 1.0, 1e6)) for _ in names]
    ends = [sorted(draw.randint(-64, 64) / 32 * size for _ in range(2)) for size in sizes]
    box = tuple((low, high) for low, high in ends)
    slopes = [Fraction(draw.randint(-16, 16), 8) / Fraction(size) for size in sizes]
    bends = [Fraction(draw.randint(-2, 2), 8) / Fraction(size) ** 2 for size in sizes]
    grids = [[Fraction(low) + (Fraction(high) - Fraction(low)) * i / 8 for i in range(9)] for low, high in box]
    origin = draw.choice([*product(*grids)])

    def exact(point: tuple[Fraction, ...]) -> Fraction:
        terms = zip(slopes, bends, point, origin, strict=True)
        return sum((slope * (x - start) + bend * (x - start) ** 2 for slope, bend, x, start in terms), Fraction(0))

    parts = [
        f"({slope})*({name} - ({start})) + ({bend})*({name} - ({start}))**2"
        for name, slope, bend, start in zip(names, slopes, bends, origin, strict=True)
    ]
    narrowed = Form(parse_expression(" + ".join(parts)), names, {}).where_not_positive(box)
    for point in product(*grids):
        if exact(point) <= 0:
            assert narrowed is not None, (seed, point)
            assert all(low <= x <= high for x, (low, high) in zip(point, narrowed, strict=True)), (
                seed,
                point,
                narrowed,
            )


@every("seed", range(100), ordinary=20)
def test_every_whole_number_in_a_side_is_left(seed: int) -> None:
    draw = random.Random(f"whole {seed}")
    step = draw.choice((1.0, 8.0, 0.1, 1e-3))
    low, high = sorted(draw.uniform(-30, 30) * step for _ in range(2))
    inside = [k * step for k in range(-31, 32) if low <= k * step <= high]
    rounded = rounded_inwards([(low, high), (low, high)], (step, 0.0))
    assert rounded is not None or not inside
    assert rounded is None or (rounded[0][0] <= rounded[0][1] and rounded[1] == (low, high))
    assert all(rounded is not None and rounded[0][0] <= x <= rounded[0][1] for x in inside)
