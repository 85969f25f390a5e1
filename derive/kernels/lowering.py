"""Lowering: the body of one compiled function, block by block and case by case, in any dialect.

On floats a case is a branch of `if`, and a point that fails a test returns NaN at once. On arrays every case is
computed for all points, and the tests are masks that blank the points that fail. There a quantity with several roots
has all of them (`python_numpy`), and a point has as many values as they lead to.

One function may have several targets. They share lines but not tests: a failed test, several roots or a bounded
quantity count only for the targets that depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from math import inf, isinf
from typing import Any

from derive.expressions.tree import COMPARISONS, Apply, Equation, Name, Node, Number, names_in, walk, with_forms
from derive.kernels.backends.emitter import Dialect, Scope, Sheet, in_order
from derive.kernels.backends.python_numpy import of_one_value, only
from derive.kernels.blocks.block_kernels import kernel_of
from derive.kernels.blocks.decisions import Decisions
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import with_precise_constants
from derive.numerics.algebra.isolation import Candidate
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.enclosure import enclose
from derive.planning.plan import Block, Plan
from derive.solving.blocks.closed_forms import candidates_of, divisors_beside, domains_of, lost_divisors, zero_divisors
from derive.solving.blocks.free_unknowns import has_choice, is_divided_by, variants_of
from derive.solving.case_trees import Case, Cases, Fork, Tree, YieldingCondition
from derive.solving.execution.question import Outline
from derive.tolerances import AROUND_ZERO, ASIDE, EXPRESSION
from quantities.tolerances import UNIT_ROUNDING

_COMPARED = frozenset({"max", "min", *COMPARISONS.values()})
_TRIALS = (Number(Fraction(1)), Number(Fraction(1, 2)))  # values, in most domains of functions, of what may be any
_FAR = 1e100  # where a domain without an end is looked at instead


def written(
    library: RelationSet, wanted: Sequence[Cases], names: Sequence[str], dialect: Dialect, *, are_typed: bool = True
) -> Callable[..., Any]:
    """Lower plans, block by block and case by case, to the text of one function of these names, in a dialect.

    What is typed is tested: a point has no value where it lies outside its domain. What lines compute is tested there.
    On floats it returns the one value of one target, NaN if there is none; it raises if there are several. On arrays it
    returns all values of each target, a row for each; in machine code the one value of each, or an infinity where
    arrays must compute it.
    """
    if not dialect.leaves:
        return _draft(library, wanted, names, dialect, are_typed=are_typed)
    (cases,) = wanted
    parts = (replace(cases, alternatives=(tree,)) for tree in cases.alternatives)
    drafts = [_draft(library, [part], names, dialect, are_typed=are_typed) for part in parts]
    return drafts[0] if len(drafts) == 1 else lambda *numbers: only(*(draft(*numbers) for draft in drafts))


def _draft(
    library: RelationSet, wanted: Sequence[Cases], names: Sequence[str], dialect: Dialect, *, are_typed: bool
) -> Callable[..., Any]:
    """Lower plans to the body of one function, with a result for each target; on floats, with that of one target."""
    sheet, decisions = Sheet(dialect, names), Decisions()
    if not dialect.asks:
        sheet.space["exact"] = decisions.exact
    if not dialect.is_lazy:
        sheet.write(f"axes = Axes({', '.join(sheet.arguments.values())})")
    drafts = [Draft(library, cases, sheet.arguments, sheet, decisions) for cases in wanted]
    results = [draft.result(are_typed=are_typed) for draft in drafts]
    return sheet.function(results[0] if dialect.leaves else f"({', '.join(results)},)")


def cancelling_divisors(library: RelationSet, candidates: Sequence[Candidate]) -> list[Node]:
    """The divisors that a function's body tests as sums that may be zero, where only rounding errors are left."""
    divisors = dict.fromkeys(chain.from_iterable(candidate.divisors for candidate in candidates))
    return [divisor for divisor in divisors if _may_cancel(library, divisor)]


