"""Isolation: one relation solved for one symbol by inverting the operations around it.

Where the unknown occurs once, the path from the root of the tree to it is a sequence of operations, and each is
undone on the other side: `y = 2*sqrt(x)` becomes `x = (y/2)**2`. An even power, an absolute value or an angle has
more than one inverse; each gives a candidate, and substitution and domain later decide which of them hold. Where it
occurs more than once, sums are first collected into a polynomial (`a*x + b*x = c`, `x**2 + b*x = c`).

Choices are inverted arm by arm. `max(a, x) = y` says that x is y where a < y; where a = y, any x up to y is a
solution, which is a bound and not a value. A candidate therefore carries the conditions under which it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, operations, replaced
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.algebra.like_terms import (
    SWITCHES,
    TWO,
    ZERO,
    added,
    arms_of,
    cleared,
    coefficients,
    filled,
    inverted,
    multiplied,
    negated,
    occurrences,
    plain,
    simplified,
    when_binding,
)
from derive.numerics.intervals.enclosure import Span, enclose

_MOST = 32  # limit on candidates of one relation
_SPLITS = 4  # limit on nested choices that are taken arm by arm


@dataclass(frozen=True, slots=True)
class Candidate:
    """A closed form for the unknown: an expression without it, and the conditions for it to apply."""

    form: Node
    conditions: tuple[Node, ...] = ()
    winds: Apply | None = None  # the sin, cos or tan whose inverse brought in TURNS, a number of turns
    other: Node | None = None  # the same number by a formula without cancellation
    divisors: tuple[Node, ...] = ()  # divisors used: where one is zero, the unknown may be anything else
    powers: tuple[Apply, ...] = ()  # powers with symbolic exponents, inverted for nonnegative bases only

    def becoming(self, form: Node, *conditions: Node, **changes: Any) -> Candidate:
        """The candidate with another form, under further conditions."""
        return replace(self, form=form, conditions=(*self.conditions, *conditions), **{"other": None, **changes})

    def dividing(self, *divisors: Node) -> Candidate:
        return replace(self, divisors=(*self.divisors, *divisors))


_PI = Apply("pi", ())
TURNS = Name("turns of the angle")
"""A placeholder for a whole number of turns in the inverse of a periodic function; no quantity can have this name."""


def leaves_out(powers: Iterable[Apply], spans: Mapping[str, Span]) -> bool:
    """Whether a power that was inverted for nonnegative bases may have a negative one."""
    found = [enclose(power.args[0], spans, "") for power in powers]
    return any(base is not None and base.values[0] < 0 for base in found)


@lru_cache(maxsize=8192)
def isolate(equation: Equation, name: str) -> tuple[Candidate, ...] | None:
    """All closed forms of a relation for the name; None if it has none.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_equation
    >>> [render(found.form) for found in isolate(parse_equation("y = 2*sqrt(x - a)"), "x")]
    ['(y/2)**2 + a']
    """
    left, right = occurrences(equation.lhs, name), occurrences(equation.rhs, name)
    if left and right:
        return _peeled(Apply("add", (equation.lhs, negated(equation.rhs))), Candidate(ZERO), name)
    if left or right:
        node, other = equation.sides if left else (equation.rhs, equation.lhs)
        return _peeled(node, Candidate(other), name)
    return None


def _peeled(node: Node, found: Candidate, name: str, splits: int = _SPLITS) -> tuple[Candidate, ...] | None:
    """The candidates for the name, where `node` equals the candidate's form."""
    pending: list[tuple[Node, Candidate]] = [(node, found)]
    done: list[Candidate] = []
    while pending:
        node, found = pending.pop()
        if isinstance(node, Name):
            done.append(found)
            continue
        assert isinstance(node, Apply)
        holding = [i for i, arg in enumerate(node.args) if occurrences(arg, name)]
        if len(holding) > 1:
            collected = _collected(node, found, name, splits)
            if collected is None:
                return None
            done.extend(collected)
            continue
        steps = _inverted_operation(node, holding[0], found)
        if steps is None or len(pending) + len(done) + len(steps) > _MOST:
            return None
        pending.extend((node.args[holding[0]], step) for step in reversed(steps))
    return tuple(done)


def unwound(form: Node, turns: int) -> Node:
    """A candidate's form for one number of turns."""
    return simplified(replaced(form, TURNS, Number(Fraction(turns))))


def _inverted_operation(node: Apply, index: int, found: Candidate) -> list[Candidate] | None:
    """Every form of an operation's argument for which its value equals the given form."""
    rest = tuple(arg for i, arg in enumerate(node.args) if i != index)
    y = found.form
    match node.op:
        case "add":
            return [found.becoming(added(y, *(negated(arg) for arg in rest)))]
        case "mul":
            return [found.becoming(multiplied(y, *(inverted(arg) for arg in rest))).dividing(*rest)]
        case "neg":
            return [found.becoming(negated(y))]
        case "inv":
            return [found.becoming(inverted(y))]
        case "pow":
            return _inverted_power(node, rest[0], index, found)
        case "max" | "min":
            fits = "lt" if node.op == "max" else "gt"
            return [found.becoming(y, *(Apply(fits, (arg, y)) for arg in rest))]
        case "piecewise":
            return _inverted_choice(node, index, found)
        case op:
            return _of_function(TABLE[op], node, found)


