"""Consistency of overdetermined givens, tested point by point.

Where the givens determine a relation that the target does not need, its two sides are compared at every point. Where
they differ, the compiled lines have no answer or the wrong one of several, and the solver is called. So it is where a
quantity that the target does not need leaves its domain, or fits none of the cases that open quantities decide.

A zero among the givens may take an unknown out of a relation. By counting, `y = b*c*z` fixes one of b and c; where z is
zero, it says that y is zero too. Givens that are left alone there are tested. Else compiled functions ask the solver,
and a program for a browser says that only the solver can tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy

from derive.caches import Memo
from derive.errors import DeriveError
from derive.expressions.tree import (
    Apply,
    Equation,
    Node,
    Number,
    conjunction,
    names_in,
    operations,
    replaced,
    with_forms,
)
from derive.kernels.backends.emitter import Sheet, Writer, apart
from derive.kernels.backends.python_numpy import Arrays
from derive.kernels.several_targets import JointFunctions, points_at
from derive.model.conditions import are_exclusive
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import ZERO, simplified
from derive.planning.incidence import structure_of
from derive.planning.matching import Matching, closure
from derive.planning.plan import Block, Plan
from derive.solving.blocks.closed_forms import arms_in_closed_form, closed_forms, divisors_beside, may_be_zero
from derive.solving.cancellation.elimination import required_of_givens
from derive.solving.cancellation.jacobian_rank import repeated_among, structure_of_combined
from derive.solving.case_trees import Case, Cases, Fork, Tree, plans_for
from derive.solving.determined_quantities import generic
from derive.solving.diagnosis.domain_violations import leaving_blocks_in_a_case, leaving_from, may_be_undefined
from derive.tolerances import AGREEMENT, CONTRADICTION

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from quantities.declaration import Declaration
    from quantities.domain import Domain
    from quantities.value import Value


_MOST_ASKED = 1000  # limit on points at which the solver is called one by one
_SETS = 16  # limit on sets of dependent relations that are looked at
_TRIED = 12  # points at which it is called where there are more

GivensTest = tuple[tuple[str, ...], Callable[..., Any]]
"""A test of givens: the names of quantities, and a function of their numbers in base units. It is positive where the
givens contradict each other, and NaN where lines do not decide that."""


def said_twice(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[str, ...]:
    """The exact relations on which compiled functions test that givens agree: overdetermined ones, and known limits.

    They need not lead to the target: givens that contradict each other elsewhere are contradictory, as for an answer.
    """
    redundant, known = surplus(library, strong, plans)
    limits = [relation.name for relation in library.inequalities]

    def is_untested(name: str) -> bool:
        """Whether givens may disagree on a relation: some plan neither uses nor excludes it, or there is no plan."""
        relation = library.relations[name]
        not_using = (plan for plan in plans if name not in plan.relations)
        return not plans or any(not _excludes(library, plan, relation) for plan in not_using)

    candidates = [*(name for name in library.relations if name in redundant and is_untested(name)), *limits]
    exact = [name for name in candidates if library.relations[name].approximate is None]
    return tuple(name for name in exact if known.issuperset(library.members[name]))


def surplus(
    library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]
) -> tuple[frozenset[str], frozenset[str]]:
    """The equations on which givens may disagree, as they overdetermine them, and all quantities that they determine.

    Overdetermined are the equations for which no unknown is left, and all that lead to the quantities in them. Every
    other equation holds by construction: its own unknown follows from it.
    """
    excluded = (relation.name for relation in library.conditional if _is_of_another_case(library, relation, plans))
    structure = structure_of(library, frozenset(excluded))
    known, matching = closure(structure, strong), Matching(frozenset(strong))
    unmatched = [name for name, members in structure.members.items() if not matching.add(name, members)]
    redundant = [name for name in unmatched if known.issuperset(structure.members[name])]
    leading = map(matching.relations_for, structure.quantities_of(redundant))
    return frozenset({*redundant}.union(*leading)), known


def leaving_beside(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[Block, ...]:
    """The blocks outside some plan that givens determine, and whose domains test whether the givens agree.

    What follows from a target that only a search gives is tested once its number is known.
    """
    leaving = leaving_from(library, strong)
    exits = [leaving]
    exits += (leaving_from(library, (*strong, name)) for name in {plan.target for plan in plans} & leaving.searched)
    computed = _computed_always(plans)
    blocks = chain.from_iterable(
        [block for block in each.blocks if not (each.names - computed).isdisjoint(block.unknowns)] for each in exits
    )
    return tuple(dict.fromkeys(blocks))


def leaving_beside_in_any_case(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[Block, ...]:
    """All blocks whose domains test whether givens agree: of `leaving_beside` and `leaving_in_some_case`."""
    return *leaving_beside(library, strong, plans), *leaving_in_some_case(library, strong, plans)


def leaving_in_some_case(library: RelationSet, strong: Sequence[str], plans: Sequence[Plan]) -> tuple[Block, ...]:
    """The further blocks whose domains test whether givens agree, where relations under conditions apply."""
    blocks = leaving_blocks_in_a_case(library, strong)
    if not blocks:
        return ()
    known, always = closure(structure_of(library), strong), _computed_always(plans)

    def is_reached(block: Block) -> bool:
        conditions = conditions_of(library, block.relations)
        return known.issuperset([*library.held_by(block.relations), *names_in(*conditions)])

    return tuple(block for block in blocks if always.isdisjoint(block.unknowns) and is_reached(block))


def conditions_of(library: RelationSet, relations: Iterable[str]) -> tuple[Node, ...]:
    """The conditions under which some relations apply, so that givens have to agree on them."""
    return tuple(chain.from_iterable(library.relations[name].conditions for name in relations))


def _computed_always(plans: Sequence[Plan]) -> set[str]:
    """The quantities that every plan for a target computes: compiled lines test their domains, agreement need not."""
    return set.intersection(*({*plan.unknowns} for plan in plans)) if plans else set()


def _defined_text_of(form: Node, divisors: Sequence[Node], text: Writer) -> str:
    """The text of the form that tests whether givens agree with a domain; NaN where its relation divides by zero."""
    value = text(form)
    for divisor in divisors:
        value = f"np.where({text_of_test(Equation(divisor, '=', ZERO), text)}, nan, {value})"
    return value


def _divisors_of(library: RelationSet, block: Block, form: Node) -> list[Node]:
    """The divisors of a relation that its closed form hides, and that a test whether givens agree has to see."""
    divisors = divisors_beside(library, [library.relations[block.relations[0]].written], [form])
    return [with_forms(divisor, {block.unknowns[0]: form}) for divisor in divisors]


def _sure_of(condition: Node, text: Writer) -> str:
    return f"sure({text(condition)})"


def outside(library: RelationSet, block: Block) -> GivensTest:
    """A function that is positive where givens do not agree with a domain by any closed form of a block, and its names.

    So they do where a form makes a divisor of its relation zero. The function is negative where a condition of the
    block's relations fails, or one of the names has no number. Without a closed form, as where the unknown is rounded,
    it is NaN elsewhere: only the solver knows.
    """
    if arms := arms_in_closed_form(library, block):
        return _outside_by_arms(library, block, arms)
    forms, domain = closed_forms(library, block), library.declared[block.unknowns[0]].domain
    conditions = conditions_of(library, block.relations)
    divisors = [_divisors_of(library, block, form) for form in forms]
    names = names_in(*forms, *conditions, *chain.from_iterable(divisors))
    is_silent = may_be_undefined(library, block)
    functions = [tested(names, partial(_defined_text_of, *pair)) for pair in zip(forms, divisors, strict=True)]
    tests = [tested(names, partial(_sure_of, condition)) for condition in conditions]
    measure = 1.0 if forms else math.nan

    def gap(*numbers: Any) -> Any:
        values = [numpy.asarray(function(*numbers), dtype=float) for function in functions]
        verdicts = [_is_left(domain, column, where_undefined=not is_silent) for column in values]
        verdicts += [numpy.asarray(test(*numbers), dtype=bool) for test in tests]
        verdicts += [numpy.isfinite(column) for column in numbers]
        are_all_left = numpy.logical_and.reduce(numpy.broadcast_arrays(*verdicts))
        return numpy.where(are_all_left, measure, -1.0)

    return names, gap


def _is_left(domain: Domain, values: Any, *, where_undefined: bool) -> Any:
    """Whether numbers by which givens are tested lie outside a domain, beyond rounding."""
    slack = CONTRADICTION * numpy.abs(values)
    low = values <= domain.low if domain.open_low else values < domain.low - slack
    return numpy.where(numpy.isfinite(values), low | (values > domain.high + slack), where_undefined)


def _outside_by_arms(
    library: RelationSet, block: Block, arms: Sequence[tuple[Equation, tuple[Node, ...]]]
) -> GivensTest:
    """The function of `outside` for an unknown in a max or min, which has no value that agrees if no arm gives one.

    Where an arm without the unknown fits, that may be anything up to a limit of its own: the function is NaN there.
    """
    name, conditions = block.unknowns[0], conditions_of(library, block.relations)
    written, domain = library.relations[block.relations[0]].written, library.declared[name].domain
    forms = [*chain.from_iterable(own for _, own in arms)]
    put_in = [written.changed(partial(with_forms, forms={name: form})) for form in forms]
    alone = [variant for variant, own in arms if not own]
    names = tuple(dict.fromkeys(chain(names_in(*forms, *conditions), *(equation.names for equation in put_in))))
    values = [tested(names, partial(_defined_text_of, form, ())) for form in forms]
    gaps = [tested(names, partial(_gap_text_of, equation)) for equation in put_in]
    ties = [tested(names, partial(_gap_text_of, equation)) for equation in alone]
    tests = [tested(names, partial(_sure_of, condition)) for condition in conditions]

    def gap(*numbers: Any) -> Any:
        """-1 where a form fits or nothing applies, 1 where none fits, no number where only the equation holds."""

        def computed(function: Callable[..., Any]) -> Any:
            return numpy.asarray(function(*numbers), dtype=float)

        fitting: Any = False
        for number, its_gap in zip(map(computed, values), map(computed, gaps), strict=True):
            fitting = fitting | (~_is_left(domain, number, where_undefined=True) & (its_gap <= 0))
        is_tied: Any = False
        for tie in map(computed, ties):
            is_tied = is_tied | (tie <= 0)
        applies = [numpy.asarray(test(*numbers), dtype=bool) for test in tests]
        applies += [numpy.isfinite(column) for column in numbers]
        verdict = numpy.where(fitting, -1.0, numpy.where(is_tied, math.nan, 1.0))
        return numpy.where(numpy.logical_and.reduce(numpy.broadcast_arrays(*applies)), verdict, -1.0)

    return names, gap


def text_of_test(equation: Equation, text: Writer, tolerance: float = AGREEMENT) -> str:
    """The text of whether an equation holds within a tolerance, at the numbers of which it is tested if they agree."""
    left, right, size = apart(equation, text)
    return f"(np.abs({left} - {right}) <= {tolerance!r} * {size})"


def _gap_text_of(equation: Equation, text: Writer) -> str:
    """The text of how far the sides of an equation differ beyond tolerance, where givens are to agree on it."""
    left, right, size = apart(equation, text)
    return f"(np.abs({left} - {right}) - {CONTRADICTION!r} * {size})"


def _is_of_another_case(library: RelationSet, relation: Relation, plans: Sequence[Plan]) -> bool:
    """Whether givens need not agree on a relation, as each plan for the target uses one that excludes it."""
    return bool(plans) and all(_excludes(library, plan, relation) for plan in plans)


def _excludes(library: RelationSet, plan: Plan, relation: Relation) -> bool:
    """Whether a plan uses a relation that never applies together with the one on which givens are to agree."""
    return are_exclusive(conditions_of(library, plan.relations), relation.conditions)


def gap_of(relation: Relation, tolerance: float = CONTRADICTION) -> GivensTest:
    """A function of a relation's numbers that measures how far the givens are from agreeing on it, and its names.

    The measure is positive where the relation is contradicted, and NaN where that is undecided.
    """
    equation = relation.written
    names = names_in(equation.lhs, equation.rhs, *relation.conditions)

    def write(text: Writer) -> str:
        left, right, size = apart(equation, text, is_estimate=relation.approximate is not None)
        gap = {"=": f"np.abs({left} - {right})", "<=": f"({left} - {right})", ">=": f"({right} - {left})"}
        applies = "".join(f" * sure({text(condition)})" for condition in relation.conditions)
        return f"({gap[equation.op]} - {tolerance!r} * {size}){applies}"

    return names, tested(names, write)


def zero_gaps(library: RelationSet, cases: Cases) -> Iterator[GivensTest]:
    """The givens that have to agree only where one is zero, and a function of each that is positive where they do not.

    Where the givens alone do not show whether they do, it is NaN.
    """
    for zero in deciding_zeros(library, cases):
        names = names_in(zero.factor, zero.rest) if zero.is_known else names_in(zero.factor)
        yield names, tested(names, partial(_text_at_zero, zero))


def _text_at_zero(zero: DecidingZero, text: Writer) -> str:
    verdict = _gap_text_of(zero.rest, text) if zero.is_known else "nan"
    return f"np.where({text_of_test(Equation(zero.factor, '=', ZERO), text)}, {verdict}, -1.0)"


def definitions_determined(library: RelationSet, strong: Iterable[str]) -> list[str]:
    """The quantities that givens determine, and may contradict, as they are defined otherwise (`kind = "exact"`)."""
    typed = {*strong}
    defined = [name for name, default in library.defaults.items() if default.source.kind == "exact"]
    if typed.issuperset(defined):
        return []
    known = closure(structure_of(library), typed)
    return [name for name in defined if name in known and name not in typed]


def definition_gaps(library: RelationSet, strong: Iterable[str]) -> Iterator[GivensTest]:
    """The definitions with which givens have to agree, and a function of each that is positive where they do not."""
    for name in definitions_determined(library, strong):
        yield (name,), partial(_gap_of_definition, library.defaults[name])


def _gap_of_definition(stated: Value, number: Any) -> Any:
    """How far a number is from a definition with which the givens have to agree; negative where there is none."""
    low, high = stated.as_rounded
    beyond = numpy.maximum(low - number, number - high)
    gap = beyond - AGREEMENT * numpy.maximum(numpy.abs(number), abs(stated.base[1]))
    return numpy.where(numpy.isnan(number), -1.0, gap)


def cancelling_gaps(library: RelationSet, strong: Sequence[str], tests: Container[str]) -> Iterator[GivensTest]:
    """The givens that have to agree as all else cancels between dependent relations, of which none is a test already.

    The function of each is negative where they do, and NaN elsewhere: elimination holds where factors are not zero.
    """
    for relations, equation in _cancelling(library, frozenset(strong)):
        if not any(relation in tests for relation in relations):
            yield equation.names, tested(equation.names, partial(_text_of_doubt, equation))


def _text_of_doubt(equation: Equation, text: Writer) -> str:
    return f"np.where({text_of_test(equation, text, CONTRADICTION)}, -1.0, nan)"


def _cancelling(library: RelationSet, strong: frozenset[str]) -> tuple[tuple[tuple[str, ...], Equation], ...]:
    """The equations of givens alone that sets of dependent relations leave, each with these relations."""

    def equations() -> Iterator[tuple[tuple[str, ...], Equation]]:
        """Each set of dependent relations with the equations that it leaves of the givens at generic numbers."""
        listed = library.relations.values()
        unsure = frozenset(relation.name for relation in listed if relation.conditions or not relation.is_exact)
        structure = structure_of_combined(library, strong, unsure, is_generic=True)
        numbers = {name: generic(library.declared[name], 0) for name in strong}
        for relations in islice(repeated_among(library, structure, strong, {}), _SETS):
            for equation in required_of_givens(library, relations, numbers):
                if equation.names:
                    yield relations, equation

    return _CANCELLING.of(library.session, strong, lambda: tuple(equations()))


def unfit_gaps(library: RelationSet, strong: Sequence[str]) -> Iterator[GivensTest]:
    """The givens that have to agree with one of some relations, each of its own case, which open quantities decide.

    The function of each is NaN where none of them fits, and negative elsewhere: only the solver goes through the cases.
    """
    fixed = closure(structure_of(library, frozenset(relation.name for relation in library.conditional)), strong)
    by_conditions: dict[frozenset[str], list[Relation]] = {}
    by_unknown: dict[str, list[Relation]] = {}
    for relation in library.conditional:
        missing = {*relation.members} - fixed
        asked = frozenset(names_in(*relation.conditions))
        if not (relation.is_equation and relation.is_exact) or asked <= fixed:
            continue
        if not missing:
            by_conditions.setdefault(asked, []).append(relation)
        elif len(missing) == 1 and missing <= asked:
            by_unknown.setdefault(missing.pop(), []).append(relation)
    for relations in by_conditions.values():
        if len(relations) > 1:
            names = names_in(*chain.from_iterable(relation.written.sides for relation in relations))
            yield names, tested(names, partial(_text_where_all_fail, [relation.written for relation in relations]))
    for unknown, relations in by_unknown.items():
        tests = [*chain.from_iterable(_tests_of_forms(library, relation, unknown) for relation in relations)]
        names = names_in(*tests)
        if tests and fixed.issuperset(names):
            yield names, tested(names, partial(_text_where_none_holds, tests))


def _tests_of_forms(library: RelationSet, relation: Relation, unknown: str) -> Iterator[Node]:
    """The conditions, one for each form, on which a relation gives its open quantity a value that givens agree with."""
    domain = library.declared[unknown].domain
    for form in closed_forms(library, Block((relation.name,), (unknown,))):
        tests = [with_forms(condition, {unknown: form}) for condition in relation.conditions]
        if math.isfinite(domain.low):
            tests.append(Apply("gt" if domain.open_low else "ge", (form, Number(Fraction(domain.low)))))
        if math.isfinite(domain.high):
            tests.append(Apply("le", (form, Number(Fraction(domain.high)))))
        yield conjunction(tests)


def _text_where_all_fail(equations: Sequence[Equation], text: Writer) -> str:
    """The text that is no number where givens agree with none of some equations, and negative elsewhere."""
    fails = (f"({_gap_text_of(equation, text)} > 0)" for equation in equations)
    return f"np.where({' & '.join(fails)}, nan, -1.0)"


def _text_where_none_holds(tests: Sequence[Node], text: Writer) -> str:
    """The text that is no number where givens satisfy none of some conditions, and negative elsewhere."""
    return f"np.where({' | '.join(f'sure({text(test)})' for test in tests)}, -1.0, nan)"


def tested(names: Sequence[str], write: Callable[[Writer], str], **calls: Any) -> Callable[..., Any]:
    """Compile a test of whether givens agree, over arrays in base units; `write` makes its text from other texts."""
    sheet = Sheet(Arrays(), names)
    scope = sheet.start()
    sheet.space |= calls
    return sheet.function(write(lambda node: sheet.expression(node, scope)))


def based(numbers: Any, quantity: Declaration) -> Any:
    """A quantity's numbers in base units, in which it is tested that givens agree; they come in its declared unit."""
    scaled = numbers * float(quantity.unit.size)
    return scaled + float(quantity.unit.offset) if quantity.unit.offset else scaled


