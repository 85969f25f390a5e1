"""A block in which arms compete, arm by arm, as source lines for one point.

With every maximum, minimum and choice replaced by one of its arms the equations are easier: one unknown has a closed
form in terms of which the others are written, or the residual is monotone. What such a variant yields is a solution of
the block if it satisfies the equations as they are. So the block has one solution if just one variant yields one, or
several yield the same. Where an arm without unknowns meets its other side, the unknowns are only bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in, walk
from derive.kernels.backends.emitter import Unsaid
from derive.kernels.backends.numba_source import Machine
from derive.kernels.backends.shared_lines import Scope, Sheet, apart
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.solving.blocks.block import variants_of
from derive.solving.blocks.substitution import expressed, loses_nothing
from derive.tolerances import AGREEMENT
from quantities.domain import Domain

__all__ = ["by_arms", "in_closed_form"]

_MOST = 12  # limit on variants

Solved = Callable[[Sequence[Equation]], Callable[..., Any]]
"""The function of a variant without a closed form."""


def by_arms(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    inputs: Sequence[str],
    domains: Mapping[str, Domain],
    dialect: Machine,
    solved: Solved,
) -> Callable[..., Any]:
    """The function of the inputs that returns the unknowns: NaN for none, infinities where lines cannot decide."""
    variants = variants_of(tuple(equations), frozenset(unknowns))
    if not 1 < len(variants) <= _MOST or not inputs:
        raise Unsaid
    sheet = Sheet(dialect)
    arguments = [f"a{i}" for i in range(len(inputs))]
    scope = Scope(dict(zip(inputs, arguments, strict=True)))
    told = []
    for variant in variants:
        part = _variant(variant, unknowns, inputs, domains, dialect, solved)
        helper = sheet.helper(variant, lambda part=part: part)  # type: ignore[misc]
        told.append(_kept(sheet, equations, unknowns, f"{helper}({', '.join(arguments)})", scope))
    found = [sheet.line(f"only({', '.join(column)})") for column in zip(*told, strict=True)]
    is_open = sheet.line(" or ".join(f"abs({one}) == inf" for one in found))
    sheet.write(f"return ({', '.join(sheet.dialect.pick(is_open, 'inf', one) for one in found)},)")
    return dialect.made("\n".join([f"def compiled({', '.join(arguments)}):", *sheet.lines, ""]), sheet.space)


def _kept(sheet: Sheet, equations: Sequence[Equation], unknowns: Sequence[str], called: str, scope: Scope) -> list[str]:
    """What a variant yields where it satisfies the equations as they are."""
    inner, found = scope.copy(), sheet.line(called)
    values = [sheet.line(f"{found}[{i}]") for i in range(len(unknowns))]
    for name, text in zip(unknowns, values, strict=True):
        inner.bind(name, text)
    held = sheet.line(sheet.dialect.logic("and", [_agrees(sheet, equation, inner) for equation in equations]))
    unclear = " or ".join((f"(abs({values[0]}) == inf)", *inner.asked))
    return [sheet.line(f"inf if {unclear} else {text} if {held} else nan") for text in values]


def _agrees(sheet: Sheet, equation: Equation, scope: Scope) -> str:
    left, right, whole = apart(equation, lambda node: sheet.expression(node, scope), "abs")
    return sheet.line(f"(abs({left} - {right}) <= {AGREEMENT!r} * {whole})")


def _variant(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    inputs: Sequence[str],
    domains: Mapping[str, Domain],
    dialect: Machine,
    solved: Solved,
) -> Callable[..., Any]:
    fixed = [one for one in equations if {*unknowns}.isdisjoint(names_in(one.lhs, one.rhs))]
    if not fixed:
        return in_closed_form(equations, unknowns, inputs, domains, dialect) or solved(equations)
    sheet = Sheet(dialect)
    arguments = [f"a{i}" for i in range(len(inputs))]
    scope = Scope(dict(zip(inputs, arguments, strict=True)))
    met = sheet.line(sheet.dialect.logic("and", [_agrees(sheet, one, scope) for one in fixed]))
    told = sheet.line(f"inf if {' or '.join((met, *scope.asked))} else nan")
    sheet.write(f"return ({', '.join([told] * len(unknowns))},)")
    return dialect.made("\n".join([f"def compiled({', '.join(arguments)}):", *sheet.lines, ""]), sheet.space)


def in_closed_form(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    inputs: Sequence[str],
    domains: Mapping[str, Domain],
    dialect: Machine,
) -> Callable[..., Any] | None:
    """The only solution by a closed form of one unknown, in terms of which the others are written; None without one."""
    box = {name: domains[name].closed for name in (*inputs, *unknowns)}
    for tear in unknowns:
        branches = expressed(equations, unknowns, tear) if len(unknowns) > 1 else ()
        if len(branches) != 1 or not loses_nothing(branches[0], box):
            continue
        branch = branches[0]
        candidates = isolate(branch.left[0], tear)
        if not candidates or len(candidates) > 1 or candidates[0].winds or leaves_out(candidates[0].powers, box):
            continue
        sheet = Sheet(dialect)
        arguments = [f"a{i}" for i in range(len(inputs))]
        scope = Scope(dict(zip(inputs, arguments, strict=True)))
        for name, form in {tear: candidates[0].form, **branch.forms}.items():
            scope.bind(name, sheet.expression(form, scope))
        tests = [_inside(scope.variables[name], domains[name]) for name in unknowns]
        inside = sheet.line(sheet.dialect.logic("and", tests))
        open_tests = [*scope.asked, *_singular(sheet, candidates[0].form, scope)]
        unclear = f"inf if {' or '.join(open_tests)} else " if open_tests else ""
        told = (f"{unclear}{scope.variables[name]} if {inside} else nan" for name in unknowns)
        sheet.write(f"return ({', '.join(f'({one})' for one in told)},)")
        return dialect.made("\n".join([f"def compiled({', '.join(arguments)}):", *sheet.lines, ""]), sheet.space)
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
