"""A block without a closed form as source lines that report where they can be trusted.

A linear block is solved by elimination. Any other block that reduces to one unknown is searched on pieces of its
domain on which the residual is monotone (`monotonicity`), so that each piece holds at most one root and none is
missed. The solution is put back into every relation. The residuals, their rounding error (`rounding_error`) and the
Jacobian (`gauss_jordan`) then bound the error of the unknowns.

An unknown is NaN where it certainly has no value in its domain, and an infinity where these lines cannot decide;
there the solver is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in
from derive.kernels.backends.emitter import Dialect
from derive.kernels.backends.numba_source import Machine
from derive.kernels.backends.python_runtime import crossing
from derive.kernels.backends.shared_lines import Scope, Sheet
from derive.kernels.blocks.bracketed_root import crossings
from derive.kernels.blocks.gauss_jordan import eliminated
from derive.kernels.blocks.monotonicity import Pieces, pieces, reach
from derive.kernels.blocks.rounding_error import roundings
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.algebra.linear import Linear, linear_forms
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.periods import angles_of
from derive.solving.blocks.substitution import Branch, expressed, loses_nothing
from derive.tolerances import AGREEMENT, ASIDE, AT_END, LEAST_TRUSTED, MOST_TRUSTED, ROUNDING, TRUSTED
from quantities.domain import Domain

__all__ = ["Attempt", "attempt"]

_MOST = 8  # limit on unknowns of a linear system


@dataclass(frozen=True)
class Attempt:
    """How to compute the unknowns of a block from its inputs."""

    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    inputs: tuple[str, ...]
    domains: Mapping[str, Domain]
    linear: tuple[Linear, ...] = ()
    tear: str = ""
    branch: Branch | None = None
    others: tuple[tuple[str, Branch], ...] = ()  # other unknowns that may be the tear

    @property
    def ways(self) -> tuple[Attempt, ...]:
        """The same block by each of its tears."""
        return self, *(replace(self, tear=tear, branch=branch, others=()) for tear, branch in self.others)

    def proved(self, box: Mapping[str, Span]) -> Pieces | None:
        """The pieces of the tear's domain that hold at most one root, for all inputs in a box; None without proof."""
        assert self.branch is not None
        domains = {name: self.domains[name].closed for name in self.unknowns}
        if not loses_nothing(self.branch, {**box, **domains}):
            return None
        domain = self.domains[self.tear]
        found = pieces(_gap(self.branch.left[0]), self.tear, box, domain)
        if any(_turns(equation, self.tear, domain) for equation in self.equations):
            return found if found and found[0] == (reach(domain),) else None  # else only one turn is searched
        return found

    def lines(self, dialect: Dialect) -> Callable[..., Any]:
        """The function of the inputs that returns all unknowns; for a search, a piece's ends come first."""
        sheet = Sheet(dialect)
        arguments = [f"a{i}" for i in range(len(self.inputs))]
        scope = Scope(dict(zip(self.inputs, arguments, strict=True)))
        if self.linear:
            self._eliminated(sheet, scope)
        else:
            self._searched(sheet, scope, arguments)
            arguments = ["low", "high", *arguments]
        trusted = self._trusted(sheet, scope)
        results = ", ".join(self._judged(sheet, scope, trusted))
        sheet.write(f"return ({results},)")
        return _made(sheet, arguments)

    def _eliminated(self, sheet: Sheet, scope: Scope) -> None:
        rows = []
        for form in self.linear:
            sides = [*(form.get(name, ZERO) for name in self.unknowns), negated(form.get(None, ZERO))]
            rows.append([sheet.expression(side, scope) for side in sides])
        literal = "np.float64" if not sheet.dialect.is_lazy else ""
        rows = [[f"{literal}({text})" if _is_plain(text) else text for text in row] for row in rows]
        for name, (text,) in zip(self.unknowns, eliminated(sheet, rows, _size(sheet)), strict=True):
            scope.bind(name, text)

    def _searched(self, sheet: Sheet, scope: Scope, arguments: Sequence[str]) -> None:
        assert self.branch is not None
        left = self.branch.left[0]
        sheet.space["gap"] = _function(sheet.dialect, (self.tear, *self.inputs), _gap(left))
        sheet.space["least"] = _function(sheet.dialect, (self.tear, *self.inputs), _sizes(left), _noise(left))
        sheet.space["crossing"] = sheet.dialect.helper(crossing) if isinstance(sheet.dialect, Machine) else crossings
        found = sheet.line(f"crossing(gap, least, low, high, ({', '.join(arguments)},))")
        scope.bind(self.tear, found)
        for name, form in self.branch.forms.items():
            scope.bind(name, sheet.expression(form, scope))

    def _trusted(self, sheet: Sheet, scope: Scope) -> str:
        """The test that all unknowns are known to enough digits."""
        tests = [f"({error} <= {TRUSTED!r})" for error in self._errors(sheet, scope)]
        tests += [f"(not {doubt})" for doubt in scope.asked]
        for name in self.unknowns:
            sized = f"{_size(sheet)}({scope.variables[name]})"
            tests += [f"({LEAST_TRUSTED!r} <= {sized})", f"({sized} <= {MOST_TRUSTED!r})"]
        return sheet.line(sheet.dialect.logic("and", tests))

    def _errors(self, sheet: Sheet, scope: Scope) -> list[str]:
        """The relative error of each unknown: the relative change that would explain the residuals."""
        size = _size(sheet)
        here = [_share(sheet, equation, scope) for equation in self.equations]
        columns = []
        for name in self.unknowns:
            aside = scope.copy()
            aside.bind(name, sheet.line(f"{scope.variables[name]} * {1 + ASIDE!r}"))
            pairs = zip(self.equations, here, strict=True)
            columns.append([_moved(sheet, name, equation, share, aside) for equation, share in pairs])
            scope.ask(*aside.asked)
        count = range(len(self.unknowns))
        rows = [[column[i] for column in columns] + [repr(ASIDE) if i == k else "0.0" for k in count] for i in count]
        amiss = []
        for equation, share in zip(self.equations, here, strict=True):
            noise, whole = (sheet.expression(one, scope) for one in (_noise(equation), _sizes(equation)))
            amiss.append(sheet.line(f"{size}({share}) + {ROUNDING!r} * {noise} / {whole}"))
        errors = []
        for row in eliminated(sheet, rows, size):
            parts = [f"{size}({text}) * {one}" for text, one in zip(row, amiss, strict=True) if text != "0.0"]
            errors.append(sheet.line(" + ".join(parts)))
        return errors

    def _judged(self, sheet: Sheet, scope: Scope, trusted: str) -> list[str]:
        """The unknowns where they are inside; NaN where one is outside, or was not found."""
        inside, outside = [trusted], []
        for name in self.unknowns:
            text, domain = scope.variables[name], self.domains[name]
            for end, sign in ((domain.low, 1), (domain.high, -1)):
                if isfinite(end):
                    slack = sign * AT_END * abs(end)
                    above, below = (">", "<") if sign > 0 else ("<", ">")
                    inside.append(f"({text} {above} {end + slack!r})")
                    outside.append(f"({text} {below} {end - slack!r})")
        dialect = sheet.dialect
        fits = sheet.line(dialect.logic("and", inside))
        misses = sheet.line(dialect.logic("and", [trusted, dialect.logic("or", outside)])) if outside else "False"
        if self.branch is not None:
            found = scope.variables[self.tear]
            misses = sheet.line(dialect.logic("or", [misses, f"({found} != {found})"]))
        return [
            sheet.line(dialect.pick(fits, scope.variables[name], dialect.pick(misses, "nan", "inf")))
            for name in self.unknowns
        ]