@dataclass(frozen=True)
class Agreement:
    """The checks of what the givens of a target state twice."""

    library: RelationSet
    cases: Cases
    gaps: tuple[GivensTest, ...]
    beside: JointFunctions  # quantities in these relations that are neither given nor targets

    def kept(self, values: Sequence[Any], result: Any, solved: Callable[[Sequence[float]], float]) -> Any:
        """The compiled values of the target where the givens agree, and the solver's answers where they may not."""
        outline = self.cases.outline
        strong_values = dict(zip(outline.strong, values, strict=True))
        columns = self.beside([strong_values[name] for name in self.beside.names])
        others = dict(zip((other.target for other in self.beside.outlines), columns, strict=True))
        numbers = {**others, outline.target: result, **strong_values}
        bases = {name: based(numpy.asarray(x, dtype=float), self.library.declared[name]) for name, x in numbers.items()}
        with numpy.errstate(all="ignore"):
            gaps = [gap(*(bases[name] for name in names)) for names, gap in self.gaps]
        agreed_values = agreed(numpy.asarray(result, dtype=float), gaps, values, solved)
        return agreed_values if agreed_values.shape else float(agreed_values)


def agreed(column: Any, gaps: Iterable[Any], arrays: Sequence[Any], ask: Callable[[Sequence[float]], float]) -> Any:
    """The compiled column of a target where its givens agree; where gaps show that they may not, the solver's answers.

    Where neither the target nor the test has a number, the lines divide by zero, and the solver may know another way.
    If those points are too many, it answers some of them: the compiled numbers stand unless an answer differs.
    """
    wrong, doubtful = numpy.zeros((2, *column.shape), bool)
    for gap in gaps:
        wrong |= gap > 0
        doubtful |= numpy.isnan(gap)
    open_points = wrong | doubtful
    if not open_points.any():
        return column
    column = numpy.where(wrong, numpy.nan, column)
    if open_points.sum() <= _MOST_ASKED:
        column[open_points] = [ask(point) for point in points_at(open_points, arrays)]
        return column
    tried = _some_of(doubtful & ~numpy.isnan(column))
    pairs = zip(column[tried], map(ask, points_at(tried, arrays)), strict=True)
    if not all(abs(number - answer) <= AGREEMENT * abs(answer) for number, answer in pairs):
        column[doubtful] = numpy.nan
    return column


