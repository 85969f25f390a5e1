"""The lines of a block's kernel without a closed form, by elimination or search, and where to trust them.

A linear block is solved by Gauss and Jordan's elimination, unrolled to lines that are the same in every dialect. Rows
are exchanged by selection, not by branches, so every point of an array has its own pivots.

Any other block that reduces to one unknown is searched on pieces of its domain on which the residual is monotone
(`monotone_pieces`), so that each piece holds at most one root and none is missed; `PieceProofs` proves this for boxes
of inputs. The solution is put back into every relation. The residuals, their rounding error (`decisions`) and the
Jacobian then bound the error of the unknowns.

An unknown is NaN where it certainly has no value in its domain, and an infinity where these lines cannot decide;
there the solver is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import floor, frexp, isfinite, ldexp
from typing import Any

from derive.expressions.tree import Equation, Node, names_in
from derive.kernels.backends.emitter import Dialect, Scope, Sheet, is_literal
from derive.kernels.blocks.decisions import roundings, size_of
from derive.kernels.blocks.monotone_pieces import Pieces, crossings, monotone_pieces, reach
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, added, difference_of, negated
from derive.numerics.algebra.linear import Linear, linear_forms
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.univariate_branch_and_prune import angles_of, middle
from derive.solving.blocks.substitution import Branch, expressed, loses_nothing
from derive.tolerances import AGREEMENT, ASIDE, EPSILON, LEAST_FACTOR, MOST_FACTOR, SAME_ROOT, TIGHT
from quantities.domain import Domain

_NOTHING = "0.0"  # the text of an entry of a matrix that is zero for all inputs: no line is written for it


def write_elimination(sheet: Sheet, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Write a kernel's elimination of a small linear system, and return its further columns; NaN if singular.

    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats())
    >>> (found,) = write_elimination(sheet, [["a0", "a1"]])
    >>> [line.strip() for line in sheet.lines], found
    (['v0 = a1 / a0'], ['v0'])
    """
    table = [list(row) for row in rows]
    for column in range(len(table)):
        _write_pivoting(sheet, table, column)
        pivot = table[column]
        if pivot[column] == _NOTHING:
            pivot[column] = "nan"
        for place in range(column + 1, len(pivot)):
            if pivot[place] != _NOTHING:
                pivot[place] = sheet.line(f"{pivot[place]} / {pivot[column]}")
        for row in table[:column] + table[column + 1 :]:
            _write_clearing(sheet, row, pivot, column)
    return [row[len(table) :] for row in table]


def _write_pivoting(sheet: Sheet, table: list[list[str]], column: int) -> None:
    """Write a kernel's lines that move the largest entry of a column to its pivot, for elimination."""
    top, size = table[column], sheet.dialect.size
    for row in table[column + 1 :]:
        if row[column] == _NOTHING:
            continue
        test = sheet.line(f"({size}({row[column]}) > {size}({top[column]}))")
        for place in range(column, len(top)):
            if top[place] != row[place]:
                larger = sheet.dialect.pick(test, row[place], top[place])
                smaller = sheet.dialect.pick(test, top[place], row[place])
                top[place], row[place] = sheet.line(larger), sheet.line(smaller)


def _write_clearing(sheet: Sheet, row: list[str], pivot: Sequence[str], column: int) -> None:
    """Write a kernel's lines that subtract a multiple of the pivot row, so that elimination leaves zero there."""
    factor = row[column]
    if factor == _NOTHING:
        return
    for place in range(column + 1, len(row)):
        if pivot[place] != _NOTHING:
            product = f"{factor} * {pivot[place]}"
            row[place] = sheet.line(f"-({product})" if row[place] == _NOTHING else f"{row[place]} - {product}")
    row[column] = _NOTHING


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
        """Whether the lines of the block search one turn only, as an unbounded unknown stands in an angle."""
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

    def proved(self, box: Mapping[str, Span]) -> Pieces | None:
        """The monotone pieces on which the attempt's lines search for the tear, for inputs in a box; or None."""
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
                if is_literal(text):  # numpy's own numbers do not raise where they are divided by zero
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
        # the slopes are changes by a step of ASIDE, so ASIDE times their inverse gives changes of the unknowns
        scaled_identity = [[repr(ASIDE) if i == k else _NOTHING for k in count] for i in count]
        inverse = write_elimination(self.sheet, [[*slopes[i], *scaled_identity[i]] for i in count])
        errors = []
        for row in inverse:
            products = zip(row, deviations, strict=True)
            parts = [f"{size}({text}) * {deviation}" for text, deviation in products if text != _NOTHING]
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
            return _NOTHING
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


