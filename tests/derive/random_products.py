"""Random systems of products, with a few sums, in which quantities cancel; and what they fix, by their null space.

Numbers are drawn first, and a factor of its own makes each relation hold at them. In logarithms a product is linear, so
that a target is fixed if no direction in which all the relations go on to hold moves it: everywhere, where there are
products only, and near the numbers, where there are sums.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy

from derive.library import Library
from quantities.rational import exact_of, written
from tests.derive.statements import bare

FACTORS = {1.0: "*{}", -1.0: "/{}", 2.0: "*{}**2", 0.5: "*sqrt({})"}


@dataclass(frozen=True)
class Products:
    """A library, numbers that satisfy it, what is asked, what is given beside the factors, and the slopes."""

    library: Library
    numbers: dict[str, float]
    factors: dict[str, float]
    target: str
    given: tuple[str, ...]
    slopes: tuple[dict[str, float], ...]

    def is_fixed(self, *more: str) -> bool:
        """Whether the target is fixed, by what is given and more."""
        unknown = [name for name in self.numbers if name not in (*self.given, *more)]
        matrix = numpy.array([[row.get(name, 0.0) for name in unknown] for row in self.slopes])
        _, sizes, directions = numpy.linalg.svd(matrix)
        moving = directions[int((sizes > 1e-9).sum()) :]
        return bool(numpy.all(abs(moving[:, unknown.index(self.target)]) < 1e-7))

    def stated(self, *more: str) -> dict[str, float]:
        return self.factors | {name: self.numbers[name] for name in (*self.given, *more)}


def rounded(number: float) -> float:
    """The number, or the double beside it, that is read as no decimal, which would be exact and fit no rounded one."""
    return number if exact_of(written(number)) is None else rounded(math.nextafter(number, math.inf))


def products(seed: int, sums: float = 0.0) -> Products:
    """A system in which this share of the relations are sums."""
    draw = random.Random(seed)
    names = [f"x{i}" for i in range(draw.randint(5, 9))]
    numbers = {name: round(10 ** draw.uniform(-0.5, 0.7), 3) for name in names}
    relations, slopes, factors = [], [], {}
    for i in range(draw.randint(4, len(names))):
        if draw.random() < sums:
            left, one, other = draw.sample(names, 3)
            total = numbers[one] + numbers[other]
            slopes.append({left: 1.0, one: -numbers[one] / total, other: -numbers[other] / total})
            relations.append(f"{left} = k{i}*({one} + {other})")
        else:
            left, *others = draw.sample(names, draw.randint(2, 4))
            powers = {name: draw.choice([1.0, 1.0, -1.0, 2.0, 0.5]) for name in others}
            total = numpy.prod([numbers[name] ** power for name, power in powers.items()])
            slopes.append({left: 1.0} | {name: -power for name, power in powers.items()})
            factor = "".join(FACTORS[power].format(name) for name, power in powers.items())
            relations.append(f"{left} = k{i}{factor}")
        factors[f"k{i}"] = rounded(float(numbers[left] / total))
    target, *rest = draw.sample(names, len(names))
    given = tuple(rest[: draw.randint(0, 2)])
    return Products(bare(" ".join([*names, *factors]), *relations), numbers, factors, target, given, tuple(slopes))
