"""Values and slopes of expressions modulo a prime at a random point: exact and fast.

Whatever cancels is exactly zero, where floats would leave rounding. A root is a power with a fractional exponent; the
value and the slopes of any other function are drawn at random, the same ones for the same arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from derive.expressions.arithmetic import Arithmetic, Fold, nothing
from derive.expressions.tree import Apply, Equation, Node, has_operation
from derive.numerics.algebra.like_terms import exponent_of

PRIME = 2**61 - 1

Row = dict[str, int]
"""Coefficients by name, modulo the prime; none is zero."""

Vector = tuple[int, ...]
"""Coefficients by place, modulo the prime."""


class Slopes(NamedTuple):
    """The slopes of an equation modulo a prime at a point, in the logarithms of its names.

    For a name that is zero at the point it is the slope in the name itself.
    """

    of_ratio: Row  # of the ratio of its sides, unless one of them is zero
    of_difference: Row  # the same one unless a sum stands in sides that do not agree


def slopes(equation: Equation, point: Mapping[str, int]) -> Slopes | None:
    """The slopes of an equation modulo a prime at a point; None where a side is undefined.

    Where the sides do not agree, like terms cancel in differences as factors do in ratios. Where they agree, or without
    a sum, the slopes of both are proportional.

    >>> from derive.expressions.grammar import parse_equation
    >>> row, same_row = slopes(parse_equation("p*V = n*R*T**2"), dict.fromkeys("pVnRT", 3))
    >>> {name: number - PRIME if number > 9 else number for name, number in row.items()}, row is same_row
    ({'p': 1, 'V': 1, 'n': -1, 'R': -1, 'T': -2}, True)
    """
    left, right = (_valued(side, point) for side in equation.sides)
    if left is None or right is None:
        return None
    (left_number, left_row), (right_number, right_row) = left, right

    def difference(left_share: int, right_share: int) -> Row:
        row = scaled(left_row, left_share)
        subtract(row, right_row, right_share)
        return {name: number for name, slope in row.items() if (number := slope * (point[name] or 1) % PRIME)}

    if not (left_number and right_number):
        row = difference(1, 1)
        return Slopes(row, row)
    of_ratio = difference(inverse(left_number), inverse(right_number))
    if left_number == right_number or not has_operation(*equation.sides, among=("add",)):
        return Slopes(of_ratio, of_ratio)
    return Slopes(of_ratio, difference(1, 1))


def point_on(equations: Iterable[Equation]) -> dict[str, int] | None:
    """A random point modulo the prime where all equations hold; None if none is found.

    Each is solved for a name in which it is linear and that no other holds yet. What equations are left without such a
    name, as `a = 2*b` after `a = b + 1`, hold after one step of Newton's method for all, if they are linear.

    >>> from derive.expressions.grammar import parse_equation
    >>> equations = [parse_equation(text) for text in ("a = b + 1", "a = 2*b", "f + b = a - g")]
    >>> point = point_on(equations)
    >>> point["b"], [residue(one.lhs, point) == residue(one.rhs, point) for one in equations]
    (1, [True, True, True])
    """
    point: dict[str, int] = {}
    stated = list(equations)
    pending = list(stated)
    while pending:
        equation = min(pending, key=lambda one: sum(name not in point for name in one.names))
        pending.remove(equation)
        open_names = [name for name in equation.names if name not in point]
        point |= {name: drawn(name) for name in open_names}
        solved = ((name, _solved_for(name, equation, point)) for name in open_names)
        point |= next(({name: number} for name, number in solved if number), {})
    if not all(_holds(equation, point) for equation in stated):
        point |= _newton_step(stated, point)
    return point if all(point.values()) and all(_holds(equation, point) for equation in stated) else None


def _holds(equation: Equation, point: Mapping[str, int]) -> bool:
    return residue(equation.lhs, point) == residue(equation.rhs, point)


def _solved_for(name: str, equation: Equation, point: Mapping[str, int]) -> int | None:
    """The number modulo the prime at which an equation of a point holds that is linear in a name or its reciprocal."""
    gap, row = _gap(equation, point)
    if name not in row:
        return None
    step = gap * inverse(row[name]) % PRIME
    start = point[name]
    reciprocal = (inverse(start) + step * inverse(start * start % PRIME)) % PRIME
    numbers = (start - step) % PRIME, inverse(reciprocal) if reciprocal else 0
    return next((number for number in numbers if number and _holds(equation, {**point, name: number})), None)


def _gap(equation: Equation, point: Mapping[str, int]) -> tuple[int, Row]:
    """The difference of an equation's sides at a point modulo the prime, and its slopes; none where it is undefined."""
    left, right = (_valued(side, point) for side in equation.sides)
    if left is None or right is None:
        return 0, {}
    row = dict(left[1])
    subtract(row, right[1], 1)
    return (left[0] - right[0]) % PRIME, row


def _newton_step(equations: Iterable[Equation], point: Mapping[str, int]) -> dict[str, int]:
    """The names that a step of Newton's method moves from a point modulo the prime, by Gauss and Jordan's elimination.

    The names that the equations leave open stay where they are.
    """
    leading: dict[str, tuple[Row, int]] = {}
    for equation in equations:
        gap, row = _gap(equation, point)
        for name, (other, its_gap) in leading.items():
            factor = row.get(name, 0)
            subtract(row, other, factor)
            gap -= factor * its_gap
        if not row:
            continue
        lead = next(iter(row))
        share = inverse(row[lead])
        row, gap = scaled(row, share), gap * share % PRIME
        for name, (other, its_gap) in leading.items():
            factor = other.get(lead, 0)
            subtract(other, row, factor)
            leading[name] = other, (its_gap - factor * gap) % PRIME
        leading[lead] = row, gap
    return {name: (point[name] - gap) % PRIME for name, (_, gap) in leading.items()}