def _some_of(points: Any) -> Any:
    """A few of the points at which the solver is asked whether givens agree, from the first to the last."""
    places = numpy.flatnonzero(points)
    chosen = numpy.zeros(points.shape, bool)
    if len(places):
        chosen.flat[places[numpy.linspace(0, len(places) - 1, _TRIED, dtype=int)]] = True
    return chosen


def gaps_beside(
    library: RelationSet, cases: Cases, strong: Sequence[str], blocks: Iterable[Block], checks: Container[str]
) -> Iterator[GivensTest]:
    """The tests of whether givens agree beside what its `checks` compare: on the domains of blocks, at zeros, by cases.

    None of them repeats a check.
    """
    yield from (outside(library, block) for block in blocks)
    yield from zero_gaps(library, cases)
    yield from cancelling_gaps(library, strong, checks)
    yield from unfit_gaps(library, strong)
    yield from definition_gaps(library, strong)


def agreement(library: RelationSet, cases: Cases) -> Agreement | None:
    """What tests at each point whether the givens of a compiled target agree; None if there is nothing to test."""
    plans_of_each = testing(library, cases)
    beside: dict[str, Cases] = {}
    for plans_of_members in plans_of_each.values():
        beside |= plans_of_members
    gaps = [gap_of(library.relations[name]) for name in plans_of_each]
    strong, target = cases.outline.strong, cases.outline.target
    blocks = leaving_beside_in_any_case(library, strong, cases.plans)
    for names, gap in gaps_beside(library, cases, strong, blocks, plans_of_each):
        plans_here = {name: plans_for(library, name, strong) for name in names if name not in (*strong, target)}
        known_here = {name: plans for name, plans in plans_here.items() if plans is not None}
        if len(known_here) == len(plans_here):
            beside |= known_here
            gaps.append((names, gap))
    return Agreement(library, cases, tuple(gaps), JointFunctions(library, list(beside.values()))) if gaps else None


