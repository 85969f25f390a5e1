"""Isolation: one relation solved for one symbol by inverting the operations around it.

Where the unknown occurs once, the path from the root of the tree to it is a sequence of operations, and each is
undone on the other side: `y = 2*sqrt(x)` becomes `x = (y/2)**2`. An even power, an absolute value or an angle has
more than one inverse; each gives a candidate, and substitution and domain later decide which of them hold. Where it
occurs more than once, sums are first collected into a polynomial (`a*x + b*x = c`, `x**2 + b*x = c`).

Choices are inverted arm by arm. `max(a, x) = y` says that x is y where a < y; where a = y, any x up to y is a
solution, which is a bound and not a value. A candidate therefore carries the conditions under which it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
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
    coefficients,
    constant_exponent,
    fill_template,
    inverted,
    multiplied,
    negated,
    occurrences,
    simplified,
    when_binding,
    without_denominators,
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
        """The candidate for the isolated name with another form, under further conditions."""
        return replace(self, form=form, conditions=(*self.conditions, *conditions), **{"other": None, **changes})

    def changed(self, change: Callable[[Node], Node]) -> Candidate:
        """The candidate for an isolated name, with its form and the divisors used in it as `change` replaces them."""
        other = None if self.other is None else change(self.other)
        return replace(self, form=change(self.form), other=other, divisors=tuple(map(change, self.divisors)))

    def dividing(self, *divisors: Node) -> Candidate:
        return replace(self, divisors=(*self.divisors, *divisors))


TURNS = Name("turns of the angle")
"""A placeholder for a whole number of turns in the inverse of a periodic function; no quantity can have this name."""


def leaves_out(powers: Iterable[Apply], spans: Mapping[str, Span]) -> bool:
    """Whether isolation leaves out a solution: a power inverted for nonnegative bases may have a negative one."""
    bases = [enclose(power.args[0], spans, "") for power in powers]
    return any(base is not None and base.values[0] < 0 for base in bases)


@lru_cache(maxsize=8192)
def isolate(equation: Equation, name: str) -> tuple[Candidate, ...] | None:
    """Isolate a name in a relation: all its closed forms, by inverting the operations around it; None if it has none.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_equation
    >>> [render(candidate.form) for candidate in isolate(parse_equation("y = 2*sqrt(x - a)"), "x")]
    ['(y/2)**2 + a']
    """
    left, right = occurrences(equation.lhs, name), occurrences(equation.rhs, name)
    if left and right:
        return _peeled(Apply("add", (equation.lhs, negated(equation.rhs))), Candidate(ZERO), name)
    if left or right:
        node, opposite = equation.sides if left else (equation.rhs, equation.lhs)
        return _peeled(node, Candidate(opposite), name)
    return None


def _peeled(node: Node, candidate: Candidate, name: str, splits: int = _SPLITS) -> tuple[Candidate, ...] | None:
    """The candidates for the name to be isolated, by inverting `node`, which equals the candidate's form."""
    pending: list[tuple[Node, Candidate]] = [(node, candidate)]
    candidates: list[Candidate] = []
    while pending:
        node, candidate = pending.pop()
        if isinstance(node, Name):
            candidates.append(candidate)
            continue
        assert isinstance(node, Apply)
        holding = [i for i, arg in enumerate(node.args) if occurrences(arg, name)]
        if len(holding) > 1:
            collected = _collected(node, candidate, name, splits)
            if collected is None:
                return None
            candidates.extend(collected)
            continue
        steps = _inverted_operation(node, holding[0], candidate)
        if steps is None or len(pending) + len(candidates) + len(steps) > _MOST:
            return None
        pending.extend((node.args[holding[0]], step) for step in reversed(steps))
    return tuple(candidates)


def unwound(form: Node, turns: int) -> Node:
    """The form of an isolated name for one number of turns, where a periodic function was inverted."""
    return simplified(replaced(form, TURNS, Number(Fraction(turns))))


def _inverted_operation(node: Apply, index: int, candidate: Candidate) -> list[Candidate] | None:
    """Isolate the argument of an operation: every candidate for which its value equals the given form."""
    others = tuple(arg for i, arg in enumerate(node.args) if i != index)
    y = candidate.form
    match node.op:
        case "add":
            return [candidate.becoming(added(y, *(negated(arg) for arg in others)))]
        case "mul":
            return [candidate.becoming(multiplied(y, *(inverted(arg) for arg in others))).dividing(*others)]
        case "neg":
            return [candidate.becoming(negated(y))]
        case "inv":
            return [candidate.becoming(inverted(y))]
        case "pow":
            return _inverted_power(node, others[0], index, candidate)
        case "max" | "min":
            fits = "lt" if node.op == "max" else "gt"
            return [candidate.becoming(y, *(Apply(fits, (arg, y)) for arg in others))]
        case "piecewise":
            return _inverted_choice(node, index, candidate)
        case op:
            return _of_function(TABLE[op], node, candidate)


def _of_function(entry: Function, node: Apply, candidate: Candidate) -> list[Candidate] | None:
    """Isolate the argument of a function by its table entry; that of a periodic one with whole turns."""
    if not entry.inverses or (entry.period and candidate.winds):
        return None
    named = {"y": candidate.form, "turns": TURNS}
    winds = node if entry.period else candidate.winds
    return [
        candidate.becoming(
            fill_template(inverse.form, named),
            *(fill_template(condition, named) for condition in inverse.where),
            winds=winds,
            other=fill_template(inverse.other, named) if inverse.other else None,
        )
        for inverse in entry.inverses
    ]


