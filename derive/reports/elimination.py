"""Simultaneous equations solved by hand: each unknown in closed form, where the equations are linear in the unknowns.

A maximum or a minimum is first replaced by the arm that binds at the numbers, and each equation is multiplied by its
denominators. Forms that do not give the numbers that were found are not shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from derive.expressions.sympy_bridge import from_sympy, to_sympy
from derive.expressions.tree import Apply, Node, names_in, rebuilt
from derive.numerics.algebra.evaluation import binding_arm, value
from derive.solving.execution.answer import Step
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration
from quantities.quantity import symbol

__all__ = ["eliminated"]

_MOST = 3  # unknowns


def eliminated(step: Step, known: Mapping[str, float], declared: Mapping[str, Declaration]) -> dict[str, Any]:
    """The closed form of each unknown of a joint step, in sympy; empty where there is none. Numbers are in base units.

    >>> from derive.relation_files.loading import load
    >>> sizes = "\\n".join(f'{name} = {{ unit = "1" }}' for name in ("w", "v", "m", "r"))
    >>> both = '[relations]\\nall = { equation = "m = w + v" }\\nlong = { equation = "r = 1/max(w + 2*v, v)" }'
    >>> answer = load(f"[quantities]\\n{sizes}\\n{both}").solve("w", m=1, r=0.8)
    >>> eliminated(answer.steps[0], {"m": 1.0, "r": 0.8}, answer.quantities)["w"]
    (2*m*r - 1)/r
    """
    numbers = dict(known)
    sides: list[tuple[Node, Node]] = []
    for part in step.together:
        stated, result = part.stated, part.result
        if stated is None or stated.op != "=" or result is None or result[0][0] != result[0][1]:
            return {}
        numbers[part.quantity] = result[0][0]
        sides.append((stated.lhs, stated.rhs))
    unknowns = [part.quantity for part in step.together]
    if not 2 <= len(unknowns) <= _MOST or not numbers.keys() >= set(
        names_in(*(side for pair in sides for side in pair))
    ):
        return {}
    forms = _solved([(_binding(left, numbers), _binding(right, numbers)) for left, right in sides], unknowns, declared)
    found = ((value(from_sympy(form)[0], numbers), numbers[name]) for name, form in forms.items())
    return forms if all(math.isclose(*pair, rel_tol=AGREEMENT) for pair in found) else {}


def _binding(node: Node, numbers: Mapping[str, float]) -> Node:
    """The tree with the arm that binds in the place of each maximum and minimum."""

    def change(part: Node) -> Node | None:
        arm = binding_arm(part, numbers) if isinstance(part, Apply) and part.op in ("max", "min") else None
        return None if arm is None else _binding(arm, numbers)

    return rebuilt(node, change)


def _solved(
    sides: Sequence[tuple[Node, Node]], unknowns: Sequence[str], declared: Mapping[str, Declaration]
) -> dict[str, Any]:
    """The one solution of equations that are linear in the unknowns once they are multiplied by their denominators."""
    import sympy

    held = {name: symbol(declared[name]) for name in names_in(*(side for pair in sides for side in pair))}
    wanted = [held[name] for name in unknowns]
    zeros = [sympy.expand(sympy.fraction(sympy.together(_difference(pair, held)))[0]) for pair in sides]
    try:
        matrix, right = sympy.linear_eq_to_matrix(zeros, wanted)
    except sympy.solvers.solveset.NonlinearError:
        return {}
    below = matrix.det()
    if below == 0:
        return {}
    columns = (matrix.copy() for _ in wanted)
    above = []
    for place, column in enumerate(columns):
        column[:, place] = right
        above.append(column.det())
    return {name: sympy.factor(one / below) for name, one in zip(unknowns, above, strict=True)}


def _difference(pair: tuple[Node, Node], held: Mapping[str, Any]) -> Any:
    left, right = (to_sympy(side, held) for side in pair)
    return left - right
