"""The lines of a block's kernel without a closed form, by elimination or search, and where to trust them.

A linear block is solved by elimination. Any other block that reduces to one unknown is searched on pieces of its
domain on which the residual is monotone (`monotone_pieces`), so that each piece holds at most one root and none is
missed. The solution is put back into every relation. The residuals, their rounding error (`decisions`) and the
Jacobian then bound the error of the unknowns.

An unknown is NaN where it certainly has no value in its domain, and an infinity where these lines cannot decide;
there the solver is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import Any

from derive.expressions.tree import Equation, Node, names_in
from derive.kernels.backends.emitter import Dialect, Scope, Sheet
from derive.kernels.blocks.bracketing import crossings
from derive.kernels.blocks.elimination import write_elimination
from derive.kernels.blocks.monotone_pieces import Pieces, monotone_pieces, reach
from derive.kernels.blocks.rounding_errors import roundings, size_of
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, added, difference_of, negated
from derive.numerics.algebra.linear import Linear, linear_forms
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.periods import angles_of
from derive.solving.blocks.substitution import Branch, expressed, loses_nothing
from derive.tolerances import (
    AGREEMENT,
    ASIDE,
    EPSILON,
    LEAST_FACTOR,
    MOST_FACTOR,
    SAME_ROOT,
    TIGHT,
)
from quantities.domain import Domain

_MOST = 8  # limit on unknowns of a linear system


@dataclass(frozen=True)
class ParametricSystem:
    """The equations of a block whose inputs are a kernel's arguments, with the domains of all names."""

    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    inputs: tuple[str, ...]
    domains: Mapping[str, Domain]

    @property
    def box(self) -> dict[str, Span]:
        """The box of all unknowns and inputs in a block's lines, each in its domain."""
        return {name: self.domains[name].closed for name in (*self.inputs, *self.unknowns)}

    def turns(self, equation: Equation, unknown: str) -> bool:
        """Whether an unbounded unknown of the block stands in an angle: its lines search one turn."""
        domain = self.domains[unknown]
        is_bounded = isfinite(domain.low) and isfinite(domain.high)
        return not is_bounded and bool(angles_of(equation, unknown))


@dataclass(frozen=True)
class Attempt:
    """The attempt to write a block's lines: a linear system to eliminate, or the tear that is searched."""

    system: ParametricSystem
    linear: tuple[Linear, ...] = ()
    tear: str = ""
    branch: Branch | None = None
    others: tuple[tuple[str, Branch], ...] = ()  # other unknowns that may be the tear

    @property
    def ways(self) -> tuple[Attempt, ...]:
        """The attempts at a block's lines by each of its tears, this one first."""
        return self, *(replace(self, tear=tear, branch=branch, others=()) for tear, branch in self.others)

    def proved(self, box: Mapping[str, Span]) -> Pieces | None:
        """The proved monotone pieces of the attempt's tear, for all inputs of a block in a box; None without."""
        assert self.branch is not None
        if not loses_nothing(self.branch, {**self.system.box, **box}):
            return None
        domain = self.system.domains[self.tear]
        proved = monotone_pieces(_gap(self.branch.left[0]), self.tear, box, domain)
        if any(self.system.turns(equation, self.tear) for equation in self.system.equations):
            return proved if proved and proved[0] == (reach(domain),) else None  # else only one turn is searched
        return proved

    def lines(self, dialect: Dialect) -> Callable[..., Any]:
        """The lines of a block as a function of its inputs; for a search, the ends of a piece come first."""
        return _AttemptLines(self, dialect).function()