def _with_fallback(library: RelationSet, name: str, cases: Cases | None) -> Cases | None:
    """The plans for a quantity in the condition of a test of givens, with its fallback where no relation gives it."""
    default = library.declared[name].default
    if cases is None or default is None or default.is_range or not default.source.stands_in:
        return cases
    return replace(cases, alternatives=tuple(_filled(tree, name) for tree in cases.alternatives))


def _filled(tree: Tree, name: str) -> Tree:
    """A tree of cases for a test of givens, in which taking a quantity's weak value fills each end without a case."""
    if isinstance(tree, Fork):
        return replace(tree, yes=_filled(tree.yes, name), no=_filled(tree.no, name))
    return Case(Plan(name, blocks=(), weak=(name,), checks=())) if tree is None else tree


def testing(library: RelationSet, cases: Cases) -> dict[str, dict[str, Cases]]:
    """The relations whose sides are compared at points to see if givens agree, with plans for other quantities."""
    strong, tested = cases.outline.strong, dict[str, dict[str, Cases]]()
    for name in said_twice(library, strong, cases.plans):
        relation = library.relations[name]
        names = names_in(relation.written.lhs, relation.written.rhs, *relation.conditions)
        open_names = [member for member in names if member not in (*strong, cases.outline.target)]
        try:
            plans_of_members = {member: plans_for(library, member, strong) for member in open_names}
        except DeriveError:
            continue
        for member in open_names:
            if member not in library.members[name]:
                plans_of_members[member] = _with_fallback(library, member, plans_of_members[member])
        known = {member: plans for member, plans in plans_of_members.items() if plans is not None}
        if len(known) == len(plans_of_members):
            tested[name] = known
    return tested


