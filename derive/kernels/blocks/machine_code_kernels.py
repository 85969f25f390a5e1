"""Kernels of blocks in machine code: the one solution at a point, or infinities where another dialect is needed.

A block in which arms compete is taken arm by arm for one point. With every maximum, minimum and choice replaced by one
of its arms the equations are easier: one unknown has a closed form in terms of which the others are written, or the
residual is monotone. What such a variant yields is a solution of the block if it satisfies the equations as they are.
So the block has one solution if just one variant yields one, or several yield the same. Where an arm without unknowns
meets its other side, the unknowns are only bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from derive.expressions.tree import Apply, Node, names_in, walk
from derive.kernels.backends.emitter import Scope, Sheet, UnsupportedOperation, within
from derive.kernels.backends.numba_source import Slow
from derive.kernels.blocks.block_lines import ParametricSystem, attempt_of
from derive.kernels.blocks.piece_proofs import PieceProofs
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.substitution import expressed, loses_nothing
from derive.tolerances import AGREEMENT

_TEARS = 3  # unknowns of which it is tried whether one proof covers all inputs


def machine_code_kernel(system: ParametricSystem, dialect: Slow) -> Callable[..., Any]:
    """The machine-code kernel of a block: its only solution, with infinities where another dialect is needed."""
    if len(system.unknowns) > dialect.most_unknowns:
        raise UnsupportedOperation
    if dialect.takes_arms:
        closed = _closed_form_kernel(system, dialect)
        if closed is not None:
            return closed
    method = attempt_of(system)
    if method is not None and method.linear:
        return method.lines(dialect)
    proofs = [PieceProofs(by_tear) for by_tear in method.ways[:_TEARS]] if method is not None else []
    complete = next((proof for proof in proofs if proof.whole is not None), None)
    if complete is None and dialect.takes_arms and len(variants_of(system.equations, frozenset(system.unknowns))) > 1:
        return _arms_kernel(system, dialect, partial(machine_code_kernel, dialect=dialect))
    if complete is None and (not proofs or proofs[0].widest is None):
        raise UnsupportedOperation
    return _search_kernel(complete or proofs[0], dialect)


def _search_kernel(proofs: PieceProofs, dialect: Slow) -> Callable[..., Any]:
    """The machine-code kernel that searches each proved piece of a tear's domain; infinities with several roots."""
    assert proofs.widest is not None
    spans, pieces = proofs.widest
    sheet = Sheet(dialect, proofs.inputs)
    arguments = [*sheet.arguments.values()]
    inputs, count = ", ".join(arguments), len(proofs.attempt.system.unknowns)
    nothing, several = f"({'nan, ' * count})", f"({'inf, ' * count})"
    sheet.space["lines"] = proofs.attempt.lines(dialect)
    tests = [f"({low!r} <= {a} <= {high!r})" for a, (low, high) in zip(arguments, spans, strict=True)]
    with sheet.under(f"if not ({' and '.join(tests)}):"):
        sheet.write(f"return {several}")
    sheet.write(f"found = {nothing}")
    for low, high in chain(*pieces):
        sheet.write(f"one = lines({low!r}, {high!r}, {inputs})")
        sheet.write(f"found = found if one[0] != one[0] else one if found[0] != found[0] else {several}")
    return sheet.function("found")


_MOST_VARIANTS = 12  # limit on variants


