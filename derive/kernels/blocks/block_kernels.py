"""Numeric kernels for blocks without a closed form: over arrays, for one point, and in machine code.

The kernels use source lines where those can be trusted (`block_lines`), and call the solver elsewhere.

A search needs pieces of the unknown's domain that hold at most one root each. They are proved once for all inputs in
the domains, if possible; otherwise for the inputs at hand, in boxes that are halved until the proof succeeds or too
few points are left in a box to pay for it. A single point uses the small box around it, which is cached.

A block in which arms compete is taken arm by arm for one point. With every maximum, minimum and choice replaced by one
of its arms the equations are easier: one unknown has a closed form in terms of which the others are written, or the
residual is monotone. What such a variant yields is a solution of the block if it satisfies the equations as they are.
So the block has one solution if just one variant yields one, or several yield the same. Where an arm without unknowns
meets its other side, the unknowns are only bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain, product
from math import floor, frexp, inf, isfinite, isnan, ldexp, nan, prod
from typing import Any

from derive.expressions.tree import Apply, Node, names_in, walk
from derive.kernels.backends.emitter import Dialect, Scope, Sheet, UnsupportedOperation, within
from derive.kernels.backends.numba_source import Slow
from derive.kernels.backends.python_numpy import Arrays, Axes
from derive.kernels.blocks.block_lines import Attempt, ParametricSystem, Pieces, attempt
from derive.kernels.blocks.decisions import Origins
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.root_boxes import middle
from derive.planning.plan import Block
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.substitution import expressed, loses_nothing
from derive.tolerances import AGREEMENT, LEAST_FACTOR, MOST_FACTOR

_FEW = 32  # number of points too small for another proof
_CROWD = 4096  # number of points that justifies a proof of their own
_HALVINGS = 6
_GRAIN = 32  # boxes around single points, to a factor of two
_CELLS = 4096  # limit on cached boxes
_TEARS = 3  # unknowns of which it is tried whether one proof covers all inputs
_CUTS = 16  # in search of the longest span with a proof
_FAILURES = 24  # failed proofs without a success after which no other is tried


def worked_out(
    library: RelationSet, block: Block, inputs: Sequence[str], dialect: Dialect, origins: Origins
) -> Callable[..., Any]:
    """The kernel of a block in a dialect: a function from its inputs, and numbers behind these, to its unknowns."""
    equations = tuple(library.relations[name].written for name in block.relations)
    domains = {name: library.declared[name].domain for name in (*block.unknowns, *inputs)}
    system = ParametricSystem(equations, block.unknowns, tuple(inputs), domains)
    if isinstance(dialect, Slow):
        return _single_solution(system, dialect)
    method = attempt(system)
    if dialect.is_lazy:
        return solver(library, block, inputs, origins, OnePoint(method) if method else None)
    return solver_of_arrays(library, block, inputs, origins, ManyPoints(method) if method else None)


# The solver, where lines do not decide

SolutionsOfOne = Callable[..., "list[tuple[float, ...]] | None"]
"""All solutions at a point; None where the solver has to be called."""

SolutionsOfMany = Callable[[Sequence[Any]], tuple[Any, Any]]
"""All solutions at many points, in rows for each unknown; and the points where the solver has to be called."""


def solver(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins, by_lines: SolutionsOfOne | None = None
) -> Callable[..., tuple[float, ...]]:
    """The kernel for one point that returns a block's only admissible solution; NaN if there is none.

    The solver is called where `by_lines` does not decide.
    """
    solutions_at = _solutions(library, block, inputs, origins)
    nothing = (nan,) * len(block.unknowns)

    def at(*numbers: float) -> tuple[float, ...]:
        given = numbers[: len(inputs)]
        solutions = by_lines(*given) if by_lines and all(map(isfinite, given)) else None
        solutions = solutions_at(*numbers) if solutions is None else solutions
        if solutions is None or len(solutions) > 1:
            raise ValueError("several solutions")
        return solutions[0] if solutions else nothing

    return at


def solver_of_arrays(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins, by_lines: SolutionsOfMany | None = None
) -> Callable[..., Any]:
    """The kernel over arrays for a block's solutions, several along a new axis, and for where one is only bounded."""
    solutions_at, size = _solutions(library, block, inputs, origins), len(block.unknowns)

    def at(axes: Axes, *arrays: Any) -> Any:
        """The solutions of the block at all points of some arrays: by lines, and by the solver where these are open."""
        import numpy

        shape = numpy.broadcast_shapes(*(numpy.shape(array) for array in arrays))
        flat = [numpy.broadcast_to(array, shape).ravel() for array in arrays]
        columns, pending = numpy.full((size, 1, prod(shape)), nan), numpy.full(prod(shape), True)
        if by_lines and inputs:
            columns, pending = by_lines(flat[: len(inputs)])
        places = numpy.flatnonzero(pending)
        points = [axes.once(solutions_at, tuple(float(array[i]) for array in flat)) for i in places]
        bounded = numpy.zeros(pending.shape, bool)
        bounded[places] = [solutions is None for solutions in points]
        columns = _widened(columns, max((len(solutions) for solutions in points if solutions), default=1))
        for i, solutions in zip(places, points, strict=True):
            for j, solution in enumerate(solutions or ()):
                columns[:, j, i] = solution
        rows = columns.reshape(size, -1, *shape)
        return *(rows[:, 0] if rows.shape[1] == 1 else axes.added(rows)), bounded.reshape(shape)

    return at


