"""From a question to its programs: each case of the plan as expressions of the free quantities.

The plans are those of compiled functions (`solving.case_trees`), so that the best point is one at which the question
has the same answer. A fork that the whole box decides is followed on one side; otherwise each side is a program, with
its condition as a guard. A quantity in use that may leave its domain in the box is a side condition.

A quantity without a closed form and a count that relations determine, which takes whole numbers alone, are variables
of their own, bound by a zero. At a point of what is free, they are worked out with every solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from types import MappingProxyType
from typing import NamedTuple

from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError
from derive.expressions.tree import Apply, Equation, Name, Node, Number, conjunction, names_in, with_forms
from derive.model.conditions import implied
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import share_of, value
from derive.numerics.algebra.like_terms import ZERO, added, excess_of, negated
from derive.numerics.algebra.linear import linear_form
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import GAP, Span, enclose, truths
from derive.optimization.choice_question import Constraint
from derive.optimization.program import (
    DomainTest,
    Limit,
    Program,
    Solutions,
    known_numbers,
    limits_of_range,
    step_of,
)
from derive.optimization.reduction import in_free_names
from derive.planning.plan import Block, Plan
from derive.solving.blocks.closed_forms import (
    candidates_of,
    composed,
    divisors_beside,
    lost_divisors,
    only_form,
    put_in,
)
from derive.solving.cancellation.jacobian_rank import combined, jacobian_of
from derive.solving.case_trees import Asides, Case, Fork, Tree, cases
from derive.solving.determined_quantities import eliminates
from derive.solving.diagnosis.missing_givens import shortage
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.question import Outline, Question
from derive.tolerances import BLUR
from quantities.domain import Domain

_UNDECIDED: Mapping[Node, bool] = MappingProxyType({})
_MOST = 64  # limit on cases of one question
_REMEMBERED = 1024  # points of which a search asks again for the solutions
_ANY = Domain("real", -math.inf, math.inf)


@dataclass(frozen=True)
class ImplicitVariable:
    """A quantity without a closed form, or a count: a variable of its program, bound by an equation `node = 0`."""

    name: str
    domain: Domain
    node: Node  # zero where its relation holds
    form: Node | None = None  # only of a count: what its relation gives, before it is rounded to a whole number
    step: float = 0.0  # the size of one of what is counted; zero if nothing is

    def at(self, values: Mapping[str, float]) -> float:
        """An implicit variable's value in a case's program, by its form or as solved for; NaN for no whole count."""
        number = values[self.name] if self.form is None else value(self.form, values)
        return self.near(number) if self.step else number

    def near(self, number: float) -> float:
        """The whole number near a computed one that a case's program takes for a count; NaN if none is admitted."""
        if not math.isfinite(number):
            return math.nan
        nearest = round(number / self.step) * self.step
        is_whole = abs(number - nearest) <= BLUR * max(self.step, abs(nearest))
        return nearest if is_whole and self.domain.admits(nearest) else math.nan


@dataclass(frozen=True)
class CaseForm:
    """A quantity as an expression of the free quantities in one case, and the conditions under which that holds."""

    form: Node
    guards: tuple[Node, ...] = ()  # conditions of the case that the box does not decide
    variables: tuple[ImplicitVariable, ...] = ()  # that stand in the form beside the free quantities
    domain_tests: tuple[DomainTest, ...] = ()
    undetermined: tuple[str, ...] = ()  # what a divisor of its form leaves open where it may be zero in the box
    plans: tuple[Plan, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)  # the variable of each quantity that is one


