"""Closed forms: a plan with every block inverted symbolically.

A block may have several inverses. Those whose sign contradicts the unknown's domain are dropped; those that belong to
arms of a max, a min or a choice become one Piecewise under the conditions of their arms. If more than one is left,
the formula is ambiguous, and the error carries them all.

Linear equations are solved together by Cramer's rule: each unknown is a quotient of two determinants. These need no
division, so the closed form is undefined exactly where the system is singular; elimination would
add the zeros of its pivots. A determinant is expanded row by row, and minors on the same columns are computed once,
which is cheap for sparse systems. The cost of a dense one grows like the factorial of its size, and one that grows
too large is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from derive.errors import AmbiguousError, LimitError, NoSolutionError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Apply, Equation, Name, Node, Number, conjunction, names_in, render, replaced, walk
from derive.kernels.case_dispatch import Case, Cases, Fork, Tree, cases_of_arms, cases_of_stated
from derive.kernels.reach import eliminates, eliminates_in_a_gap, generic, probed
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.evaluation import terms, value
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out, unwound
from derive.numerics.algebra.like_terms import ZERO, added, arms_of, negated, when_binding
from derive.numerics.algebra.linear import Linear, linear_form
from derive.numerics.intervals.enclosure import enclose
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.solving.blocks.free_unknowns import has_choice, is_divided_by
from derive.solving.blocks.outcome import System, agrees
from derive.solving.blocks.substitution import expressed, may_be_lost
from derive.solving.cancellation.cancelled_answers import reduced
from derive.solving.execution.question import Outline, outlined
from derive.solving.ranges.range_propagation import domains_of
from derive.solving.sensitivity.elasticities import LARGEST, composed, put_in
from derive.time_limits import query, tick
from derive.tolerances import AGREEMENT, LEAST

if TYPE_CHECKING:
    from quantities.quantity import Quantity

_DRAWS = 3  # points at which a form is put back

_Arm = tuple[Node, tuple[Node, ...]]
"""A closed form, and the conditions under which it is the one."""


def formula(library: RelationSet, target: str, given: Iterable[str]) -> Any:
    """The target in terms of the givens (and of defaults, where these do not suffice), as a sympy expression."""
    with query():
        outline = outlined(library, target, given)
        if outline.target in outline.strong:
            return library.quantities[target]
        found = cases_of_stated(library, outline)
        if not found.alternatives:
            by_arms = cases_of_arms(library, found.outline)
            if by_arms is None:
                return _eliminated(library, found.outline)
            library, found = by_arms
        if eliminates_in_a_gap(library, found):  # what is missing cancels there, and no plan has a form for it
            raise _none(target, [])
        open_cases = [case for case in found.leaves if case.is_open]
        undecided = found.partial or next(_following_in_some_case(library, found.outline, open_cases), None)
        if undecided is not None or (open_cases and len(found.alternatives) > 1):
            raise _undecided(target, undecided)
        from derive.expressions.sympy_bridge import to_sympy

        try:
            whole = _chosen(_side_by_side(library, found, found.alternatives))
            if sum(1 for _ in islice(walk(whole), LARGEST + 1)) > LARGEST:
                raise _too_large(target)
            return to_sympy(whole, library.quantities)
        except (ValueError, TypeError, NotImplementedError) as error:
            # sympy refuses a choice in a condition without a default arm, and a comparison with what is undefined
            raise _none(target, []) from error
        except RecursionError as error:  # sympy compares the conditions of a choice by calling itself
            raise _too_large(target) from error


def _following_in_some_case(library: RelationSet, outline: Outline, open_cases: Sequence[Case]) -> Iterator[Node]:
    """The assumed conditions on what follows from the target and the givens, by relations that have conditions."""
    for case in open_cases:
        known = {*outline.strong, *case.plan.unknowns}
        # what only weak values lead to is left: they may yield, and counting them finds what no number follows for
        led_to = closure(structure_of(library), known).union(outline.weak)
        decided = {one.condition for one in case.following}
        yield from (one for one in case.assumed if one not in decided and led_to.issuperset(names_in(one)))


def _eliminated(library: RelationSet, outline: Outline) -> Any:
    """The closed form that remains where what is missing cancels, if it is the same at several points."""
    if eliminates(library, outline):
        answers = [probed(library, outline.target, outline.strong, draw) for draw in range(2)]
        forms = [answer.formula for answer in answers if answer is not None]
        if forms and all(form is not None and form == forms[0] for form in forms):
            return forms[0]
        raise _none(outline.target, [])
    from derive.solving.diagnosis.diagnosis import shortage

    raise shortage(library, outline, {})


def _forms(library: RelationSet, made: Plan) -> dict[str, Node]:
    forms: dict[str, Node] = {}
    for block in made.blocks:
        tick()
        forms |= _inverted(library, block)
    return forms


def _whole(target: str, forms: Mapping[str, Node]) -> Node:
    if target not in forms:
        return Name(target)
    whole = composed(target, forms)
    if whole is None:
        raise _too_large(target)
    return whole


def _too_large(target: str) -> LimitError:
    return LimitError(
        f"The closed form of {target} has more than {LARGEST} parts.",
        hint="Ask for an intermediate quantity; solve and compile do not need the closed form.",
        limit=f"{LARGEST} parts",
    )


def _arms(library: RelationSet, found: Cases, tree: Tree, path: tuple[Node, ...] = ()) -> Iterator[_Arm]:
    """The closed form of each case, and the conditions that lead to it."""
    if isinstance(tree, Fork):
        decided, holds = _decided(library, found, tree.condition)
        yield from _arms(library, found, tree.yes, (*path, holds))
        yield from _arms(library, found, tree.no, (*path, *decided, Apply("not", (holds,))))
    elif tree is not None:
        forms = _forms(library, tree.plan)
        own = [*tree.holding, *(Apply("not", (conjunction(conditions),)) for conditions in tree.failing)]
        for yielding in (*tree.yielding, *tree.following):
            own.append(yielding.condition)
            forms |= {name: form for made in yielding.plans for name, form in _forms(library, made).items()}
        composed_ones = {name: _whole(name, forms) for name in names_in(*own) if name in forms}
        conditions = (put_in(condition, composed_ones) for condition in own)
        yield _whole(tree.plan.target, forms), (*path, *conditions)


def _decided(library: RelationSet, found: Cases, condition: Node) -> tuple[tuple[Node, ...], Node]:
    """When a condition is decided, and when it holds, both in terms of the givens."""
    asked = [name for name in names_in(condition) if name in found.asides]
    ways = product(*(_side_by_side(library, found, found.asides[name]) for name in asked))
    paths, holding = [], []
    for way in ways:
        path = tuple(one for _, conditions in way for one in conditions)
        put = put_in(condition, {name: form for name, (form, _) in zip(asked, way, strict=True)})
        paths.append(path)
        holding.append(conjunction((*path, put)))
    if len(paths) == 1:
        return paths[0], holding[0]
    return (Apply("or", tuple(map(conjunction, paths))),), Apply("or", tuple(holding))


def _side_by_side(library: RelationSet, found: Cases, trees: Sequence[Tree]) -> list[_Arm]:
    """The arms of alternatives; where two that differ hold, there is no single value and no arm."""
    alternatives = [list(_arms(library, found, tree)) for tree in trees]
    parts: list[_Arm] = []
    for i, arms in enumerate(alternatives):
        others = [arm for j, other in enumerate(alternatives) if i != j for arm in other]
        for form, path in arms:
            rivals = [
                Apply("not", (conjunction((*held, *_where_defined(rival))),))
                for rival, held in others
                if not _are_same(library, rival, form)
            ]
            parts.append((form, (*path, *rivals)))
    return parts


def _where_defined(form: Node) -> tuple[Node, ...]:
    """The condition under which one of the arms of a choice holds that has no arm for all else."""
    if not isinstance(form, Apply) or form.op != "piecewise" or len(form.args) % 2:
        return ()
    return (Apply("or", form.args[1::2]),)


def _chosen(arms: Sequence[_Arm]) -> Node:
    if not arms[0][1]:
        return arms[0][0]
    return Apply("piecewise", tuple(part for form, path in arms for part in (form, conjunction(path))))


def _are_same(library: RelationSet, one: Node, other: Node) -> bool:
    from derive.expressions.sympy_bridge import to_sympy

    return bool(to_sympy(one, library.quantities) == to_sympy(other, library.quantities))


def _inverted(library: RelationSet, block: Block) -> dict[str, Node]:
    equations = [library.relations[name].written for name in block.relations]
    if len(block.unknowns) == 1:
        name = block.unknowns[0]
        return {name: _single(library, equations[0], name)}
    differences = [added(equation.lhs, negated(equation.rhs)) for equation in equations]
    linear = solved_in_symbols(differences, block.unknowns, library.quantities)
    if linear and ZERO in linear.values() and any(library.relations[one].approximate for one in block.relations):
        raise _none(", ".join(block.unknowns), [str(equation) for equation in equations])  # it may only repeat them
    return linear or _torn(library, equations, block)


def _single(library: RelationSet, equation: Equation, name: str) -> Node:
    candidates = isolate(equation, name) or ()
    powers = [power for candidate in candidates for power in candidate.powers]
    if leaves_out(powers, domains_of(library, names_in(*powers))):
        raise _none(name, [str(equation)])
    admissible = [candidate for candidate in candidates if _may_be(library, name, candidate)]
    if not admissible:
        raise _none(name, [str(equation)])
    if is_divided_by(equation, name) and not any(_satisfies(library, equation, name, one) for one in admissible):
        raise _none(name, [str(equation)])
    if has_choice(equation, name):
        free = tuple(_where_any_value_does(equation, name))
        if len(admissible) > 1:
            limits = [tuple(_limits(library, name, one.form)) for one in admissible]
            admissible = [
                replace(one, conditions=(*one.conditions, *ends)) for one, ends in zip(admissible, limits, strict=True)
            ]
        return _by_arms(name, admissible, free, is_single=_is_monotone(library, equation, name))
    if len(admissible) > 1:
        from derive.expressions.sympy_bridge import to_sympy

        several = [to_sympy(unwound(candidate.form, 0), library.quantities) for candidate in admissible]
        raise AmbiguousError(
            f"{name} has {len(several)} closed forms: {'; '.join(map(str, several))}.",
            hint="A narrower domain may decide; numbers always do.",
            answers=tuple(several),
        )
    return unwound(admissible[0].form, 0)


def _limits(library: RelationSet, name: str, form: Node) -> Iterator[Node]:
    """The ends of the unknown's domain that a closed form may be beyond, where another arm has the value inside."""
    domain = library.declared[name].domain
    found = enclose(form, domains_of(library, names_in(form)), "")
    low, high = (-math.inf, math.inf) if found is None else found.values
    if domain.low > low or (domain.open_low and domain.low == low):
        yield Apply("gt" if domain.open_low else "ge", (form, Number(stated(domain.low))))
    if domain.high < high:
        yield Apply("le", (form, Number(stated(domain.high))))


