"""A block without a closed form as source lines that report where they can be trusted.

A linear block is solved by elimination. Any other block that reduces to one unknown is searched on pieces of its
domain on which the residual is monotone (`pieces`), so that each piece holds at most one root and none is
missed. The solution is put back into every relation. The residuals, their rounding error (`decisions`) and the
Jacobian then bound the error of the unknowns.

An unknown is NaN where it certainly has no value in its domain, and an infinity where these lines cannot decide;
there the solver is called.

A root is bracketed at many points at once, as `crossing` of `python_runtime` does at one. The bracket is bisected
geometrically while its ends are far apart, and then cut by inverse quadratic interpolation where that is safe, else
bisected (Chandrupatla 1997), down to the last digits. The result is NaN where the ends certainly have the same sign,
and an infinity where their signs are uncertain.

A small linear system is eliminated by Gauss and Jordan's method, unrolled to lines that are the same in every dialect.
Rows are exchanged by selection, not by branches, so every point of an array has its own pivots.

A form is monotone on a piece for all values of its parameters within their bounds: `root_boxes` proves this for the
numbers of one point, this module for a box of them. A piece that cannot hold a zero is dropped, and one that is
undecided is bisected. Sizes beyond the reach of a search are not searched; there only a change of sign shows a root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import inf, isfinite, nan
from typing import Any

from derive.expressions.tree import Apply, Equation, Node, names_in, walk
from derive.kernels.backends.emitter import Dialect, Scope, Sheet
from derive.kernels.blocks.decisions import roundings
from derive.numerics.algebra.constant_folding import without_quotients
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.algebra.linear import Linear, linear_forms
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose, sum_of
from derive.numerics.root_finding.periods import angles_of
from derive.numerics.root_finding.root_boxes import middle
from derive.solving.blocks.substitution import Branch, expressed, loses_nothing
from derive.time_limits import tick
from derive.tolerances import (
    AGREEMENT,
    ASIDE,
    EPSILON,
    LARGEST,
    LAST_DIGIT,
    LEAST,
    LEAST_FACTOR,
    MOST,
    MOST_FACTOR,
    SAME_ROOT,
    SMALLEST,
    TIGHT,
)
from quantities.domain import Domain

_PATIENCE = 100  # limit on pieces that are examined
_OPERATIONS = 20_000  # limit on operations of a form over all pieces: a long form is proved at once or hardly ever

Pieces = tuple[tuple[Span, ...], tuple[Span, ...]]
"""Pieces with at most one zero each, and pieces beyond the reach of a search, of which nothing is proved."""


def pieces(form: Node, name: str, box: Mapping[str, Span], domain: Domain) -> Pieces | None:
    """The pieces of an unknown's domain that may hold roots of a block, each at most one; None if that is not proved.

    >>> from derive.expressions.grammar import parse_expression
    >>> positive = Domain("positive", 0.0, float("inf"), open_low=True)
    >>> pieces(parse_expression("x*exp(x) - a"), "x", {"a": (1.0, 100.0)}, positive)
    (((1e-60, 1e+60),), ())
    >>> pieces(parse_expression("sin(x) - a"), "x", {"a": (0.0, 0.5)}, positive)
    """
    return _pieces(form, name, tuple(box.items()), domain)


@lru_cache(maxsize=1024)
def _pieces(form: Node, name: str, spans: tuple[tuple[str, Span], ...], domain: Domain) -> Pieces | None:
    """The pieces of an unknown's domain for a block's lines, cached: many programs of a page contain the same block."""
    sought, box = reach(domain), dict(spans)
    forms = tuple(dict.fromkeys((form, without_quotients(form, name, {**box, name: sought}))))
    monotone: list[tuple[Span, bool]] = []  # pieces, and whether a form rises on them
    pending = [sought]
    operations = max(1, sum(1 for _ in walk(*forms)))
    for _ in range(min(_PATIENCE, 1 + _OPERATIONS // operations)):
        if not pending:
            break
        tick()
        piece = pending.pop()
        enclosure = _enclosure_of(forms, name, box, piece)
        if enclosure is None:
            continue
        if not enclosure.is_monotone:
            pending.extend(_halves(piece))
            continue
        rises = enclosure.slopes[0] > 0
        if monotone:  # one that continues the last piece, and rises or falls as that does, is joined to it
            (low, high), last_rises = monotone[-1]
            if last_rises == rises and high == piece[0]:
                monotone.pop()
                piece = low, piece[1]
        monotone.append((piece, rises))
    if pending:
        return None
    tails = tuple(tail for tail in _tails(domain) if _enclosure_of(forms, name, box, tail))
    return tuple(piece for piece, _ in monotone), tails


def reach(domain: Domain) -> Span:
    """The part of an unknown's domain that the lines of a block search."""
    low = domain.low if domain.low < 0 else max(domain.low, SMALLEST)
    return max(low, -LARGEST), min(domain.high, LARGEST)