def _arms_kernel(
    system: ParametricSystem, dialect: Slow, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    """The machine-code kernel of a block in which arms compete: NaN without a solution, infinities undecided.

    A variant without a closed form is `solved`.
    """
    variants = variants_of(system.equations, frozenset(system.unknowns))
    if not 1 < len(variants) <= _MOST_VARIANTS or not system.inputs:
        raise UnsupportedOperation
    sheet = Sheet(dialect, system.inputs)
    scope, arguments, results = sheet.start(), ", ".join(sheet.arguments.values()), []
    for variant in variants:
        helper = sheet.helper(variant, partial(_variant_kernel, replace(system, equations=variant), dialect, solved))
        results.append(_solution_of_variant(sheet, system, f"{helper}({arguments})", scope))
    columns = [sheet.line(f"only({', '.join(column)})") for column in zip(*results, strict=True)]
    is_open = sheet.line(" or ".join(f"abs({column}) == inf" for column in columns))
    return sheet.function(f"({', '.join(dialect.pick(is_open, 'inf', column) for column in columns)},)")


def _solution_of_variant(sheet: Sheet, system: ParametricSystem, called: str, scope: Scope) -> list[str]:
    """Write a machine-code kernel's solution by one variant where it satisfies the block as it is; else NaN."""
    inner, result = scope.copy(), sheet.line(called)
    values = [sheet.line(f"{result}[{i}]") for i in range(len(system.unknowns))]
    for name, value in zip(system.unknowns, values, strict=True):
        inner.bind(name, value)
    text = partial(sheet.expression, scope=inner)
    fits = sheet.line(sheet.dialect.logic("and", [sheet.agrees(equation, text) for equation in system.equations]))
    unclear = " or ".join((f"(abs({values[0]}) == inf)", *inner.asked))
    return [sheet.line(f"inf if {unclear} else {value} if {fits} else nan") for value in values]


def _variant_kernel(
    system: ParametricSystem, dialect: Slow, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    """The machine-code kernel of a block with one arm of each choice; infinite where unknowns are only bounded."""
    unknowns = {*system.unknowns}
    fixed = [equation for equation in system.equations if unknowns.isdisjoint(names_in(equation.lhs, equation.rhs))]
    if not fixed:
        return _closed_form_kernel(system, dialect) or solved(system)
    sheet = Sheet(dialect, system.inputs)
    scope = sheet.start()
    text = partial(sheet.expression, scope=scope)
    is_met = sheet.line(dialect.logic("and", [sheet.agrees(equation, text) for equation in fixed]))
    result = sheet.line(f"inf if {' or '.join((is_met, *scope.asked))} else nan")
    return sheet.function(f"({', '.join([result] * len(system.unknowns))},)")


def _closed_form_kernel(system: ParametricSystem, dialect: Slow) -> Callable[..., Any] | None:
    """The machine-code kernel of a block by a closed form of one unknown in which the others are; None without."""
    for tear in system.unknowns:
        forms = _only_forms(system, tear)
        if forms is None:
            continue
        sheet = Sheet(dialect, system.inputs)
        scope = sheet.start()
        for name, form in forms.items():
            scope.bind(name, sheet.expression(form, scope))
        domains = [(scope.variables[name], system.domains[name]) for name in system.unknowns]
        tests = [within(text, domain.low, domain.high, domain.open_low) for text, domain in domains]
        inside = sheet.line(dialect.logic("and", tests))
        open_tests = [*scope.asked, *_singularity_tests(sheet, forms[tear], scope)]
        unclear = f"inf if {' or '.join(open_tests)} else " if open_tests else ""
        results = (f"({unclear}{scope.variables[name]} if {inside} else nan)" for name in system.unknowns)
        return sheet.function(f"({', '.join(results)},)")
    return None


def _only_forms(system: ParametricSystem, tear: str) -> dict[str, Node] | None:
    """The only closed form of a block's tear, and those of the other unknowns in it, for a kernel; None without one."""
    branches = expressed(system.equations, system.unknowns, tear) if len(system.unknowns) > 1 else ()
    if len(branches) != 1 or not loses_nothing(branches[0], system.box):
        return None
    candidates = isolate(branches[0].left[0], tear)
    if not candidates or len(candidates) > 1:
        return None
    if candidates[0].winds or leaves_out(candidates[0].powers, system.box):
        return None
    return {tear: candidates[0].form, **branches[0].forms}


def _singularity_tests(sheet: Sheet, form: Node, scope: Scope) -> Iterator[str]:
    """Write the tests that a divisor in a kernel's closed form is zero within rounding, as of dependent equations."""
    for node in walk(form):
        if isinstance(node, Apply) and node.op == "inv" and names_in(node) and len(terms(node.args[0])) > 1:
            size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in terms(node.args[0]))
            yield sheet.line(f"(abs({sheet.expression(node.args[0], scope)}) <= {AGREEMENT!r} * ({size}))")
