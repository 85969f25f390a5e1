"""Choices settled: a form with each max, min and case replaced by the arm that binds at its own answer's numbers.

At the numbers at which it was settled, a form has the value of the whole; elsewhere it says what the target would be if
the same arm went on to bind. Where two arms are equal at one answer, and one of them is the arm that binds at the
other, that one is taken: between an answer on a knee and one beside it there is no regime.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from derive.expressions.tree import Apply, Node
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.tolerances import AGREEMENT

__all__ = ["settled", "settled_together"]

Values = Mapping[str, float]


def settled(form: Node, at: Values) -> Node:
    """A form with only the arms that bind at these numbers.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(settled(parse_expression("n*max(a, b + min(a, n))"), {"n": 2.0, "a": 3.0, "b": 4.0}))
    'n*(b + n)'
    """
    return settled_together(form, at, at)[0]


def settled_together(form: Node, one: Values, other: Values) -> tuple[Node, Node]:
    """One form settled at the numbers of two answers; arms that are equal at one are settled as at the other.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> form = parse_expression("max(a, b)")
    >>> [render(arm) for arm in settled_together(form, {"a": 2.0, "b": 2.0}, {"a": 2.0, "b": 3.0})]
    ['b', 'b']
    """
    if not isinstance(form, Apply):
        return form, form
    if form.op in ("max", "min"):
        mine, others = _extreme(form, one), _extreme(form, other)
        both = mine & others
        return _of_arms(form, min(both or mine, default=None), min(both or others, default=None), one, other)
    if form.op == "piecewise":
        return _of_arms(form, _chosen(form, one), _chosen(form, other), one, other)
    pairs = [settled_together(arg, one, other) for arg in form.args]
    return _rebuilt(form, [first for first, _ in pairs]), _rebuilt(form, [second for _, second in pairs])


def _of_arms(form: Apply, mine: int | None, others: int | None, one: Values, other: Values) -> tuple[Node, Node]:
    """The arms at these places, themselves settled; an undefined choice stays as it is."""
    if mine is None or others is None:
        return form, form
    if mine == others:
        return settled_together(form.args[mine], one, other)
    return settled(form.args[mine], one), settled(form.args[others], other)


def _rebuilt(form: Apply, args: list[Node]) -> Node:
    """The same operation; the same tree where nothing changed, since it holds its evaluator."""
    return form if all(new is old for new, old in zip(args, form.args, strict=True)) else Apply(form.op, tuple(args))


def _extreme(form: Apply, at: Values) -> set[int]:
    """The places of the arms that bind: of several, where they are equal but for rounding."""
    sizes = [value(arg, at) for arg in form.args]
    if any(map(math.isnan, sizes)):
        return set()
    best = max(sizes) if form.op == "max" else min(sizes)
    return {place for place, size in enumerate(sizes) if math.isclose(size, best, rel_tol=AGREEMENT)}


def _chosen(form: Apply, at: Values) -> int | None:
    """The place of the arm whose condition holds first."""
    arm = chosen_arm(form, at)
    return None if arm is None else next(place for place, arg in enumerate(form.args) if arg is arm)