def _tails(domain: Domain) -> Iterator[Span]:
    """The parts of an unknown's domain beyond the search by a block's lines."""
    if 0 <= domain.low < SMALLEST:
        yield (LEAST if domain.open_low else domain.low), SMALLEST
    if domain.low < -LARGEST:
        yield max(domain.low, -MOST), -LARGEST
    if domain.high > LARGEST:
        yield LARGEST, min(domain.high, MOST)


def _enclosure_of(forms: Sequence[Node], name: str, box: Mapping[str, Span], piece: Span) -> Enclosure | None:
    """The enclosure of a block's residual on a piece, by its first monotone form; None if it has no root there."""
    first: Enclosure | None = None
    for form in forms:
        enclosure = _enclosed(form, {**box, name: piece}, name)
        if enclosure is None or enclosure.is_monotone:
            return enclosure
        first = first or enclosure
    return first


def _enclosed(form: Node, spans: Mapping[str, Span], name: str) -> Enclosure | None:
    """The enclosure of a form of a block's residual; None if it certainly misses zero, or is nowhere defined."""
    parts: list[Enclosure] = []
    for term in form.args if isinstance(form, Apply) and form.op == "add" else (form,):
        part = enclose(term, spans, name)
        if part is None:
            return None
        parts.append(part)
    low = sum(part.values[0] - AGREEMENT * abs(part.values[0]) for part in parts)
    high = sum(part.values[1] + AGREEMENT * abs(part.values[1]) for part in parts)
    return None if low > 0 or high < 0 else sum_of(*parts)


def _halves(piece: Span) -> tuple[Span, Span]:
    """The two halves of a piece of an unknown's domain, the lower one last."""
    cut = middle(piece)
    return (cut, piece[1]), (piece[0], cut)


_MOST = 8  # limit on unknowns of a linear system


@dataclass(frozen=True)
class ParametricSystem:
    """The equations of a block, whose inputs have no numbers yet; the domains are those of unknowns and inputs."""

    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    inputs: tuple[str, ...]
    domains: Mapping[str, Domain]

    @property
    def box(self) -> dict[str, Span]:
        """The box of all unknowns and inputs of the block, each in its domain."""
        return {name: self.domains[name].closed for name in (*self.inputs, *self.unknowns)}

    def turns(self, equation: Equation, unknown: str) -> bool:
        """Whether an unbounded unknown of the block stands in an angle of an equation: it is sought in one turn."""
        domain = self.domains[unknown]
        is_bounded = isfinite(domain.low) and isfinite(domain.high)
        return not is_bounded and bool(angles_of(equation, unknown))


@dataclass(frozen=True)
class Attempt:
    """How to compute the unknowns of a system from its inputs."""

    system: ParametricSystem
    linear: tuple[Linear, ...] = ()
    tear: str = ""
    branch: Branch | None = None
    others: tuple[tuple[str, Branch], ...] = ()  # other unknowns that may be the tear

    @property
    def ways(self) -> tuple[Attempt, ...]:
        """The attempts to solve the block's system by each of its tears, this one first."""
        return self, *(replace(self, tear=tear, branch=branch, others=()) for tear, branch in self.others)

    def proved(self, box: Mapping[str, Span]) -> Pieces | None:
        """The proved pieces of the tear's domain, with at most one root each, for all inputs of the block in a box.

        None without a proof.
        """
        assert self.branch is not None
        if not loses_nothing(self.branch, {**self.system.box, **box}):
            return None
        domain = self.system.domains[self.tear]
        proved = pieces(_gap(self.branch.left[0]), self.tear, box, domain)
        if any(self.system.turns(equation, self.tear) for equation in self.system.equations):
            return proved if proved and proved[0] == (reach(domain),) else None  # else only one turn is searched
        return proved

    def lines(self, dialect: Dialect) -> Callable[..., Any]:
        """The lines of the block as a function of its inputs; for a search, the ends of a piece come first."""
        return _AttemptLines(self, dialect).function()