def attempt(
    equations: Sequence[Equation], unknowns: Sequence[str], inputs: Sequence[str], domains: Mapping[str, Domain]
) -> Attempt | None:
    """How to compute a block by lines; None if there is no way."""
    parts = (tuple(equations), tuple(unknowns), tuple(inputs), domains)
    if not inputs:
        return None
    if len(unknowns) == 1:
        if isolate(equations[0], unknowns[0]) is not None:
            return None
        return Attempt(*parts, tear=unknowns[0], branch=Branch({}, tuple(equations)))
    forms = linear_forms(equations, frozenset(unknowns))
    if forms is not None:
        return Attempt(*parts, linear=tuple(forms)) if len(unknowns) <= _MOST else None
    if any(_turns(equation, name, domains[name]) for equation in equations for name in unknowns):
        return None
    box = {name: domains[name].closed for name in (*inputs, *unknowns)}
    ways = [(tear, expressed(equations, unknowns, tear)) for tear in unknowns]
    single = [(tear, branches[0]) for tear, branches in ways if len(branches) == 1]
    single.sort(key=lambda way: (not loses_nothing(way[1], box), len(way[1].lost) + len(way[1].powers)))
    return Attempt(*parts, tear=single[0][0], branch=single[0][1], others=tuple(single[1:])) if single else None