def _widened(columns: Any, wanted: int) -> Any:
    """The columns of a block's solutions, with room for this many solutions of a point."""
    import numpy

    size, rows, count = columns.shape
    if rows >= wanted:
        return columns
    return numpy.concatenate([columns, numpy.full((size, wanted - rows, count), nan)], axis=1)


def _solutions(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins
) -> Callable[..., list[tuple[float, ...]] | None]:
    """A function that asks the solver for all admissible solutions of a block at a point.

    It returns None if an unknown is only bounded.
    """
    from derive.solving.execution.block_execution import outcome_of

    def at(*numbers: float) -> list[tuple[float, ...]] | None:
        """All admissible solutions of the block at a point; None if an unknown is only bounded."""
        known = dict(zip(inputs, map(float, numbers), strict=False))
        if any(number != number for number in known.values()):
            return []
        known |= origins.values(numbers[len(inputs) :])
        solutions = outcome_of(library, block, known).solutions
        if any(solution.spans for solution in solutions):
            return None
        return [tuple(solution.values[name] for name in block.unknowns) for solution in solutions]

    return at


# Lines, where a proof says that they find all


class _Proofs:
    """Searches, for boxes of inputs, the pieces of the tear's domain that are proved to hold at most one root."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.inputs = attempt.system.inputs
        self.cell = lru_cache(maxsize=_CELLS)(self._of_cell)
        self._failed = 0
        self._is_of_use = False

    @property
    def _box(self) -> tuple[Span, ...]:
        """The box of all inputs of the block's kernel, each in its domain."""
        spans = []
        for domain in (self.attempt.system.domains[name] for name in self.inputs):
            is_positive = domain.low == 0 and domain.open_low
            low = LEAST_FACTOR if is_positive else max(domain.low, -MOST_FACTOR)
            spans.append((low, min(domain.high, MOST_FACTOR)))
        return tuple(spans)

    @cached_property
    def whole(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """One proof for all inputs of a block: their box, and the pieces of the tear's domain with at most one root."""
        pieces = self.of(self._box)
        return None if pieces is None else (self._box, pieces)

    @cached_property
    def widest(self) -> tuple[tuple[Span, ...], Pieces] | None:
        """One proof for as many inputs of a block as possible: all, or with one input limited from above or below."""
        if self.whole is not None:
            return self.whole
        proofs = (self._longest_part(self._box, *cut) for cut in product(range(len(self._box)), (0, 1)))
        return next((proof for proof in proofs if proof), None)

    def _longest_part(self, box: tuple[Span, ...], place: int, side: int) -> tuple[tuple[Span, ...], Pieces] | None:
        """A proof for a box of a block's inputs in which one side is cut to its longest part that has a proof."""
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
        """The proved pieces of a tear's domain, with at most one root each, for a block's inputs within bounds.

        None without a proof.
        """
        if self._failed >= _FAILURES and not self._is_of_use:
            return None
        pieces = self.attempt.proved(dict(zip(self.inputs, spans, strict=True)))
        self._failed += pieces is None
        self._is_of_use |= pieces is not None
        return pieces

    def _of_cell(self, cell: tuple[tuple[int, int], ...]) -> Pieces | None:
        """The proved pieces of a tear's domain, with at most one root each, for a block's inputs in a small box.

        The box has, for each input, the number of a step in its mantissa, and its exponent. None without a proof.
        """
        ends = [(ldexp(share / _GRAIN, power), ldexp((share + 1) / _GRAIN, power)) for share, power in cell]
        return self.of([(x, x) if x == 0 else (x, y) for x, y in ends])

    def around(self, numbers: Sequence[float]) -> Pieces | None:
        """The proved pieces of a tear's domain, with at most one root each, for a block's inputs at a point.

        None without a proof.
        """
        if self.widest is not None:
            spans, pieces = self.widest
            if all(low <= x <= high for x, (low, high) in zip(numbers, spans, strict=True)):
                return pieces
        mantissas = [frexp(x) for x in numbers]
        return self.cell(tuple((floor(share * _GRAIN), power) for share, power in mantissas))


class OnePoint:
    """The solutions of a block at one point; None where the solver is needed."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self.proofs = _Proofs(attempt)
        self._lines = attempt.lines(Slow())

    def __call__(self, *numbers: float) -> list[tuple[float, ...]] | None:
        """All solutions of the block at one point by its lines; None where the solver is needed."""
        try:
            results = [self._lines(*numbers)] if self._attempt.linear else self._search(numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if results is None or any(inf in result for result in results):
            return None
        return [result for result in results if not isnan(result[0])]

    def _search(self, numbers: Sequence[float]) -> list[tuple[float, ...]] | None:
        pieces = self.proofs.around(numbers)
        return None if pieces is None else [self._lines(*piece, *numbers) for piece in chain(*pieces)]


class ManyPoints:
    """The solutions of a block at many points: rows of solutions for each unknown, and where the solver is needed."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._alone = OnePoint(attempt)
        self._proofs = self._alone.proofs
        self._lines = attempt.lines(Arrays())

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, Any]:
        """All solutions of the block at many points by its lines, and a mask of where the solver is needed."""
        import numpy

        size, count = len(self._attempt.system.unknowns), arrays[0].size
        rows = [numpy.full((size, count), nan)]
        is_finite = numpy.logical_and.reduce([numpy.isfinite(array) for array in arrays])
        pending = ~is_finite & ~numpy.logical_or.reduce([numpy.isnan(array) for array in arrays])
        for places, point_solutions in self._solution_groups(arrays, numpy.flatnonzero(is_finite)):
            rows += [numpy.full((size, count), nan) for _ in range(len(point_solutions) - len(rows))]
            for row, solution in zip(rows, point_solutions, strict=False):
                row[:, places] = solution
                pending[places] |= numpy.isinf(solution).any(axis=0)
        solutions = numpy.stack(rows, axis=1)
        solutions[:, :, pending] = nan
        return solutions, pending

    def _solution_groups(self, arrays: Sequence[Any], places: Any) -> Iterator[tuple[Any, Sequence[Any]]]:
        """Groups of points with the block's solutions there, which are infinite where the solver is needed."""
        import numpy

        size = len(self._attempt.system.unknowns)
        if self._attempt.linear:
            yield places, [self._as_array(self._lines(*(array[places] for array in arrays)), places)]
            return
        for group, pieces in self._groups(arrays, places, _HALVINGS):
            inputs = [array[group] for array in arrays]
            if pieces is not None:
                yield group, [self._as_array(self._lines(*piece, *inputs), group) for piece in chain(*pieces)]
            elif group.size >= _FEW:
                yield group, [numpy.full((size, group.size), inf)]
            else:
                for i, *point in zip(group, *(array.tolist() for array in inputs), strict=True):
                    alone = self._alone(*point)
                    yield i, [(inf,) * size] if alone is None else alone

    def _as_array(self, columns: Sequence[Any], places: Any) -> Any:
        import numpy

        return numpy.array([numpy.broadcast_to(column, places.shape) for column in columns])

    def _groups(self, arrays: Sequence[Any], places: Any, halvings: int) -> Iterator[tuple[Any, Pieces | None]]:
        """Groups of points that share a proof for the block's search; None for those without one."""
        import numpy

        if halvings == _HALVINGS and self._proofs.widest is not None:
            if places.size >= _CROWD and (pieces := self._proofs.of(_hull(arrays, places))) is not None:
                yield places, pieces  # the narrowest box for these points
                return
            ends, proved = self._proofs.widest
            pairs = zip(arrays, ends, strict=True)
            inside = numpy.logical_and.reduce([(low <= x[places]) & (x[places] <= high) for x, (low, high) in pairs])
            yield places[inside], proved
            places = places[~inside]
        if places.size < _FEW:
            yield places, None
            return
        spans = _hull(arrays, places)
        pieces = self._proofs.of(spans)
        if pieces is not None or not halvings:
            yield places, pieces
        else:
            widest = _by_width(spans)
            numbers = arrays[widest[halvings % len(widest)]][places]
            order = places[numpy.argsort(numbers, kind="stable")]
            for half in (order[: order.size // 2], order[order.size // 2 :]):
                yield from self._groups(arrays, half, halvings - 1)


def _hull(arrays: Sequence[Any], places: Any) -> list[Span]:
    return [(float(array[places].min()), float(array[places].max())) for array in arrays]


def _by_width(spans: Sequence[Span]) -> list[int]:
    """The places of the inputs of a block that vary, first those that vary most relative to their size."""
    moving = [i for i, (low, high) in enumerate(spans) if low < high]
    widths = [(high - low) / max(abs(low), abs(high), LEAST_FACTOR) for low, high in spans]
    return sorted(moving, key=lambda i: -widths[i]) or [0]


def _single_solution(system: ParametricSystem, dialect: Slow) -> Callable[..., Any]:
    """The kernel for lines of one point: a block's only solution, with infinities where another dialect is needed."""
    if len(system.unknowns) > dialect.most_unknowns:
        raise UnsupportedOperation
    if dialect.takes_arms:
        closed = _in_closed_form(system, dialect)
        if closed is not None:
            return closed
    method = attempt(system)
    if method is not None and method.linear:
        return method.lines(dialect)
    proofs = [_Proofs(by_tear) for by_tear in method.ways[:_TEARS]] if method is not None else []
    complete = next((proof for proof in proofs if proof.whole is not None), None)
    if complete is None and dialect.takes_arms and len(variants_of(system.equations, frozenset(system.unknowns))) > 1:
        return by_arms(system, dialect, partial(_single_solution, dialect=dialect))
    if complete is None and (not proofs or proofs[0].widest is None):
        raise UnsupportedOperation
    return _search_function(complete or proofs[0], dialect)


def _search_function(proofs: _Proofs, dialect: Slow) -> Callable[..., Any]:
    """The kernel that searches each proved piece of a tear's domain; infinities elsewhere, or with several roots."""
    assert proofs.widest is not None
    spans, pieces = proofs.widest
    sheet = Sheet(dialect, proofs.inputs)
    arguments = [*sheet.arguments.values()]
    inputs, count = ", ".join(arguments), len(proofs.attempt.system.unknowns)
    nothing, several = f"({'nan, ' * count})", f"({'inf, ' * count})"
    sheet.space["lines"] = proofs.attempt.lines(dialect)
    tests = [f"({low!r} <= {a} <= {high!r})" for a, (low, high) in zip(arguments, spans, strict=True)]
    with sheet.under(f"if not ({' and '.join(tests)}):"):
        sheet.write(f"return {several}")
    sheet.write(f"found = {nothing}")
    for low, high in chain(*pieces):
        sheet.write(f"one = lines({low!r}, {high!r}, {inputs})")
        sheet.write(f"found = found if one[0] != one[0] else one if found[0] != found[0] else {several}")
    return sheet.function("found")


_MOST = 12  # limit on variants


def by_arms(
    system: ParametricSystem, dialect: Slow, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    """The kernel of a block in which arms compete: NaN without a solution, infinities where lines cannot decide.

    A variant without a closed form is `solved`.
    """
    variants = variants_of(system.equations, frozenset(system.unknowns))
    if not 1 < len(variants) <= _MOST or not system.inputs:
        raise UnsupportedOperation
    sheet = Sheet(dialect, system.inputs)
    scope, arguments, results = sheet.start(), ", ".join(sheet.arguments.values()), []
    for variant in variants:
        helper = sheet.helper(variant, partial(_variant_function, replace(system, equations=variant), dialect, solved))
        results.append(_where_satisfied(sheet, system, f"{helper}({arguments})", scope))
    columns = [sheet.line(f"only({', '.join(column)})") for column in zip(*results, strict=True)]
    is_open = sheet.line(" or ".join(f"abs({column}) == inf" for column in columns))
    return sheet.function(f"({', '.join(dialect.pick(is_open, 'inf', column) for column in columns)},)")


def _where_satisfied(sheet: Sheet, system: ParametricSystem, called: str, scope: Scope) -> list[str]:
    """Write a block's solution by one variant where it satisfies the equations with all their arms; NaN elsewhere."""
    inner, result = scope.copy(), sheet.line(called)
    values = [sheet.line(f"{result}[{i}]") for i in range(len(system.unknowns))]
    for name, value in zip(system.unknowns, values, strict=True):
        inner.bind(name, value)
    text = partial(sheet.expression, scope=inner)
    fits = sheet.line(sheet.dialect.logic("and", [sheet.agrees(equation, text) for equation in system.equations]))
    unclear = " or ".join((f"(abs({values[0]}) == inf)", *inner.asked))
    return [sheet.line(f"inf if {unclear} else {value} if {fits} else nan") for value in values]


def _variant_function(
    system: ParametricSystem, dialect: Slow, solved: Callable[[ParametricSystem], Callable[..., Any]]
) -> Callable[..., Any]:
    """The kernel of a block with one arm of each choice; infinite where it satisfies an equation without unknowns."""
    unknowns = {*system.unknowns}
    fixed = [equation for equation in system.equations if unknowns.isdisjoint(names_in(equation.lhs, equation.rhs))]
    if not fixed:
        return _in_closed_form(system, dialect) or solved(system)
    sheet = Sheet(dialect, system.inputs)
    scope = sheet.start()
    text = partial(sheet.expression, scope=scope)
    is_met = sheet.line(dialect.logic("and", [sheet.agrees(equation, text) for equation in fixed]))
    result = sheet.line(f"inf if {' or '.join((is_met, *scope.asked))} else nan")
    return sheet.function(f"({', '.join([result] * len(system.unknowns))},)")


def _in_closed_form(system: ParametricSystem, dialect: Slow) -> Callable[..., Any] | None:
    """The kernel of a block by a closed form of one unknown, in which the others are written; None without one."""
    equations, unknowns, box = system.equations, system.unknowns, system.box
    for tear in unknowns:
        branches = expressed(equations, unknowns, tear) if len(unknowns) > 1 else ()
        if len(branches) != 1 or not loses_nothing(branches[0], box):
            continue
        branch = branches[0]
        candidates = isolate(branch.left[0], tear)
        if not candidates or len(candidates) > 1 or candidates[0].winds or leaves_out(candidates[0].powers, box):
            continue
        sheet = Sheet(dialect, system.inputs)
        scope = sheet.start()
        for name, form in {tear: candidates[0].form, **branch.forms}.items():
            scope.bind(name, sheet.expression(form, scope))
        domains = [(scope.variables[name], system.domains[name]) for name in unknowns]
        tests = [within(text, domain.low, domain.high, domain.open_low) for text, domain in domains]
        inside = sheet.line(dialect.logic("and", tests))
        open_tests = [*scope.asked, *_singularity_tests(sheet, candidates[0].form, scope)]
        unclear = f"inf if {' or '.join(open_tests)} else " if open_tests else ""
        results = (f"({unclear}{scope.variables[name]} if {inside} else nan)" for name in unknowns)
        return sheet.function(f"({', '.join(results)},)")
    return None


def _singularity_tests(sheet: Sheet, form: Node, scope: Scope) -> Iterator[str]:
    """Write the tests that a divisor in a kernel's closed form is zero within rounding, as for dependent equations."""
    for node in walk(form):
        if isinstance(node, Apply) and node.op == "inv" and names_in(node) and len(terms(node.args[0])) > 1:
            size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in terms(node.args[0]))
            yield sheet.line(f"(abs({sheet.expression(node.args[0], scope)}) <= {AGREEMENT!r} * ({size}))")
