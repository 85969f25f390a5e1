"""Closed forms: a plan with every block inverted symbolically.

A block may have several inverses. Those whose sign contradicts the unknown's domain are dropped; those that belong to
arms of a max, a min or a choice become one Piecewise under the conditions of their arms. If more than one is left,
the formula is ambiguous, and the error carries them all.

Linear equations are solved together by Cramer's rule: each unknown is a quotient of two determinants. These need no
division, so the closed form is undefined exactly where the system is singular; elimination would add the zeros of its
pivots. A determinant is expanded row by row, and minors on the same columns are computed once, which is cheap for
sparse systems. The cost of a dense one grows like the factorial of its size, and one that grows too large is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any

import sympy
from sympy.polys.fields import sfield

from derive.errors import AmbiguousError, Cause, LimitError, NoSolutionError
from derive.expressions.functions import STEPPED
from derive.expressions.sympy_bridge import from_sympy, to_sympy
from derive.expressions.tree import (
    Apply,
    Equation,
    Name,
    Node,
    Number,
    conjunction,
    names_in,
    operations,
    render,
    replaced,
    walk,
)
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.evaluation import terms, value
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out, unwound
from derive.numerics.algebra.like_terms import ZERO, arms_of, difference_of, when_binding
from derive.numerics.algebra.linear import Linear, linear_form
from derive.numerics.algebra.products import written_as_product
from derive.numerics.intervals.enclosure import enclose
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan, plan_for
from derive.solving.blocks.closed_forms import LARGEST_FORM, composed, domains_of, put_in
from derive.solving.blocks.free_unknowns import has_choice, is_divided_by
from derive.solving.blocks.substitution import expressed, may_be_lost
from derive.solving.blocks.system import System, agrees
from derive.solving.cancellation.typed_alone import definitions_in
from derive.solving.case_trees import Case, Cases, Fork, Tree, cases_of_arms, cases_of_stated
from derive.solving.determined_quantities import eliminates, eliminates_in_a_gap, generic, probed
from derive.solving.diagnosis.missing_givens import shortage
from derive.solving.execution.question import Outline, outlined
from derive.time_limits import query, stop_if_over, tick
from derive.tolerances import AGREEMENT, LEAST

if TYPE_CHECKING:
    from quantities.quantity import Quantity

_DRAWS = 3  # points at which a form is put back
_OTHER_PLANS = 12  # limit on plans tried for a form that is defined where another is not
_OTHER_FORMS = 4  # limit on such forms that are looked at

_Arm = tuple[Node, tuple[Node, ...]]
"""A closed form, and the conditions under which it is the one."""


def formula(library: RelationSet, target: str, given: Iterable[str]) -> Any:
    """The symbolic solution for a target: a sympy expression in givens, and in defaults where these fall short."""
    with query():
        outline = outlined(library, target, given)
        if outline.target in outline.strong:
            return library.quantities[target]
        cases = cases_of_stated(library, outline)
        if not cases.alternatives:
            by_arms = cases_of_arms(library, cases.outline)
            if by_arms is None:
                return _eliminated(library, cases.outline)
            library, cases = by_arms
        if eliminates_in_a_gap(library, cases):  # what is missing cancels there, and no plan has a form for it
            always = library.without(*(relation.name for relation in library.conditional))
            if not eliminates(always, cases.outline):  # else the same cancels in every case
                raise _no_closed_form(target, [])
            return _eliminated(always, cases.outline)
        open_cases = [case for case in cases.leaves if case.is_open]
        undecided = cases.partial or next(_following_in_some_case(library, cases.outline, open_cases), None)
        if undecided is not None or (open_cases and len(cases.alternatives) > 1):
            raise _undecided(target, undecided)
        try:
            arms = _joined_arms(library, cases, cases.alternatives)
            if not arms:
                raise _no_closed_form(target, [])
            form, conditions = arms[0]
            if conditions:
                form = Apply("piecewise", _parts(arms))
            if _has_gap(form):
                form = _without_gap(library, cases, form)
            if sum(1 for _ in islice(walk(form), LARGEST_FORM + 1)) > LARGEST_FORM:
                raise _too_large(target)
            return to_sympy(form, library.quantities)
        except (ValueError, TypeError, NotImplementedError) as error:
            # sympy refuses a choice in a condition without a default arm, and a comparison with what is undefined
            raise _no_closed_form(target, []) from error
        except RecursionError as error:  # sympy compares the conditions of a choice by calling itself
            raise _too_large(target) from error


def _following_in_some_case(library: RelationSet, outline: Outline, open_cases: Sequence[Case]) -> Iterator[Node]:
    """The assumed conditions that leave a target without a symbolic solution, as relations decide them in some case."""
    for case in open_cases:
        known = {*outline.strong, *case.plan.unknowns}
        # what only weak values lead to is left: they may yield, and counting them finds what no number follows for
        led_to = closure(structure_of(library), known).union(outline.weak)
        decided = {following.condition for following in case.following}
        for condition in case.assumed:
            if condition not in decided and led_to.issuperset(names_in(condition)):
                yield condition


def _eliminated(library: RelationSet, outline: Outline) -> Any:
    """The symbolic solution for a target that no plan inverts, as what is missing cancels, if generic numbers agree."""
    if eliminates(library, outline):
        answers = [probed(library, outline.target, outline.strong, draw) for draw in range(2)]
        forms = [answer.formula for answer in answers if answer is not None]
        if forms and all(form is not None and form == forms[0] for form in forms):
            return forms[0]
        raise _no_closed_form(outline.target, [])
    raise shortage(library, outline, {})


def _forms(library: RelationSet, plan: Plan) -> dict[str, Node]:
    """The symbolic solution for each unknown of a plan, in terms of the quantities that its block needs."""
    forms: dict[str, Node] = {}
    for block in plan.blocks:
        tick()
        forms |= _closed_forms(library, block)
    return forms


def _in_givens(target: str, forms: Mapping[str, Node]) -> Node:
    """The symbolic solution for a plan's quantity in the givens, with those of all other blocks put in."""
    if target not in forms:
        return Name(target)
    form = composed(target, forms)
    if form is None:
        raise _too_large(target)
    return form