@dataclass
class ProgramBuilder:
    """Builds the programs of one question: the forms of its target times those of the quantities in its limits.

    Known quantities are at the middles of their ranges; where some are uncertain, the programs are those of every case
    that their ranges meet, to be looked at with numbers put in for them.
    """

    library: RelationSet
    question: Question
    limits: Sequence[Constraint]
    free: Mapping[str, Span]
    sign: float
    uncertain: Mapping[str, Span] = field(default_factory=dict)
    in_all_cases: bool = False  # whether what stands in limits has a value also where none of them applies

    def __post_init__(self) -> None:
        self.known = known_numbers(self.library, self.question, self.limits, self.free)
        self.fixed = {name: number for name, number in self.known.items() if name not in self.uncertain}
        points = point_box(self.fixed)
        self.box = {**points, **self.uncertain, **self.free}
        self.cached: dict[tuple[str, bool], list[CaseForm]] = {}

    def programs(self) -> list[Program]:
        """One program for each case of the target and each combination of cases of the limits' quantities.

        These are the cases that the box allows.
        """
        programs: list[Program] = []
        for goal in self._case_forms(self.question.target):
            limits = [limit for limit in self.limits if self._is_tested(limit, goal)]
            names = dict.fromkeys(chain.from_iterable(limit.names for limit in limits))
            limited = {*chain.from_iterable(limit.names for limit in limits if not limit.is_domain)}
            choices = [(self._limit_forms if name in limited else self._domain_forms)(name, goal) for name in names]
            for combination in product(*choices):
                if len(programs) >= _MOST:
                    what = f"{self.question.target} depends on more than {_MOST} cases in these ranges."
                    hint = "Narrow the ranges, or leave out the relations of other cases: library.without(name, ...)."
                    raise LimitError(what, hint=hint, limit=f"{_MOST} cases")
                programs.append(self._of_combination(goal, limits, dict(zip(names, combination, strict=True))))
        return programs

    def _of_combination(self, goal: CaseForm, limits: Sequence[Constraint], limited: Mapping[str, CaseForm]) -> Program:
        """The program of a case of the target, and a case of each quantity in a limit.

        A relation from which a quantity follows in its case says nothing more of it there. A quantity without ends of
        its domain may be undefined where no limit on it applies.
        """
        plans = chain.from_iterable(case_form.plans for case_form in (goal, *limited.values()))
        used = {*chain.from_iterable(plan.relations for plan in plans)}
        left = [limit for limit in limits if not limit.is_tie or limit.relation.name not in used]
        if not self.in_all_cases:
            limited = {
                name: replace(form, domain_tests=_with_ends(form.domain_tests)) for name, form in limited.items()
            }
        return self._program(goal, left, limited)

    def _is_tested(self, limit: Constraint, goal: CaseForm) -> bool:
        """Whether a limit's quantities have forms in some case; those of a limit that is asked for must."""
        unknown = next((name for name in limit.names if not self._limit_forms(name, goal)), None)
        if unknown is not None and limit.is_asked:
            error = self._nowhere(unknown) if self._is_led_to(unknown) else self._shortage(unknown)
            error.what = f"such_that {limit.name}: {error.what}"
            raise error
        return unknown is None

    def _is_led_to(self, name: str) -> bool:
        """Whether relations lead to a quantity in some case, though it may lie outside its domain all over the box."""
        weak = tuple(other for other in self.question.weak if other != name)
        outline = Outline(name, tuple(self.question.strong), weak, self.question.stated - {name})
        return bool(cases(self.library, outline).alternatives)

    def _nowhere(self, name: str) -> DeriveError:
        what = f"{name} has no admissible value anywhere in the ranges."
        return InconsistentError(what, hint="Widen the ranges.", conflicts=(), gap=math.inf)

    def _shortage(self, name: str) -> DeriveError:
        weak = {other: value for other, value in self.question.weak.items() if other != name}
        return shortage(self.library, self.question.but(target=name, weak=weak, own=None), {})

    def _limit_forms(self, name: str, goal: CaseForm) -> list[CaseForm]:
        """The forms of a limit's quantity in a program, in the order in which an answer chooses what it tests.

        They are those that the target's plan has, else those to which typed values alone lead, else those that a
        profile states, else those of a plan of its own, else the default.
        """
        for plan in goal.plans:
            if any(name in block.unknowns for block in plan.blocks):
                forms, _, _ = self._forms(plan)
                return [CaseForm(put_in(Name(name), forms))]
        if name in self.question.weak and name not in self.library.defaults:
            by_typed = self._case_forms(name, by_typed=True) if name != self.question.target else []
            if not all(case_form.guards for case_form in by_typed):
                return by_typed
            return [*by_typed, CaseForm(Name(name), _where_none_applies(by_typed))]
        case_forms = self._case_forms(name) if name != self.question.target else [goal]
        return case_forms or ([CaseForm(Name(name))] if name in self.question.weak else [])

    def _domain_forms(self, name: str, goal: CaseForm) -> list[CaseForm]:
        """The forms, by case, of a quantity that enters a case's program by its domain alone.

        Where none of them applies, any number in the domain will do.
        """
        case_forms = self._limit_forms(name, goal)
        if not all(case_form.guards for case_form in case_forms):
            return case_forms
        domain = self.library.declared[name].domain
        inside = next((end for end in domain.ends if math.isfinite(end)), 0.0)
        return [*case_forms, CaseForm(Number(Fraction(inside)), _where_none_applies(case_forms))]

    def _case_forms(self, name: str, *, by_typed: bool = False) -> list[CaseForm]:
        """The forms of a quantity in the free ones in each case that a program's box allows; none if undetermined.

        Typed values alone lead to those `by_typed`.
        """
        if name in self.question.strong:
            return [CaseForm(Name(name))]
        key = name, by_typed
        if key not in self.cached:
            weak = () if by_typed else tuple(other for other in self.question.weak if other != name)
            target = self.question.target
            has_default = name in self.library.defaults and name not in self.question.weak and name != target
            outline = Outline(name, tuple(self.question.strong), weak, self.question.stated - {name})
            tree_cases = cases(self.library, outline)
            if tree_cases.is_asked:
                raise NoExpression(name)
            if name == target and not tree_cases.alternatives:
                raise NoExpression(name) if eliminates(self.library, outline) else self._shortage(name)
            trees = [self._from_tree(tree, tree_cases.asides, outline) for tree in tree_cases.alternatives]
            case_forms = [*chain.from_iterable(trees)]
            # forms that differ only in how a condition is decided are one
            distinct = {(form.form, form.guards, form.variables, form.domain_tests): form for form in case_forms[::-1]}
            self.cached[key] = [*distinct.values()][::-1] or ([CaseForm(Name(name))] if has_default else [])
        return self.cached[key]

    def _from_tree(
        self, tree: Tree, asides: Asides, outline: Outline | None = None, decided: Mapping[Node, bool] = _UNDECIDED
    ) -> Iterator[CaseForm]:
        """A quantity as expressions of what is free, one for each case of its plans that the box allows.

        The conditions on the way to a case are decided true or false.
        """
        if isinstance(tree, Case):
            yield from self._from_case(tree)
        elif tree is None and outline is not None and self._is_eliminated(outline, decided):
            raise NoExpression(outline.target)
        elif isinstance(tree, Fork):
            for condition, guard in self._conditions(tree.condition, asides):
                possible = truths(condition, self._spans(guard.variables))
                for truth, side in ((True, tree.yes), (False, tree.no)):
                    if truth in possible or None in possible:
                        claimed = condition if truth else Apply("not", (condition,))
                        claim = () if possible == {truth} else (claimed,)
                        for case_form in self._from_tree(side, asides, outline, {**decided, tree.condition: truth}):
                            yield _joined(case_form, guard, claim)

    def _is_eliminated(self, outline: Outline, decided: Mapping[Node, bool]) -> bool:
        """Whether relations of a program's case fix a target together where counting leaves it open."""
        excluded = frozenset(
            relation.name
            for relation in self.library.conditional
            if any(implied(condition, decided) is False for condition in relation.conditions)
        )
        rows = jacobian_of(self.library, outline, excluded, only_combined=True).of_ratios
        return combined(rows, outline.target) is not None

    def _spans(self, variables: Iterable[ImplicitVariable]) -> dict[str, Span]:
        """The box of a case's program: of what is free in the question, and the domains of implicit variables."""
        return {**self.box, **{variable.name: variable.domain.ends for variable in variables}}

    def _conditions(self, condition: Node, asides: Asides) -> Iterator[tuple[Node, CaseForm]]:
        """A fork's condition as expressions for a case's program, one for each combination of its cases."""
        names = [name for name in names_in(condition) if name not in self.question.strong]
        choices = []
        for name in names:
            trees = (self._from_tree(tree, asides) for tree in asides.get(name, ()))
            choices.append([*chain.from_iterable(trees)] if name in asides else [CaseForm(Name(name))])
        for chosen in product(*choices):
            forms = {name: case_form.form for name, case_form in zip(names, chosen, strict=True)}
            yield with_forms(condition, forms), _merged(chosen)

    def _from_case(self, case: Case) -> Iterator[CaseForm]:
        """The target of one case of the plan as an expression of what is free, unless the box excludes the case."""
        forms, variables, renamed = self._forms(case.plan)
        target = case.plan.target
        form = composed("", {**forms, "": Name(renamed.get(target, target))})
        if form is None:
            raise NoExpression(target)
        spans = self._spans(variables)
        guards = []
        negations = [Apply("not", (conjunction(conditions),)) for conditions in case.failing]
        conditions = [put_in(condition, forms) for condition in (*case.holding, *negations)]
        for item in case.following:
            conditions.append(put_in(item.condition, {**forms, **self._following_forms(item.plans)}))
        for guard in conditions:
            possible = truths(guard, spans)
            if True not in possible and None not in possible:
                return
            guards += [] if possible == {True} else [guard]
        domain_tests = self._domain_tests(case.plan, forms, spans)
        if domain_tests is not None:
            undetermined = tuple(self._undetermined_at_zeros(case.plan, forms, spans))
            yield CaseForm(form, tuple(guards), variables, domain_tests, undetermined, (case.plan,), renamed)

    def _undetermined_at_zeros(self, plan: Plan, forms: Mapping[str, Node], spans: Mapping[str, Span]) -> Iterator[str]:
        """The unknowns of a case's plan that their relation leaves open at some points of the box.

        There their factor in the relation is zero, and what is left without them is zero too. The form `0/x` of y in
        `x*y = 0` says zero, and y may be anything where x is zero; that of `x*exp(y) = x*z` hides the divisor x.
        """
        for block in plan.blocks:
            if len(block.unknowns) > 1:
                continue
            (name,), written = block.unknowns, self.library.relations[block.relations[0]].written
            coefficients = linear_form(added(written.lhs, negated(written.rhs)), frozenset({name}))
            others = {other: form for other, form in forms.items() if other != name}
            if coefficients is None:
                hidden = lost_divisors(self.library, candidates_of(self.library, block))
                enclosures = [enclose(put_in(divisor, others), spans, "") for divisor in hidden]
                if any(enclosure is None or not enclosure.misses_zero for enclosure in enclosures):
                    yield name
                continue
            if name not in coefficients or not names_in(coefficients[name]):
                continue
            enclosures = [enclose(put_in(coefficients.get(key, ZERO), others), spans, "") for key in (name, None)]
            if all(enclosure is None or not enclosure.misses_zero for enclosure in enclosures):
                yield name

    def _following_forms(self, plans: Sequence[Plan]) -> dict[str, Node]:
        """The forms of what is worked out beside a case's program, for the case's conditions."""
        forms: dict[str, Node] = {}
        for block in chain.from_iterable(plan.blocks for plan in plans):
            form = only_form(self.library, block)
            if form is None:
                raise NoExpression(block.unknowns[0])
            forms[block.unknowns[0]] = form
        return forms

    def _forms(self, plan: Plan) -> tuple[dict[str, Node], tuple[ImplicitVariable, ...], dict[str, str]]:
        """The form of each unknown in a case for its program, the implicit variables among these, and their names."""
        forms: dict[str, Node] = {}
        variables: list[ImplicitVariable] = []
        renamed: dict[str, str] = {}
        for block in plan.blocks:
            form = only_form(self.library, block)
            if form is not None and self._is_plain(block.unknowns[0], form):
                forms[block.unknowns[0]] = form
                continue
            count_form = None if form is None else self._composed(block.unknowns[0], form, forms)
            for name in block.unknowns:
                renamed[name] = f"{name} by {', '.join(block.relations)}"
                forms[name] = Name(renamed[name])
            for name, relation in zip(block.unknowns, block.relations, strict=True):
                written, declared = self.library.relations[relation].written, self.library.declared[name]
                node = self._composed(name, added(written.lhs, negated(written.rhs)), forms)
                step = declared.unit.to_base(1.0) if declared.domain.whole else 0.0
                variables.append(ImplicitVariable(renamed[name], declared.domain, node, count_form, step))
        return forms, tuple(variables), renamed

    def _composed(self, name: str, node: Node, forms: Mapping[str, Node]) -> Node:
        """An expression for a case's program, with forms put in for its names; `NoExpression` where one has none."""
        form = composed("", {**forms, "": node})
        if form is None:
            raise NoExpression(name)
        return form

    def _is_plain(self, name: str, form: Node) -> bool:
        """Whether a quantity's form may stand for it in a case's program: it is no count, or surely whole."""
        return not self.library.declared[name].domain.whole or (self._is_counted(name) and self._is_whole(form))

    def _is_counted(self, name: str) -> bool:
        """Whether a quantity takes whole numbers alone in a case's program, which is in base units."""
        declared = self.library.declared[name]
        return declared.domain.whole and declared.unit.size == 1

    def _is_whole(self, node: Node) -> bool:
        """Whether a quantity's form in a case is whole because of its operations, counts being whole."""
        if isinstance(node, Number):
            return node.value.denominator == 1
        if isinstance(node, Name):
            return self._is_counted(node.name)
        match node.op:
            case "floor" | "ceil":
                return True
            case "add" | "mul" | "neg" | "max" | "min" | "abs":
                return all(map(self._is_whole, node.args))
            case "pow":
                exponent = node.args[1]
                return self._is_whole(node.args[0]) and isinstance(exponent, Number) and exponent.value in range(1, 9)
            case _:
                return False

    def _domain_tests(
        self, plan: Plan, forms: Mapping[str, Node], spans: Mapping[str, Span]
    ) -> tuple[DomainTest, ...] | None:
        """The unknowns of a case's plan that may leave their domains in the box; None if one does so throughout."""
        reach = dict(spans)
        tests: list[DomainTest] = []
        for name in plan.unknowns:
            domain = self.library.declared[name].domain
            enclosure = enclose(forms[name], reach, "")
            if enclosure is None:
                return None
            reach[name] = enclosure.values
            may_be_undefined = enclosure.flaw == GAP  # spread out it may be defined everywhere, as `x/x` is
            if _is_inside(enclosure.values, domain) and not may_be_undefined:
                continue
            # not certain by the spans of the unknowns before it: enclosed again, spread out in the free quantities
            form = self._spread(put_in(Name(name), forms), spans)
            enclosure = enclose(form, spans, "")
            if enclosure is None or _is_outside(enclosure.values, domain):
                return None
            reach[name] = enclosure.values
            if not _is_inside(enclosure.values, domain) or may_be_undefined:
                tests.append(DomainTest(put_in(Name(name), forms), domain))
        for quotient in self._quotients_beside(plan, forms):
            enclosure = enclose(quotient, spans, "")
            if enclosure is None:
                return None
            if enclosure.flaw == GAP:
                tests.append(DomainTest(quotient, _ANY))
        return tuple(tests)

    def _quotients_beside(self, plan: Plan, forms: Mapping[str, Node]) -> Iterator[Node]:
        """What has a value in a case's plan only where its relations have one, and not only their closed forms."""
        for block in plan.blocks:
            written = [self.library.relations[name].written for name in block.relations]
            for divisor in divisors_beside(self.library, written, [forms[name] for name in block.unknowns]):
                yield put_in(Apply("inv", (divisor,)), forms)

    def _spread(self, node: Node, spans: Mapping[str, Span]) -> Node:
        return in_free_names(node, self.fixed, spans)

    def _program(self, goal: CaseForm, limits: Sequence[Constraint], limited: Mapping[str, CaseForm]) -> Program:
        """The program of one case: of a form of the target, and one of each quantity in a limit."""
        merged = _merged([goal, *limited.values()])
        forms = {name: case_form.form for name, case_form in limited.items()}
        unknowns = {variable.name: variable.domain.ends for variable in merged.variables}
        spans = {**self.box, **unknowns}
        written = [self._limit(limit, forms, spans) for limit in limits]
        steps = [step_of(self.library.declared[name]) for name in self.free]
        plain = goal.form if self.sign > 0 else negated(goal.form)

        def ends(test: DomainTest) -> Iterator[Limit]:
            """The domain of a form as limits of its case's program; an open end is excluded in tests of points."""
            low, high = test.domain.ends
            is_open = test.domain.open_low
            return limits_of_range(test.form, low, high, lambda gap: self._spread(gap, spans), is_open=is_open)

        domain_limits = chain.from_iterable(map(ends, merged.domain_tests))
        solved = _solver(self.library, merged) if unknowns else None
        return Program(
            names=(*self.free, *unknowns),
            box=(*self.free.values(), *unknowns.values()),
            steps=(*steps, *(variable.step for variable in merged.variables)),
            free=len(self.free),
            goal=self._spread(plain, spans),
            plain=goal.form,
            known=self.known,
            limits=(*(limit for limit in written if limit.written.op != "="), *domain_limits),
            ties=tuple(limit for limit in written if limit.written.op == "="),
            definitions=tuple(self._spread(variable.node, spans) for variable in merged.variables),
            guards=tuple(folded(guard, self.fixed) for guard in merged.guards),
            domain_tests=merged.domain_tests,
            undetermined=merged.undetermined,
            sign=self.sign,
            plans=merged.plans,
            counts=tuple((variable.name, variable.form) for variable in merged.variables if variable.form is not None),
            solved=solved,
        )

    def _limit(self, limit: Constraint, forms: Mapping[str, Node], spans: Mapping[str, Span]) -> Limit:
        """A limit of a case's program in terms of the free quantities.

        One with conditions has a negative gap where they do not hold.
        """
        left, right = with_forms(limit.written.lhs, forms), with_forms(limit.written.rhs, forms)
        written = Equation(left, limit.written.op, right)
        over = excess_of(written)
        if limit.approximate:
            over = added(over, negated(with_forms(share_of(limit.written, limit.approximate), forms)))
        gap = self._spread(over, spans)
        guard = None
        if limit.conditions:
            conditions = [folded(with_forms(condition, forms), self.fixed) for condition in limit.conditions]
            guard = conjunction(tuple(conditions))
        if guard is not None and truths(guard, spans) == {True}:
            guard = None  # it holds in the whole box
        if guard is not None:
            gap = Apply("piecewise", (gap, guard, Number(Fraction(-1.0))))  # any negative gap: it holds elsewhere
        return Limit(limit.name, limit.relation, written, gap, limit.approximate, guard, limit.is_domain)


