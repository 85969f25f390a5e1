"""Closed forms without numbers: a plan whose every block is inverted in symbols.

A block may have several inverses. Those whose sign contradicts the unknown's domain are dropped; those that belong to
arms of a max, a min or a choice are put side by side as a Piecewise under the conditions of their arms. If more than
one is left after that, the formula is ambiguous, and the error holds them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from derive.blocks import expressed, has_choice
from derive.clock import query, tick
from derive.errors import AmbiguousError, LimitError, NoSolutionError
from derive.expression import Apply, Equation, Name, Node
from derive.isolating import Candidate, isolate, replaced, unwound
from derive.linear import linear_form
from derive.planning import Block, plan
from derive.ranging import composed

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["formula"]

_LINEAR = 4  # unknowns of a linear block that is solved in symbols


def formula(library: Library, target: str, given: Iterable[str]) -> Any:
    """The target in terms of the givens (and of defaults, where these do not reach), as a sympy expression."""
    with query():
        names = [library.quantity(name).name for name in given]
        library.quantity(target)
        if target in names:
            return library.quantities[target]
        defaults = [
            n for n, q in library.quantities.items() if q.default is not None and n != target and n not in names
        ]
        made = plan(library.structure(), target, names, defaults)
        if not made.is_determined:
            from derive.asking import Question
            from derive.diagnosing import shortage

            raise shortage(library, Question(target, dict.fromkeys(names), {}), {})  # type: ignore[arg-type]
        forms: dict[str, Node] = {}
        for block in made.blocks:
            tick()
            forms |= _inverted(library, block)
        whole = composed(target, forms)
        if whole is None:
            raise LimitError(
                f"The closed form of {target} has more than 5000 parts.",
                hint="Ask for an intermediate quantity; solve and compile do not need the closed form.",
                limit="5000 parts",
            )
        from derive.symbolic import to_sympy

        return to_sympy(whole, library.quantities)


def _inverted(library: Library, block: Block) -> dict[str, Node]:
    equations = [library.relations[name].written for name in block.relations]
    if len(block.unknowns) == 1:
        name = block.unknowns[0]
        return {name: _single(library, equations[0], name)}
    linear = _linear(library, equations, block.unknowns)
    return linear or _torn(library, equations, block)


def _single(library: Library, equation: Equation, name: str) -> Node:
    candidates = isolate(equation, name)
    if not candidates:
        raise _none(name, [str(equation)])
    admissible = [candidate for candidate in candidates if _may_be(library, name, candidate)]
    if not admissible:
        raise _none(name, [str(equation)])
    if has_choice(equation, name):
        return _by_arms(name, admissible)
    if len(admissible) > 1:
        from derive.symbolic import to_sympy

        several = [to_sympy(unwound(candidate.form, 0), library.quantities) for candidate in admissible]
        raise AmbiguousError(
            f"{name} has {len(several)} closed forms: {'; '.join(map(str, several))}.",
            hint="A narrower domain may decide; numbers always do.",
            answers=several,
        )
    return unwound(admissible[0].form, 0)


def _may_be(library: Library, name: str, candidate: Candidate) -> bool:
    """Whether the sign of a form allows it, as far as sympy can tell."""
    from derive.symbolic import to_sympy

    form = to_sympy(unwound(candidate.form, 0), library.quantities)
    domain = library.quantities[name].domain
    if form.is_real is False or (domain.low >= 0 and form.is_negative):
        return False
    return not (domain.low >= 0 and domain.open_low and form.is_zero)


def _by_arms(name: str, candidates: Iterable[Candidate]) -> Node:
    """The inverses of the arms, each under the conditions of its own."""
    parts: list[Node] = []
    for candidate in candidates:
        form = unwound(candidate.form, 0)
        conditions = tuple(replaced(condition, Name(name), form) for condition in candidate.conditions)
        if not conditions:
            return Apply("piecewise", (*parts, form)) if parts else form
        parts += [form, conditions[0] if len(conditions) == 1 else Apply("and", conditions)]
    return Apply("piecewise", tuple(parts))


def _linear(library: Library, equations: list[Equation], unknowns: tuple[str, ...]) -> dict[str, Node] | None:
    """A linear block, solved in symbols."""
    import sympy

    from derive.isolating import added, negated
    from derive.symbolic import from_sympy, to_sympy

    wanted = frozenset(unknowns)
    differences = [added(equation.lhs, negated(equation.rhs)) for equation in equations]
    if len(unknowns) > _LINEAR or any(linear_form(difference, wanted) is None for difference in differences):
        return None
    symbols = [library.quantities[name] for name in unknowns]
    found = sympy.linsolve([to_sympy(difference, library.quantities) for difference in differences], *symbols)
    solution = next(iter(found), None)
    if solution is None or any(wanted & {symbol.name for symbol in part.free_symbols} for part in solution):
        return None
    return {name: from_sympy(part)[0] for name, part in zip(unknowns, solution, strict=True)}


def _torn(library: Library, equations: list[Equation], block: Block) -> dict[str, Node]:
    """A block in which one unknown has a closed form once the others are written in terms of it."""
    for tear in block.unknowns:
        branches = expressed(equations, block.unknowns, tear)
        if len(branches) != 1 or not isolate(branches[0].left[0], tear):
            continue
        last = _single(library, branches[0].left[0], tear)
        return {tear: last, **branches[0].forms}
    raise _none(", ".join(block.unknowns), [str(equation) for equation in equations])


def _none(name: str, equations: list[str]) -> NoSolutionError:
    return NoSolutionError(
        f"{name} has no closed form from {'; '.join(equations)}.",
        hint="solve and compile find its value by numbers.",
        reason="no closed form",
    )
