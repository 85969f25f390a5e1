"""A block in which arms compete, arm by arm, as source lines for one point.

With every maximum, minimum and choice replaced by one of its arms the equations are easier: one unknown has a closed
form in terms of which the others are written, or the residual is monotone. What such a variant yields is a solution of
the block if it satisfies the equations as they are. So the block has one solution if just one variant yields one, or
several yield the same. Where an arm without unknowns meets its other side, the unknowns are only bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in, walk
from derive.kernels.backends.emitter import Unsaid
from derive.kernels.backends.numba_source import Machine
from derive.kernels.backends.shared_lines import Scope, Sheet, apart, arguments_for
from derive.kernels.blocks.block_lines import ParametricSystem
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.substitution import expressed, loses_nothing
from derive.tolerances import AGREEMENT
from quantities.domain import Domain

__all__ = ["by_arms", "in_closed_form"]

_MOST = 12  # limit on variants


def by_arms(
    system: ParametricSystem, dialect: Machine, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    """The function of the inputs that returns the unknowns: NaN for none, infinities where lines cannot decide.

    A variant without a closed form is `solved`.
    """
    variants = variants_of(system.equations, frozenset(system.unknowns))
    if not 1 < len(variants) <= _MOST or not system.inputs:
        raise Unsaid
    sheet, arguments = Sheet(dialect), arguments_for(system.inputs)
    scope = Scope(dict(arguments))
    told = []
    for variant in variants:
        helper = sheet.helper(variant, partial(_variant, replace(system, equations=variant), dialect, solved))
        told.append(_kept(sheet, system, f"{helper}({', '.join(arguments.values())})", scope))
    found = [sheet.line(f"only({', '.join(column)})") for column in zip(*told, strict=True)]
    is_open = sheet.line(" or ".join(f"abs({one}) == inf" for one in found))
    return sheet.function(arguments.values(), f"({', '.join(dialect.pick(is_open, 'inf', one) for one in found)},)")


def _kept(sheet: Sheet, system: ParametricSystem, called: str, scope: Scope) -> list[str]:
    """What a variant yields where it satisfies the equations as they are."""
    inner, found = scope.copy(), sheet.line(called)
    values = [sheet.line(f"{found}[{i}]") for i in range(len(system.unknowns))]
    for name, text in zip(system.unknowns, values, strict=True):
        inner.bind(name, text)
    held = sheet.line(sheet.dialect.logic("and", [_agrees(sheet, equation, inner) for equation in system.equations]))
    unclear = " or ".join((f"(abs({values[0]}) == inf)", *inner.asked))
    return [sheet.line(f"inf if {unclear} else {text} if {held} else nan") for text in values]


def _agrees(sheet: Sheet, equation: Equation, scope: Scope) -> str:
    left, right, whole = apart(equation, lambda node: sheet.expression(node, scope), "abs")
    return sheet.line(f"(abs({left} - {right}) <= {AGREEMENT!r} * {whole})")


def _variant(
    system: ParametricSystem, dialect: Machine, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    fixed = [one for one in system.equations if {*system.unknowns}.isdisjoint(names_in(one.lhs, one.rhs))]
    if not fixed:
        return in_closed_form(system, dialect) or solved(system)
    sheet, arguments = Sheet(dialect), arguments_for(system.inputs)
    scope = Scope(dict(arguments))
    met = sheet.line(dialect.logic("and", [_agrees(sheet, one, scope) for one in fixed]))
    told = sheet.line(f"inf if {' or '.join((met, *scope.asked))} else nan")
    return sheet.function(arguments.values(), f"({', '.join([told] * len(system.unknowns))},)")


def in_closed_form(system: ParametricSystem, dialect: Machine) -> Callable[..., Any] | None:
    """The only solution by a closed form of one unknown, in terms of which the others are written; None without one."""
    equations, unknowns, box = system.equations, system.unknowns, system.box
    for tear in unknowns:
        branches = expressed(equations, unknowns, tear) if len(unknowns) > 1 else ()
        if len(branches) != 1 or not loses_nothing(branches[0], box):
            continue
        branch = branches[0]
        candidates = isolate(branch.left[0], tear)
        if not candidates or len(candidates) > 1 or candidates[0].winds or leaves_out(candidates[0].powers, box):
            continue
        sheet, arguments = Sheet(dialect), arguments_for(system.inputs)
        scope = Scope(dict(arguments))
        for name, form in {tear: candidates[0].form, **branch.forms}.items():
            scope.bind(name, sheet.expression(form, scope))
        tests = [_inside(scope.variables[name], system.domains[name]) for name in unknowns]
        inside = sheet.line(dialect.logic("and", tests))
        open_tests = [*scope.asked, *_singular(sheet, candidates[0].form, scope)]
        unclear = f"inf if {' or '.join(open_tests)} else " if open_tests else ""
        told = (f"({unclear}{scope.variables[name]} if {inside} else nan)" for name in unknowns)
        return sheet.function(arguments.values(), f"({', '.join(told)},)")
    return None


def _singular(sheet: Sheet, form: Node, scope: Scope) -> Iterator[str]:
    """The tests that a sum which a form divides by cancels: the equations are dependent there, and any value may do."""
    for node in walk(form):
        if isinstance(node, Apply) and node.op == "inv" and names_in(node) and len(terms(node.args[0])) > 1:
            size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in terms(node.args[0]))
            yield sheet.line(f"(abs({sheet.expression(node.args[0], scope)}) <= {AGREEMENT!r} * ({size}))")


def _inside(text: str, domain: Domain) -> str:
    above = "<" if domain.open_low or domain.low == -float("inf") else "<="
    below = "<" if domain.high == float("inf") else "<="
    return f"({_bound(domain.low)} {above} {text} {below} {_bound(domain.high)})"


def _bound(end: float) -> str:
    return "-inf" if end == -float("inf") else "inf" if end == float("inf") else repr(end)
