"""Free quantities in closed form, where the two sides of a limit are equal.

In the limit, each maximum and each choice is replaced by the arm that binds at a point; what is left is isolated. A
form counts only if it has the point's own number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from derive.errors import DeriveError
from derive.expressions.tree import Apply, Equation, Node, names_in, rebuilt, render
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import binding_arm, value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.products import positive_first
from derive.optimization.optimum import Binding
from derive.optimization.program import Program
from derive.optimization.search import Best
from derive.optimization.spreading import in_free_names
from derive.tolerances import AGREEMENT

__all__ = ["closed_forms", "form_at"]


def closed_forms(programs: Sequence[Program], best: Best, binding: Sequence[Binding]) -> dict[str, Node]:
    """The free quantities that one binding limit fixes, in closed form."""
    names = {one.name for one in binding}
    found: dict[str, Node] = {}
    for program in programs:
        numbers = program.numbers(best.at)
        if numbers is None or program.at(best.at) > best.value + AGREEMENT * abs(best.value):
            continue
        for limit in program.limits:
            for i, name in enumerate(program.names[: program.free]):
                if limit.name in names and name not in found:
                    form = _chosen_by(program, limit.written, i, numbers)
                    is_new = form is not None and found.keys().isdisjoint(names_in(form))
                    found |= {name: form} if form is not None and is_new else {}
    return found


def _chosen_by(program: Program, written: Equation, i: int, numbers: Mapping[str, float]) -> Node | None:
    """The form of a free quantity, rounded inwards to a whole number if it counts."""
    name, step = program.names[i], program.steps[i]
    if step not in (0.0, 1.0):
        return None
    rounded = ("floor", "ceil") if step else ()
    return form_at(program, written, name, numbers, rounded)


def form_at(
    program: Program,
    written: Equation,
    name: str,
    numbers: Mapping[str, float],
    rounded: Sequence[str] = (),
    tolerance: float = AGREEMENT,
) -> Node | None:
    """The form of a free quantity by a limit at which both sides are equal, under one of these roundings if any."""
    equal = Equation(_bound(written.lhs, numbers), "=", _bound(written.rhs, numbers))
    if name not in names_in(equal.lhs, equal.rhs):
        return None
    try:
        candidates = isolate(equal, name) or ()
    except DeriveError:
        return None
    for candidate in candidates:
        spread = in_free_names(candidate.form, {}, program.spans)
        forms = candidate.form, folded(candidate.form, {}), spread
        plain = positive_first(min(forms, key=lambda form: len(render(form))))
        for form in tuple(Apply(way, (plain,)) for way in rounded) or (plain,):
            if candidate.winds is None and math.isclose(value(form, numbers), numbers[name], rel_tol=tolerance):
                return form
    return None


def _bound(node: Node, numbers: Mapping[str, float]) -> Node:
    """An expression with the arm that binds in place of each choice."""

    def change(part: Node) -> Node | None:
        if not isinstance(part, Apply) or part.op not in ("max", "min", "piecewise"):
            return None
        arm = binding_arm(part, numbers)
        return part if arm is None else _bound(arm, numbers)

    return rebuilt(node, change)
