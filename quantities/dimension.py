"""Dimensions: what a unit measures, without its scale.

A dimension is a product of powers of base dimensions. An exponent is usually a rational number; where a relation
raises a dimensional quantity to a symbol (`V**gamma`), the exponent is a polynomial in such symbols. A dimension is
therefore a finite map (base, monomial) -> rational, in which the monomial of an ordinary exponent is empty:

    m / s**2               {(length, ()): 1, (time, ()): -2}
    m**(3*gamma)           {(length, ((gamma, 1),)): 3}

Multiplication adds the maps; raising to a polynomial multiplies every exponent by it. Two dimensions are equal when
the maps are, so `V**gamma` on both sides of an equation cancels whatever gamma is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

__all__ = ["BASE_UNITS", "NUMBER", "Dimension", "Monomial", "Polynomial"]

Monomial = tuple[tuple[str, int], ...]
Polynomial = Mapping[Monomial, Fraction]
_Key = tuple[str, Monomial]

BASE_UNITS: Mapping[str, str] = {
    "mass": "kg",
    "length": "m",
    "time": "s",
    "current": "A",
    "temperature": "K",
    "substance": "mol",
    "luminosity": "cd",
    "cycle": "revolution",
    "money": "USD",
    "operation": "FLOP",
    "information": "byte",
    "parameter": "parameter",
    "token": "token",
    "sequence": "sequence",
    "accelerator": "chip",
}
"""The coherent base unit of every dimension; in these, formulas hold between bare numbers."""

_NONE = Fraction(0)
_RANK = {base: rank for rank, base in enumerate(BASE_UNITS)}


class Dimension:
    """A product of powers of base dimensions; immutable, hashable, multiplied like a number.

    >>> Dimension.of("length") / Dimension.of("time") ** 2
    Dimension('m/s**2')
    """

    __slots__ = ("_hash", "powers")

    powers: tuple[tuple[_Key, Fraction], ...]
    _hash: int

    def __init__(self, powers: Iterable[tuple[_Key, Fraction]] = ()) -> None:
        kept = sorted((item for item in powers if item[1] != 0), key=_order)
        object.__setattr__(self, "powers", tuple(kept))
        object.__setattr__(self, "_hash", hash(self.powers))

    @classmethod
    def of(cls, base: str) -> Dimension:
        return cls([((base, ()), Fraction(1))])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a dimension is immutable")

    def __reduce__(self) -> tuple[type[Dimension], tuple[object, ...]]:
        return Dimension, (self.powers,)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Dimension) and self.powers == other.powers)

    def __bool__(self) -> bool:
        """Whether the dimension is not that of a plain number."""
        return bool(self.powers)

    def __mul__(self, other: Dimension) -> Dimension:
        return _product(self, other, 1)

    def __truediv__(self, other: Dimension) -> Dimension:
        return _product(self, other, -1)

    def __pow__(self, exponent: Fraction | int) -> Dimension:
        return _power(self, exponent)

    def raised(self, exponent: Polynomial) -> Dimension:
        """The dimension raised to a power with symbols, such as `V**gamma`: a polynomial in them."""
        total: dict[_Key, Fraction] = {}
        for (base, own), power in self.powers:
            for monomial, factor in exponent.items():
                key = (base, multiply(own, monomial))
                total[key] = total.get(key, Fraction(0)) + power * factor
        return Dimension(total.items())

    @property
    def bases(self) -> dict[str, Fraction]:
        """The base dimensions whose exponents are ordinary numbers, each with its exponent."""
        return {base: power for (base, monomial), power in self.powers if not monomial}

    @property
    def cycles(self) -> Fraction:
        """The power of the cycle, which `derive.model.dimensional_analysis` counts."""
        return next((power for (base, monomial), power in self.powers if base == "cycle" and not monomial), _NONE)

    def __repr__(self) -> str:
        return f"Dimension({str(self)!r})"

    def __str__(self) -> str:
        """The dimension in base units: `kg*m**2/s**3`; a plain number is `1`."""
        above = [_factor(key, power) for key, power in self.powers if power > 0]
        below = [_factor(key, -power) for key, power in self.powers if power < 0]
        return "/".join(["*".join(above) or "1", *below])


def multiply(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials in the symbols of a dimension's exponents.

    >>> multiply((("n", 1),), (("m", 2), ("n", -1)))
    (('m', 2),)
    """
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted((atom, power) for atom, power in powers.items() if power))


@lru_cache(maxsize=65536)
def _product(a: Dimension, b: Dimension, sign: int) -> Dimension:
    total = dict(a.powers)
    for key, power in b.powers:
        total[key] = total.get(key, Fraction(0)) + sign * power
    return Dimension(total.items())


@lru_cache(maxsize=65536)
def _power(base: Dimension, exponent: Fraction | int) -> Dimension:
    return Dimension((key, power * exponent) for key, power in base.powers)


def _order(item: tuple[_Key, Fraction]) -> tuple[int, str, Monomial]:
    (base, monomial), _ = item
    return _RANK.get(base, len(_RANK)), base, monomial


def _factor(key: _Key, power: Fraction) -> str:
    """A factor of a dimension, a base with its power, as text: m**2, or m**(3*gamma)."""
    base, monomial = key
    unit = BASE_UNITS.get(base, base)
    symbols = "*".join(atom if n == 1 else f"{atom}**{n}" for atom, n in monomial)
    if not symbols:
        return unit if power == 1 else f"{unit}**{_number(power)}"
    return f"{unit}**({symbols})" if power == 1 else f"{unit}**({_number(power)}*{symbols})"


def _number(power: Fraction) -> str:
    return str(power) if power.denominator == 1 and power > 0 else f"({power})"


NUMBER = Dimension()
"""The dimension of a plain number."""