def _with_ends(tests: Sequence[DomainTest]) -> tuple[DomainTest, ...]:
    """The domain tests of a form that may become limits of its case's program, since the domain has an end."""
    return tuple(test for test in tests if math.isfinite(test.domain.low) or math.isfinite(test.domain.high))


def _is_inside(values: Span, domain: Domain) -> bool:
    low = values[0] > domain.low if domain.open_low else values[0] >= domain.low
    return low and values[1] <= domain.high


def _is_outside(values: Span, domain: Domain) -> bool:
    is_below = values[1] <= domain.low if domain.open_low else values[1] < domain.low
    return is_below or values[0] > domain.high


class NoExpression(Exception):  # noqa: N818 - no error: the solver is asked at points instead
    """A quantity has no expression in terms of what is free."""


def _merged(case_forms: Iterable[CaseForm]) -> CaseForm:
    """The conditions, variables and plans of several forms in a case's program together, with the last one's form."""
    merged = CaseForm(Number(Fraction(0.0)))
    for case_form in case_forms:
        merged = _joined(case_form, merged, ())
    return merged


def _where_none_applies(case_forms: Iterable[CaseForm]) -> tuple[Node, ...]:
    """The guards of a quantity's form in a program where none of its other forms applies."""
    return tuple(Apply("not", (conjunction(case_form.guards),)) for case_form in case_forms)


