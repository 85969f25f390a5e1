"""The values of a target whose relations hold in pieces, with gaps and single numbers between them.

An x is a value if it lies in some piece, and fits the relation of each piece in which it lies. Where no relation says
anything of y, an x is no value for a given y.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from derive import Answer, UnderdeterminedError
from derive.errors import DeriveError
from tests.derive.statements import bare, span
from tests.ordinary import every

SIDES: dict[str, Callable[[Fraction, int], Fraction]] = {
    "{k}": lambda x, k: Fraction(k),
    "x + {k}": lambda x, k: x + k,
    "{k} - x": lambda x, k: k - x,
    "2*x + {k}": lambda x, k: 2 * x + k,
    "abs(x - {k})": lambda x, k: abs(x - k),
}
TESTS: dict[str, Callable[[Fraction, int], bool]] = {
    "==": lambda x, a: x == a,
    ">=": lambda x, a: x >= a,
    ">": lambda x, a: x > a,
    "<=": lambda x, a: x <= a,
    "<": lambda x, a: x < a,
}
DOMAINS = {"real": (-100, 100), "nonnegative": (0, 100), "-2..3": (-2, 3)}
NUMBERS = [Fraction(n, 4) for n in range(-48, 49)]
BESIDE = Fraction(1, 10**9)

Piece = tuple[str, int, list[tuple[str, int]]]
"""A side of y with its number, and what is asked of x."""


def drawn(draw: random.Random) -> Piece:
    low, high = sorted(draw.sample(range(-3, 5), 2))
    below, above = (draw.choice(["<=", "<"]), high), (draw.choice([">=", ">"]), low)
    asked = draw.choice([[("==", low)], [above], [below], [above, below]])
    return draw.choice([*SIDES, "{k}"]), draw.randint(-2, 3), asked


def is_value(x: Fraction, y: int, pieces: Sequence[Piece], domain: str) -> bool:
    low, high = DOMAINS[domain]
    here = [(side, k) for side, k, asked in pieces if all(TESTS[op](x, a) for op, a in asked)]
    return low <= x <= high and bool(here) and all(SIDES[side](x, k) == y for side, k in here)


def is_told(x: Fraction, answers: Sequence[Answer]) -> bool:
    spans = [(answer.base, answer.base) if answer.base is not None else answer.bounds for answer in answers]
    return any(ends is not None and ends[0] - 1e-9 <= x <= ends[1] + 1e-9 for ends in spans)


@every("seed", range(900), ordinary=9, thorough=3)
def test_values_are_those_of_the_pieces(seed: int) -> None:
    draw = random.Random(f"gaps {seed}")
    pieces, domain, y = [drawn(draw) for _ in range(draw.randint(2, 4))], draw.choice([*DOMAINS]), draw.randint(-2, 3)
    relations = [
        {"equation": f"y = {side.format(k=k)}", "when": [f"x {op} {a}" for op, a in asked]} for side, k, asked in pieces
    ]
    library = bare("x y", *relations, domains={"x": domain, "y": "real"})
    values = [x for x in NUMBERS if is_value(x, y, pieces, domain)]
    try:
        answers = library.solve_all("x", y=y)
    except UnderdeterminedError:  # any number in its domain, but for single ones, or a lone piece says something
        low, high = DOMAINS[domain]
        inside = [x for x in NUMBERS if low <= x <= high]
        reaching = [asked for _, _, asked in pieces if any(all(TESTS[op](x, a) for op, a in asked) for x in inside)]
        assert not values or len(values) > len(inside) - 4 or len(reaching) == 1
        return
    except DeriveError:
        assert not values
        return
    assert all(is_told(x, answers) for x in values)
    beside = [x for x in NUMBERS if any(is_value(x + step, y, pieces, domain) for step in (-BESIDE, 0, BESIDE))]
    assert all(x in beside for x in NUMBERS if is_told(x, answers))


def test_a_single_number_beside_an_open_piece_is_found() -> None:
    pieces = [{"equation": "y = 0", "when": ["x == 1"]}, {"equation": "y = x", "when": ["x < 1"]}]
    library = bare("x y", *pieces, domains={"x": "real", "y": "real"})
    smaller, larger = library.solve_all("x", y=0)
    assert (smaller.base, larger.base) == (0, 1)


def test_a_single_number_of_a_piece_is_told_as_one() -> None:
    pieces = [{"equation": "y = z", "when": ["x == 1"]}, {"equation": "y = x", "when": ["x < 1"]}]
    library = bare("x y z", *pieces, domains=dict.fromkeys("xyz", "real"))
    answers = [answer for answer in library.solve_all("x", y=0, z=0) if answer.base == 1]
    assert "x is the same wherever x >= 1 and x == 1" in [note.text for note in answers[0].stated_assumptions]


def test_over_ranges_the_pieces_are_not_told_as_cuts_that_are_not_made() -> None:
    pieces = [{"equation": "y = z*z", "when": ["x >= s"]}, {"equation": "y = exp(x)", "when": ["x < 1"]}]
    library = bare("x y z s", *pieces, domains=dict.fromkeys("xyzs", "real"))
    first = library.solve_all("x", y="1..4", z="1..2", s="2..3")[0]
    assert first.bounds == (1, float("inf"))
    assert "nothing determines x where x >= 1" in [note.text for note in first.stated_assumptions]


def test_a_gap_is_no_value_and_its_note_says_where_the_pieces_are() -> None:
    pieces = [("y = x", ["x < -3"]), ("y = 0", ["x >= -3", "x < -2"]), ("y = 0", ["x > -1"])]
    relations = [{"equation": equation, "when": asked} for equation, asked in pieces]
    first, second = bare("x y", *relations, domains={"x": "real", "y": "real"}).solve_all("x", y=0)
    assert span(first) == (-3, -2)
    assert second.bounds == (-1, float("inf"))
    assert [note.text for note in first.stated_assumptions] == [
        "nothing determines x where x >= -3 and (x >= -3 and x < -2 or x > -1)"
    ]


def test_an_equation_of_the_target_beside_the_pieces_counts_in_the_gaps_too() -> None:
    pieces = [{"equation": "z = 1", "when": ["x < 0"]}, {"equation": "z = 2", "when": ["x > 5"]}]
    library = bare("x y z", "y = 2*x", *pieces, domains=dict.fromkeys("xyz", "real"))
    assert library.solve("x", y=6).base == 3
    assert library.solve("z", y=-2).base == 1
    with pytest.raises(UnderdeterminedError):
        library.solve("z", y=6)
