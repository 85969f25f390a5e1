"""Random libraries with a hidden solution: numbers are drawn first, and relations are made that they satisfy.

Each relation is a random expression of some quantities; a factor of its own, given as a value, makes it hold at the
hidden numbers. Whatever is asked of such a library, the hidden numbers are one right answer.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import names_in
from derive.library import Library
from derive.model.relation import relate
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity

Template = Callable[[list[str]], str]

TEMPLATES: tuple[tuple[int, Template], ...] = (
    (1, lambda x: x[0]),
    (1, lambda x: f"sqrt({x[0]})"),
    (1, lambda x: f"{x[0]}**3"),
    (1, lambda x: f"log(1 + {x[0]})"),
    (1, lambda x: f"exp({x[0]}/10)"),
    (2, lambda x: f"{x[0]}*{x[1]}"),
    (2, lambda x: f"{x[0]}/{x[1]}"),
    (2, lambda x: f"({x[0]} + {x[1]})"),
    (2, lambda x: f"({x[0]} + {x[1]}**2)"),
    (2, lambda x: f"max({x[0]}, {x[1]})"),
    (2, lambda x: f"min({x[0]}, 2*{x[1]})"),
    (2, lambda x: f"({x[0]} if {x[0]} < {x[1]} else {x[1]}**2)"),
    (3, lambda x: f"({x[0]}*{x[1]} + {x[2]})"),
    (3, lambda x: f"{x[0]}*max({x[1]}, {x[2]})"),
    (3, lambda x: f"{x[0]}*{x[1]}/({x[0]} + {x[2]})"),
)


@dataclass(frozen=True)
class Hidden:
    """A library, and the numbers that satisfy it."""

    library: Library
    numbers: dict[str, float]
    factors: tuple[str, ...]


def hidden(seed: int, quantities: int = 6, relations: int = 4) -> Hidden:
    """A library of about so many quantities and relations."""
    draw = random.Random(seed)
    names = [f"q{i}" for i in range(quantities)]
    numbers = {name: round(10 ** draw.uniform(-0.7, 0.9), 3) for name in names}
    vocabulary = {name: Quantity(name) for name in names}
    made = []
    for i in range(relations):
        count, template = draw.choice(TEMPLATES)
        lhs, *args = draw.sample(names, count + 1)
        text = template(args)
        factor = f"k{i}"
        numbers[factor] = numbers[lhs] / value(parse_expression(text), numbers)
        vocabulary[factor] = Quantity(factor)
        made.append(relate(f"r{i}", f"{lhs} = {factor}*{text}", quantities=vocabulary))
    return Hidden(Library(made, vocabulary.values()), numbers, tuple(f"k{i}" for i in range(relations)))


def is_fixed(case: Hidden, given: set[str], target: str) -> bool | None:
    """Whether the target is locally fixed at the hidden numbers, by the rank of the logarithmic Jacobian.

    None where rounding or the corner of a choice leaves that open.
    """
    unknowns = [name for name in case.library.quantities if name not in given]
    rows = []
    for relation in case.library.relations.values():
        row = []
        for name in unknowns:
            slopes = [_slope(relation, case.numbers, name, step) for step in (1e-6, -1e-6)]
            if not math.isclose(*slopes, rel_tol=1e-3, abs_tol=1e-6):
                return None
            row.append(sum(slopes) / 2)
        rows.append(row)
    return _fixes(rows, unknowns.index(target))


def _slope(relation: object, numbers: dict[str, float], name: str, step: float) -> float:
    written = relation.written  # type: ignore[attr-defined]
    if name not in names_in(written.lhs, written.rhs):
        return 0.0
    moved = {**numbers, name: numbers[name] * (1 + step)}
    gap = math.log(value(written.lhs, moved)) - math.log(value(written.rhs, moved))
    return gap / step


def _fixes(rows: list[list[float]], column: int) -> bool | None:
    """Whether the unit vector of a column lies in the row space."""
    import numpy

    matrix = numpy.array(rows)
    if not matrix.size:
        return False
    unit = numpy.zeros(matrix.shape[1])
    unit[column] = 1.0
    _, sizes, right = numpy.linalg.svd(matrix)
    if any(1e-6 < size < 1e-2 for size in sizes):
        return None
    basis = right[: sum(size > 1e-3 for size in sizes)]
    rest = float(numpy.linalg.norm(unit - basis.T @ (basis @ unit)))
    return True if rest < 1e-4 else False if rest > 1e-2 else None