def _may_be(library: RelationSet, name: str, candidate: Candidate) -> bool:
    """Whether the sign of a form fits the domain, as far as sympy can tell."""
    from derive.expressions.sympy_bridge import to_sympy

    form = to_sympy(unwound(candidate.form, 0), library.quantities)
    domain = library.declared[name].domain
    if form.is_real is False or (domain.low >= 0 and form.is_negative):
        return False
    return not (domain.low >= 0 and domain.open_low and form.is_zero)


def _satisfies(library: RelationSet, equation: Equation, name: str, candidate: Candidate) -> bool:
    """Whether a form satisfies its relation at some numbers: `x = b/b` has no solution at `b = 0`."""
    names = [other for other in names_in(equation.lhs, equation.rhs) if other != name]
    points = ({other: generic(library.declared[other], draw) for other in names} for draw in range(_DRAWS))
    return any(agrees(equation, {**known, name: value(unwound(candidate.form, 0), known)}) for known in points)


def _is_monotone(library: RelationSet, equation: Equation, name: str) -> bool:
    """Whether the sides meet once at most, whatever the other quantities are, as long as they are not zero.

    Without steps and poles in it, a form with slopes of one sign rises or falls all along.
    """
    names = names_in(equation.lhs, equation.rhs)
    box = {other: (low or LEAST, high) for other in names for low, high in [library.declared[other].domain.closed]}
    for part in walk(equation.lhs, equation.rhs):
        if isinstance(part, Apply) and name in names_in(part) and part.op in ("inv", "tan", "piecewise", *STEPPED):
            under = enclose(part.args[0], box, "") if part.op == "inv" else None
            if under is None or not under.misses_zero:
                return False
    found = enclose(added(equation.lhs, negated(equation.rhs)), box, name)
    return found is not None and (found.slopes[0] >= 0 or found.slopes[1] <= 0)


