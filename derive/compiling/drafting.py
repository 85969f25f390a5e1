"""The body of one function: the lines for a plan's blocks, case by case, in one tongue or the other.

On floats a case is a branch of `if`, and a point that fails a test leaves at once with NaN. On arrays every case is
worked out for all points, and the tests are kept as masks that blank the points for which they fail. There a quantity
with several roots has all of them (`pointwise`), and a point as many values as they lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from derive.compiling.attempting import attempt
from derive.compiling.blockwise import ManyPoints, OnePoint, in_machine_code
from derive.compiling.cases import Asides, Case, Cases, Fork, Tree
from derive.compiling.pointwise import Axes, branches, only, rows, settled, solver, solver_of_arrays, stacked
from derive.compiling.sheet import Scope, Sheet
from derive.compiling.writing import Tongue, Unsaid
from derive.language.expression import Equation, Name, names_in
from derive.numbers.evaluating import terms
from derive.numbers.isolating import isolate, leaves_out
from derive.planning.plans import Block, Plan
from derive.solving.asking import Outline
from derive.solving.levels import has_choice

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["written"]

_TINY = 1e-9


def written(library: Library, outline: Outline, found: Cases, tongue: Tongue) -> Callable[..., Any]:
    """The function of the givens in their order.

    On floats it yields the one value of all alternatives, NaN if there is none, and raises if there are several; on
    arrays it yields all their values, a row for each.
    """
    drafts = [_Draft(library, outline, found.asides, tongue).function(tree) for tree in found.alternatives]
    if len(drafts) == 1:
        return drafts[0]
    arguments = ", ".join(f"a{i}" for i in range(len(outline.strong)))
    space = {"only": only if tongue.is_lazy else stacked, **tongue.names()}
    space |= {f"h{i}": draft for i, draft in enumerate(drafts)}
    all_of_them = ", ".join(f"h{i}({arguments})" for i in range(len(drafts)))
    return tongue.made(f"def compiled({arguments}):\n    return only({all_of_them})\n", space)


class _Draft:
    """Writes one function of the givens, in declared units; a line for each subexpression."""

    def __init__(self, library: Library, outline: Outline, asides: Asides, tongue: Tongue) -> None:
        self.library = library
        self.outline = outline
        self.asides = asides
        self.tongue = tongue
        self.arguments = [f"a{i}" for i in range(len(outline.strong))]
        self.sheet = Sheet(tongue)

    def function(self, tree: Tree) -> Callable[..., Any]:
        """The function for one tree of cases; a draft is written once."""
        scope = Scope()
        arguments = ", ".join(self.arguments)
        if not self.tongue.is_lazy:
            self.sheet.space |= {"Axes": Axes, "rows": rows}
            self.sheet.write(f"axes = Axes({arguments})")
        elif self.tongue.asks:
            self.sheet.write("fine, asked, total = True, False, 0.0")
        for argument, name in zip(self.arguments, self.outline.strong, strict=True):
            based = self._based(argument, name)
            scope.variables[name] = based if based == argument else self.sheet.line(based)
        if self.arguments and self.tongue.is_lazy and not self.tongue.asks:
            self.sheet.write(f"if not -inf < {' + '.join(scope.variables.values())} < inf: undefined()")
        else:
            self.sheet.require(scope, *(self.sheet.between(v, -inf, inf) for v in scope.variables.values()))
        result = self._tree(tree, scope)
        if not self.tongue.is_lazy:
            self.sheet.write(f"return rows(axes, {', '.join([result, *self.arguments])})")
        lines = self.sheet.lines if self.tongue.is_lazy else self.sheet.released()
        return self.tongue.made("\n".join([f"def compiled({arguments}):", *lines, ""]), self.sheet.space)

    # Cases

    def _tree(self, tree: Tree, scope: Scope) -> str:
        """The result of the cases; on floats, the lines return it."""
        if isinstance(tree, Fork):
            return self._fork(tree, scope)
        if isinstance(tree, Case):
            self._case(tree, scope)
            result = self._declared(scope.variables[self.outline.target])
        else:
            result = "nan"
        if self.tongue.is_lazy:
            judged = f"inf if asked | fine & (total - total != 0.0) else {result} if fine else nan"
            self.sheet.write(f"return {judged if self.tongue.asks else result}")
        elif scope.masks and tree is not None:
            result = self.sheet.line(self.tongue.pick(scope.masks[0], result, "nan"))
        return result

    def _fork(self, fork: Fork, scope: Scope) -> str:
        for name in names_in(fork.condition):
            if name not in scope.variables:
                self._aside(name, scope)
        test = self.tongue.sure(self.sheet.expression(fork.condition, scope))
        if self.tongue.is_lazy:
            self.sheet.write(f"if {test}:")
            self.sheet.indent += "    "
            self._tree(fork.yes, scope.copy())
            self.sheet.indent = self.sheet.indent[:-4]
            return self._tree(fork.no, scope)
        sides = []
        for side, chosen in ((fork.yes, test), (fork.no, self.tongue.logic("not", [test]))):
            inner = scope.copy()
            self.sheet.require(inner, chosen)
            sides.append(self._tree(side, inner))
        return self.sheet.line(self.tongue.pick(test, *sides))

    def _aside(self, name: str, scope: Scope) -> None:
        """A quantity that a condition asks for, by a function of its own."""
        helper, outline = f"h{next(self.sheet.fresh)}", replace(self.outline, target=name)
        aside = written(self.library, outline, Cases(self.asides[name], self.asides), self.tongue)
        self.sheet.space[helper] = aside if self.tongue.is_lazy else settled(aside)
        value = self.sheet.line(self._based(self._called(helper, self.arguments), name))
        self._askable(value)
        self.sheet.require(scope, f"({value} == {value})")
        scope.bind(name, value)

    def _askable(self, value: str) -> None:
        """Keep in mind where a value is an infinity, by which machine code says that another has to be asked."""
        if self.tongue.asks:
            self.sheet.write(f"asked = asked | fine & (abs({value}) == inf)")

    def _case(self, case: Case, scope: Scope) -> None:
        self._plan(case.plan, scope)
        for name in names_in(*case.holding, *(one for conditions in case.failing for one in conditions)):
            if name not in scope.variables:
                self._default(name, scope)
        tests = [self.sheet.expression(condition, scope) for condition in case.holding]
        for conditions in case.failing:
            inner = self.tongue.logic("and", [self.sheet.expression(condition, scope) for condition in conditions])
            tests.append(self.tongue.logic("not", [self.tongue.sure(inner)]))
        self.sheet.require(scope, *tests)

    def _plan(self, made: Plan, scope: Scope) -> None:
        for name in made.weak:
            self._default(name, scope)
        for block in made.blocks:
            self._block(block, scope)

    def _default(self, name: str, scope: Scope) -> None:
        default = self.library.quantities[name].default
        assert default is not None
        base = repr(default.base[1])
        scope.bind(name, base if self.tongue.is_lazy else self.sheet.line(f"np.float64({base})"))

    def _based(self, text: str, name: str) -> str:
        unit = self.library.quantities[name].unit
        scaled = text if unit.size == 1 else f"{text} * {float(unit.size)!r}"
        return f"{scaled} + {float(unit.offset)!r}" if unit.offset else scaled

    def _declared(self, text: str) -> str:
        unit = self.library.quantities[self.outline.target].unit
        shifted = f"({text} - {float(unit.offset)!r})" if unit.offset else text
        return shifted if unit.size == 1 else f"{shifted} / {float(unit.size)!r}"

    # Blocks

    def _block(self, block: Block, scope: Scope) -> None:
        """The lines that work out a block's unknowns, unless they are there already."""
        relations = [self.library.relations[name] for name in block.relations]
        needed = {n for r in relations for n in names_in(r.written.lhs, r.written.rhs)} - set(block.unknowns)
        inputs = sorted(needed)
        key = (block, tuple(scope.variables[name] for name in inputs))
        if key not in scope.solved:
            if len(block.unknowns) > 1 or not self._isolated(relations[0].written, block.unknowns[0], scope):
                self._by_numbers(block, inputs, scope)
            scope.solved[key] = tuple(scope.variables[name] for name in block.unknowns)
        for name, text in zip(block.unknowns, scope.solved[key], strict=True):
            scope.bind(name, text)

    def _isolated(self, equation: Equation, name: str, scope: Scope) -> bool:
        """Whether the unknown has closed forms, which are then written."""
        candidates = isolate(equation, name)
        if not candidates or any(candidate.winds for candidate in candidates):
            return False
        powers = [power for candidate in candidates for power in candidate.powers]
        domains = {other: self.library.quantities[other].domain for other in names_in(*powers)}
        if leaves_out(powers, {other: (domain.low, domain.high) for other, domain in domains.items()}):
            return False
        texts = [self.sheet.expression(candidate.form, scope) for candidate in candidates]
        plain = isinstance(equation.lhs, Name) and equation.lhs.name == name
        if len(texts) == 1 and (plain or not candidates[0].conditions):
            chosen = texts[0] if texts[0].isidentifier() else self.sheet.line(texts[0])
        else:
            tried = [self._tried(equation, name, text, scope) for text in texts]
            for i, candidate in enumerate(candidates):
                if candidate.other is not None:  # in case too many digits have cancelled
                    text = self._tried(equation, name, self.sheet.expression(candidate.other, scope), scope)
                    tried[i] = self.sheet.line(self.tongue.pick(f"({tried[i]} == {tried[i]})", tried[i], text))
            chosen = tried[0]
            if self.tongue.is_lazy and (len(tried) > 1 or has_choice(equation, name)):
                self.sheet.space.setdefault("only", only)
                chosen = self.sheet.line(f"only({', '.join(tried)})")
                self._askable(chosen)
            elif not self.tongue.is_lazy:
                self.sheet.space["branches"] = branches
                inside = self.tongue.sure(scope.masks[0]) if scope.masks else "True"
                chosen = self.sheet.line(f"branches(axes, {', '.join([inside, *tried])})")
        domain = self.library.quantities[name].domain
        self.sheet.require_between(scope, chosen, domain.low, domain.high, domain.open_low)
        scope.bind(name, chosen)
        return True

    def _tried(self, equation: Equation, name: str, text: str, scope: Scope) -> str:
        """A candidate where it satisfies its relation; NaN where it does not, infinite where it is only bounded."""
        inner = scope.copy()
        value = self.sheet.line(self.tongue.pick(self._inside(text, name), text, "nan"))
        inner.bind(name, value)
        tests = [f"({value} == {value})", self._holds(equation, inner)]
        found = value
        if has_choice(equation, name):
            beside = []
            for share in (0.75, 1.25):
                inner.bind(name, self.sheet.line(f"{value} * {share}"))
                beside.append(self._holds(equation, inner))
            found = self.tongue.pick(self.tongue.logic("or", beside), "inf", value)
        return self.sheet.line(self.tongue.pick(self.tongue.logic("and", tests), found, "nan"))

    def _inside(self, text: str, name: str) -> str:
        domain = self.library.quantities[name].domain
        return self.sheet.between(text, domain.low, domain.high, domain.open_low)

    def _holds(self, equation: Equation, scope: Scope) -> str:
        left, right = self.sheet.expression(equation.lhs, scope), self.sheet.expression(equation.rhs, scope)
        size = "abs" if self.tongue.is_lazy else "np.abs"
        held = dict.fromkeys(self.sheet.expression(t, scope) for t in (*terms(equation.lhs), *terms(equation.rhs)))
        whole = " + ".join(f"{size}({text})" for text in held)
        return self.sheet.line(f"({size}({left} - {right}) <= {_TINY!r} * ({whole}))")

    def _by_numbers(self, block: Block, inputs: Sequence[str], scope: Scope) -> None:
        """A block without a closed form: a call to what works it out, for each point that is not out already."""
        helper = f"h{next(self.sheet.fresh)}"
        self.sheet.space[helper] = self._worked_out(block, inputs)
        texts = [scope.variables[name] for name in inputs]
        if scope.masks and texts:
            texts[0] = self.sheet.line(self.tongue.pick(scope.masks[0], texts[0], "nan"))
        result = self.sheet.line(self._called(helper, texts))
        found = [self.sheet.line(f"{result}[{i}]") for i in range(len(block.unknowns))]
        self._askable(found[0])
        self.sheet.require(scope, f"({found[0]} == {found[0]})")
        for name, text in zip(block.unknowns, found, strict=True):
            scope.bind(name, text)

    def _worked_out(self, block: Block, inputs: Sequence[str]) -> Callable[..., Any]:
        """The function of the inputs that yields a block's unknowns."""
        quantities = self.library.quantities
        equations = [self.library.relations[name].written for name in block.relations]
        domains = {name: quantities[name].domain for name in (*block.unknowns, *inputs)}
        way = attempt(equations, block.unknowns, inputs, domains)
        if self.tongue.asks:
            if way is None:
                raise Unsaid
            return in_machine_code(way)
        if self.tongue.is_lazy:
            return solver(self.library, block, inputs, OnePoint(way) if way else None)
        return solver_of_arrays(self.library, block, inputs, ManyPoints(way) if way else None)

    def _called(self, helper: str, texts: Sequence[str]) -> str:
        return f"{helper}({', '.join(texts if self.tongue.is_lazy else ['axes', *texts])})"