def _may_cancel(library: RelationSet, divisor: Node) -> bool:
    if not any(isinstance(part, Apply) and part.op == "add" for part in walk(divisor)):
        return False
    enclosure = enclose(divisor, domains_of(library, names_in(divisor)), "")
    return enclosure is None or not enclosure.misses_zero


class Draft:
    """Writes the lines for one target, in declared units; lines shared with other targets are written once."""

    def __init__(
        self, library: RelationSet, cases: Cases, arguments: Mapping[str, str], sheet: Sheet, decisions: Decisions
    ) -> None:
        """Begin to lower one target's plans, case by case, to lines of a function that other targets may share."""
        self.library = library
        self.outline = cases.outline
        self.cases = cases
        self.arguments = arguments
        self.dialect = sheet.dialect
        self.sheet = sheet
        self.decisions = decisions

    def result(self, *, are_typed: bool) -> str:
        """Lower all alternatives for the target to the function's body, and return the text of the result."""
        results = [self._write_alternative(tree, are_typed=are_typed) for tree in self.cases.alternatives]
        if len(results) == 1:
            return results[0]
        listed = ", ".join(results)
        return self.sheet.line(f"only({listed})" if self.dialect.is_lazy else f"np.concatenate(({listed}))")

    def _write_alternative(self, tree: Tree, *, are_typed: bool) -> str:
        """Lower one alternative for the target, where all givens must be finite, and return its result."""
        scope = Scope()
        for name in self.outline.strong:
            self._bind_given(name, scope)
        tests = {name: [*self._tests_of_given(name, scope, is_typed=are_typed)] for name in self.outline.strong}
        untested = [scope.variables[name] for name in tests if not tests[name]]
        if untested:  # one sum is finite if all of them are
            self.sheet.write(f"if not -inf < {' + '.join(untested)} < inf: undefined()")
        self.sheet.require(scope, *chain.from_iterable(tests.values()))
        result = self._write_tree(tree, scope)
        if self.dialect.is_lazy:
            return result
        flags = "".join(f"{name}, " for name in scope.asked)
        return self.sheet.line(f"rows({', '.join([result, f'({flags})', *self.arguments.values()])})")

    def _bind_given(self, name: str, scope: Scope) -> str:
        """Lower a given to a number in base units, and return the text that stands for it."""
        argument = self.arguments[name]
        based = self._to_base(argument, name)
        text = scope.variables[name] = based if based == argument else self.sheet.line(based)
        self.decisions.record_given(text, argument, self.library.declared[name])
        return text

    def _tests_of_given(self, name: str, scope: Scope, *, is_typed: bool) -> Iterator[str]:
        """Lower the test of a given: it is finite and, if it is typed, lies in its domain.

        There is none where floats need only be finite. A count may pass between whole numbers, as a curve does.
        """
        domain, value = self.library.declared[name].domain, scope.variables[name]
        # at the end of its domain it may miss it by the rounding of its unit
        room = 0.0 if value == self.arguments[name] else UNIT_ROUNDING
        rooms = [0.0 if isinf(end) else room * abs(end) for end in domain.ends]
        if is_typed and domain.ends != (-inf, inf):
            yield self.sheet.between(value, domain.low - rooms[0], domain.high + rooms[1], domain.open_low)
        elif not self.dialect.leaves:
            yield self.sheet.between(value, -inf, inf)

    # Cases

    def _write_tree(self, tree: Tree, scope: Scope) -> str:
        """Lower a tree of cases to lines of the function's body, and return the text of the target's value."""
        if isinstance(tree, Fork):
            return self._write_fork(tree, scope)
        result = "nan"
        if isinstance(tree, Case):
            self._write_case(tree, scope)
            result = self._to_declared(scope.variables[self.outline.target], self.outline.target)
        if self.dialect.asks:
            return self._flagged(result, scope)
        if not self.dialect.is_lazy and scope.tests and tree is not None:
            return self.sheet.line(self.dialect.pick(self.sheet.mask(scope), result, "nan"))
        return result

    def _flagged(self, result: str, scope: Scope) -> str:
        """Lower the result of a case in machine code: NaN where a test failed, an infinity for another dialect."""
        if scope.sizes:
            sum_of_sizes = reduce(lambda total, size: self.sheet.line(f"{total} + {size}"), in_order(scope.sizes))
            scope.ask(self.sheet.mask(scope, f"({sum_of_sizes} - {sum_of_sizes} != 0.0)"))
        number = f"{result} if {self.sheet.mask(scope)} else nan"
        return self.sheet.line(f"inf if {' | '.join(scope.asked)} else {number}" if scope.asked else number)

    def _write_fork(self, fork: Fork, scope: Scope) -> str:
        """Lower both sides of a fork between cases, and return the text of the value on the side that holds."""
        for name in names_in(fork.condition):
            if name not in scope.variables:
                self._compute_aside(name, scope)
        test = self.dialect.sure(self._text(fork.condition, scope))
        if self.dialect.is_lazy:
            return self._write_branch(fork, test, scope)
        sides = []
        for side, chosen in ((fork.yes, test), (fork.no, self.dialect.logic("not", [test]))):
            inner = scope.copy()
            self.sheet.require(inner, chosen)
            sides.append(self._write_tree(side, inner))
            scope.ask(*inner.asked)
        return self.sheet.line(self.dialect.pick(test, *sides))

    def _write_branch(self, fork: Fork, test: str, scope: Scope) -> str:
        """Lower a fork between cases to an `if` statement for one point, and return the text of the value."""
        result = self.sheet.named("nan")
        for heading, side in ((f"if {test}:", fork.yes), ("else:", fork.no)):
            with self.sheet.under(heading):
                self.sheet.write(f"{result} = {self._write_tree(side, scope.copy())}")
        return result

    def _compute_aside(self, name: str, scope: Scope) -> None:
        """Lower a quantity in a condition to a call of a function of its own."""
        strong, asides = self.outline.strong, self.cases.asides
        key = (name, strong, *asides.items())
        arguments = [self.arguments[strong_name] for strong_name in strong]
        value = self._by_function(self.cases.of_aside(name), key, arguments, scope)
        self._flag_infinite(value, scope)
        self.sheet.require(scope, f"({value} == {value})")
        scope.bind(name, value)
        self.decisions.record_sought(value, self.library.declared[name])

    def _flag_infinite(self, value: str, scope: Scope) -> None:
        """Lower an infinite value to a flag, with which machine code asks for another dialect."""
        if self.dialect.asks:
            scope.ask(self.sheet.mask(scope, f"(abs({value}) == inf)"))

    def _write_case(self, case: Case, scope: Scope) -> None:
        """Lower a case to lines: those of its plan, and the tests of its conditions."""
        self._write_plan(case.plan, scope)
        self._take_defaults(names_in(*case.holding, *chain.from_iterable(case.failing)), scope)
        tests = [self._text(condition, scope) for condition in case.holding]
        for conditions in case.failing:
            inner = self.dialect.logic("and", [self._text(condition, scope) for condition in conditions])
            tests.append(self.dialect.logic("not", [self.dialect.sure(inner)]))
        self.sheet.require(scope, *tests)
        for yielding in case.yielding:
            self._ask_where(self._fails(yielding, scope), scope)
        for following in case.following:
            known, test = self._evaluated(following, scope)
            self._ask_where(self.dialect.logic("not", [self.dialect.logic("and", known)]), scope)
            self.sheet.require(scope, test)

    def _fails(self, yielding: YieldingCondition, scope: Scope) -> str:
        """Lower the test that a condition which holds by defaults fails at the numbers that replace them."""
        known, test = self._evaluated(yielding, scope)
        return self.dialect.logic("not", [self.dialect.sure(self.dialect.logic("and", [*known, test]))])

    def _evaluated(self, yielding: YieldingCondition, scope: Scope) -> tuple[list[str], str]:
        """Lower a condition of a case to the tests that its quantities have numbers, and that it holds at these."""
        inner, known = scope.copy(), list[str]()
        for plan in yielding.plans:
            value = self._following(plan, scope) if plan.blocks else inner.variables[plan.target]
            inner.bind(plan.target, value)
            known.append(f"({value} == {value})")
        self._take_defaults(names_in(yielding.condition), inner)
        test = self._text(yielding.condition, inner)
        scope.ask(*inner.asked)
        return known, test

    def _following(self, plan: Plan, scope: Scope) -> str:
        """Lower a further plan of a case to a call that computes its target from the numbers of the case."""
        members = self.library.held_by(plan.relations).keys()
        names = tuple(sorted(members - {*plan.weak, *plan.unknowns}))
        cases = Cases(Outline(plan.target, strong=names, weak=()), alternatives=(Case(plan),), asides={})
        arguments = [self._to_declared(scope.variables[name], name) for name in names]
        value = self._by_function(cases, plan, arguments, scope)
        self.decisions.record_sought(value, self.library.declared[plan.target])
        return value

    def _by_function(self, cases: Cases, key: Hashable, arguments: Sequence[str], scope: Scope) -> str:
        """Lower another target to a function that the body calls, and return the text of its base value."""

        def write() -> Callable[..., Any]:
            function = written(self.library, [cases], cases.outline.strong, self.dialect, are_typed=False)
            return function if self.dialect.is_lazy else of_one_value(function)

        target = cases.outline.target
        result = self.sheet.line(self._call(self.sheet.helper(key, write), arguments))
        value = self.sheet.line(self._to_base(result if self.dialect.leaves else f"{result}[0]", target))
        if not self.dialect.is_lazy:
            scope.ask(self.sheet.line(f"{result}[1]"))
        return value

    def _write_plan(self, plan: Plan, scope: Scope) -> None:
        for name in plan.weak:
            self._bind_default(name, scope)
        for block in plan.blocks:
            self._write_block(block, scope)

    def _take_defaults(self, names: Iterable[str], scope: Scope) -> None:
        """Lower the defaults of quantities for which the body of the function has no number yet."""
        for name in names:
            if name not in scope.variables:
                self._bind_default(name, scope)

    def _bind_default(self, name: str, scope: Scope) -> None:
        default = self.library.declared[name].default
        assert default is not None
        base = repr(default.base[1])
        text = base if self.dialect.is_lazy else self.sheet.line(f"np.float64({base})")
        scope.bind(name, text)
        self.decisions.record_default(text, default.base[1], self.library.declared[name])

    def _to_base(self, text: str, name: str) -> str:
        unit = self.library.declared[name].unit
        scaled = text if unit.size == 1 else f"{text} * {float(unit.size)!r}"
        return f"{scaled} + {float(unit.offset)!r}" if unit.offset else scaled

    def _to_declared(self, text: str, name: str) -> str:
        """Lower a number's conversion from base units to a quantity's declared unit, and return its text."""
        unit = self.library.declared[name].unit
        shifted = f"({text} - {float(unit.offset)!r})" if unit.offset else text
        declared = shifted if unit.size == 1 else f"{shifted} / {float(unit.size)!r}"
        may_overflow = unit.size < 1 or unit.offset
        return self.dialect.sound(declared) if may_overflow and not self.dialect.is_lazy else declared

    def _text(self, node: Node, scope: Scope) -> str:
        """Lower an expression, with its decisions settled against rounding, and return the text of its value."""
        settled = self.decisions.settle(node, scope)
        return self.sheet.expression(node, scope) if settled is node else self._text_of_decisions(settled, scope)

    def _text_of_decisions(self, settled: Node, scope: Scope) -> str:
        """Lower an expression with its settled decisions, after the bounds on errors in them."""
        for name, bound in self.decisions.bounds(settled):
            if name not in scope.variables:
                scope.variables[name] = self.sheet.expression(bound, scope)
        return self.sheet.expression(settled, scope)

    def _text_of_form(self, form: Node, scope: Scope) -> str:
        """Lower a closed form to its number, worked out from the givens where it would have lost too many digits."""
        text = self._text(form, scope)
        if not self.dialect.is_exact:
            return text
        line = text if text.isidentifier() else self.sheet.line(text)
        decision = self.decisions.with_digits_kept(line, form, scope)
        return line if decision is None else self.sheet.line(self._text_of_decisions(decision, scope))

    def _ask_where(self, doubt: str, scope: Scope) -> None:
        """Lower a doubt: where this test is true, the function leaves the point to another dialect or the solver."""
        if self.dialect.leaves:
            self.sheet.write(f"if {doubt}: undefined()")
        else:
            scope.ask(self.sheet.line(self.sheet.mask(scope, doubt)))

    # Blocks

    def _write_block(self, block: Block, scope: Scope) -> None:
        """Lower a block to lines for its unknowns, unless the target has them already."""
        inputs = sorted(block.inputs(self.library))
        key = (block, tuple(scope.variables[name] for name in inputs))
        if key not in scope.solved:
            if not self._write_closed_forms(block, scope):
                self._call_kernel(block, inputs, scope)
            scope.solved[key] = tuple(scope.variables[name] for name in block.unknowns)
        for name, text in zip(block.unknowns, scope.solved[key], strict=True):
            scope.bind(name, text)

    def _write_closed_forms(self, block: Block, scope: Scope) -> bool:
        """Lower a block by all closed forms of its unknown; false if it has none."""
        candidates = [candidate.changed(with_precise_constants) for candidate in candidates_of(self.library, block)]
        if not candidates:
            return False
        equation, name = self.library.relations[block.relations[0]].written, block.unknowns[0]
        texts = [self._text_of_form(candidate.form, scope) for candidate in candidates]
        form: Node | None = None  # if it is the only one
        plain = isinstance(equation.lhs, Name) and equation.lhs.name == name
        if len(texts) == 1 and not has_choice(equation, name) and is_divided_by(equation, name):
            form = candidates[0].form
            # Both sides were multiplied by that divisor, so that the form has to be put back: `x = b/b` has no solution
            # at `b = 0`. Where a divisor of the form is zero, any value may do.
            chosen = self._checked(equation, name, texts[0], form, scope)
            chosen = self._infinite_at_zeros(candidates[0].divisors, chosen, form, scope)
        elif len(texts) == 1 and (plain or not candidates[0].conditions):
            form = candidates[0].form
            chosen = texts[0] if texts[0].isidentifier() else self.sheet.line(texts[0])
            chosen = self._undefined_at_zeros(equation, name, chosen, form, scope)
        else:
            pairs = zip(texts, candidates, strict=True)
            tried = [self._checked(equation, name, text, candidate.form, scope) for text, candidate in pairs]
            for i, candidate in enumerate(candidates):
                if candidate.other is not None:  # in case too many digits have cancelled
                    text = self._checked(equation, name, self._text(candidate.other, scope), candidate.other, scope)
                    tried[i] = self.sheet.line(self.dialect.pick(f"({tried[i]} == {tried[i]})", tried[i], text))
            tried += self._values_of_free_arms(equation, name, scope)
            chosen = tried[0]
            if self.dialect.is_lazy and (len(tried) > 1 or has_choice(equation, name)):
                chosen = self.sheet.line(f"only({', '.join(tried)})")
                self._flag_infinite(chosen, scope)
            elif not self.dialect.is_lazy:
                inside = self.dialect.sure(self.sheet.mask(scope))
                several = self.sheet.line(f"branches(axes, {', '.join([inside, *tried])})")
                chosen = self.sheet.line(f"{several}[0]")
                scope.ask(self.sheet.line(f"{several}[1]"))
        if not has_choice(equation, name):
            chosen = self._infinite_at_zeros(cancelling_divisors(self.library, candidates), chosen, form, scope)
            chosen = self._infinite_where_free(equation, name, candidates, chosen, scope)
        if form is None:
            self.decisions.record_sought(chosen, self.library.declared[name])
        else:
            self.decisions.record_computed(chosen, form, scope, self.library.declared[name])
        if self.decisions.may_cancel(chosen):
            inside, chosen = self._inside_domain(chosen, name, scope)
            self.sheet.require(scope, inside)
        else:
            self.sheet.require_between(scope, chosen, *self._ends(name))
        scope.bind(name, chosen)
        return True

    def _infinite_at_zeros(self, divisors: Sequence[Node], chosen: str, form: Node | None, scope: Scope) -> str:
        """Lower a closed form: infinite, for the solver, where one of its divisors is zero within rounding.

        Where rounding leaves a rest of such a divisor, `y/(a + b - c)` would be a large number.
        """
        for divisor in divisors:
            vanishes = self._open_at_zero(divisor, form, scope)
            if self.dialect.leaves:
                self.sheet.write(f"if {vanishes}: undefined()")
                continue
            chosen = self.sheet.line(self.dialect.pick(vanishes, "inf", chosen))
            if not self.dialect.is_lazy:
                scope.ask(vanishes)
            self._flag_infinite(chosen, scope)
        return chosen

    def _open_at_zero(self, divisor: Node, form: Node | None, scope: Scope) -> str:
        """Lower the test that a divisor of a closed form is zero within rounding, so that any value may do."""
        return self._holds(Equation(divisor, "=", ZERO), scope)

    def _infinite_where_free(
        self, equation: Equation, name: str, candidates: Sequence[Candidate], chosen: str, scope: Scope
    ) -> str:
        """Lower a closed form, infinite where a divisor is zero and any value does: `n = a*x` with a = n = 0.

        What follows may have a value even so, which the solver finds; the target may where another relation holds it.
        Floats raise where a form divides by zero, but the form of `a*x = a*b` is b.
        """
        is_sought_alone = name == self.outline.target and len(self.library.holders[name]) == 1
        # where one of several roots leaves the target free, another that gives a number is no answer
        is_of_one_root = all(len(candidates_of(self.library, block)) == 1 for block, _ in scope.solved)
        if self.dialect.leaves or (is_sought_alone and is_of_one_root):
            divisors = lost_divisors(self.library, candidates)
        else:
            divisors = zero_divisors(self.library, candidates)
        if not divisors:
            return chosen
        tests = [self._holds(Equation(divisor, "=", ZERO), scope) for divisor in divisors]
        inner = scope.copy()
        trials = [equation.changed(partial(with_forms, forms={name: trial})) for trial in _TRIALS]
        holding = [self._holds(trial, inner) for trial in trials]
        scope.ask(*inner.asked)
        is_free = self.dialect.logic("and", [self.dialect.logic("or", tests), *holding])
        if self.dialect.leaves:
            self.sheet.write(f"if {is_free}: undefined()")
            return chosen
        is_free = self.sheet.line(is_free)
        scope.ask(self.sheet.mask(scope, is_free) if self.dialect.is_lazy else is_free)
        return self.sheet.line(self.dialect.pick(is_free, "inf", chosen))

    def _undefined_at_zeros(self, equation: Equation, name: str, chosen: str, form: Node, scope: Scope) -> str:
        """Lower a closed form: NaN where a divisor that only its relation has is zero, as b in `a = x/b`."""
        divisors = divisors_beside(self.library, [equation], [form])
        if not divisors:
            return chosen
        inner = scope.copy()
        inner.bind(name, chosen)
        self.decisions.record_computed(chosen, form, scope, self.library.declared[name])
        vanish = self.dialect.logic("or", [self._holds(Equation(divisor, "=", ZERO), inner) for divisor in divisors])
        scope.ask(*inner.asked)
        is_finite = f"({self.dialect.size}({chosen}) < inf)"  # beside an infinity, any gap is small
        return self.sheet.line(self.dialect.pick(self.dialect.logic("and", [is_finite, vanish]), "nan", chosen))

    def _checked(self, equation: Equation, name: str, text: str, form: Node, scope: Scope) -> str:
        """Lower a closed form with its check: NaN where its relation fails, infinite where numbers beside it fit."""
        inner, quantity = scope.copy(), self.library.declared[name]
        computed = text if text.isidentifier() else self.sheet.line(text)
        self.decisions.record_computed(computed, form, scope, quantity)
        value = self.sheet.line(self.dialect.pick(*self._inside_domain(computed, name, inner), "nan"))
        inner.bind(name, value)
        self.decisions.record_computed(value, form, scope, quantity)
        tests = [f"({value} == {value})", self._holds(equation, inner)]
        result = value
        if has_choice(equation, name):
            beside = []
            for share, beside_zero in ((0.75, -ASIDE), (1.25, ASIDE)):  # a zero has no share
                displaced = self.dialect.pick(f"({value} == 0.0)", repr(beside_zero), f"{value} * {share}")
                inner.bind(name, self.sheet.line(displaced))
                inside = self._inside(inner.variables[name], name)
                beside.append(self.dialect.logic("and", [inside, self._holds(equation, inner)]))
            result = self.dialect.pick(self.dialect.logic("or", beside), "inf", value)
        scope.ask(*inner.asked)
        return self.sheet.line(self.dialect.pick(self.dialect.logic("and", tests), result, "nan"))

    def _values_of_free_arms(self, equation: Equation, name: str, scope: Scope) -> Iterator[str]:
        """Lower the values of an unknown where an arm without it equals the other side of its equation.

        Any value does at which that arm binds. Such an arm binds on an interval if the equation holds just inside an
        end of the domain, or beside a number at which arms change; the value is then infinite. If it holds at an end
        and not inside it, the value is the end.
        """
        variants = variants_of((equation,), frozenset({name})) if has_choice(equation, name) else []
        without = [equation for (equation,) in variants if name not in names_in(equation.lhs, equation.rhs)]
        is_met = [self._holds(variant, scope) for variant in without]
        if not is_met:
            return
        domain, inner = self.library.declared[name].domain, scope.copy()

        def holds(place: str) -> str:
            inner.bind(name, self.sheet.line(place))
            inside = self._inside(inner.variables[name], name)
            return self.sheet.line(self.dialect.logic("and", [inside, self._holds(equation, inner)]))

        low, high = max(domain.low, -_FAR), min(domain.high, _FAR)
        within = [
            holds(repr(low + ASIDE * abs(low) + AROUND_ZERO)),
            holds(repr(high - ASIDE * abs(high) - AROUND_ZERO)),
        ]
        nearby = [*within, *map(holds, self._beside_switches(equation, name, scope))]
        test = self.dialect.logic("and", [self.dialect.logic("or", is_met), self.dialect.logic("or", nearby)])
        yield self.sheet.line(self.dialect.pick(test, "inf", "nan"))
        for end, is_met_within in zip((low, high), within, strict=True):
            alone = self.dialect.logic("and", [self.dialect.logic("or", is_met), holds(repr(end))])
            yield self.sheet.line(self.dialect.pick(is_met_within, "nan", self.dialect.pick(alone, repr(end), "nan")))
        scope.ask(*inner.asked)

    def _beside_switches(self, equation: Equation, name: str, scope: Scope) -> Iterator[str]:
        """Lower trial numbers just below and above those that an unknown is compared with, where arms change."""
        for part in walk(equation.lhs, equation.rhs):
            if not isinstance(part, Apply) or Name(name) not in part.args or part.op not in _COMPARED:
                continue
            for other in part.args:
                if name not in names_in(other):
                    turn = self.sheet.expression(other, scope)
                    distance = f"({self.dialect.size}({turn}) * {ASIDE!r} + {AROUND_ZERO!r})"
                    yield from (self.sheet.line(f"{turn} {sign} {distance}") for sign in "+-")

    def _inside(self, text: str, name: str) -> str:
        return self.sheet.between(text, *self._ends(name))

    def _inside_domain(self, text: str, name: str, scope: Scope) -> tuple[str, str]:
        """Lower the test that a computed number lies in a quantity's domain; return the texts of test and number.

        An end at zero leaves no room for rounding. Where terms may cancel, exact numbers decide: 2.9 - 0.4*7.25 is 0,
        and in doubles less. The number is then the end of the domain. If the domain excludes that end, the solver is
        asked.
        """
        low, high, is_open = self._ends(name)
        if not self.decisions.may_cancel(text) or (low and high):
            return self._inside(text, name), text
        if low == 0:
            op, beyond, ends = "gt" if is_open else "ge", "<=" if is_open else "<", (-inf, high)
        else:
            op, beyond, ends = "le", ">", (low, inf)
        inner = scope.copy()
        inner.bind(name, text)
        decided = self.dialect.sure(self._text(Apply(op, (Name(name), ZERO)), inner))
        inside = self.sheet.line(self.dialect.logic("and", [self.sheet.between(text, *ends), decided]))
        scope.ask(*inner.asked)
        is_beyond = f"({text} {beyond} 0.0)"
        if op == "gt":
            self._ask_where(self.dialect.logic("and", [inside, is_beyond]), scope)
            return inside, text
        clamped = self.sheet.line(self.dialect.pick(is_beyond, "0.0", text))
        self.decisions.record_same(clamped, text)
        return inside, clamped

    def _ends(self, name: str) -> tuple[float, float, bool]:
        """The ends of a domain in a lowered test, with room for rounding, and whether the low one is open.

        1.4*1.4 is 1.9599999999999997, and still in `1.96..3`.
        """
        domain = self.library.declared[name].domain
        rooms = [0.0 if isinf(end) else EXPRESSION * abs(end) for end in domain.ends]
        return domain.low - rooms[0], domain.high + rooms[1], domain.open_low

    def _holds(self, equation: Equation, scope: Scope) -> str:
        return self.sheet.agrees(equation, lambda node: self._text(node, scope))

    def _call_kernel(self, block: Block, inputs: Sequence[str], scope: Scope) -> None:
        """Lower a block without a closed form to a call of its kernel, for each point that has not failed yet."""
        origins = self.decisions.origins(() if self.dialect.asks else inputs, scope)
        texts = [scope.variables[name] for name in inputs]
        key = (block, *(inputs if self.dialect.asks else texts))
        helper = self.sheet.helper(key, lambda: kernel_of(self.library, block, inputs, self.dialect, origins))
        if scope.tests and texts:
            texts[0] = self.sheet.line(self.dialect.pick(self.sheet.mask(scope), texts[0], "nan"))
        texts += map(scope.text_of, origins.names)
        result = self.sheet.line(self._call(helper, texts))
        values = [self.sheet.line(f"{result}[{i}]") for i in range(len(block.unknowns))]
        if not self.dialect.is_lazy:
            scope.ask(self.sheet.line(f"{result}[{len(values)}]"))
        self._flag_infinite(values[0], scope)
        self.sheet.require(scope, f"({values[0]} == {values[0]})")
        for name, text in zip(block.unknowns, values, strict=True):
            scope.bind(name, text)
            self.decisions.record_sought(text, self.library.declared[name])

    def _call(self, helper: str, texts: Sequence[str]) -> str:
        return f"{helper}({', '.join(texts if self.dialect.is_lazy else ['axes', *texts])})"