class _AttemptLines:
    """Writes the lines of an attempt at a block in one dialect."""

    def __init__(self, attempt: Attempt, dialect: Dialect) -> None:
        self.attempt = attempt
        self.system = attempt.system
        self.dialect = dialect
        self.sheet = Sheet(dialect, self.system.inputs)
        self.scope = self.sheet.start()

    def function(self) -> Callable[..., Any]:
        if self.attempt.linear:
            self._eliminate()
        else:
            self._search()
        ends = () if self.attempt.linear else ("low", "high")
        return self.sheet.function(f"({', '.join(self._selected(self._trusted()))},)", *ends)

    def _eliminate(self) -> None:
        """Write a block's lines that eliminate the unknowns of its linear equations."""
        rows = []
        for form in self.attempt.linear:
            sides = [*(form.get(name, ZERO) for name in self.system.unknowns), negated(form.get(None, ZERO))]
            rows.append([self.sheet.expression(side, self.scope) for side in sides])
        for row in rows:
            for place, text in enumerate(row):
                if _is_literal(text):  # numpy's own numbers do not raise where they are divided by zero
                    row[place] = f"({text})" if self.dialect.is_lazy else f"np.float64({text})"
        for name, (text,) in zip(self.system.unknowns, write_elimination(self.sheet, rows), strict=True):
            self.scope.bind(name, text)

    def _search(self) -> None:
        """Write a block's lines that search its tear between the ends of a piece, and compute the other unknowns."""
        branch, sheet = self.attempt.branch, self.sheet
        assert branch is not None
        left, names = branch.left[0], (self.attempt.tear, *self.system.inputs)
        sheet.space["gap"] = _function(self.dialect, names, _gap(left))
        sheet.space["least"] = _function(self.dialect, names, _sizes(left), _noise(left))
        sheet.space.setdefault("crossing", crossings)  # of arrays, where the dialect has none of its own
        root = sheet.line(f"crossing(gap, least, low, high, ({', '.join(sheet.arguments.values())},))")
        self.scope.bind(self.attempt.tear, root)
        for name, form in branch.forms.items():
            self.scope.bind(name, sheet.expression(form, self.scope))

    def _trusted(self) -> str:
        """Write the test that a block's lines have all unknowns to enough digits."""
        tests = [f"({error} <= {TIGHT!r})" for error in self._errors()]
        tests += [f"(not {doubt})" for doubt in self.scope.asked]
        for name in self.system.unknowns:
            sized = f"{self.dialect.size}({self.scope.variables[name]})"
            tests += [f"({LEAST_FACTOR!r} <= {sized})", f"({sized} <= {MOST_FACTOR!r})"]
        return self.sheet.line(self.dialect.logic("and", tests))

    def _errors(self) -> list[str]:
        """Write the relative error of each unknown of a block's lines: the change that explains the residuals."""
        size, equations = self.dialect.size, self.system.equations
        residuals = [self._relative_residual(equation, self.scope) for equation in equations]
        slopes = self._slopes(residuals)
        deviations = []
        for equation, residual in zip(equations, residuals, strict=True):
            noise = self.sheet.expression(_noise(equation), self.scope)
            scale = self.sheet.expression(_sizes(equation), self.scope)
            deviations.append(self.sheet.line(f"{size}({residual}) + {EPSILON!r} * {noise} / {scale}"))
        count = range(len(equations))
        beside = [[repr(ASIDE) if i == k else "0.0" for k in count] for i in count]
        inverse = write_elimination(self.sheet, [[*slopes[i], *beside[i]] for i in count])
        errors = []
        for row in inverse:
            products = zip(row, deviations, strict=True)
            parts = [f"{size}({text}) * {deviation}" for text, deviation in products if text != "0.0"]
            errors.append(self.sheet.line(" + ".join(parts)))
        return errors

    def _slopes(self, residuals: Sequence[str]) -> list[list[str]]:
        """Write in a block's lines the slopes of the residuals, a row for each equation, a column for each unknown."""
        columns = []
        for name in self.system.unknowns:
            displaced = self.scope.copy()
            displaced.bind(name, self.sheet.line(f"{self.scope.variables[name]} * {1 + ASIDE!r}"))
            pairs = zip(self.system.equations, residuals, strict=True)
            columns.append([self._slope(name, equation, residual, displaced) for equation, residual in pairs])
            self.scope.ask(*displaced.asked)
        return [list(row) for row in zip(*columns, strict=True)]

    def _relative_residual(self, equation: Equation, scope: Scope) -> str:
        """Write in a block's lines the residual of an equation, relative to the sum of its absolute terms."""
        parts = (equation.lhs, equation.rhs, _sizes(equation))
        left, right, size_of_terms = (self.sheet.expression(node, scope) for node in parts)
        return self.sheet.line(f"({left} - {right}) / {size_of_terms}")

    def _slope(self, name: str, equation: Equation, residual: str, displaced: Scope) -> str:
        """Write in a block's lines how much a relative residual increases when an unknown is displaced."""
        if name not in names_in(equation.lhs, equation.rhs):
            return "0.0"
        return self.sheet.line(f"{self._relative_residual(equation, displaced)} - {residual}")

    def _selected(self, trusted: str) -> list[str]:
        """Write each unknown of a block's lines inside its domain, NaN outside or without a root, else an infinity."""
        inside, outside = [trusted], []
        for name in self.system.unknowns:
            text, domain = self.scope.variables[name], self.system.domains[name]
            for end, sign in ((domain.low, 1), (domain.high, -1)):
                if isfinite(end):
                    slack = sign * SAME_ROOT * abs(end)
                    above, below = (">", "<") if sign > 0 else ("<", ">")
                    inside.append(f"({text} {above} {end + slack!r})")
                    outside.append(f"({text} {below} {end - slack!r})")
        line, dialect = self.sheet.line, self.dialect
        fits = line(dialect.logic("and", inside))
        misses = line(dialect.logic("and", [trusted, dialect.logic("or", outside)])) if outside else "False"
        if self.attempt.branch is not None:
            root = self.scope.variables[self.attempt.tear]
            misses = line(dialect.logic("or", [misses, f"({root} != {root})"]))
        texts = (self.scope.variables[name] for name in self.system.unknowns)
        return [line(dialect.pick(fits, text, dialect.pick(misses, "nan", "inf"))) for text in texts]