def _inverted_power(node: Apply, other: Node, index: int, candidate: Candidate) -> list[Candidate] | None:
    """Isolate the base of a power, or its exponent: the candidates; None if it has no inverse."""
    y = candidate.form
    if index == 1:  # the unknown is the exponent
        scale = Apply("log", (other,))
        form = multiplied(Apply("log", (y,)), inverted(scale))
        return [candidate.becoming(form, powers=(*candidate.powers, node)).dividing(scale)]
    exponent = constant_exponent(other)
    if exponent is None:
        return [candidate.becoming(Apply("pow", (y, inverted(other))), powers=(*candidate.powers, node))]
    if exponent == 0:
        return None
    root = _root(y, 1 / exponent)
    if exponent.denominator != 1:
        return [candidate.becoming(root, Apply("ge", (y, ZERO)))]
    if exponent % 2 == 0:
        nonnegative = Apply("ge", (y, ZERO))
        return [candidate.becoming(root, nonnegative), candidate.becoming(negated(root), nonnegative)]
    if abs(exponent) == 1:
        return [candidate.becoming(root)]
    below = negated(_root(negated(y), 1 / exponent))
    return [candidate.becoming(root, Apply("ge", (y, ZERO))), candidate.becoming(below, Apply("lt", (y, ZERO)))]


def _root(y: Node, power: Fraction) -> Node:
    """The inverse that undoes a power around a name: the other side to a power, or a root or quotient if possible."""
    if power == 1:
        return y
    if power == Fraction(1, 2):
        return Apply("sqrt", (y,))
    if power == -1:
        return inverted(y)
    return inverted(_root(y, -power)) if power < 0 else Apply("pow", (y, Number(power)))


def _inverted_choice(node: Apply, index: int, candidate: Candidate) -> list[Candidate] | None:
    """Isolate an arm of a choice: the candidate where it is taken; None if the unknown stands in a condition."""
    if index % 2:
        return None
    taken = [node.args[index + 1]] if index + 1 < len(node.args) else []
    earlier = [Apply("not", (node.args[i],)) for i in range(1, min(index, len(node.args) - 1) + 1, 2)]
    return [candidate.becoming(candidate.form, *taken, *earlier)]


# Polynomials in the unknown


def _collected(node: Node, candidate: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """Isolate a name that occurs more than once: by the roots of a polynomial, or else arm by arm."""
    difference = added(node, negated(candidate.form))
    factors = coefficients(without_denominators(difference, name), [name])
    if factors is None:
        return _by_arms(difference, candidate, name, splits)
    a, b, c = (_without_zero(factors.get((name,) * power, ZERO)) for power in (2, 1, 0))
    if a == ZERO:
        return None if b == ZERO else (candidate.becoming(_quotient(negated(c), b)).dividing(b),)
    square = added(Apply("pow", (b, TWO)), negated(multiplied(Number(Fraction(4)), a, c)))
    under = inverted(multiplied(TWO, a))
    root = Apply("sqrt", (square,))
    real = Apply("ge", (square, ZERO))
    return tuple(
        candidate.becoming(
            multiplied(added(negated(b), sign), under),
            real,
            other=multiplied(TWO, c, inverted(added(negated(b), negated(sign)))),
        ).dividing(a)
        for sign in (root, negated(root))
    )


def _without_zero(form: Node) -> Node:
    """A coefficient of the isolated name, or ZERO if its numbers add up to zero."""
    return ZERO if not names_in(form) and exact_value(form, {}) == 0 else form


def _quotient(above: Node, below: Node) -> Node:
    """A quotient that isolates a name, and stays undefined where its divisor is zero, even if the divisor cancels."""
    simple, under = multiplied(above, inverted(below)), inverted(below)
    divisors = names_in(*operations(simple, among=("inv",)))
    return simple if set(names_in(below)) <= {*divisors} else Apply("mul", (above, under))


def _by_arms(difference: Node, candidate: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """Isolate a name in a relation with a choice, arm by arm: the candidates of each arm, where it binds.

    Where it ties with an arm that leaves no name, as the first with the second in `y = max(x, a, 2*x - 1)`, any
    smaller x is a solution too: a bound, and not a value.
    """
    switch = next((of_arm for of_arm in operations(difference, among=SWITCHES) if name in of_arm.names), None)
    if switch is None or splits == 0:
        return None
    candidates: list[Candidate] = []
    with_arms = {arm: replaced(difference, switch, arm) for arm in arms_of(switch)}
    idle = {arm for arm, with_arm in with_arms.items() if not occurrences(with_arm, name)}
    for place, arm in enumerate(arms_of(switch)):
        with_arm = with_arms[arm]
        if arm in idle:
            continue
        binding = when_binding(switch, place)
        if switch.op in ("max", "min"):
            binding = tuple(_strict(condition, idle) for condition in binding)
        start = candidate.becoming(ZERO, *binding)
        of_arm = _peeled(with_arm, start, name, splits - 1)
        if of_arm is None:
            return None
        candidates.extend(of_arm)
    return tuple(candidates)


_STRICT = {"ge": "gt", "le": "lt"}


def _strict(binding: Node, idle: Container[Node]) -> Node:
    """The condition under which an isolated arm binds, made strict against an arm without the name."""
    if not isinstance(binding, Apply) or binding.args[1] not in idle:
        return binding
    return Apply(_STRICT[binding.op], binding.args)