_CANCELLING = Memo[tuple[tuple[tuple[str, ...], Equation], ...]](most=256)
_DECIDING = Memo[tuple["DecidingZero", ...]](most=256)

_Members = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class DecidingZero:
    """A relation, a factor of givens in it that decides by being zero, and what the relation says there."""

    relation: str
    factor: Node
    rest: Equation
    is_known: bool  # whether only givens are left in the rest, which show whether they contradict each other


def deciding_zeros(library: RelationSet, cases: Cases) -> tuple[DecidingZero, ...]:
    """The zeros of givens at which more relations than unknowns are left, so that the givens may disagree there.

    The relations in every plan need no test: their closed forms divide by such factors.
    """
    strong = frozenset(cases.outline.strong)
    deciding = _DECIDING.of(library.session, strong, lambda: tuple(_deciding(library, strong)))
    used = set.intersection(*({*plan.relations} for plan in cases.plans)) if deciding and cases.plans else set()
    return tuple(zero for zero in deciding if zero.relation not in used)


def _deciding(library: RelationSet, strong: frozenset[str]) -> Iterator[DecidingZero]:
    """The zeros of givens, in all relations, that decide whether anything is left on which they may disagree."""
    exact = {name: relation.written for name, relation in library.relations.items() if relation.is_exact}
    holding = dict.fromkeys(chain.from_iterable(library.holders.get(name, ()) for name in sorted(strong)))
    factors: list[tuple[str, Node]] = []
    for name in holding:
        if name in exact:
            factors += ((name, factor) for factor in _factors(library, exact[name], strong))
    if not factors:
        return
    members: _Members = {name: equation.names for name, equation in exact.items()}
    spare = _spare(members, strong)
    at_zeros = dict(exact)
    for name, factor in factors:
        at_zeros[name] = _at_zero(at_zeros[name], factor)
    if _spare({name: equation.names for name, equation in at_zeros.items()}, strong) == spare:
        return
    at_zeros = dict(exact)
    for name, factor in factors:
        trial = _at_zero(at_zeros[name], factor)
        reduced = {**members, name: trial.names}
        if _spare(reduced, strong) == spare:
            at_zeros[name], members = trial, reduced
        else:
            rest = _at_zero(exact[name], factor)
            yield DecidingZero(name, factor, rest, is_known=strong.issuperset(rest.names))


def _at_zero(equation: Equation, factor: Node) -> Equation:
    return equation.changed(lambda side: simplified(replaced(side, factor, ZERO)))


def _factors(library: RelationSet, equation: Equation, strong: frozenset[str]) -> Iterator[Node]:
    """The factors of givens alone that multiply an unknown: where one is zero, givens may disagree on the rest."""
    for product in operations(*equation.sides, among=("mul",)):
        if strong.issuperset(product.names):
            continue
        for factor in product.args:
            names = {*names_in(factor)}
            is_divisor = isinstance(factor, Apply) and factor.op == "inv"
            if names and names <= strong and not is_divisor and may_be_zero(library, factor):
                yield factor


def _spare(members: _Members, strong: frozenset[str]) -> int:
    """How many relations are left when each has fixed an unknown of its own: on these, givens may disagree."""
    matching = Matching(strong)
    matching.add_all(members, members)
    return len(members) - len(matching.fixes)