def attempt_of(system: ParametricSystem) -> Attempt | None:
    """The attempt at lines for a block's unknowns, by elimination or by a search; None if there is no way."""
    equations, unknowns = system.equations, system.unknowns
    if not system.inputs:
        return None
    if len(unknowns) == 1:
        if isolate(equations[0], unknowns[0]) is not None:
            return None
        return Attempt(system, tear=unknowns[0], branch=Branch({}, equations))
    forms = linear_forms(equations, frozenset(unknowns))
    if forms is not None:
        return Attempt(system, linear=tuple(forms)) if len(unknowns) <= _MOST else None
    if any(system.turns(*pair) for pair in product(equations, unknowns)):
        return None
    branches_of = [(tear, expressed(equations, unknowns, tear)) for tear in unknowns]
    single = {tear: branches[0] for tear, branches in branches_of if len(branches) == 1}
    if not single:
        return None

    def rank(tear: str) -> tuple[bool, int]:
        branch = single[tear]
        return not loses_nothing(branch, system.box), len(branch.lost) + len(branch.powers)

    tear, *others = sorted(single, key=rank)
    return Attempt(system, tear=tear, branch=single[tear], others=tuple((other, single[other]) for other in others))


_gap = lru_cache(maxsize=256)(difference_of)


@lru_cache(maxsize=256)
def _sizes(equation: Equation) -> Node:
    """The sum of the absolute terms of both sides of an equation, as an expression in a block's lines."""
    return added(*map(size_of, (*terms(equation.lhs), *terms(equation.rhs))))


@lru_cache(maxsize=256)
def _noise(equation: Equation) -> Node:
    """The rounding error in the residual of an equation, as an expression in a block's lines."""
    return added(roundings(equation.lhs), roundings(equation.rhs))


def _function(dialect: Dialect, names: Sequence[str], *nodes: Node) -> Callable[..., Any]:
    """The function of an expression for the search by a block's lines; of two, the least certain residual.

    The two are the sum of the absolute terms and the number of roundings.
    """
    sheet = Sheet(dialect, names)
    scope = sheet.start()
    texts = [sheet.expression(node, scope) for node in nodes]
    text = texts[0] if len(texts) == 1 else f"{AGREEMENT!r} * {texts[0]} + {32 * EPSILON!r} * {texts[1]}"
    doubt = f"nan if {' | '.join(scope.asked)} else " if scope.asked else ""
    return sheet.function(f"{doubt}{text}")


def _is_literal(text: str) -> bool:
    """Whether a text in a block's lines is a literal number other than the zero that elimination skips."""
    return text != "0.0" and not text.isidentifier()