def _where_any_value_does(equation: Equation, name: str) -> Iterator[Node]:
    """Where an arm without the unknown satisfies an equation: any value does at which that arm is taken.

    From `t = q if q >= f else 4`, q is t; but where t is 4, it is also any number below f.
    """
    for part in walk(equation.lhs, equation.rhs):
        if not isinstance(part, Apply) or part.op != "piecewise" or name not in names_in(part):
            continue
        for place, arm in enumerate(arms_of(part)):
            sides = replaced(equation.lhs, part, arm), replaced(equation.rhs, part, arm)
            if name in names_in(*sides):
                continue
            binding = when_binding(part, place)
            decided = [one for one in binding if name not in names_in(one)]
            if len(decided) < len(binding):  # else no other arm of this choice is taken there
                yield conjunction((*decided, Apply("eq", sides)))


def _by_arms(name: str, candidates: Sequence[Candidate], free: tuple[Node, ...], is_single: bool) -> Node:
    """The inverses of the arms, each under its own conditions, and where no other holds that differs from it.

    There is none where the target is `free`.
    """
    forms = [unwound(candidate.form, 0) for candidate in candidates]
    held = [
        tuple(replaced(condition, Name(name), form) for condition in candidate.conditions)
        for candidate, form in zip(candidates, forms, strict=True)
    ]
    if is_single and not all(held):  # an inverse without conditions holds wherever the others do not
        first = next(i for i, conditions in enumerate(held) if not conditions)
        parts = [part for form, conditions in zip(forms, held, strict=True) for part in (form, conjunction(conditions))]
        return Apply("piecewise", (*parts[: 2 * first], forms[first])) if first else forms[first]
    parts = []
    for form, conditions in zip(forms, held, strict=True):
        rivals = (
            ()
            if is_single
            else tuple(
                Apply("not", (conjunction((*others, Apply("ne", (other, form)))),))
                for other, others in zip(forms, held, strict=True)
                if other != form
            )
        )
        parts += [form, conjunction((*conditions, *rivals, *(Apply("not", (one,)) for one in free)))]
    return Apply("piecewise", tuple(parts))