def _joined(case_form: CaseForm, earlier: CaseForm, claim: tuple[Node, ...]) -> CaseForm:
    """A quantity's form in one case of a program, with the guards of an earlier quantity's form and further ones."""
    variables = {variable.name: variable for variable in (*earlier.variables, *case_form.variables)}
    return replace(
        case_form,
        guards=tuple(dict.fromkeys((*earlier.guards, *claim, *case_form.guards))),
        variables=tuple(variables.values()),
        domain_tests=tuple(dict.fromkeys((*earlier.domain_tests, *case_form.domain_tests))),
        undetermined=tuple(dict.fromkeys((*earlier.undetermined, *case_form.undetermined))),
        plans=tuple(dict.fromkeys((*earlier.plans, *case_form.plans))),
        renamed={**earlier.renamed, **case_form.renamed},
    )


def _solver(library: RelationSet, merged: CaseForm) -> Callable[[Mapping[str, float]], Solutions]:
    """The function that solves for the implicit variables of a case's program at a point."""
    plans, renamed = merged.plans, merged.renamed
    counts = {variable.name: variable for variable in merged.variables if variable.form is not None}
    counted = {name: counts[variable] for name, variable in renamed.items() if variable in counts}
    is_closed = all(variable.form is not None for variable in merged.variables)

    def solutions(of_each: Sequence[_States]) -> Iterator[dict[str, float]]:
        """The numbers of the implicit variables of a case's program, by each agreeing combination of solutions."""
        open_blocks = [[block for block in plan.blocks if only_form(library, block) is None] for plan in plans]
        names = [[*chain.from_iterable(block.unknowns for block in blocks)] for blocks in open_blocks]
        for states in product(*(plan_states.complete for plan_states in of_each)):
            numbers: dict[str, float] = {}
            agrees = True
            for own_names, state in zip(names, states, strict=True):
                for name in own_names:
                    agrees &= numbers.setdefault(renamed[name], state.values[name]) == state.values[name]
            if agrees:
                yield numbers

    @lru_cache(maxsize=_REMEMBERED)
    def solved_at(point: tuple[tuple[str, float], ...]) -> Solutions:
        """The solutions in which every implicit variable of a case's program, counts among them, has a number."""
        values = dict(point)
        complete: list[Mapping[str, float]] = []
        of_each = [] if is_closed else [_states(library, plan, values, counted) for plan in plans]
        for solution in [{}] if is_closed else solutions(of_each):
            for variable in merged.variables:  # in this order: a count's form has the variables before it
                solution[variable.name] = variable.at({**values, **solution})
            if all(map(math.isfinite, solution.values())):
                complete.append(solution)
        return Solutions(complete, all(plan_states.are_all for plan_states in of_each))

    return lambda values: solved_at(tuple(values.items()))