class _AttemptLines:
    """Writes the lines of an attempt in one dialect."""

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
        """Write the lines that eliminate the unknowns of a block's linear equations."""
        rows = []
        for form in self.attempt.linear:
            sides = [*(form.get(name, ZERO) for name in self.system.unknowns), negated(form.get(None, ZERO))]
            rows.append([self.sheet.expression(side, self.scope) for side in sides])
        literal = "np.float64" if not self.dialect.is_lazy else ""
        rows = [[f"{literal}({text})" if _is_plain(text) else text for text in row] for row in rows]
        for name, (text,) in zip(self.system.unknowns, eliminated(self.sheet, rows), strict=True):
            self.scope.bind(name, text)

    def _search(self) -> None:
        """Write the lines that search a block's tear between the ends of a piece, and compute the other unknowns."""
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
        """Write the relative error of each unknown of a block: the relative change that would explain the residuals."""
        size, equations, unknowns = self.dialect.size, self.system.equations, self.system.unknowns
        residuals = [self._relative_residual(equation, self.scope) for equation in equations]
        columns = []
        for name in unknowns:
            displaced = self.scope.copy()
            displaced.bind(name, self.sheet.line(f"{self.scope.variables[name]} * {1 + ASIDE!r}"))
            pairs = zip(equations, residuals, strict=True)
            columns.append([self._slope(name, equation, residual, displaced) for equation, residual in pairs])
            self.scope.ask(*displaced.asked)
        count = range(len(unknowns))
        rows = [[column[i] for column in columns] + [repr(ASIDE) if i == k else "0.0" for k in count] for i in count]
        deviations = []
        for equation, residual in zip(equations, residuals, strict=True):
            noise = self.sheet.expression(_noise(equation), self.scope)
            scale = self.sheet.expression(_sizes(equation), self.scope)
            deviations.append(self.sheet.line(f"{size}({residual}) + {EPSILON!r} * {noise} / {scale}"))
        errors = []
        for row in eliminated(self.sheet, rows):
            products = zip(row, deviations, strict=True)
            parts = [f"{size}({text}) * {deviation}" for text, deviation in products if text != "0.0"]
            errors.append(self.sheet.line(" + ".join(parts)))
        return errors

    def _relative_residual(self, equation: Equation, scope: Scope) -> str:
        """Write the residual of a block's equation, relative to the sum of its absolute terms."""
        parts = (equation.lhs, equation.rhs, _sizes(equation))
        left, right, size_of_terms = (self.sheet.expression(node, scope) for node in parts)
        return self.sheet.line(f"({left} - {right}) / {size_of_terms}")

    def _slope(self, name: str, equation: Equation, residual: str, displaced: Scope) -> str:
        """Write by how much an equation's relative residual increases when an unknown of the block is displaced."""
        if name not in names_in(equation.lhs, equation.rhs):
            return "0.0"
        return self.sheet.line(f"{self._relative_residual(equation, displaced)} - {residual}")

    def _selected(self, trusted: str) -> list[str]:
        """Write a block's unknowns inside their domains, as NaN outside or without a root, and else as infinity."""
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


def attempt(system: ParametricSystem) -> Attempt | None:
    """How source lines compute a block's unknowns, by elimination or by a search; None if there is no way."""
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


@lru_cache(maxsize=256)
def _gap(equation: Equation) -> Node:
    return added(equation.lhs, negated(equation.rhs))


@lru_cache(maxsize=256)
def _sizes(equation: Equation) -> Node:
    """The sum of the absolute terms of both sides of a block's equation, as an expression."""
    both_sides = [*terms(equation.lhs), *terms(equation.rhs)]
    return added(*(Apply("abs", (term,)) for term in both_sides))


@lru_cache(maxsize=256)
def _noise(equation: Equation) -> Node:
    """The rounding error in the residual of a block's equation, as an expression that counts roundings."""
    return added(roundings(equation.lhs), roundings(equation.rhs))


def _function(dialect: Dialect, names: Sequence[str], *nodes: Node) -> Callable[..., Any]:
    """The function of one expression for a block's search; of two, the least size of a residual of certain sign.

    The two are the sum of the absolute terms and the number of roundings.
    """
    sheet = Sheet(dialect, names)
    scope = sheet.start()
    texts = [sheet.expression(node, scope) for node in nodes]
    text = texts[0] if len(texts) == 1 else f"{AGREEMENT!r} * {texts[0]} + {32 * EPSILON!r} * {texts[1]}"
    doubt = f"nan if {' | '.join(scope.asked)} else " if scope.asked else ""
    return sheet.function(f"{doubt}{text}")


def _is_plain(text: str) -> bool:
    """Whether a text in a block's linear rows is a literal number other than the zero that elimination skips."""
    return text != "0.0" and not text.isidentifier()


_STEPS = 200
_CROWD = 0.75  # share of open points below which the finished ones are dropped


def crossings(
    gap: Callable[..., Any], least: Callable[..., Any], low: float, high: float, inputs: Sequence[Any]
) -> Any:
    """The root of a block's residual at each point; `least` gives the size above which its sign is certain."""
    import numpy

    ends = [numpy.full(inputs[0].shape, end) for end in (high, low)]
    gaps = [gap(end, *inputs) for end in ends]
    sizes = [numpy.abs(gap_at_end) for gap_at_end in gaps]
    is_certain = [(size > least(end, *inputs)) | (size == inf) for size, end in zip(sizes, ends, strict=True)]
    roots = numpy.where(is_certain[0] & is_certain[1], nan, inf)
    places = numpy.flatnonzero(is_certain[0] & is_certain[1] & ((gaps[0] < 0) != (gaps[1] < 0)))
    if places.size:
        bracket = [array[places] for array in (ends[0], gaps[0], ends[1], gaps[1])]
        roots[places] = _narrowed(gap, bracket, [array[places] for array in inputs])
    return roots