def _torn(library: RelationSet, equations: list[Equation], block: Block) -> dict[str, Node]:
    """A block solved by one unknown with a closed form, in terms of which the others are written.

    A division by what may be zero at a solution would lose that one: the formula would hold of another alone.
    """
    equations = [Equation(reduced(one.lhs), one.op, reduced(one.rhs)) for one in equations]  # what cancels adds no root
    names = names_in(*(side for one in equations for side in (one.lhs, one.rhs)))
    domains = {name: library.declared[name].domain for name in block.unknowns}
    known = {name: generic(library.declared[name], 0) for name in names if name not in domains}
    system = System(tuple(equations), block.unknowns, known, domains)
    for tear in block.unknowns:
        branches = expressed(equations, block.unknowns, tear)
        if len(branches) != 1 or not isolate(branches[0].left[0], tear):
            continue
        if any(may_be_lost(one, divisor, system) for one, divisor in branches[0].lost):
            continue
        last = _single(library, branches[0].left[0], tear)
        return {tear: last, **{name: reduced(form) for name, form in branches[0].forms.items()}}
    raise _none(", ".join(block.unknowns), [str(equation) for equation in equations])


def _undecided(name: str, condition: Node | None) -> NoSolutionError:
    what = "which of several cases holds" if condition is None else f"whether {render(condition)}"
    return NoSolutionError(
        f"{name} has no closed form: {what} is decided at some numbers only and assumed at others.",
        hint="solve and compile find its value numerically; give the quantities in the condition.",
        reason="no closed form",
    )


def _none(name: str, equations: list[str]) -> NoSolutionError:
    return NoSolutionError(
        f"{name} has no closed form{' from ' * bool(equations)}{'; '.join(equations)}.",
        hint="solve and compile find its value numerically.",
        reason="no closed form",
    )


_TERMS = 1000  # limit for one determinant
_CANCELLED = 20_000  # limit on the product of lengths of two polynomials whose common factor is sought
_TRIED = ((0.6180, 0.1547), (1.3247, 0.0923))  # first number and step of the points at which a determinant is tried