def _turns(equation: Equation, name: str, domain: Domain) -> bool:
    """Whether an unknown is an angle, or in one, that is sought in one turn."""
    if isfinite(domain.low) and isfinite(domain.high):
        return False
    return bool(angles_of(equation, name))


@lru_cache(maxsize=256)
def _gap(equation: Equation) -> Node:
    return added(equation.lhs, negated(equation.rhs))


@lru_cache(maxsize=256)
def _sizes(equation: Equation) -> Node:
    """The sum of the absolute terms of both sides."""
    held = [*terms(equation.lhs), *terms(equation.rhs)]
    return added(*(Apply("abs", (term,)) for term in held))


@lru_cache(maxsize=256)
def _noise(equation: Equation) -> Node:
    """The error of the residual, in roundings."""
    return added(roundings(equation.lhs), roundings(equation.rhs))


def _share(sheet: Sheet, equation: Equation, scope: Scope) -> str:
    """The residual relative to the sum of the absolute terms."""
    left, right, whole = (sheet.expression(one, scope) for one in (equation.lhs, equation.rhs, _sizes(equation)))
    return sheet.line(f"({left} - {right}) / {whole}")


def _moved(sheet: Sheet, name: str, equation: Equation, share: str, aside: Scope) -> str:
    """The increase of the relative residual when a name is moved aside."""
    if name not in names_in(equation.lhs, equation.rhs):
        return "0.0"
    return sheet.line(f"{_share(sheet, equation, aside)} - {share}")


def _function(dialect: Dialect, names: Sequence[str], *nodes: Node) -> Callable[..., Any]:
    """One expression as a function of names; with sizes and roundings, the least residual with a certain sign."""
    sheet = Sheet(dialect)
    arguments = [f"a{i}" for i in range(len(names))]
    scope = Scope(dict(zip(names, arguments, strict=True)))
    texts = [sheet.expression(node, scope) for node in nodes]
    text = texts[0] if len(texts) == 1 else f"{AGREEMENT!r} * {texts[0]} + {32 * ROUNDING!r} * {texts[1]}"
    doubt = f"nan if {' | '.join(scope.asked)} else " if scope.asked else ""
    sheet.write(f"return {doubt}{text}")
    return _made(sheet, arguments)


def _made(sheet: Sheet, arguments: Sequence[str]) -> Callable[..., Any]:
    lines = sheet.lines if sheet.dialect.is_lazy else sheet.released()
    return sheet.dialect.made("\n".join([f"def compiled({', '.join(arguments)}):", *lines, ""]), sheet.space)


def _size(sheet: Sheet) -> str:
    return "abs" if sheet.dialect.is_lazy else "np.abs"


def _is_plain(text: str) -> bool:
    return text != "0.0" and not text.isidentifier()
