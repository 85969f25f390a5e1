"""Powers of a negative base, which are real only where the exponent is a whole number.

Such a power is, but for its sign, that of the base's size: of that the exponent can be found, and counts if it is a
whole number and the sign is right. Whatever is found so is put back into the relation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from derive.expressions.tree import Apply, Equation, Number
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import negated, replaced
from derive.solving.blocks.outcome import Outcome, Solution, agrees, repeats

__all__ = ["by_whole_exponents"]

_NEAR = 1e-9  # share of an exponent within which it is taken for a whole number

Solving = Callable[[Equation], Outcome]
"""What a relation comes to, solved for the same unknown."""


def by_whole_exponents(
    equation: Equation, name: str, known: Mapping[str, float], power: Apply, solving: Solving
) -> Outcome:
    """The values of a name in the exponent of a power whose base is negative."""
    base, exponent = power.args
    size = Apply("pow", (Apply("abs", (base,)), exponent))
    found: list[Solution] = []
    undecided = False
    for signed in (size, negated(size)):
        sides = (replaced(side, power, signed) for side in (equation.lhs, equation.rhs))
        outcome = solving(Equation(next(sides), equation.op, next(sides)))
        undecided = undecided or outcome.undecided or any(solution.spans for solution in outcome.solutions)
        for solution in outcome.solutions:
            number = value(exponent, {**known, **solution.values}) if not solution.spans else 0.5
            if not abs(number - round(number)) <= _NEAR * max(1.0, abs(number)):
                continue
            for exact in solving(Equation(exponent, "=", Number(Fraction(round(number))))).solutions:
                at = {**known, **exact.values}
                if agrees(equation, at) and not repeats(exact.values, found):
                    found.append(Solution(exact.values, {}))
                elif not value(exponent, at).is_integer():
                    undecided = True
    if found:
        caveat = "that no other whole exponent fits is not proved" if undecided else ""
        return Outcome(tuple(found), caveat)
    reason = "several whole exponents may fit" if undecided else "no whole exponent fits"
    return Outcome((), reason=f"the base is negative, and {reason}", undecided=undecided)