def attempts_of(system: ParametricSystem) -> list[Attempt]:
    """The attempts at lines for a block's unknowns, by elimination or by a search for some tear, the best first."""
    equations, unknowns = system.equations, system.unknowns
    if not system.inputs:
        return []
    if len(unknowns) == 1:
        if isolate(equations[0], unknowns[0]) is not None:
            return []
        return [Attempt(system, tear=unknowns[0], branch=Branch({}, equations))]
    forms = linear_forms(equations, frozenset(unknowns))
    if forms is not None:
        return [Attempt(system, linear=tuple(forms))] if len(unknowns) <= _MOST else []
    if any(system.turns(*pair) for pair in product(equations, unknowns)):
        return []
    branches_of = [(tear, expressed(equations, unknowns, tear)) for tear in unknowns]
    single = {tear: branches[0] for tear, branches in branches_of if len(branches) == 1}

    def rank(tear: str) -> tuple[bool, int]:
        branch = single[tear]
        return not loses_nothing(branch, system.box), len(branch.lost) + len(branch.powers)

    return [Attempt(system, tear=tear, branch=single[tear]) for tear in sorted(single, key=rank)]


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


_GRAIN = 32  # boxes around single points, to a factor of two
_CELLS = 4096  # limit on cached boxes
_CUTS = 16  # in search of the longest span with a proof
_FAILURES = 24  # failed proofs without a success after which no other is tried


class PieceProofs:
    """The proofs for a block's kernel, by boxes of inputs, of pieces of the tear's domain with one root at most."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.inputs = attempt.system.inputs
        self.cell = lru_cache(maxsize=_CELLS)(self._of_cell)
        self._failed = 0
        self._is_of_use = False

    @property
    def _box(self) -> tuple[Span, ...]:
        """The box of all inputs of a block's lines, each in its domain, for which a search is to be proved complete."""
        spans = []
        for domain in (self.attempt.system.domains[name] for name in self.inputs):
            is_positive = domain.low == 0 and domain.open_low
            low = LEAST_FACTOR if is_positive else max(domain.low, -MOST_FACTOR)
            spans.append((low, min(domain.high, MOST_FACTOR)))
        return tuple(spans)

    @cached_property
    def whole(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """The box of all inputs of a block's lines, and the pieces on which they may search for any of these."""
        pieces = self.of(self._box)
        return None if pieces is None else (self._box, pieces)

    @cached_property
    def widest(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """The widest box of inputs for which a block's lines may search, and its pieces: all, or one is limited."""
        if self.whole is not None:
            return self.whole
        proofs = (self._longest_part(self._box, *cut) for cut in product(range(len(self._box)), (0, 1)))
        return next((proof for proof in proofs if proof), None)

    def _longest_part(self, box: tuple[Span, ...], place: int, side: int) -> tuple[tuple[Span, ...], Pieces] | None:
        """The longest part of a box, cut on one side, for which a block's lines may search, with its pieces."""
        before, span, after = box[:place], box[place], box[place + 1 :]
        start, good, bad = span[side], span[side], span[1 - side]
        if self.of((*before, (start, start), *after)) is None:
            return None
        best = None
        for _ in range(_CUTS):
            between = middle((min(good, bad), max(good, bad)))
            spans = (*before, (min(start, between), max(start, between)), *after)
            pieces = self.of(spans)
            if pieces is None:
                bad = between
            else:
                good, best = between, (spans, pieces)
        return best

    def of(self, spans: Sequence[Span]) -> Pieces | None:
        """The pieces on which a block's lines may search for a tear, for inputs in a box; None without a proof."""
        if self._failed >= _FAILURES and not self._is_of_use:
            return None
        pieces = self.attempt.proved(dict(zip(self.inputs, spans, strict=True)))
        self._failed += pieces is None
        self._is_of_use |= pieces is not None
        return pieces

    def _of_cell(self, cell: tuple[tuple[int, int], ...]) -> Pieces | None:
        """The pieces on which a block's lines may search for a tear, for inputs in a small cell; None without a proof.

        The cell has, for each input, the number of a step in its mantissa, and its exponent.
        """
        ends = [(ldexp(share / _GRAIN, power), ldexp((share + 1) / _GRAIN, power)) for share, power in cell]
        return self.of([(x, x) if x == 0 else (x, y) for x, y in ends])

    def around(self, numbers: Sequence[float]) -> Pieces | None:
        """The pieces on which a block's lines may search for a tear at a point of inputs; None without a proof."""
        if self.widest is not None:
            spans, pieces = self.widest
            if all(low <= x <= high for x, (low, high) in zip(numbers, spans, strict=True)):
                return pieces
        mantissas = [frexp(x) for x in numbers]
        return self.cell(tuple((floor(share * _GRAIN), power) for share, power in mantissas))