def _too_large(target: str) -> LimitError:
    return LimitError(
        f"The closed form of {target} has more than {LARGEST_FORM} parts.",
        hint="Ask for an intermediate quantity; solve and compile do not need the closed form.",
        limit=f"{LARGEST_FORM} parts",
    )


def _arms(library: RelationSet, cases: Cases, tree: Tree, path: tuple[Node, ...] = ()) -> Iterator[_Arm]:
    """The symbolic solution for the target in each case of a tree, and the conditions that lead to the case."""
    if isinstance(tree, Fork):
        decided, holds = _when_decided(library, cases, tree.condition)
        yield from _arms(library, cases, tree.yes, (*path, holds))
        yield from _arms(library, cases, tree.no, (*path, *decided, Apply("not", (holds,))))
    elif tree is not None:
        try:
            forms = _forms(library, tree.plan)
        except NoSolutionError as error:
            if error.cause != Cause.NO_ROOT or not (path or tree.holding or tree.failing):
                raise
            return  # another case may have a solution
        own = [*tree.holding, *(Apply("not", (conjunction(conditions),)) for conditions in tree.failing)]
        for yielding in (*tree.yielding, *tree.following):
            own.append(yielding.condition)
            for plan in yielding.plans:
                forms |= _forms(library, plan)
        if path or own:  # elsewhere another case may have a solution
            own += _where_valid(library, tree.plan)
        in_givens = {name: _in_givens(name, forms) for name in names_in(*own) if name in forms}
        conditions = [put_in(condition, in_givens) for condition in own]
        form = _in_givens(tree.plan.target, forms)
        if conditions and tree.plan.target in forms:
            conditions += _limits(library, tree.plan.target, form)
        yield form, (*path, *conditions)


def _where_valid(library: RelationSet, plan: Plan) -> Iterator[Node]:
    """The conditions under which the inverse of a relation is a solution: sqrt(x) = d - 2 gives x where d is above 2.

    A relation with a choice in it has these in its arms.
    """
    for block in plan.blocks:
        (name, *others), written = block.unknowns, library.relations[block.relations[0]].written
        if others or has_choice(written, name):
            continue
        admissible = _admissible(library, name, isolate(written, name) or ())
        if len(admissible) == 1:
            form = unwound(admissible[0].form, 0)
            yield from (replaced(condition, Name(name), form) for condition in admissible[0].conditions)


def _when_decided(library: RelationSet, cases: Cases, condition: Node) -> tuple[tuple[Node, ...], Node]:
    """The conditions for the arms of a symbolic solution: where a fork is decided, and where it holds."""
    names = [name for name in names_in(condition) if name in cases.asides]
    ways = product(*(_joined_arms(library, cases, cases.asides[name]) for name in names))
    paths, holding = [], []
    for way in ways:
        path = tuple(chain.from_iterable(conditions for _, conditions in way))
        substituted = put_in(condition, {name: form for name, (form, _) in zip(names, way, strict=True)})
        paths.append(path)
        holding.append(conjunction((*path, substituted)))
    if len(paths) == 1:
        return paths[0], holding[0]
    return (Apply("or", tuple(map(conjunction, paths))),), Apply("or", tuple(holding))