Rows = Sequence[Mapping[int, Any]]


def solved_in_symbols(
    differences: Sequence[Node], unknowns: Sequence[str], quantities: Mapping[str, Quantity]
) -> dict[str, Node] | None:
    """The unknowns at which all differences are zero; None if these are not linear, or always singular.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> system = [parse_expression("x + y - a"), parse_expression("x - y - b")]
    >>> found = solved_in_symbols(system, ["x", "y"], {name: Quantity(name) for name in "abxy"})
    >>> {name: render(form) for name, form in found.items()}
    {'x': '0.5*a + 0.5*b', 'y': '0.5*a - 0.5*b'}
    """
    from derive.expressions.sympy_bridge import from_sympy

    linear = [linear_form(difference, frozenset(unknowns)) for difference in differences]
    if any(form is None for form in linear):
        return None
    rows = _rows([form for form in linear if form is not None], unknowns, quantities)
    whole = _determinant(rows, list(range(len(unknowns))))
    if not whole or _vanishes(from_sympy(whole.as_expr())[0]):
        return None
    found = {}
    for i, name in enumerate(unknowns):
        columns = list(range(len(unknowns)))
        columns[i] = len(unknowns)
        part = _determinant(rows, columns) or whole.ring.zero
        small = len(part) * len(whole) <= _CANCELLED
        quotient = (part.ring.to_field()(part) / whole).as_expr() if small else part.as_expr() / whole.as_expr()
        found[name] = from_sympy(quotient)[0]
    return found


def _rows(linear: Sequence[Linear], unknowns: Sequence[str], quantities: Mapping[str, Quantity]) -> Rows:
    """The coefficients as polynomials, each row cleared of denominators; the right side is the last column."""
    import sympy
    from sympy.polys.fields import sfield

    from derive.expressions.sympy_bridge import to_sympy

    column: dict[str | None, int] = {name: i for i, name in enumerate(unknowns)}
    column[None] = len(unknowns)
    named = [(i, name, node) for i, form in enumerate(linear) for name, node in form.items()]
    entries = [(i, column[name], to_sympy(node, quantities)) for i, name, node in named]
    signed = [-entry if at == len(unknowns) else entry for _, at, entry in entries]
    _, elements = sfield([*signed, sympy.Dummy()])  # a field of fractions needs a symbol, even if nothing holds it
    rows: list[dict[int, Any]] = [{} for _ in linear]
    for (i, at, _), element in zip(entries, elements, strict=False):
        if element:
            rows[i][at] = element
    return [_cleared(row) for row in sorted(rows, key=len)]


def _cleared(row: Mapping[int, Any]) -> dict[int, Any]:
    common: Any = 1
    for element in row.values():
        common = element.denom if common == 1 else common.lcm(element.denom)
    return {at: (element * common).numer for at, element in row.items()}


def _determinant(rows: Rows, columns: list[int]) -> Any:
    """The determinant of the rows on these columns."""
    minors: dict[tuple[int, ...], Any] = {}

    def minor(row: int, left: tuple[int, ...]) -> Any:
        if row == len(rows):
            return 1
        if left not in minors:
            total: Any = 0
            for i, at in enumerate(left):
                entry = rows[row].get(at)
                rest = minor(row + 1, left[:i] + left[i + 1 :]) if entry is not None else 0
                total += (-1) ** i * entry * rest if rest else 0
                _check(total, len(minors))
            minors[left] = total
        return minors[left]

    return minor(0, tuple(columns))


def _check(polynomial: Any, count: int) -> None:
    tick()
    if count > _TERMS or (polynomial and len(polynomial) > _TERMS):
        raise LimitError(
            f"The closed form of this linear system has more than {_TERMS} terms.",
            hint="solve and compile do not need the closed form.",
            limit=f"{_TERMS} terms",
        )


def _vanishes(form: Node) -> bool:
    """Whether it is zero at every trial point, as it may be if its symbols are dependent (`sqrt(a)` and `a`)."""
    for first, step in _TRIED:
        at = {name: first + step * i for i, name in enumerate(names_in(form))}
        size = sum(abs(value(term, at)) for term in terms(form))
        if not abs(value(form, at)) <= AGREEMENT * size:
            return False
    return True
