"""Over ranges, values that the middle of the ranges does not show are found, or are said to be possible.

The oracle is plain Python: points of the target's domain whose image lies in the range.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

import derive
from derive import LimitError
from tests.derive.statements import bare
from tests.ordinary import every

FOLDED: dict[str, Callable[[float], float]] = {
    "cosh(x)": math.cosh,
    "sin(x)": math.sin,
    "cos(x/2)": lambda x: math.cos(x / 2),
    "exp(-x**2/9)": lambda x: math.exp(-x * x / 9),
    "log(1 + x**2)": lambda x: math.log(1 + x * x),
}
STEPPED: dict[str, Callable[[float], float]] = {
    "floor(x)": math.floor,
    "ceil(x + 0.25)": lambda x: math.ceil(x + 0.25),
    "floor(2*x)": lambda x: math.floor(2 * x),
    "ceil(x/3)": lambda x: math.ceil(x / 3),
}
POINTS = 400
OPEN = "elsewhere in the ranges there may be others"


def missing(library: derive.Library, span: tuple[float, float], inside: list[float]) -> list[float]:
    """The points that no interval of x covers, where none says that there may be others."""
    try:
        answers = library.solve_all("x", y=f"{span[0]}..{span[1]}")
    except LimitError:
        return []
    if any(OPEN in note for one in answers for note in one.assumptions):
        return []
    bounds = [one.bounds for one in answers if one.bounds is not None]
    return [x for x in inside if not any(low - 1e-6 <= x <= high + 1e-6 for low, high in bounds)]


def points(low: float, high: float) -> list[float]:
    return [low + (high - low) * (i + 0.5) / POINTS for i in range(POINTS)]


@every("seed", range(60), ordinary=6, thorough=8)
def test_a_value_that_enters_the_domain_beside_the_middle_is_not_lost(seed: int) -> None:
    draw = random.Random(f"enters {seed}")
    text = draw.choice([*FOLDED])
    low = round(draw.uniform(-3, 5), 1)
    domain = low, round(low + draw.uniform(1, 8), 1)
    here = FOLDED[text](draw.uniform(*domain))
    span = round(here - draw.uniform(0.1, 1), 2), round(here + draw.uniform(0.1, 1), 2)
    library = bare("x y", f"y = {text}", domains={"x": f"{domain[0]}..{domain[1]}", "y": "real"})
    inside = [x for x in points(*domain) if span[0] <= FOLDED[text](x) <= span[1]]
    if inside:
        assert not missing(library, span, inside), (text, domain, span)


@pytest.mark.thorough
@every("seed", range(24), ordinary=8, thorough=12)
def test_a_step_behind_a_wave_is_found_where_the_middle_of_the_range_is_no_step(seed: int) -> None:
    draw = random.Random(f"steps {seed}")
    step, shift, factor = draw.choice([*STEPPED]), round(draw.uniform(-3, 3), 2), round(draw.uniform(0.5, 3), 2)
    wave = draw.choice([f"{factor}*sin(a)", f"{factor}*cos(a)", f"a + {factor}*sin(a)"])

    def image(x: float) -> float:
        a = STEPPED[step](x) + shift
        return float(eval(wave, {"sin": math.sin, "cos": math.cos, "a": a}))

    domain = (-3.0, 3.0)
    in_one_turn = [x for x in points(*domain) if -math.pi < STEPPED[step](x) + shift < math.pi]
    if not in_one_turn:
        return
    here = image(draw.choice(in_one_turn))
    span = round(here - draw.uniform(0.01, 0.4), 3), round(here + draw.uniform(0.01, 0.4), 3)
    names = {"x": f"{domain[0]}..{domain[1]}", "a": "real", "y": "real"}
    library = bare("x a y", f"a = {step} + ({shift})", f"y = {wave}", domains=names)
    inside = [x for x in in_one_turn if span[0] < image(x) < span[1]]
    assert not missing(library, span, inside), (step, shift, wave, span)


@every(("text", "y"), [("2*floor(3*x) + 1", 2.5), ("ceil(x/3)", 1.5), ("floor(x**2/4)**3", 7), ("4 - floor(-x)", 0.25)])
def test_what_would_have_to_round_to_a_fraction_is_proved_to_have_no_solution(text: str, y: float) -> None:
    with pytest.raises(derive.NoSolutionError):
        bare("x y", f"y = {text}", domains=dict.fromkeys("xy", "real")).solve_all("x", y=y)


TWICE_STEPPED: dict[str, Callable[[float], float]] = {
    "floor(x) + 2.78*sin(floor(1.3*x))": lambda x: math.floor(x) + 2.78 * math.sin(math.floor(1.3 * x)),
    "floor(exp(x)) + floor(x**2)*0.37": lambda x: math.floor(math.exp(x)) + math.floor(x * x) * 0.37,
}


@every(
    ("text", "low", "high"),
    [(text, *span) for text in TWICE_STEPPED for span in ((7.66, 12.01), (2.2, 3.1))],
    ordinary=4,
)
def test_bounds_hold_every_value_where_it_is_open_what_the_middle_of_the_range_has(
    text: str, low: float, high: float
) -> None:
    (answer,) = bare("x y", f"y = {text}", domains=dict.fromkeys("xy", "real")).solve_all("x", y=f"{low}..{high}")
    assert answer.bounds is not None
    inside = [x for x in points(-20.0, 20.0) if low < TWICE_STEPPED[text](x) < high]
    assert inside
    assert all(answer.bounds[0] <= x <= answer.bounds[1] for x in inside)


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_case_that_the_middle_of_the_ranges_contradicts_is_one_elsewhere(seed):
    """In the middle u leads to an x below `last`; near the end of the range it leads to one above."""
    draw = random.Random(f"middle {seed}")
    first, last = round(draw.uniform(-2, -1.2), 1), round(draw.uniform(2.5, 3.5), 1)
    high = round(draw.uniform(4.5, 6), 1)
    low = round(2 * draw.uniform(1.3, 1.9) - high, 1)
    library = bare(
        "x y u",
        {"equation": "y = sin(x)", "when": [f"x <= {first}"]},
        {"equation": "y = exp(x/3)", "when": [f"x > {first}", f"x < {last}"]},
        {"equation": "y = x", "when": [f"x >= {last}"]},
        "u = sqrt(y + 5) if y < 4 else y",
        domains={"x": "-4..8", "y": "real", "u": "real"},
    )

    def u(x: float) -> float:
        y = math.sin(x) if x <= first else math.exp(x / 3) if x < last else x
        return math.sqrt(y + 5) if y < 4 else y

    answers = library.solve_all("x", u=f"{low}..{high}")
    if any("nothing determines x" in note for answer in answers for note in answer.assumptions):
        return
    for i in range(-400, 801):
        x = i / 100 + 0.003
        assert not low < u(x) < high or any(answer.low <= x <= answer.high for answer in answers), x


ABOVE: dict[str, Callable[[float], float]] = {
    "sin(3.9*y)": lambda y: math.sin(3.9 * y),
    "2*cos(y)": lambda y: 2 * math.cos(y),
    "y**2/9": lambda y: y**2 / 9,
    "1/y": lambda y: 1 / y,
}


@pytest.mark.thorough
@every("seed", range(60), ordinary=24, thorough=20)
def test_a_case_without_a_value_in_the_middle_of_the_ranges_is_not_left_out_without_a_word(seed: int) -> None:
    """Below the edge `b = y - x`, above another function of y; the domain of y may have no end."""
    draw = random.Random(f"left out {seed}")
    text, edge, x, width = draw.choice([*ABOVE]), draw.choice((3, 5.59)), draw.uniform(0, 8), draw.uniform(0.2, 3)
    low = round(draw.uniform(-1, 1.5), 2)
    library = bare(
        "b x y",
        {"equation": "b = y - x", "when": [f"y <= {edge}"]},
        {"equation": f"b = {text}", "when": [f"y > {edge}"]},
        domains={"b": "real", "x": "real", "y": draw.choice(("0..9", "real"))},
    )
    xs, bs = (round(x - width, 2), round(x + width, 2)), (low, low + 0.1)
    inside = [y for y in points(edge, 9) if bs[0] <= ABOVE[text](y) <= bs[1]]
    inside += [y for y in points(0, edge) if bs[0] - (y - xs[0]) <= 0 <= bs[1] - (y - xs[1])]
    try:
        answers = library.solve_all("y", x=f"{xs[0]}..{xs[1]}", b=f"{bs[0]}..{bs[1]}")
    except LimitError:
        return
    except derive.NoSolutionError:
        answers = ()
    said = [note for answer in answers for note in answer.assumptions]
    if any(OPEN in note or "not proved" in note or "sought in one turn" in note for note in said):
        return
    spans = [answer.bounds or (answer.base, answer.base) for answer in answers]
    assert all(any(first - 0.03 <= y <= last + 0.03 for first, last in spans) for y in inside)