def _narrowed(gap: Callable[..., Any], bracket: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """The roots in brackets of a block's search, by Chandrupatla's method; infinite if the residual is undefined."""
    import numpy

    x1, f1, x2, f2 = bracket
    roots, places = numpy.full(x1.shape, inf), numpy.arange(x1.size)
    share, pending = numpy.full(x1.shape, 0.5), numpy.full(x1.shape, True)
    for _ in range(_STEPS):
        x = numpy.where(pending, _cut(x1, x2, share), x1)
        f = gap(x, *inputs)
        same = (f < 0) == (f1 < 0)
        x3, f3 = numpy.where(same, x1, x2), numpy.where(same, f1, f2)
        x2, f2 = numpy.where(same, x2, x1), numpy.where(same, f2, f1)
        x1, f1 = x, f
        best = numpy.where(numpy.abs(f1) < numpy.abs(f2), x1, x2)
        narrow = LAST_DIGIT * numpy.abs(best) / numpy.abs(x2 - x1)
        is_undefined, is_zero = numpy.isnan(f), f == 0
        is_done = pending & (is_zero | is_undefined | (narrow >= 0.5))
        roots[places[is_done]] = numpy.where(is_zero, x1, numpy.where(is_undefined, inf, best))[is_done]
        pending &= ~is_done
        if not pending.any():
            break
        across, along = (f1 - f2) / (f3 - f2), (x1 - x2) / (x3 - x2)
        trusted = (across * across < along) & ((1 - across) * (1 - across) < 1 - along)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        share = numpy.clip(numpy.where(trusted, curved, 0.5), narrow, 1 - narrow)
        if pending.sum() < _CROWD * pending.size:
            x1, f1, x2, f2, share, places = (array[pending] for array in (x1, f1, x2, f2, share, places))
            inputs = [array[pending] for array in inputs]
            pending = numpy.full(x1.shape, True)
    return roots


def _cut(x1: Any, x2: Any, share: Any) -> Any:
    """The numbers at which brackets of roots are cut: zero, a geometric mean of distant ends, or an interpolation."""
    import numpy

    a, b = numpy.minimum(x1, x2), numpy.maximum(x1, x2)
    x = x1 + share * (x2 - x1)
    above, below = (a >= 0) & (4 * a < b), (b <= 0) & (4 * b > a)
    if above.any():
        x = numpy.where(above, numpy.sqrt(numpy.maximum(a, SMALLEST)) * numpy.sqrt(numpy.abs(b)), x)
    if below.any():
        x = numpy.where(below, -numpy.sqrt(numpy.maximum(-b, SMALLEST)) * numpy.sqrt(numpy.abs(a)), x)
    return numpy.where((a < 0) & (b > 0), 0.0, x)


_NOTHING = "0.0"


def eliminated(sheet: Sheet, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Write lines that eliminate a small linear system; its columns beyond the square are returned, NaN if singular.

    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sheet = Sheet(Floats())
    >>> (found,) = eliminated(sheet, [["a0", "a1"]])
    >>> [line.strip() for line in sheet.lines], found
    (['v0 = a1 / a0'], ['v0'])
    """
    table = [list(row) for row in rows]
    for column in range(len(table)):
        _pivot(sheet, table, column)
        pivot = table[column]
        if pivot[column] == _NOTHING:
            pivot[column] = "nan"
        for place in range(column + 1, len(pivot)):
            if pivot[place] != _NOTHING:
                pivot[place] = sheet.line(f"{pivot[place]} / {pivot[column]}")
        for row in table[:column] + table[column + 1 :]:
            _clear(sheet, row, pivot, column)
    return [row[len(table) :] for row in table]


def _pivot(sheet: Sheet, table: list[list[str]], column: int) -> None:
    """Write lines that move the largest entry of a column to its pivot, in a linear system."""
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


def _clear(sheet: Sheet, row: list[str], pivot: Sequence[str], column: int) -> None:
    """Write lines that subtract a multiple of a linear system's pivot row, so that another row's entry vanishes."""
    factor = row[column]
    if factor == _NOTHING:
        return
    for place in range(column + 1, len(row)):
        if pivot[place] != _NOTHING:
            product = f"{factor} * {pivot[place]}"
            row[place] = sheet.line(f"-({product})" if row[place] == _NOTHING else f"{row[place]} - {product}")
    row[column] = _NOTHING