class _States(NamedTuple):
    """The solutions of a case's plan at a point that have a number for every unknown, and whether they are all."""

    complete: Sequence[State]
    are_all: bool


def _states(
    library: RelationSet, plan: Plan, values: Mapping[str, float], counted: Mapping[str, ImplicitVariable]
) -> _States:
    """The solutions of a case's plan at a point of what is free, as far as the solver finds them.

    What follows from a count follows from the whole number, and not from what rounding made of it: the root of
    `d**2 = 4 - n` is zero where n is four, and far from zero where it is 3.9999999999999984.
    """
    states = [State(dict(values))]
    try:
        for block in plan.blocks:
            steps = chain.from_iterable(block_states(library, block, state)[0] for state in states)
            states = [_with_whole_counts(step, block, counted) for step in steps]
    except DeriveError as error:
        if isinstance(error, LimitError) and error.is_of_time:
            raise
        return _States((), are_all=isinstance(error, NoSolutionError))
    unknowns = {*plan.unknowns}
    complete = [state for state in states if state.values.keys() >= unknowns]
    notes = chain.from_iterable(state.notes for state in states)
    are_all = len(complete) == len(states) and all(note.kind != "unproved" for note in notes)
    return _States(complete, are_all)


def _with_whole_counts(state: State, block: Block, counted: Mapping[str, ImplicitVariable]) -> State:
    """A state of a program's case in which each count that is whole up to rounding is made whole."""
    known = [name for name in block.unknowns if name in counted and name in state.values]
    nearest = {name: counted[name].near(state.values[name]) for name in known}
    counts = {name: number for name, number in nearest.items() if math.isfinite(number)}
    return replace(state, values={**state.values, **counts}) if counts else state
