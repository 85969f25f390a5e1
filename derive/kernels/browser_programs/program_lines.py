"""The lines of a browser program: those of machine code for each block, with a cause beside each number.

Every quantity has a cause: 0 if it has a number, otherwise the number of a reason. A quantity without a number hands
its cause on to all that depend on it, so the reason that a page shows is the first one. Nothing returns early: what
does not depend on a failed quantity keeps its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from math import inf, isfinite
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in
from derive.kernels.agreement import DecidingZero, conditions_of, deciding_zeros
from derive.kernels.backends.emitter import RuntimeFunction, Scope, Script, Sheet, UnsupportedOperation
from derive.kernels.backends.javascript import JavaScript, without_idle
from derive.kernels.blocks.decisions import Decisions
from derive.kernels.browser_programs.layout import (
    Layout,
    Reasons,
    binding_arm,
    blocks_for_checks,
    relations_to_check,
    weak_values_behind,
)
from derive.kernels.lowering import Draft
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import terms, weighed
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, arms_of, dividend_of
from derive.planning.plan import Block
from derive.solving.blocks.closed_forms import arms_in_closed_form
from derive.solving.case_trees import Case, Cases, Fork, Tree, YieldingCondition, ends
from derive.solving.diagnosis.domain_violations import may_be_at_limit, may_be_undefined
from derive.tolerances import AGREEMENT, CONTRADICTION
from quantities.tolerances import UNIT_ROUNDING

_SOUND = "0"  # the cause of what has a number


class ProgramLines(Draft):
    """Writes a browser program's lines of one alternative, with the cause for which each number may be missing."""

    def __init__(
        self, library: RelationSet, cases: Cases, inputs: Mapping[str, int], layout: Layout, reasons: Reasons
    ) -> None:
        """Begin a browser program's lines with those that read its inputs; no quantity has a cause yet."""
        sheet = Sheet(JavaScript())
        sheet.space |= {
            name: RuntimeFunction(name) for name in ("isWhole", "largest", "smallest", "first", "held", "blank")
        }
        arguments = {name: sheet.line(f"x[{place}]") for name, place in inputs.items()}
        super().__init__(library, cases, arguments, sheet, Decisions())
        self.inputs = inputs
        self.layout = layout
        self.reasons = reasons
        self.causes: dict[str, str] = {}  # of each line that may lack a number
        self.applied_causes: dict[str, str] = {}  # of each cause in a check: the same where its relations apply
        self.check_causes: dict[str, list[str]] = {}  # the causes in each check
        self.uncompiled: set[Block] = set()  # blocks without lines
        self.candidate_texts: list[str] = []  # the candidates of the block at hand
        self.form_indices: dict[Block, str] = {}  # the index of the form in use
        self.unchecked: dict[str, str] = {}  # of each unknown, before it is asked whether it lies in its domain
        self.barred: dict[str, str] = {}  # whether a quantity beside the target has no admissible value

    def script(self, tree: Tree) -> Script:
        """The script of one alternative of a browser program, whose lines write all numbers to their places."""
        scope = Scope()
        for name in self.outline.strong:
            self._bind_given(name, scope)
        self._write_tree(tree, scope)
        return Script("\n".join(["def compiled(x, y):", *without_idle(self.sheet.lines), ""]), self.sheet.space)

    def _bind_given(self, name: str, scope: Scope) -> str:
        """Write a given of a browser program in base units, with the cause where it is no number of its domain."""
        value, quantity = super()._bind_given(name, scope), self.library.declared[name]
        domain = quantity.domain
        tests = [self.sheet.between(value, -inf, inf)]
        slack = f"{UNIT_ROUNDING!r}*abs({value})"  # a given at the end of its domain may miss it by its unit's rounding
        if isfinite(domain.low):
            if domain.open_low:
                tests.append(f"({domain.low!r} < {value})")
            else:
                tests.append(f"({domain.low!r} - {slack} <= {value})" if domain.low else f"({domain.low!r} <= {value})")
        if isfinite(domain.high):
            tests.append(f"({domain.high!r} + {slack} >= {value})" if domain.high else f"({domain.high!r} >= {value})")
        if domain.whole:
            tests.append(f"isWhole({self.arguments[name]})")
        wrong = self.reasons.misgiven(quantity)
        self.causes[value] = self.sheet.line(f"0 if {' and '.join(tests)} else {wrong}")
        return value

    def _causes(self, names: Iterable[str], scope: Scope) -> list[str]:
        """The different causes for which quantities in a browser program's lines may have no number."""
        causes = (self._cause_of(name, scope) for name in names)
        return [cause for cause in dict.fromkeys(causes) if cause != _SOUND]

    def _cause_of(self, name: str, scope: Scope) -> str:
        """The text of the cause for which a quantity in a browser program's lines may have no number."""
        return self.causes.get(scope.variables[name], _SOUND)

    def _first(self, *causes: str) -> str:
        """The text of the first cause that applies, among several in a browser program's lines."""
        possible = [cause for cause in causes if cause != _SOUND]
        if not possible:
            return _SOUND
        text = " or ".join(possible)
        return text if text.isidentifier() else self.sheet.line(text)

    # Cases

    def _write_tree(self, tree: Tree, scope: Scope) -> str:
        """Write a browser program's lines for a tree of cases: of a fork, of a case, or why no case holds."""
        if isinstance(tree, Fork):
            self._write_fork(tree, scope)
        elif tree is None:
            self._blank(str(self.reasons.no_case(self.outline.target)))
        else:
            self._write_case(tree, scope)
        return ""

    def _blank(self, cause: str) -> None:
        """Write the line of a browser program that leaves every output without a number, for one cause."""
        self.sheet.write(f"blank(y, {cause}, {len(self.layout.outputs)}, {len(self.layout.checks)})")

    def _write_fork(self, fork: Fork, scope: Scope) -> str:
        """Write a browser program's lines for both sides of a fork, each under its condition."""
        names = names_in(fork.condition)
        try:
            for name in names:
                if name not in scope.variables:
                    self._compute_aside(name, scope)
        except UnsupportedOperation:
            self._blank(str(self.reasons.unclear(fork.condition)))
            return ""
        inner = scope.untested()
        test = self._text(fork.condition, inner)
        unclear = self.reasons.unclear(fork.condition)
        cause = self._first(*self._causes(names, scope), *(f"({unclear} if {doubt} else 0)" for doubt in inner.asked))
        if cause != _SOUND:
            with self.sheet.under(f"if {cause}:"):
                self._blank(cause)
        self._write_shared_lines(fork, scope.untested())
        sound = "" if cause == _SOUND else f"not {cause} and "
        for heading, side in ((f"if {sound}{test}:", fork.yes), (f"if {sound}not {test}:", fork.no)):
            with self.sheet.under(heading):
                self._write_tree(side, scope.copy())
        return ""

    def _write_shared_lines(self, fork: Fork, scope: Scope) -> None:
        """Write before a fork the browser program's lines that all its cases need, once."""
        first, *others = [case.plan for case, _ in ends(fork) if case is not None]
        for name in first.weak:
            if all(name in plan.weak for plan in others):
                self._bind_default(name, scope)
        for block in first.blocks:
            needed = self.library.held_by(block.relations).keys()
            if all(block in plan.blocks for plan in others) and scope.variables.keys() >= needed - {*block.unknowns}:
                self._write_block(block, scope)

    def _compute_aside(self, name: str, scope: Scope) -> None:
        """Write a browser program's call that computes a quantity in a condition by a function of its own."""
        self._compute_by_function(name, self.cases.of_aside(name), scope)

    def _compute_by_function(self, name: str, cases: Cases, scope: Scope) -> None:
        """Write a browser program's call that computes a quantity from all givens, and the cause of its value."""
        key = (cases.outline, cases.alternatives, *cases.asides.items())
        value = self._by_function(cases, key, [self.arguments[given] for given in self.outline.strong], scope)
        undecided, outside = self.reasons.undecided(name), self.reasons.outside(self.library.declared[name])
        cause = f"{undecided} if abs({value}) == inf else 0 if {value} == {value} else {outside}"
        self.causes[value] = self.sheet.line(cause)
        scope.bind(name, value)
        self.decisions.record_sought(value, self.library.declared[name])

    def _write_case(self, case: Case, scope: Scope) -> None:
        """Write a browser program's lines for a case: its plan, its checks, and all that the layout stores of it."""
        self._write_plan(case.plan, scope)
        cause = self._case_cause(case, scope)
        for_checks = blocks_for_checks(self.library, self.outline, case, scope.variables)
        for block in for_checks:
            self._write_block_for_checks(block, scope, is_needed=block in case.plan.extra)
        for block in self.layout.beside:
            if block not in (*case.plan.blocks, *for_checks):
                self._write_block_beside(block, scope)
        states = self._write_checks(case, scope, cause)
        self._store_outputs(scope, cause, states)
        self._store_displacements(case, scope)
        self._store_forms(case, scope, cause)
        self._store_steps(case, scope, cause)

    def _case_cause(self, case: Case, scope: Scope) -> str:
        """Write the cause for which a browser program's case does not apply: its numbers do not meet its conditions."""
        names = names_in(*case.holding, *chain.from_iterable(case.failing))
        self._take_defaults(names, scope)
        causes = self._causes(names, scope)
        if case.holding:
            causes.append(self._condition_cause(case.holding, scope, is_held=True))
        for conditions in filter(None, case.failing):
            causes.append(self._condition_cause(conditions, scope, is_held=False))
        for yielding in case.yielding:
            causes += self._yielding_causes(yielding, scope)
        for following in case.following:
            causes += self._following_causes(following, scope)
        causes += map(self._zero_cause, deciding_zeros(self.library, self.cases), repeat(scope))
        return self._first(*causes)

    def _zero_cause(self, zero: DecidingZero, scope: Scope) -> str:
        """Write the cause where a zero given decides that a browser program's givens contradict each other."""
        inner = scope.untested()
        vanishes = self._holds(Equation(zero.factor, "=", ZERO), inner)
        if not zero.is_known:
            return self.sheet.line(f"{self.reasons.at_zero(zero.factor)} if {vanishes} else 0")
        wrong = self.reasons.contradicted(zero.relation)
        return self.sheet.line(f"0 if not {vanishes} or {self._holds(zero.rest, inner)} else {wrong}")

    def _yielding_causes(self, yielding: YieldingCondition, scope: Scope) -> list[str]:
        """Write the causes where a condition that holds by defaults may fail in a browser program's case."""
        unclear = self.reasons.unclear(yielding.condition)
        inner = scope.untested()
        fails = self._fails(yielding, inner)
        causes = self._causes(self._starting(yielding, scope), scope)
        return [*causes, self.sheet.line(f"{unclear} if {' or '.join((fails, *inner.asked))} else 0")]

    def _following_causes(self, following: YieldingCondition, scope: Scope) -> list[str]:
        """Write the causes where a condition on what follows from a browser program's case may fail."""
        unclear, inner = self.reasons.unclear(following.condition), scope.untested()
        known, test = self._evaluated(following, inner)
        causes = self._causes(self._starting(following, scope), scope)
        wrong = self.reasons.failing(self.outline.target, (following.condition,))
        asked = " or ".join((f"not ({' and '.join(known)})", *inner.asked))
        return [*causes, self.sheet.line(f"{unclear} if {asked} else 0 if {test} else {wrong}")]

    def _starting(self, yielding: YieldingCondition, scope: Scope) -> list[str]:
        """The quantities with a line so far in a program's case, from which those of a further condition follow."""
        members = dict.fromkeys(names_in(yielding.condition))
        for plan in yielding.plans:
            members |= self.library.held_by(plan.relations)
        return [name for name in members if name in scope.variables]

    def _condition_cause(self, conditions: tuple[Node, ...], scope: Scope, *, is_held: bool) -> str:
        """Write the cause where conditions of a browser program's case do not hold as they should."""
        inner = scope.untested()
        test = self.dialect.logic("and", [self._text(condition, inner) for condition in conditions])
        if is_held:
            right, wrong = test, self.reasons.failing(self.outline.target, conditions)
        else:
            right, wrong = f"(not {test})", self.reasons.no_case(self.outline.target)
        unclear = "".join(f"{self.reasons.unclear(conditions[0])} if {doubt} else " for doubt in inner.asked)
        return self.sheet.line(f"{unclear}0 if {right} else {wrong}")

    # Blocks

    def _write_block(self, block: Block, scope: Scope) -> None:
        """Write a browser program's lines for the unknowns of a block, each NaN where it has a cause."""
        members = self.library.held_by(block.relations)
        causes = self._causes((name for name in members if name not in block.unknowns), scope)
        inner = scope.untested()
        self.candidate_texts = []
        try:
            if block in self.uncompiled:
                raise UnsupportedOperation
            super()._write_block(block, inner)
        except UnsupportedOperation:
            self.uncompiled.add(block)
            cause = self._first(*causes, str(self.reasons.uncompiled(block)))
            for name in block.unknowns:
                value = self.sheet.named("nan")
                self.causes[value] = cause
                scope.bind(name, value)
            return
        cause = self._first(*causes, self._own_cause(block, inner))
        for name in block.unknowns:
            raw = self.unchecked[name] = inner.variables[name]
            value = self.sheet.line(f"nan if {cause} else {raw}")
            self.causes[value] = cause
            self.decisions.record_same(value, raw)
            scope.bind(name, value)
        self.form_indices[block] = self._closed_form(block)

    def _open_at_zero(self, divisor: Node, form: Node | None, scope: Scope) -> str:
        """Write the program's line that is true where a divisor is zero within rounding, and its dividend may be.

        Of `x*d = n` no x is a solution where d alone is zero.
        """
        vanishes = super()._open_at_zero(divisor, form, scope)
        dividend = None if form is None else dividend_of(form, divisor)
        if dividend is None:
            return vanishes
        inner = scope.untested()
        is_zero = self._text(Apply("eq", (divisor, ZERO)), inner)
        has_none = self.dialect.logic("and", [is_zero, f"(not {self._holds(Equation(dividend, '=', ZERO), inner)})"])
        doubts = "".join(f" or {doubt}" for doubt in inner.asked)
        return self.sheet.line(f"{vanishes} and (not {has_none}{doubts})")

    def _own_cause(self, block: Block, inner: Scope) -> str:
        """The text of the cause that arises in a browser program's block itself, and not in its inputs."""
        name = block.unknowns[0]
        tests = [*inner.tests, *(f"abs({size}) < inf" for size in inner.sizes)]
        for unknown in block.unknowns:
            size = self.library.declared[unknown].unit.size
            if size < 1:  # in the declared unit a number may be too large for a double
                tests.append(f"abs({inner.variables[unknown]} / {float(size)!r}) < inf")
        outside = self.reasons.outside(self.library.declared[name])
        undecided = ""
        if inner.asked:
            undecided = f"{self.reasons.undecided(name)} if {' or '.join(inner.asked)} else "
        return f"({undecided}0 if {' and '.join(tests) or 'True'} else {outside})"

    def _checked(self, equation: Equation, name: str, text: str, form: Node, scope: Scope) -> str:
        """Write a closed form in a browser program as any kernel does, and note it among those that were tried."""
        self.candidate_texts.append(super()._checked(equation, name, text, form, scope))
        return self.candidate_texts[-1]

    def _closed_form(self, block: Block) -> str:
        """The text of the index of the closed form that a browser program's block uses; -1 if none has a value."""
        equation = self.library.relations[block.relations[0]].written
        candidates = isolate(equation, block.unknowns[0]) if len(block.unknowns) == 1 else None
        if candidates is None or len(candidates) == 1 or len(self.candidate_texts) < len(candidates):
            return "0"
        others = iter(self.candidate_texts[len(candidates) :])
        text = ""
        for i, (value, candidate) in enumerate(zip(self.candidate_texts, candidates, strict=False)):
            has_value = f"{value} == {value}"
            if candidate.other is not None:
                other = next(others)
                has_value += f" or {other} == {other}"
            text += f"{i} if {has_value} else "
        return f"{text}-1"

    def _write_block_for_checks(self, block: Block, scope: Scope, *, is_needed: bool) -> None:
        """Write a browser program's lines for a block that only checks need, where its relations apply."""
        hindrances = self._hindrances(block, scope)
        self._write_block(block, scope)
        self._store_barred(block, hindrances, scope, is_needed=is_needed)
        for name in block.unknowns:
            own = self._cause_of(name, scope)
            cause = self.causes[scope.variables[name]] = self._first(*hindrances, own)
            applies = " or ".join(hindrances)
            self.applied_causes[cause] = self.sheet.line(f"0 if {applies} else {own}") if hindrances else own

    def _hindrances(self, block: Block, scope: Scope) -> list[str]:
        """The causes, as texts in a program's lines, for which the relations of a block for checks may not apply."""
        conditions = conditions_of(self.library, block.relations)
        failing = [self._condition_cause((condition,), scope, is_held=True) for condition in conditions]
        return [*self._causes(names_in(*conditions), scope), *failing]

    def _write_block_beside(self, block: Block, scope: Scope) -> None:
        """Write whether a browser program's block beside the target leaves its domain where its relations apply.

        What it needs is computed from the givens alone: in this case, another relation may hold than in that of a plan.
        """
        inner = scope.copy()
        self._compute_members(self.layout.beside[block], inner)
        hindrances = self._hindrances(block, inner)
        self._write_block(block, inner)
        self._store("barred", block, self._bar(block, hindrances, inner, is_needed=False))

    def _store_barred(self, block: Block, hindrances: Sequence[str], scope: Scope, *, is_needed: bool) -> None:
        """Write whether a browser program's block for checks has no admissible value, or needs one without.

        Only a block that itself has none is reported; the later ones fail because of it.
        """
        needed = block.inputs(self.library)
        inherited = [self.barred[name] for name in sorted(needed) if name in self.barred]
        applies = "".join(f"not {hindrance} and " for hindrance in hindrances)
        bar = self._bar(block, hindrances, scope, is_needed=is_needed)
        self._store("barred", block, bar)
        if inherited:
            bar = self.sheet.line(f"1 if {applies}({' or '.join((bar, *inherited))}) else 0")
        self.barred |= dict.fromkeys(block.unknowns, bar)

    def _bar(self, block: Block, hindrances: Sequence[str], scope: Scope, *, is_needed: bool) -> str:
        """Write whether a browser program's block has itself no admissible value where nothing hinders it."""
        first = block.unknowns[0]
        outside = f"({self._cause_of(first, scope)} == {self.reasons.outside(self.library.declared[first])})"
        has_arms = bool(arms_in_closed_form(self.library, block))  # where none fits, there is no admissible value
        # elsewhere what has no number at all leaves no domain
        if not is_needed and not has_arms and may_be_undefined(self.library, block):
            outside = f"({outside} and abs({self.unchecked[first]}) < inf)"
        elif not is_needed and not has_arms and may_be_at_limit(self.library, block):
            infinite = scope.untested()
            infinite.bind(first, self.unchecked[first])
            holds = self._holds(self.library.relations[block.relations[0]].written, infinite)
            outside = f"({outside} and not (abs({self.unchecked[first]}) == inf and {holds}))"
        applies = "".join(f"not {hindrance} and " for hindrance in hindrances)
        return self.sheet.line(f"1 if {applies}{outside} else 0")

    # Results

    def _store(self, what: str, of: Any, text: str) -> None:
        """Write the line of a browser program that stores a number in its place of the layout."""
        self.sheet.write(f"y[{self.layout.places[what, of]}] = {text}")

    def _store_outputs(self, scope: Scope, case_cause: str, states: Mapping[str, str]) -> None:
        """Write a program's lines that store each output and its cause; the target has none where givens contradict."""
        contradictions = [*chain.from_iterable(self._contradictions(name, state) for name, state in states.items())]
        for name in self.layout.outputs:
            if name not in scope.variables:
                continue
            value, own = scope.variables[name], self._cause_of(name, scope)
            cause = self._first(case_cause, own, *(contradictions if name == self.outline.target else ()))
            declared = self._to_declared(value, name)  # no number where it has a cause of its own
            if cause not in (_SOUND, own) or name in self.outline.strong:
                declared = f"nan if {cause} else {declared}"
            self._store("number", name, declared)
            self._store("why", name, cause)

    def _contradictions(self, name: str, state: str) -> list[str]:
        """The causes that a program's lines give a target without a number, by a relation that givens state twice."""
        if name not in self.layout.stated_twice:
            return []
        causes = [self.applied_causes[cause] for cause in self.check_causes[name] if cause in self.applied_causes]
        if self.library.relations[name].is_equation:
            is_firm = name in self.layout.contradictions
            reason = self.reasons.contradicted(name) if is_firm else self.reasons.yielding(name)
            causes.append(self.sheet.line(f"{reason} if {state} == 2 else 0"))
        return causes

    def _write_checks(self, case: Case, scope: Scope, case_cause: str) -> dict[str, str]:
        """Write the lines of a browser program's checks in a case, and return the text of each check's state."""
        known = scope.copy()
        for name in self.inputs:
            if name not in known.variables:
                self._bind_given(name, known)
        self._take_defaults((name for name in self.library.defaults if name != self.outline.target), known)
        stated = known.variables.keys() - scope.variables.keys()
        states = {}
        for name in relations_to_check(self.library, case, scope.variables, stated):
            if name in self.layout.checks and name not in self.layout.stated_twice:
                states[name] = self._write_check(name, known, case_cause, is_loose=self._is_loose(name, case, stated))
        for name in self.layout.stated_twice:
            beside = scope.copy()
            self._compute_members(self.layout.stated_twice[name], beside)
            states[name] = self._write_check(name, beside, case_cause)
            self._drop_causes(name, beside)
        return states

    def _drop_causes(self, name: str, scope: Scope) -> None:
        """Write that causes in a browser program's check do not count where its conditions do not hold."""
        conditions = self.library.relations[name].conditions
        if not conditions:
            return
        inner = scope.untested()
        tests = [self._text(condition, inner) for condition in conditions]
        unknown = [*self._causes(names_in(*conditions), scope), *inner.asked]
        known = f"not ({' or '.join(unknown)}) and " if unknown else ""
        applies = self.dialect.logic("and", tests)
        idle = self.sheet.line(f"1 if {known}not {applies} else 0")
        causes = [self.applied_causes[cause] for cause in self.check_causes[name] if cause in self.applied_causes]
        self.check_causes[name] = [self.sheet.line(f"0 if {idle} else {cause}") for cause in causes]
        self.applied_causes |= {cause: cause for cause in self.check_causes[name]}

    def _is_loose(self, name: str, case: Case, stated: Iterable[str]) -> bool:
        """Whether the lines of a failed check must allow for the range or rounding of a default."""
        relation = self.library.relations[name]
        members = self.library.members[name]
        weak = {*members} & {*stated} | weak_values_behind(self.library, case.plan, members)
        defaults = self.library.defaults
        values = [defaults[name] for name in weak if name in defaults and name not in self.inputs]
        rounded = [value.as_rounded[0] != value.as_rounded[-1] for value in values]
        return any(value.is_range for value in values) or (relation.is_equation and any(rounded))

    def _write_check(self, name: str, scope: Scope, case_cause: str, *, is_loose: bool = False) -> str:
        """Write both sides of a browser program's check and its state, returned; a cause leaves it untested.

        Where a loose check fails, its state is that only the solver can tell.
        """
        sheet, relation = self.sheet, self.library.relations[name]
        equation = relation.written
        causes = [case_cause, *self._causes((*self.library.members[name], *names_in(*relation.conditions)), scope)]
        self.check_causes[name] = causes
        cause, scope = self._first(*causes), scope.untested()
        left, right = (self._text(side, scope) for side in (equation.lhs, equation.rhs))
        tests = [self._text(condition, scope) for condition in relation.conditions]
        verdict = self._verdict(name, left, right, scope)
        doubts = (cause, *scope.asked, *(f"(not {test})" for test in tests))
        unknown = " or ".join(doubt for doubt in doubts if doubt != _SOUND)
        state = sheet.line(f"0 if {unknown} else {verdict}" if unknown else verdict)
        if is_loose:
            state = sheet.line(f"4 if {state} == 2 else {state}")
        for which, side in (("left", left), ("right", right)):
            self._store(which, name, f"{side} if {state} else nan")
        self._store("state", name, state)
        return state

    def _verdict(self, name: str, left: str, right: str, scope: Scope) -> str:
        """Write the gap in a browser program's check and what it is measured by, and return the text of the verdict."""
        relation = self.library.relations[name]
        equation, tolerance = relation.written, relation.tolerance
        measured = (*terms(equation.lhs), *terms(equation.rhs))
        if relation.approximate is not None:
            measured = weighed(equation)
        size = " + ".join(f"abs({self.sheet.expression(term, scope)})" for term in measured)
        gap = self.sheet.line(f"{left} - {right}")
        excess = {"=": f"abs({gap})", "<=": gap, ">=": f"-{gap}"}[equation.op]
        if name in self.layout.stated_twice:  # a contradiction is reported only where more digits would not resolve it
            tolerance = max(tolerance, CONTRADICTION)
        return f"held({gap}, {excess}, {size}, {tolerance!r})"

    def _compute_members(self, plans: Mapping[str, Cases], scope: Scope) -> None:
        """Write a browser program's calls, one for each quantity that a test of the givens needs, by its plans."""
        for name, cases in plans.items():
            if name in scope.variables:
                continue
            try:
                self._compute_by_function(name, cases, scope)
            except UnsupportedOperation:
                cause = str(self.reasons.undecided(name))
                scope.bind(name, self.sheet.named("nan"))
                self.causes[scope.variables[name]] = cause
            value = scope.variables[name]
            self.applied_causes[self.causes[value]] = self.causes[value]

    def _store_displacements(self, case: Case, scope: Scope) -> None:
        """Write how each default compares with the browser program's own number of the same quantity.

        They agree (1), or do not (2); no value fits (3), or only the solver can tell (4).
        """
        for name in self.layout.yielding:
            if name in case.plan.unknowns and name not in case.plan.weak:
                self._store("displaced", name, self._displacement(name, case, scope))
            elif name in self.barred:
                self._store("displaced", name, f"3 if {self.barred[name]} else -1")

    def _displacement(self, name: str, case: Case, scope: Scope) -> str:
        """The text that compares a browser program's number with a default; -1 where the number has a cause."""
        own, number = self.library.defaults[name], scope.variables[name]
        cause = self._cause_of(name, scope)
        behind = [self.library.defaults[weak_name] for weak_name in weak_values_behind(self.library, case.plan, [name])]
        is_loose = any(default.as_rounded[0] != default.as_rounded[1] for default in behind)
        stated, (low, high) = own.base[1], own.as_rounded
        slack = AGREEMENT * max(abs(low), abs(high))
        apart = self.sheet.line(f"abs({number} - {stated!r})")
        tests = [f"{apart} <= {AGREEMENT!r}*abs({number})", f"{apart} <= {AGREEMENT * abs(stated)!r}"]
        agrees = " or ".join([*tests, self.sheet.between(number, low - slack, high + slack)])
        untested = f"-1 if {cause} else " if cause != _SOUND else ""
        return f"{untested}1 if {agrees} else {4 if is_loose else 2}"

    def _store_forms(self, case: Case, scope: Scope, case_cause: str) -> None:
        """Write the index of the form that each of a browser program's relations with choices takes."""
        for name in case.plan.relations:
            if name in self.layout.choices:
                cause = self._first(case_cause, *self._causes(self.library.members[name], scope))
                self._store("form", name, self._form_of_choices(name, scope.untested(), cause))

    def _form_of_choices(self, relation: str, scope: Scope, cause: str) -> str:
        """The text of the index of a browser program's form of a relation with choices; -1 with a cause."""
        choice = self.layout.choices[relation]
        text = partial(self._text, scope=scope)
        taken = [self.sheet.line(binding_arm(node, text)) for node in choice.nodes]
        combined = taken[0]
        for way, node in zip(taken[1:], choice.nodes[1:], strict=True):
            combined = f"({combined}) * {len(arms_of(node))} + {way}"
        if choice.places != tuple(range(len(choice.places))):
            name = f"places{self.layout.places['form', relation]}"
            self.sheet.space[name] = choice.places
            combined = f"{name}[{combined}]"
        unknown = [cause, *scope.asked, *(f"({way} < 0)" for way in taken)]
        return f"-1 if {' or '.join(doubt for doubt in unknown if doubt != _SOUND)} else {combined}"

    def _store_steps(self, case: Case, scope: Scope, case_cause: str) -> None:
        """Write the index of the closed form that each of a browser program's steps uses."""
        for block in case.plan.blocks:
            cause = self._first(case_cause, *self._causes(block.unknowns, scope))
            form = self.form_indices.get(block, "0")
            value = form if cause == _SOUND else f"-1 if {cause} else {form}"
            self._store("step", block, value)
