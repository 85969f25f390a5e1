"""The lines of a program: those of machine code for each block, with the cause kept beside each number.

Every quantity has a cause: 0 if it has a number, otherwise the number of a reason. A quantity without a number hands
its cause on to all that depend on it, so the reason that a page shows is the first one. Nothing returns early: what
does not depend on a failed quantity keeps its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import inf, isfinite
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in
from derive.kernels.backends.emitter import Scope, Sheet, Unsaid
from derive.kernels.backends.javascript import Built, JavaScript, Script, without_idle
from derive.kernels.blocks.decisions import Decisions
from derive.kernels.case_dispatch import Case, Cases, Fork, Tree, Yielding, ends
from derive.kernels.lowering import Draft
from derive.kernels.programs.layout import Layout, Reasons, extra, testable, weak_behind
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import terms, weighed
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import arms_of
from derive.planning.plan import Block
from derive.solving.diagnosis.left_domains import may_be_undefined
from derive.tolerances import AGREEMENT, CONTRADICTION
from quantities.tolerances import UNIT_ROUNDING

_SOUND = "0"  # the cause of what has a number


class Listing(Draft):
    """Writes the lines of one alternative, from the givens, each at its place, and the causes that they hand on."""

    def __init__(
        self, library: RelationSet, found: Cases, inputs: Mapping[str, int], layout: Layout, reasons: Reasons
    ) -> None:
        sheet = Sheet(JavaScript())
        sheet.space |= {name: Built(name) for name in ("isWhole", "largest", "smallest", "first", "held", "blank")}
        arguments = {name: sheet.line(f"x[{place}]") for name, place in inputs.items()}
        super().__init__(library, found, arguments, sheet, Decisions())
        self.inputs = inputs
        self.layout = layout
        self.reasons = reasons
        self.causes: dict[str, str] = {}  # of each line that may lack a number
        self.open: dict[str, str] = {}  # of causes beside the target: the same where its relations apply
        self.handed: dict[str, list[str]] = {}  # the causes in each check
        self.unsaid: set[Block] = set()  # blocks without lines
        self.tried: list[str] = []  # the candidates of the block at hand
        self.forms: dict[Block, str] = {}  # the index of the form in use
        self.raw: dict[str, str] = {}  # of each unknown, before it is asked whether it lies in its domain
        self.barred: dict[str, str] = {}  # whether a quantity beside the target has no admissible value

    def script(self, tree: Tree) -> Script:
        scope = Scope()
        for name in self.outline.strong:
            self._given(name, scope)
        self._tree(tree, scope)
        return Script("\n".join(["def compiled(x, y):", *without_idle(self.sheet.lines), ""]), self.sheet.space)

    def _given(self, name: str, scope: Scope) -> str:
        """A given in base units, with the cause where it is no number of its domain."""
        value, quantity = super()._given(name, scope), self.library.declared[name]
        domain = quantity.domain
        tests = [self.sheet.between(value, -inf, inf)]
        for end, sign in ((domain.low, "<" if domain.open_low else "<="), (domain.high, ">=")):
            if isfinite(end):
                slack = (
                    "" if sign == "<" or not end else f" {'-' if sign == '<=' else '+'} {UNIT_ROUNDING!r}*abs({value})"
                )
                tests.append(f"({end!r}{slack} {sign} {value})")
        tests += [f"isWhole({self.arguments[name]})"] if domain.whole else []
        wrong = self.reasons.misgiven(quantity)
        self.causes[value] = self.sheet.line(f"0 if {' and '.join(tests)} else {wrong}")
        return value

    def _cause(self, names: Iterable[str], scope: Scope) -> list[str]:
        """The causes that quantities may hand on."""
        found = (self._own(name, scope) for name in names)
        return [one for one in dict.fromkeys(found) if one != _SOUND]

    def _own(self, name: str, scope: Scope) -> str:
        return self.causes.get(scope.variables[name], _SOUND)

    def _first(self, *causes: str) -> str:
        """The first cause of several."""
        held = [one for one in causes if one != _SOUND]
        if not held:
            return _SOUND
        return held[0] if len(held) == 1 and held[0].isidentifier() else self.sheet.line(" or ".join(held))

    # Cases

    def _tree(self, tree: Tree, scope: Scope) -> str:
        if isinstance(tree, Fork):
            self._fork(tree, scope)
        elif tree is None:
            self._blank(str(self.reasons.no_case(self.outline.target)))
        else:
            self._case(tree, scope)
        return ""

    def _blank(self, cause: str) -> None:
        self.sheet.write(f"blank(y, {cause}, {len(self.layout.outputs)}, {len(self.layout.checks)})")

    def _fork(self, fork: Fork, scope: Scope) -> str:
        names = names_in(fork.condition)
        try:
            for name in names:
                if name not in scope.variables:
                    self._aside(name, scope)
        except Unsaid:
            self._blank(str(self.reasons.unclear(fork.condition)))
            return ""
        inner = scope.untested()
        test = self.sheet.expression(fork.condition, inner)
        unclear = self.reasons.unclear(fork.condition)
        cause = self._first(*self._cause(names, scope), *(f"({unclear} if {one} else 0)" for one in inner.asked))
        if cause != _SOUND:
            with self.sheet.under(f"if {cause}:"):
                self._blank(cause)
        self._in_common(fork, scope.untested())
        sound = "" if cause == _SOUND else f"not {cause} and "
        for heading, side in ((f"if {sound}{test}:", fork.yes), (f"if {sound}not {test}:", fork.no)):
            with self.sheet.under(heading):
                self._tree(side, scope.copy())
        return ""

    def _in_common(self, fork: Fork, scope: Scope) -> None:
        """Lines that all cases of a fork need: written before it, they are written once."""
        first, *others = [case.plan for case, _ in ends(fork) if case is not None]
        for name in first.weak:
            if all(name in made.weak for made in others):
                self._default(name, scope)
        for block in first.blocks:
            needed = self.library.held_by(block.relations).keys()
            if all(block in made.blocks for made in others) and scope.variables.keys() >= needed - {*block.unknowns}:
                self._block(block, scope)

    def _aside(self, name: str, scope: Scope) -> None:
        """A quantity in a condition, by a function of its own."""
        self._called_for(name, self.found.of_aside(name), scope)

    def _called_for(self, name: str, plans: Cases, scope: Scope) -> None:
        """A quantity by a function of all givens."""
        key = (plans.outline, plans.alternatives, *plans.asides.items())
        value = self._by_function(plans, key, [self.arguments[one] for one in self.outline.strong], scope)
        undecided, outside = self.reasons.undecided(name), self.reasons.outside(self.library.declared[name])
        told = f"{undecided} if abs({value}) == inf else 0 if {value} == {value} else {outside}"
        self.causes[value] = self.sheet.line(told)
        scope.bind(name, value)

    def _case(self, case: Case, scope: Scope) -> None:
        self._plan(case.plan, scope)
        whole = self._whether(case, scope)
        for block in extra(self.library, self.outline, case, scope.variables):
            self._extra(block, scope, is_needed=block in case.plan.extra)
        states = self._checks(case, scope, whole)
        self._outputs(scope, whole, states)
        self._displacements(case, scope)
        self._regimes(case, scope, whole)
        self._steps(case, scope, whole)

    def _whether(self, case: Case, scope: Scope) -> str:
        """The cause where the numbers do not meet the conditions of their case."""
        names = names_in(*case.holding, *chain.from_iterable(case.failing))
        self._complete(names, scope)
        causes = self._cause(names, scope)
        for conditions, is_held in ((case.holding, True), *((one, False) for one in case.failing)):
            if conditions:
                causes.append(self._judgement(conditions, is_held, scope))
        for yielding in case.yielding:
            unclear = self.reasons.unclear(yielding.condition)
            inner = scope.untested()
            fails = self._fails(yielding, inner)
            causes += self._cause(self._starting(yielding, scope), scope)
            causes.append(self.sheet.line(f"{unclear} if {' or '.join((fails, *inner.asked))} else 0"))
        for following in case.following:
            unclear, inner = self.reasons.unclear(following.condition), scope.untested()
            known, test = self._worked_out(following, inner)
            causes += self._cause(self._starting(following, scope), scope)
            wrong = self.reasons.failing(self.outline.target, (following.condition,))
            asked = " or ".join((f"not ({' and '.join(known)})", *inner.asked))
            causes.append(self.sheet.line(f"{unclear} if {asked} else 0 if {test} else {wrong}"))
        return self._first(*causes)

    def _starting(self, yielding: Yielding, scope: Scope) -> list[str]:
        """The numbers of a case from which a condition's quantities follow."""
        met = dict.fromkeys(names_in(yielding.condition))
        for made in yielding.plans:
            met |= self.library.held_by(made.relations)
        return [name for name in met if name in scope.variables]

    def _judgement(self, conditions: tuple[Node, ...], is_held: bool, scope: Scope) -> str:
        """The cause where conditions do not all hold, or where they do although they should not."""
        inner = scope.untested()
        test = self.dialect.logic("and", [self.sheet.expression(one, inner) for one in conditions])
        wrong = (
            self.reasons.failing(self.outline.target, conditions)
            if is_held
            else self.reasons.no_case(self.outline.target)
        )
        right = test if is_held else f"(not {test})"
        unclear = "".join(f"{self.reasons.unclear(conditions[0])} if {one} else " for one in inner.asked)
        return self.sheet.line(f"{unclear}0 if {right} else {wrong}")

    # Blocks

    def _block(self, block: Block, scope: Scope) -> None:
        """The unknowns of a block, each NaN where it has a cause."""
        met = self.library.held_by(block.relations)
        causes = self._cause((name for name in met if name not in block.unknowns), scope)
        inner = scope.untested()
        self.tried = []
        try:
            if block in self.unsaid:
                raise Unsaid
            super()._block(block, inner)
        except Unsaid:
            self.unsaid.add(block)
            cause = self._first(*causes, str(self.reasons.uncompiled(block)))
            for name in block.unknowns:
                held = self.sheet.named("nan")
                self.causes[held] = cause
                scope.bind(name, held)
            return
        cause = self._first(*causes, self._own_cause(block, inner))
        for name in block.unknowns:
            raw = self.raw[name] = inner.variables[name]
            held = self.sheet.line(f"nan if {cause} else {raw}")
            self.causes[held] = cause
            scope.bind(name, held)
        self.forms[block] = self._form(block)

    def _own_cause(self, block: Block, inner: Scope) -> str:
        """The cause that arises in a block itself."""
        name = block.unknowns[0]
        tests = [*inner.tests, *(f"abs({size}) < inf" for size in inner.sizes)]
        for one in block.unknowns:
            size = self.library.declared[one].unit.size
            if size < 1:  # in the declared unit a number may be too large for a double
                tests.append(f"abs({inner.variables[one]} / {float(size)!r}) < inf")
        outside = self.reasons.outside(self.library.declared[name])
        undecided = f"{self.reasons.undecided(name)} if {' or '.join(inner.asked)} else " if inner.asked else ""
        return f"({undecided}0 if {' and '.join(tests) or 'True'} else {outside})"

    def _tried(self, equation: Equation, name: str, text: str, form: Node, scope: Scope) -> str:
        self.tried.append(super()._tried(equation, name, text, form, scope))
        return self.tried[-1]

    def _form(self, block: Block) -> str:
        """Which closed form of a block is in use."""
        equation = self.library.relations[block.relations[0]].written
        candidates = isolate(equation, block.unknowns[0]) if len(block.unknowns) == 1 else None
        if candidates is None or len(candidates) == 1 or len(self.tried) < len(candidates):
            return "0"
        others = iter(self.tried[len(candidates) :])
        marks = [
            (one, next(others)) if candidate.other is not None else (one,)
            for one, candidate in zip(self.tried, candidates, strict=False)
        ]
        found = (f"{i} if {' or '.join(f'{one} == {one}' for one in mark)} else " for i, mark in enumerate(marks))
        return f"{''.join(found)}-1"

    def _extra(self, block: Block, scope: Scope, *, is_needed: bool) -> None:
        """A block that only checks need, where its relations apply."""
        relations = [self.library.relations[name] for name in block.relations]
        conditions = [one for relation in relations for one in relation.conditions]
        whether = [self._judgement((one,), True, scope) for one in conditions]
        aside = [*self._cause(names_in(*conditions), scope), *whether]
        self._block(block, scope)
        self._bar(block, aside, scope, is_needed=is_needed)
        for name in block.unknowns:
            own = self._own(name, scope)
            held = self.causes[scope.variables[name]] = self._first(*aside, own)
            applies = " or ".join(aside)
            self.open[held] = self.sheet.line(f"0 if {applies} else {own}") if aside else own

    def _bar(self, block: Block, aside: Sequence[str], scope: Scope, *, is_needed: bool) -> None:
        """Whether a block beside the target has no admissible value, or needs what has none.

        Only the first is told of the block itself: what follows from it is not the others' fault.
        """
        first = block.unknowns[0]
        outside = f"({self._own(first, scope)} == {self.reasons.outside(self.library.declared[first])})"
        if not is_needed and may_be_undefined(self.library, block):  # what has no number at all leaves no domain
            outside = f"({outside} and abs({self.raw[first]}) < inf)"
        needed = self.library.held_by(block.relations).keys() - {*block.unknowns}
        inherited = [self.barred[name] for name in sorted(needed) if name in self.barred]
        applies = "".join(f"not {one} and " for one in aside)
        bar = self.sheet.line(f"1 if {applies}{outside} else 0")
        self._store("barred", block, bar)
        whole = self.sheet.line(f"1 if {applies}({' or '.join((bar, *inherited))}) else 0") if inherited else bar
        self.barred |= dict.fromkeys(block.unknowns, whole)

    # Results

    def _store(self, what: str, of: Any, text: str) -> None:
        self.sheet.write(f"y[{self.layout.places[what, of]}] = {text}")

    def _outputs(self, scope: Scope, whole: str, states: Mapping[str, str]) -> None:
        """Each quantity, and why it has no number; the target has none where the givens contradict each other."""
        said = [one for name, state in states.items() for one in self._contradicted(name, state)]
        for name in self.layout.outputs:
            if name not in scope.variables:
                continue
            value, own = scope.variables[name], self._own(name, scope)
            cause = self._first(whole, own, *(said if name == self.outline.target else ()))
            declared = self._declared(value, name)  # no number where it has a cause of its own
            told = (
                declared
                if cause in (_SOUND, own) and name not in self.outline.strong
                else f"nan if {cause} else {declared}"
            )
            self._store("number", name, told)
            self._store("why", name, cause)

    def _contradicted(self, name: str, state: str) -> list[str]:
        """The causes by which a relation that the givens alone decide leaves the target without a number."""
        if name not in self.layout.stated_twice:
            return []
        found = [self.open[one] for one in self.handed[name] if one in self.open]
        if self.library.relations[name].is_equation:
            is_firm = name in self.layout.contradictions
            reason = self.reasons.contradicted(name) if is_firm else self.reasons.yielding(name)
            found.append(self.sheet.line(f"{reason} if {state} == 2 else 0"))
        return found

    def _checks(self, case: Case, scope: Scope, whole: str) -> dict[str, str]:
        """The state of each check that the numbers of a case test."""
        known = scope.copy()
        for name in self.inputs:
            if name not in known.variables:
                self._given(name, known)
        self._complete((name for name in self.library.defaults if name != self.outline.target), known)
        stated = known.variables.keys() - scope.variables.keys()
        found = {}
        for name in testable(self.library, case, scope.variables, stated):
            if name in self.layout.checks and name not in self.layout.stated_twice:
                found[name] = self._check(name, known, whole, self._is_loose(name, case, stated))
        for name in self.layout.stated_twice:
            beside = scope.copy()
            self._follow(name, beside)
            found[name] = self._check(name, beside, whole)
            self._set_aside(name, beside)
        return found

    def _set_aside(self, name: str, scope: Scope) -> None:
        """The causes in a relation count for nothing where its conditions are known, and do not hold."""
        conditions = self.library.relations[name].conditions
        if not conditions:
            return
        inner = scope.untested()
        tests = [self.sheet.expression(one, inner) for one in conditions]
        unknown = [*self._cause(names_in(*conditions), scope), *inner.asked]
        known = f"not ({' or '.join(unknown)}) and " if unknown else ""
        applies = self.dialect.logic("and", tests)
        idle = self.sheet.line(f"1 if {known}not {applies} else 0")
        self.handed[name] = [
            self.sheet.line(f"0 if {idle} else {self.open[one]}") for one in self.handed[name] if one in self.open
        ]
        self.open |= {one: one for one in self.handed[name]}

    def _is_loose(self, name: str, case: Case, stated: Iterable[str]) -> bool:
        """Whether the range of a default, or in an equation its rounding, may explain that the sides differ."""
        relation = self.library.relations[name]
        met = {*self.library.members[name]} & {*stated} | weak_behind(
            self.library, case.plan, self.library.members[name]
        )
        values = [self.library.defaults[one] for one in met if one in self.library.defaults and one not in self.inputs]
        rounded = [value.as_rounded[0] != value.as_rounded[-1] for value in values]
        return any(value.is_range for value in values) or (relation.is_equation and any(rounded))

    def _check(self, name: str, scope: Scope, whole: str, is_loose: bool = False) -> str:
        """Write both sides of a relation and its state, which is returned; nothing is tested where there is a cause.

        Where a loose one fails, its state is that only the solver can tell.
        """
        sheet, relation = self.sheet, self.library.relations[name]
        equation = relation.written
        causes = [whole, *self._cause((*self.library.members[name], *names_in(*relation.conditions)), scope)]
        self.handed[name] = causes
        cause, scope = self._first(*causes), scope.untested()
        left, right = (sheet.expression(side, scope) for side in (equation.lhs, equation.rhs))
        tests = [sheet.expression(condition, scope) for condition in relation.conditions]
        exact = (term for side in (equation.lhs, equation.rhs) for term in terms(side))
        measured = exact if relation.approximate is None else weighed(equation)
        size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in measured)
        gap = sheet.line(f"{left} - {right}")
        excess = {"=": f"abs({gap})", "<=": gap, ">=": f"-{gap}"}[equation.op]
        unknown = " or ".join(one for one in (cause, *scope.asked, *(f"(not {test})" for test in tests)) if one != "0")
        tolerance = relation.tolerance
        if name in self.layout.stated_twice:  # a contradiction is reported only where more digits would not resolve it
            tolerance = max(tolerance, CONTRADICTION)
        held = f"held({gap}, {excess}, {size}, {tolerance!r})"
        state = sheet.line(f"0 if {unknown} else {held}" if unknown else held)
        if is_loose:
            state = sheet.line(f"4 if {state} == 2 else {state}")
        for which, side in (("left", left), ("right", right)):
            self._store(which, name, f"{side} if {state} else nan")
        self._store("state", name, state)
        return state

    def _follow(self, relation: str, scope: Scope) -> None:
        """What else is in a relation that the givens alone decide, each by a function of its own."""
        for name, plans in self.layout.stated_twice[relation].items():
            if name in scope.variables:
                continue
            try:
                self._called_for(name, plans, scope)
            except Unsaid:
                cause = str(self.reasons.undecided(name))
                scope.bind(name, self.sheet.named("nan"))
                self.causes[scope.variables[name]] = cause
            held = scope.variables[name]
            self.open[self.causes[held]] = self.causes[held]

    def _displacements(self, case: Case, scope: Scope) -> None:
        """Whether each default agrees with what comes out (1), does not (2), has no value that fits (3), or only the
        solver can tell (4)."""
        for name in self.layout.yielding:
            if name in case.plan.unknowns and name not in case.plan.weak:
                self._store("displaced", name, self._displacement(name, case, scope))
            elif name in self.barred:
                self._store("displaced", name, f"3 if {self.barred[name]} else -1")

    def _displacement(self, name: str, case: Case, scope: Scope) -> str:
        """Whether what comes out agrees with a default; not tested (-1) where it has a cause."""
        own, number = self.library.defaults[name], scope.variables[name]
        cause = self._own(name, scope)
        behind = [self.library.defaults[one] for one in weak_behind(self.library, case.plan, [name])]
        is_loose = any(one.as_rounded[0] != one.as_rounded[1] for one in behind)
        stated, (low, high) = own.base[1], own.as_rounded
        slack = AGREEMENT * max(abs(low), abs(high))
        apart = self.sheet.line(f"abs({number} - {stated!r})")
        tests = [f"{apart} <= {AGREEMENT!r}*abs({number})", f"{apart} <= {AGREEMENT * abs(stated)!r}"]
        agrees = " or ".join([*tests, self.sheet.between(number, low - slack, high + slack)])
        untested = f"-1 if {cause} else " if cause != _SOUND else ""
        return f"{untested}1 if {agrees} else {4 if is_loose else 2}"

    def _regimes(self, case: Case, scope: Scope, whole: str) -> None:
        for name in case.plan.relations:
            if name in self.layout.choices:
                cause = self._first(whole, *self._cause(self.library.members[name], scope))
                self._store("form", name, self._regime(name, scope.untested(), cause))

    def _regime(self, relation: str, scope: Scope, cause: str) -> str:
        """The index of the form that a relation with choices takes; none where there is a cause."""
        choice = self.layout.choices[relation]
        taken = [self.sheet.line(self._way(node, scope)) for node in choice.nodes]
        combined = taken[0]
        for way, node in zip(taken[1:], choice.nodes[1:], strict=True):
            combined = f"({combined}) * {len(arms_of(node))} + {way}"
        if choice.places != tuple(range(len(choice.places))):
            name = f"places{self.layout.places['form', relation]}"
            self.sheet.space[name] = choice.places
            combined = f"{name}[{combined}]"
        unknown = [cause, *scope.asked, *(f"({way} < 0)" for way in taken)]
        return f"-1 if {' or '.join(one for one in unknown if one != '0')} else {combined}"

    def _way(self, choice: Apply, scope: Scope) -> str:
        """Which arm of a choice binds, the first of equal ones."""
        is_cases = choice.op == "piecewise"
        parts = choice.args[1::2] if is_cases else choice.args
        listed = f"({', '.join(self.sheet.expression(part, scope) for part in parts)},)"
        if is_cases:
            return f"first({listed}, {bool(len(choice.args) % 2)})"
        return f"{'largest' if choice.op == 'max' else 'smallest'}({listed})"

    def _steps(self, case: Case, scope: Scope, whole: str) -> None:
        for block in case.plan.blocks:
            cause = self._first(whole, *self._cause(block.unknowns, scope))
            form = self.forms.get(block, "0")
            told = form if cause == _SOUND else f"-1 if {cause} else {form}"
            self._store("step", block, told)