def _joined_arms(library: RelationSet, cases: Cases, trees: Sequence[Tree]) -> list[_Arm]:
    """The symbolic solutions of all alternatives; where two that differ hold, there is no single value and no arm."""
    alternatives = [list(_arms(library, cases, tree)) for tree in trees]
    parts: list[_Arm] = []
    for i, arms in enumerate(alternatives):
        others = [*chain.from_iterable(alternatives[:i] + alternatives[i + 1 :])]
        for form, path in arms:
            rivals = [
                Apply("not", (conjunction((*conditions, *_where_defined(rival))),))
                for rival, conditions in others
                if not _are_same(library, rival, form)
            ]
            parts.append((form, (*path, *rivals)))
    return parts


def _where_defined(form: Node) -> tuple[Node, ...]:
    """The condition under which a symbolic solution with arms has a value; none with an arm for all other cases."""
    if not isinstance(form, Apply) or form.op != "piecewise" or len(form.args) % 2:
        return ()
    return (Apply("or", form.args[1::2]),)


def _has_gap(form: Node) -> bool:
    """Whether a symbolic solution holds a choice without an arm for all other cases."""
    return any(bool(_where_defined(part)) for part in walk(form))


def _without_gap(library: RelationSet, cases: Cases, form: Node) -> Node:
    """A symbolic solution by relations that always hold, alone or where the arms of this one do not; else this one.

    An arm may leave the unknown an interval, of which another relation takes one number: that one gives it everywhere.
    """
    for other in islice(_by_other_plans(library, cases), _OTHER_FORMS):
        if _is_defined_everywhere(library, other):
            return other
        if isinstance(form, Apply) and _where_defined(form):
            return Apply("piecewise", (*form.args, other))
    return form


def _by_other_plans(library: RelationSet, cases: Cases) -> Iterator[Node]:
    """The symbolic solutions without a gap, by exact relations without conditions and no weak values but definitions.

    A weak value is used in its own case alone, and yields in others.

    Where the solution of a block has a gap, or there is none, the block's relations are left out in turn.
    """
    outline = cases.outline
    weak = definitions_in(library, dict.fromkeys(chain.from_iterable(plan.weak for plan in cases.plans)))
    unsure = (name for name, relation in library.relations.items() if relation.conditions or relation.approximate)
    pending = [frozenset(unsure)]
    for left_out in islice(pending, _OTHER_PLANS):  # which grows on the way
        plan = plan_for(library, outline.target, outline.strong, weak, left_out, outline.stated)
        if not plan.is_determined or plan.is_joint:
            continue
        forms: dict[str, Node] = {}
        for block in plan.blocks:
            try:
                solutions = _closed_forms(library, block)
            except (AmbiguousError, LimitError, NoSolutionError):
                stop_if_over()
                solutions = {}
            if not solutions or any(map(_has_gap, solutions.values())):
                pending += [left_out | {relation} for relation in block.relations]
                break
            forms |= solutions
        else:
            yield _in_givens(outline.target, forms)


def _is_defined_everywhere(library: RelationSet, form: Node) -> bool:
    """Whether a symbolic solution has a value at all givens in their domains, as it divides by no zero."""
    enclosure = enclose(form, {name: library.declared[name].domain.closed for name in names_in(form)}, "")
    return enclosure is not None and not enclosure.partial


def _parts(arms: Iterable[_Arm]) -> tuple[Node, ...]:
    """The arguments of a symbolic choice between solutions: each solution followed by its condition."""
    return tuple(chain.from_iterable((form, conjunction(path)) for form, path in arms))


def _are_same(library: RelationSet, form: Node, other: Node) -> bool:
    return bool(to_sympy(form, library.quantities) == to_sympy(other, library.quantities))


