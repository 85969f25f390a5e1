"""Solutions of simultaneous equations, polished to the last digit.

Newton's method recovers lost digits, on the equations that the values came from: on others it might converge to
another solution. A value that misses the end of its domain by rounding alone is moved to that end, and one that
differs from zero by rounding alone becomes zero, whether or not its domain holds zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from derive.expressions.tree import Equation, names_in
from derive.numerics.algebra.evaluation import residual
from derive.numerics.algebra.multiprecision import is_rounded_zero
from derive.numerics.local_solvers.newton import many_starts
from derive.solving.blocks.outcome import System, agrees
from derive.solving.blocks.substitution import expressed
from derive.tolerances import AGREEMENT, ROUNDED, TIGHT
from quantities.domain import Domain

__all__ = ["fitted", "positive_of", "settled"]

_FEW = 20  # limit on unknowns of a system that is improved by difference quotients


def settled(values: dict[str, float], equations: Sequence[Equation], system: System) -> dict[str, float]:
    """The values, improved by a few Newton steps where rounding has cost digits."""
    whole = {**system.known, **values}
    if len(values) <= _FEW and not all(agrees(equation, whole, TIGHT) for equation in equations):
        positive = positive_of(values, system.domains)
        better = many_starts(equations, list(values), system.known, [values], positive, steps=6)
        values = next(better, values)
    return fitted(values, equations, system)


def fitted(values: dict[str, float], equations: Sequence[Equation], system: System) -> dict[str, float]:
    """The values, with those that miss zero or an end of their domain by rounding alone moved there."""
    values = {name: x + 0.0 for name, x in _without_noise(values, equations, system).items()}  # turns -0.0 into 0.0
    moved = {name: min(max(x, system.domains[name].low), system.domains[name].high) for name, x in values.items()}
    if moved == values:
        return values
    whole = {**system.known, **moved}
    fits = all(agrees(equation, whole, ROUNDED) for equation in equations)
    return moved if fits else values


def _without_noise(values: dict[str, float], equations: Sequence[Equation], system: System) -> dict[str, float]:
    """The values with zero for what differs from it by rounding alone, and the others solved again."""
    holders: dict[str, list[Equation]] = {name: [] for name in values}
    for equation in equations:
        for name in holders.keys() & {*names_in(equation.lhs, equation.rhs)}:
            holders[name].append(equation)
    whole = {**system.known, **values}
    for name, x in values.items():
        whole[name] = 0.0
        fits = x != 0 and all(abs(residual(equation, whole)) <= ROUNDED for equation in holders[name])
        whole[name] = x
        if not fits or not all(abs(residual(one, {**whole, name: 0.0})) <= ROUNDED for one in equations):
            continue
        for branch in expressed(equations, system.unknowns, name):
            moved = branch.at({name: 0.0}, system.known)
            near = all(abs(moved[other] - y) <= AGREEMENT * abs(y) for other, y in values.items() if other != name)
            if near and is_rounded_zero(branch.left[0], name, {**system.known, name: x}):
                return _without_noise(moved, equations, system)
    return values


def positive_of(names: Iterable[str], domains: Mapping[str, Domain]) -> frozenset[str]:
    return frozenset(name for name in names if domains[name].low >= 0)