def residue(node: Node, point: Mapping[str, int]) -> int:
    """The value of an expression modulo the prime at a point; zero if it is undefined."""
    valued = _valued(node, point)
    return 0 if valued is None else valued[0]


@lru_cache(4096)
def inverse(number: int) -> int:
    return 1 if number == 1 else pow(number, -1, PRIME)


def subtract(row: Row, other: Mapping[str, int], factor: int) -> None:
    """Subtract a multiple of another row of coefficients modulo the prime from a row."""
    for name, number in other.items():
        difference = (row.get(name, 0) - factor * number) % PRIME
        if difference:
            row[name] = difference
        else:
            row.pop(name, None)


def scaled(row: Row, factor: int) -> Row:
    return {name: number * factor % PRIME for name, number in row.items()}


def drawn(text: str) -> int:
    """A pseudorandom number modulo the prime, the same for the same text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big") % (PRIME - 1) + 1


def _valued(node: Node, point: Mapping[str, int]) -> tuple[int, Row] | None:
    """The value of an expression modulo the prime at a point, and its slopes there; None if it is undefined."""
    return _RESIDUES.attempt(node, lambda name: (point[name], {name: 1}))


def _of_one(node: Apply, fold: Fold) -> tuple[int, Row]:
    """The value and slopes modulo the prime of a power, root or inverse; those of other functions are drawn."""
    arguments = [fold(arg) for arg in node.args]
    values = [number for number, _ in arguments]
    exponent = exponent_of(node)
    if exponent is None:
        call = str((node.op, values))
        return drawn(call), _weighted(arguments, [drawn(f"{call} {i}") for i in range(len(arguments))])
    if not values[0]:
        return (0, {}) if exponent > 1 else nothing()
    is_whole = exponent.denominator == 1
    number = pow(values[0], int(exponent), PRIME) if is_whole else drawn(str((exponent, values[0])))
    share = exponent.numerator * inverse(exponent.denominator * values[0]) % PRIME
    return number, _weighted(arguments[:1], [number * share])


def _sum(*terms: tuple[int, Row]) -> tuple[int, Row]:
    return sum(number for number, _ in terms) % PRIME, _weighted(terms, [1] * len(terms))


def _product(*factors: tuple[int, Row]) -> tuple[int, Row]:
    before, after = [1], [1]  # the products of all factors before each, and after each
    for number, _ in factors:
        before.append(before[-1] * number % PRIME)
    for number, _ in reversed(factors):
        after.append(after[-1] * number % PRIME)
    return before[-1], _weighted(factors, [head * tail for head, tail in zip(before, after[-2::-1], strict=False)])


def _weighted(elements: Sequence[tuple[int, Row]], weights: Iterable[int]) -> Row:
    total: Row = {}
    for (_, row), weight in zip(elements, weights, strict=True):
        subtract(total, row, -weight)
    return total


_RESIDUES: Arithmetic[tuple[int, Row]] = Arithmetic(
    number=lambda node: (node.value.numerator * inverse(node.value.denominator) % PRIME, {}),
    operations={"add": _sum, "mul": _product, "neg": lambda part: (-part[0] % PRIME, _weighted([part], [-1]))},
    otherwise=_of_one,
)
"""Numbers modulo the prime, each with its slopes."""


def are_alike(vector: Sequence[int], other: Sequence[int]) -> bool:
    """Whether a vector modulo the prime is a multiple of another; neither is zero."""
    place = next(place for place, number in enumerate(vector) if number)
    return all((x * other[place] - y * vector[place]) % PRIME == 0 for x, y in zip(vector, other, strict=True))


class Quotient:
    """Vectors modulo others: the coordinates left after each of the others has eliminated one.

    >>> Quotient([(1, 2, 3)]).left((3, 6, 10)), Quotient([(1, 2, 3)]).left((2, 4, 6))
    ([0, 1], [0, 0])
    """

    def __init__(self, divisors: Sequence[Vector]) -> None:
        """Bring the vectors to divide by to echelon form, in arithmetic modulo the prime."""
        self.pivots: list[tuple[int, list[int]]] = []  # position of a coordinate, and the row that eliminates it
        for vector in divisors:
            remaining = self.left(vector)
            place = next((place for place, number in enumerate(remaining) if number), None)
            if place is not None:
                share = inverse(remaining[place])
                self.pivots.append((place, [number * share % PRIME for number in remaining]))

    def left(self, vector: Vector) -> list[int]:
        remaining = list(vector)
        for place, row in self.pivots:
            factor = remaining[place]
            remaining = [(x - factor * y) % PRIME for x, y in zip(remaining, row, strict=True)]
            del remaining[place]
        return remaining

    def ratios(self, vectors: Sequence[Vector]) -> list[int | None]:
        """Each vector's ratio of its two coordinates left, modulo the prime; -1 if only the second is zero, or None."""
        ratios: list[int | None] = []
        for first, second in map(self.left, vectors):
            if second:
                ratios.append(first * inverse(second) % PRIME)
            else:
                ratios.append(-1 if first else None)
        return ratios