def _closed_forms(library: RelationSet, block: Block) -> dict[str, Node]:
    """The unknowns of one block, each with its symbolic solution; an error if one has none, or several."""
    equations = [library.relations[name].written for name in block.relations]
    if len(block.unknowns) == 1:
        name = block.unknowns[0]
        return {name: _single(library, equations[0], name)}
    differences = [*map(difference_of, equations)]
    linear = solved_in_symbols(differences, block.unknowns, library.quantities)
    is_estimate = any(library.relations[relation].approximate for relation in block.relations)
    if linear and ZERO in linear.values() and is_estimate:
        raise _no_closed_form(", ".join(block.unknowns), equations)  # the estimate may only repeat the others
    forms = linear or _by_tear(library, equations, block)
    if any(written_as_product(put_in(divisor, forms)) == ZERO for divisor in _divisors(equations)):
        raise NoSolutionError(
            f"{', '.join(block.unknowns)}: {'; '.join(map(str, equations))} divides by zero at the only solution.",
            hint="Leave one of the relations out, or give other quantities.",
            reason="a divisor is zero",
            cause=Cause.NO_ROOT,
        )
    return forms


def _divisors(equations: Iterable[Equation]) -> list[Node]:
    """The divisors in a block's equations: at a solution none is zero, as x is not in `y = a/x`."""
    sides = chain.from_iterable(equation.sides for equation in equations)
    return [operation.args[0] for operation in operations(*sides, among=("inv",))]


def _single(library: RelationSet, equation: Equation, name: str, further: Sequence[Node] = ()) -> Node:
    """The one symbolic solution of an equation for an unknown; an error if there is none, or several are left.

    Of several arms each holds only under the further conditions, which are on the unknown too.
    """
    candidates = isolate(equation, name) or ()
    powers = [*chain.from_iterable(candidate.powers for candidate in candidates)]
    if leaves_out(powers, domains_of(library, names_in(*powers))):
        raise _no_closed_form(name, [equation])
    admissible = _admissible(library, name, candidates)
    if not admissible:
        raise _no_closed_form(name, [equation])
    satisfying = (candidate for candidate in admissible if _satisfies(library, equation, name, candidate))
    if is_divided_by(equation, name) and next(satisfying, None) is None:
        raise _no_closed_form(name, [equation])
    if has_choice(equation, name):
        free = tuple(_where_any_value_does(equation, name))
        if len(admissible) > 1:
            admissible = [
                replace(
                    candidate,
                    conditions=(*candidate.conditions, *_limits(library, name, candidate.form), *further),
                )
                for candidate in admissible
            ]
        return _by_arms(name, admissible, free, is_single=_is_monotone(library, equation, name))
    if len(admissible) > 1:
        several = [to_sympy(unwound(candidate.form, 0), library.quantities) for candidate in admissible]
        raise AmbiguousError(
            f"{name} has {len(several)} closed forms: {'; '.join(map(str, several))}.",
            hint="A narrower domain may decide; numbers always do.",
            answers=tuple(several),
        )
    return unwound(admissible[0].form, 0)


def _limits(library: RelationSet, name: str, form: Node) -> Iterator[Node]:
    """The conditions under which a symbolic solution is in the unknown's domain, for each end that it may be beyond."""
    domain = library.declared[name].domain
    enclosure = enclose(form, domains_of(library, names_in(form)), "")
    low, high = (-math.inf, math.inf) if enclosure is None else enclosure.values
    if domain.low > low or (domain.open_low and domain.low == low):
        yield Apply("gt" if domain.open_low else "ge", (form, Number(stated(domain.low))))
    if domain.high < high:
        yield Apply("le", (form, Number(stated(domain.high))))


