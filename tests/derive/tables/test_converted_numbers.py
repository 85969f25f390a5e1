"""Numbers typed in another unit than the declared one are exact in sweeps, against rationals."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest

import derive
from tests.derive.statements import library
from tests.ordinary import every

METRES = {
    "m": Fraction(1),
    "km": Fraction(1000),
    "cm": Fraction(1, 100),
    "mm": Fraction(1, 1000),
    "ft": Fraction("0.3048"),
    "inch": Fraction("0.0254"),
}
RULES = {
    "n = floor(l/d)": math.floor,
    "n = ceil(l/d)": math.ceil,
    "n = 1 if l <= d else 2": lambda ratio: 1 if ratio <= 1 else 2,
}


def spelled(number: Fraction) -> str | None:
    """A decimal that has no more than fourteen digits; None of a longer one."""
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    text = format(decimal, "f")
    return text if len(text) <= 14 and Fraction(text) == number else None


@every("seed", range(400), ordinary=16)
def test_a_jump_is_decided_by_what_was_typed_and_not_by_its_conversion(seed: int) -> None:
    """Many lengths are a whole number of pieces, which no double says of both in their declared units."""
    draw = random.Random(f"converted {seed}")
    rule, expected = draw.choice([*RULES.items()])
    declared, (own, other) = draw.choices([*METRES], k=2), draw.choices([*METRES], k=2)
    pieces = library({"l": declared[0], "d": declared[1], "n": ""}, rule, domains={"n": "real"})
    piece = Fraction(draw.randint(1, 400), draw.choice((1, 10, 100)))
    wanted = [draw.randint(1, 9) * piece * METRES[other] / METRES[own] for _ in range(6)]
    texts = [text for text in map(spelled, wanted) if text is not None] or ["1"]
    ratios = [Fraction(text) * METRES[own] / (piece * METRES[other]) for text in texts]
    as_texts = [f"{text} {own}" for text in texts]
    as_array = derive.units.Quantity(numpy.array([*map(float, texts)]), own)
    for lengths in (as_texts, as_array):
        table = pieces.sweep("n", l=lengths, d=f"{float(piece)} {other}")
        assert [*table.columns["n"]] == [expected(ratio) for ratio in ratios]


@pytest.mark.parametrize(("typed", "warm"), [("77 degF", True), ("76.9 degF", False), ("298.15 K", True)])
def test_a_temperature_in_another_unit_reaches_the_threshold_that_it_is(typed: str, warm: bool) -> None:
    room = library({"t": "degC", "s": "degF", "y": ""}, "y = 1 if t >= s else 2")
    assert [*room.sweep("y", t=[typed, typed], s="25 degC").columns["y"]] == [1 if warm else 2] * 2


def test_a_piece_of_25_cm_in_inches_goes_once_into_25_cm_in_kilometres():
    pieces = library({"l": "km", "d": "inch", "n": ""}, "n = ceil(l/d)")
    for lengths in (["0.25 m", "75 cm"], derive.units.Quantity(numpy.array([0.25, 0.75]), "m")):
        assert [*pieces.sweep("n", l=lengths, d="25 cm").columns["n"]] == [1, 3]
