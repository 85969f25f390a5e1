"""The lines that test a relation which the answer did not need, and that tell which arm of a choice binds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from derive.expressions.tree import Apply, Node
from derive.kernels.backends.shared_lines import Scope, Sheet
from derive.kernels.programs.choice_forms import Choice, ways
from derive.numerics.algebra.evaluation import terms, weighed
from derive.tolerances import AGREEMENT, CONTRADICTION

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from quantities.value import Value

__all__ = ["check_lines", "choice_line", "displacement", "tolerance_of"]


def tolerance_of(relation: Relation, is_exact: bool) -> float:
    """How far the sides may be apart: a contradiction is reported only where more digits would not resolve it."""
    return max(relation.tolerance, CONTRADICTION) if is_exact else relation.tolerance


def check_lines(
    sheet: Sheet,
    relation: Relation,
    scope: Scope,
    cause: str,
    places: tuple[int, int, int],
    is_exact: bool,
    is_loose: bool,
) -> str:
    """Write both sides of a relation and its state, which is returned; nothing is tested where there is a cause.

    Where a loose one fails, its state is that only the solver can tell.
    """
    written = relation.written
    left, right = (sheet.expression(side, scope) for side in (written.lhs, written.rhs))
    tests = [sheet.expression(condition, scope) for condition in relation.conditions]
    exact = (term for side in (written.lhs, written.rhs) for term in terms(side))
    measured = exact if relation.approximate is None else weighed(written)
    size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in measured)
    gap = sheet.line(f"{left} - {right}")
    excess = {"=": f"abs({gap})", "<=": gap, ">=": f"-{gap}"}[written.op]
    unknown = " or ".join(one for one in (cause, *scope.asked, *(f"(not {test})" for test in tests)) if one != "0")
    held = f"held({gap}, {excess}, {size}, {tolerance_of(relation, is_exact)!r})"
    state = sheet.line(f"0 if {unknown} else {held}" if unknown else held)
    if is_loose:
        state = sheet.line(f"4 if {state} == 2 else {state}")
    for at, side in zip(places, (left, right), strict=False):
        sheet.write(f"y[{at}] = {side} if {state} else nan")
    sheet.write(f"y[{places[2]}] = {state}")
    return state


def displacement(sheet: Sheet, number: str, own: Value, cause: str, is_loose: bool) -> str:
    """Whether what comes out agrees with a default (1) or not (2); not tested (-1) where it has a cause.

    Where a loose one differs, only the solver can tell (4).
    """
    stated, (low, high) = own.base[1], own.as_rounded
    slack = AGREEMENT * max(abs(low), abs(high))
    apart = sheet.line(f"abs({number} - {stated!r})")
    tests = [f"{apart} <= {AGREEMENT!r}*abs({number})", f"{apart} <= {AGREEMENT * abs(stated)!r}"]
    agrees = " or ".join([*tests, sheet.between(number, low - slack, high + slack)])
    return f"{f'-1 if {cause} else ' if cause != '0' else ''}1 if {agrees} else {4 if is_loose else 2}"


def choice_line(sheet: Sheet, choice: Choice, scope: Scope, cause: str, at: int) -> None:
    """Write the index of the form that a relation with choices takes; none where there is a cause."""
    taken = [sheet.line(_way(sheet, node, scope)) for node in choice.nodes]
    combined = taken[0]
    for way, node in zip(taken[1:], choice.nodes[1:], strict=True):
        combined = f"({combined}) * {ways(node)} + {way}"
    if choice.places != tuple(range(len(choice.places))):
        name = f"places{at}"
        sheet.space[name] = choice.places
        combined = f"{name}[{combined}]"
    unknown = [cause, *scope.asked, *(f"({way} < 0)" for way in taken)]
    sheet.write(f"y[{at}] = -1 if {' or '.join(one for one in unknown if one != '0')} else {combined}")


def _way(sheet: Sheet, choice: Apply, scope: Scope) -> str:
    """Which arm of a choice binds, the first of equal ones."""
    if choice.op != "piecewise":
        return f"{'largest' if choice.op == 'max' else 'smallest'}({_tuple(sheet, choice.args, scope)})"
    conditions = [choice.args[i + 1] for i in range(0, len(choice.args) - 1, 2)]
    return f"first({_tuple(sheet, conditions, scope)}, {bool(len(choice.args) % 2)})"


def _tuple(sheet: Sheet, parts: Sequence[Node], scope: Scope) -> str:
    return f"({', '.join(sheet.expression(part, scope) for part in parts)},)"