def _admissible(library: RelationSet, name: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates for a symbolic solution that may lie in the unknown's domain."""
    return [candidate for candidate in candidates if _fits_domain(library, name, candidate)]


def _fits_domain(library: RelationSet, name: str, candidate: Candidate) -> bool:
    """Whether a symbolic solution fits the unknown's domain by its sign, as far as sympy can tell that."""
    form = to_sympy(unwound(candidate.form, 0), library.quantities)
    domain = library.declared[name].domain
    if form.is_real is False or (domain.low >= 0 and form.is_negative):
        return False
    return not (domain.low >= 0 and domain.open_low and form.is_zero)


def _satisfies(library: RelationSet, equation: Equation, name: str, candidate: Candidate) -> bool:
    """Whether the symbolic solution for an unknown satisfies its relation at one of several random points."""
    names = [other for other in names_in(equation.lhs, equation.rhs) if other != name]
    points = ({other: generic(library.declared[other], draw) for other in names} for draw in range(_DRAWS))
    return any(agrees(equation, {**known, name: value(unwound(candidate.form, 0), known)}) for known in points)


def _is_monotone(library: RelationSet, equation: Equation, name: str) -> bool:
    """Whether only one symbolic solution for an unknown can hold: the equation's sides are equal for at most one value.

    No other quantity is taken to be zero. Without steps and poles, a difference of the sides with slopes of one sign
    rises or falls everywhere.
    """
    box = {}
    for other in names_in(equation.lhs, equation.rhs):
        low, high = library.declared[other].domain.closed
        box[other] = (low or LEAST, high)
    for part in walk(equation.lhs, equation.rhs):
        if isinstance(part, Apply) and name in names_in(part) and part.op in ("inv", "tan", "piecewise", *STEPPED):
            divisor = enclose(part.args[0], box, "") if part.op == "inv" else None
            if divisor is None or not divisor.misses_zero:
                return False
    enclosure = enclose(difference_of(equation), box, name)
    return enclosure is not None and (enclosure.slopes[0] >= 0 or enclosure.slopes[1] <= 0)


def _where_any_value_does(equation: Equation, name: str) -> Iterator[Node]:
    """The conditions under which no symbolic solution holds: an arm without the unknown lets it have any value.

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
            decided = [condition for condition in binding if name not in names_in(condition)]
            if len(decided) < len(binding):  # else no other arm of this choice is taken there
                yield conjunction((*decided, Apply("eq", sides)))


def _by_arms(name: str, candidates: Sequence[Candidate], free: tuple[Node, ...], is_single: bool) -> Node:
    """The symbolic solution with arms: each arm's inverse under its conditions, where no inverse that differs holds.

    None of them holds under a condition in `free`: any value satisfies the equation there.
    """
    forms = [unwound(candidate.form, 0) for candidate in candidates]
    arms: list[_Arm] = []
    for candidate, form in zip(candidates, forms, strict=True):
        arms.append((form, tuple(replaced(condition, Name(name), form) for condition in candidate.conditions)))
    default = next((i for i, (_, conditions) in enumerate(arms) if not conditions), None)
    if is_single and default is not None:  # an inverse without conditions holds wherever the others do not
        return Apply("piecewise", (*_parts(arms[:default]), forms[default])) if default else forms[default]
    not_free = [Apply("not", (condition,)) for condition in free]
    exclusive: list[_Arm] = []
    for form, conditions in arms:
        rivals = [] if is_single else [(other, others) for other, others in arms if other != form]
        differ = (conjunction((*others, Apply("ne", (other, form)))) for other, others in rivals)
        exclusive.append((form, (*conditions, *(Apply("not", (rival,)) for rival in differ), *not_free)))
    return Apply("piecewise", _parts(exclusive))


def _by_tear(library: RelationSet, equations: list[Equation], block: Block) -> dict[str, Node]:
    """The symbolic solutions of a block whose unknowns are all written in one, for which it is solved.

    A division by an expression that may be zero at a solution would lose that solution: it is refused.
    """
    divisors = [divisor for divisor in _divisors(equations) if not {*names_in(divisor)}.isdisjoint(block.unknowns)]
    # what cancels adds no root
    equations = [equation.changed(written_as_product) for equation in equations]
    names = names_in(*chain.from_iterable((equation.lhs, equation.rhs) for equation in equations))
    domains = {name: library.declared[name].domain for name in block.unknowns}
    known = {name: generic(library.declared[name], 0) for name in names if name not in domains}
    system = System(tuple(equations), block.unknowns, known, domains)
    for tear in block.unknowns:
        branches = expressed(equations, block.unknowns, tear)
        if len(branches) != 1 or not isolate(branches[0].left[0], tear):
            continue
        if any(may_be_lost(expression, divisor, system) for expression, divisor in branches[0].lost):
            continue
        limits = (_limits(library, name, form) for name, form in branches[0].forms.items())
        not_zero = (Apply("ne", (put_in(divisor, branches[0].forms), ZERO)) for divisor in divisors)
        further = (*branches[0].conditions, *chain.from_iterable(limits), *not_zero)
        last = _single(library, branches[0].left[0], tear, further)
        return {tear: last, **{name: written_as_product(form) for name, form in branches[0].forms.items()}}
    raise _no_closed_form(", ".join(block.unknowns), equations)


def _undecided(name: str, condition: Node | None) -> NoSolutionError:
    what = "which of several cases holds" if condition is None else f"whether {render(condition)}"
    return NoSolutionError(
        f"{name} has no closed form: {what} is decided at some numbers only and assumed at others.",
        hint="solve and compile find its value numerically; give the quantities in the condition.",
        reason="no closed form",
    )


def _no_closed_form(name: str, equations: Sequence[Equation]) -> NoSolutionError:
    source = f" from {'; '.join(map(str, equations))}" if equations else ""
    return NoSolutionError(
        f"{name} has no closed form{source}.",
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
    """The symbolic solution of linear equations, by determinants; None if they are not linear, or singular.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> system = [parse_expression("x + y - a"), parse_expression("x - y - b")]
    >>> found = solved_in_symbols(system, ["x", "y"], {name: Quantity(name) for name in "abxy"})
    >>> {name: render(form) for name, form in found.items()}
    {'x': '0.5*a + 0.5*b', 'y': '0.5*a - 0.5*b'}
    """
    linear = [linear_form(difference, frozenset(unknowns)) for difference in differences]
    if any(form is None for form in linear):
        return None
    rows = _rows([form for form in linear if form is not None], unknowns, quantities)
    determinant = _determinant(rows, list(range(len(unknowns))))
    if not determinant or _vanishes(from_sympy(determinant.as_expr())[0]):
        return None
    solution = {}
    for i, name in enumerate(unknowns):
        columns = list(range(len(unknowns)))
        columns[i] = len(unknowns)
        numerator = _determinant(rows, columns) or determinant.ring.zero
        is_small = len(numerator) * len(determinant) <= _CANCELLED
        if is_small:  # cancel common factors
            quotient = (numerator.ring.to_field()(numerator) / determinant).as_expr()
        else:
            quotient = numerator.as_expr() / determinant.as_expr()
        solution[name] = from_sympy(quotient)[0]
    return solution


def _rows(linear: Sequence[Linear], unknowns: Sequence[str], quantities: Mapping[str, Quantity]) -> Rows:
    """The rows of symbolic determinants: coefficients as polynomials without denominators, the right side last."""
    column_of: dict[str | None, int] = {name: i for i, name in enumerate(unknowns)}
    column_of[None] = len(unknowns)
    entries = []
    for i, form in enumerate(linear):
        entries += [(i, column_of[name], to_sympy(node, quantities)) for name, node in form.items()]
    signed = [-entry if column == len(unknowns) else entry for _, column, entry in entries]
    _, elements = sfield([*signed, sympy.Dummy()])  # a field of fractions needs a symbol, even if nothing holds it
    rows: list[dict[int, Any]] = [{} for _ in linear]
    for (i, column, _), element in zip(entries, elements, strict=False):
        if element:
            rows[i][column] = element
    return [_cleared(row) for row in sorted(rows, key=len)]


def _cleared(row: Mapping[int, Any]) -> dict[int, Any]:
    """A row of symbolic coefficients, multiplied by the common denominator of its entries, for a determinant."""
    common: Any = 1
    for element in row.values():
        common = element.denom if common == 1 else common.lcm(element.denom)
    return {column: (element * common).numer for column, element in row.items()}


def _determinant(rows: Rows, columns: list[int]) -> Any:
    """The determinant of symbolic rows in some columns, by which Cramer's rule writes closed forms."""
    minors: dict[tuple[int, ...], Any] = {}

    def minor(row: int, columns_left: tuple[int, ...]) -> Any:
        """The minor of the symbolic rows from one on, in the columns left, computed once for the same columns."""
        if row == len(rows):
            return 1
        if columns_left not in minors:
            total: Any = 0
            for i, column in enumerate(columns_left):
                entry = rows[row].get(column)
                inner = minor(row + 1, columns_left[:i] + columns_left[i + 1 :]) if entry is not None else 0
                total += (-1) ** i * entry * inner if inner else 0
                _check(total, len(minors))
            minors[columns_left] = total
        return minors[columns_left]

    return minor(0, tuple(columns))


def _check(polynomial: Any, count: int) -> None:
    """Refuse a closed form by Cramer's rule whose symbolic determinant has too many terms, or too many minors."""
    tick()
    if count > _TERMS or (polynomial and len(polynomial) > _TERMS):
        raise LimitError(
            f"The closed form of this linear system has more than {_TERMS} terms.",
            hint="solve and compile do not need the closed form.",
            limit=f"{_TERMS} terms",
        )


def _vanishes(form: Node) -> bool:
    """Whether a symbolic determinant is zero at every trial point, as it may be if its symbols depend on each other."""
    for first, step in _TRIED:
        point = {name: first + step * i for i, name in enumerate(names_in(form))}
        size = sum(abs(value(term, point)) for term in terms(form))
        if not abs(value(form, point)) <= AGREEMENT * size:
            return False
    return True