def _of_function(entry: Function, node: Apply, found: Candidate) -> list[Candidate] | None:
    """The inverses of a function by its table entry; of a periodic one its arcs, plus any whole turns."""
    if not entry.inverses or (entry.period and found.winds):
        return None
    parts = {"y": found.form, "turns": TURNS}
    winds = node if entry.period else found.winds
    return [
        found.becoming(
            filled(one.form, parts),
            *(filled(condition, parts) for condition in one.where),
            winds=winds,
            other=filled(one.other, parts) if one.other else None,
        )
        for one in entry.inverses
    ]


def _inverted_power(node: Apply, other: Node, index: int, found: Candidate) -> list[Candidate] | None:
    y = found.form
    if index == 1:  # the unknown is the exponent
        scale = Apply("log", (other,))
        form = multiplied(Apply("log", (y,)), inverted(scale))
        return [found.becoming(form, powers=(*found.powers, node)).dividing(scale)]
    exponent = plain(other)
    if exponent is None:
        return [found.becoming(Apply("pow", (y, inverted(other))), powers=(*found.powers, node))]
    if exponent == 0:
        return None
    root = _root(y, 1 / exponent)
    if exponent.denominator != 1:
        return [found.becoming(root, Apply("ge", (y, ZERO)))]
    if exponent % 2 == 0:
        sound = Apply("ge", (y, ZERO))
        return [found.becoming(root, sound), found.becoming(negated(root), sound)]
    if abs(exponent) == 1:
        return [found.becoming(root)]
    below = negated(_root(negated(y), 1 / exponent))
    return [found.becoming(root, Apply("ge", (y, ZERO))), found.becoming(below, Apply("lt", (y, ZERO)))]


def _root(y: Node, power: Fraction) -> Node:
    if power == 1:
        return y
    if power == Fraction(1, 2):
        return Apply("sqrt", (y,))
    if power == -1:
        return inverted(y)
    return inverted(_root(y, -power)) if power < 0 else Apply("pow", (y, Number(power)))


def _inverted_choice(node: Apply, index: int, found: Candidate) -> list[Candidate] | None:
    """An arm of a choice; there is no closed form if the unknown occurs in a condition."""
    if index % 2:
        return None
    taken = [node.args[index + 1]] if index + 1 < len(node.args) else []
    earlier = [Apply("not", (node.args[i],)) for i in range(1, min(index, len(node.args) - 1) + 1, 2)]
    return [found.becoming(found.form, *taken, *earlier)]


# Polynomials in the unknown


def _collected(node: Node, known: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """The candidates if several arguments contain the name: roots of a polynomial, or else arm by arm."""
    difference = added(node, negated(known.form))
    found = coefficients(cleared(difference, name), [name])
    if found is None:
        return _by_arms(difference, known, name, splits)
    a, b, c = (_without_zero(found.get((name,) * power, ZERO)) for power in (2, 1, 0))
    if a == ZERO:
        return None if b == ZERO else (known.becoming(_quotient(negated(c), b)).dividing(b),)
    square = added(Apply("pow", (b, TWO)), negated(multiplied(Number(Fraction(4)), a, c)))
    under = inverted(multiplied(TWO, a))
    root = Apply("sqrt", (square,))
    real = Apply("ge", (square, ZERO))
    return tuple(
        known.becoming(
            multiplied(added(negated(b), sign), under),
            real,
            other=multiplied(TWO, c, inverted(added(negated(b), negated(sign)))),
        ).dividing(a)
        for sign in (root, negated(root))
    )


def _without_zero(form: Node) -> Node:
    """A form; zero, if it is a sum of numbers that comes to that: of `y = x + sqrt(x**2)` no square is left."""
    return ZERO if not names_in(form) and exact_value(form, {}) == 0 else form


def _quotient(above: Node, below: Node) -> Node:
    """A quotient that stays undefined where its divisor is zero, even if the divisor cancels."""
    simple, under = multiplied(above, inverted(below)), inverted(below)
    divisors = names_in(*operations(simple, among=("inv",)))
    return simple if set(names_in(below)) <= {*divisors} else Apply("mul", (above, under))


def _by_arms(difference: Node, known: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """The candidates if the arms of a choice contain the name: those of each arm, where it binds."""
    switch = next((part for part in operations(difference, among=SWITCHES) if name in part.names), None)
    if switch is None or splits == 0:
        return None
    found: list[Candidate] = []
    for place, arm in enumerate(arms_of(switch)):
        rest = replaced(difference, switch, arm)
        if not occurrences(rest, name):
            continue
        start = known.becoming(ZERO, *when_binding(switch, place))
        part = _peeled(rest, start, name, splits - 1)
        if part is None:
            return None
        found.extend(part)
    return tuple(found)
