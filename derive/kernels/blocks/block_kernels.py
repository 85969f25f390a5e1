"""Kernels of blocks without a closed form: the one solution at a point, or all solutions over arrays.

The kernels use source lines where those can be trusted (`block_lines`), and call the solver elsewhere.

A search needs pieces of the unknown's domain that hold at most one root each. They are proved once for all inputs in
the domains, if possible; otherwise for the inputs at hand, in boxes that are halved until the proof succeeds or too
few points are left in a box to pay for it. A single point uses the small box around it, which is cached.

In machine code there is one solution at a point, or infinities where another dialect is needed. A block in which arms
compete is taken arm by arm. With every maximum, minimum and choice replaced by one of its arms the equations are
easier: one unknown has a closed form in terms of which the others are written, or the residual is monotone. What such a
variant yields is a solution of the block if it satisfies the equations as they are. So the block has one solution if
just one variant yields one, or several yield the same. Where an arm without unknowns meets its other side, the unknowns
are only bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf, isfinite, isnan, nan, prod
from typing import Any

import numpy

from derive.expressions.tree import Apply, Node, names_in, walk
from derive.kernels.backends.emitter import Dialect, Scope, Sheet, UnsupportedOperation, within
from derive.kernels.backends.numba_source import PlainPython
from derive.kernels.backends.python_numpy import Arrays, Axes
from derive.kernels.blocks.block_lines import Attempt, ParametricSystem, PieceProofs, attempts_of
from derive.kernels.blocks.decisions import Origins
from derive.kernels.blocks.monotone_pieces import Pieces
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import terms
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Block
from derive.solving.blocks.free_unknowns import has_choice, variants_of
from derive.solving.blocks.substitution import expressed, loses_nothing
from derive.solving.execution.block_execution import outcome_of
from derive.tolerances import AGREEMENT, LEAST_FACTOR

_TEARS = 3  # unknowns of which it is tried whether one proof covers all inputs


def machine_code_kernel(system: ParametricSystem, dialect: PlainPython) -> Callable[..., Any]:
    """The machine-code kernel of a block: its only solution, with infinities where another dialect is needed."""
    if len(system.unknowns) > dialect.most_unknowns:
        raise UnsupportedOperation
    if dialect.takes_arms:
        closed = _closed_form_kernel(system, dialect)
        if closed is not None:
            return closed
    attempts = attempts_of(system)
    if attempts and attempts[0].linear:
        return attempts[0].lines(dialect)
    proofs = [PieceProofs(attempt) for attempt in attempts[:_TEARS]]
    complete = next((proof for proof in proofs if proof.whole is not None), None)
    if complete is None and dialect.takes_arms and len(variants_of(system.equations, frozenset(system.unknowns))) > 1:
        return _arms_kernel(system, dialect)
    if complete is None and (not proofs or proofs[0].widest is None):
        raise UnsupportedOperation
    return _search_kernel(complete or proofs[0], dialect)


def _search_kernel(proofs: PieceProofs, dialect: PlainPython) -> Callable[..., Any]:
    """The machine-code kernel that searches each proved piece of a tear's domain; infinities with several roots."""
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


_MOST_VARIANTS = 12  # limit on variants


def _arms_kernel(system: ParametricSystem, dialect: PlainPython) -> Callable[..., Any]:
    """The machine-code kernel of a block in which arms compete: NaN without a solution, infinities undecided."""
    variants = variants_of(system.equations, frozenset(system.unknowns))
    if not 1 < len(variants) <= _MOST_VARIANTS or not system.inputs:
        raise UnsupportedOperation
    sheet = Sheet(dialect, system.inputs)
    scope, arguments, results = sheet.start(), ", ".join(sheet.arguments.values()), []
    for variant in variants:
        helper = sheet.helper(variant, partial(_variant_kernel, replace(system, equations=variant), dialect))
        results.append(_solution_of_variant(sheet, system, f"{helper}({arguments})", scope))
    columns = [sheet.line(f"only({', '.join(column)})") for column in zip(*results, strict=True)]
    is_open = sheet.line(" or ".join(f"abs({column}) == inf" for column in columns))
    return sheet.function(f"({', '.join(dialect.pick(is_open, 'inf', column) for column in columns)},)")


def _solution_of_variant(sheet: Sheet, system: ParametricSystem, called: str, scope: Scope) -> list[str]:
    """Write a machine-code kernel's solution by one variant where it satisfies the block as it is; else NaN."""
    inner, result = scope.copy(), sheet.line(called)
    values = [sheet.line(f"{result}[{i}]") for i in range(len(system.unknowns))]
    for name, value in zip(system.unknowns, values, strict=True):
        inner.bind(name, value)
    text = partial(sheet.expression, scope=inner)
    fits = sheet.line(sheet.dialect.logic("and", [sheet.agrees(equation, text) for equation in system.equations]))
    unclear = " or ".join((f"(abs({values[0]}) == inf)", *inner.asked))
    return [sheet.line(f"inf if {unclear} else {value} if {fits} else nan") for value in values]


def _variant_kernel(system: ParametricSystem, dialect: PlainPython) -> Callable[..., Any]:
    """The machine-code kernel of a block with one arm of each choice; infinite where unknowns are only bounded."""
    unknowns = {*system.unknowns}
    fixed = [equation for equation in system.equations if unknowns.isdisjoint(names_in(equation.lhs, equation.rhs))]
    if not fixed:
        return machine_code_kernel(system, dialect)
    sheet = Sheet(dialect, system.inputs)
    scope = sheet.start()
    text = partial(sheet.expression, scope=scope)
    is_met = sheet.line(dialect.logic("and", [sheet.agrees(equation, text) for equation in fixed]))
    result = sheet.line(f"inf if {' or '.join((is_met, *scope.asked))} else nan")
    return sheet.function(f"({', '.join([result] * len(system.unknowns))},)")


def _closed_form_kernel(system: ParametricSystem, dialect: PlainPython) -> Callable[..., Any] | None:
    """The machine-code kernel of a block by a closed form of one unknown in which the others are; None without."""
    for tear in system.unknowns:
        forms = _only_forms(system, tear)
        if forms is None:
            continue
        sheet = Sheet(dialect, system.inputs)
        scope = sheet.start()
        for name, form in forms.items():
            scope.bind(name, sheet.expression(form, scope))
        domains = [(scope.variables[name], system.domains[name]) for name in system.unknowns]
        tests = [within(text, domain.low, domain.high, domain.open_low) for text, domain in domains]
        inside = sheet.line(dialect.logic("and", tests))
        open_tests = [*scope.asked, *_singularity_tests(sheet, forms[tear], scope)]
        unclear = f"inf if {' or '.join(open_tests)} else " if open_tests else ""
        results = (f"({unclear}{scope.variables[name]} if {inside} else nan)" for name in system.unknowns)
        return sheet.function(f"({', '.join(results)},)")
    return None


def _only_forms(system: ParametricSystem, tear: str) -> dict[str, Node] | None:
    """The only closed form of a block's tear, and those of the other unknowns in it, for a kernel; None without one."""
    branches = expressed(system.equations, system.unknowns, tear) if len(system.unknowns) > 1 else ()
    if len(branches) != 1 or not loses_nothing(branches[0], system.box):
        return None
    if has_choice(branches[0].left[0], tear):
        return None  # an arm that has lost the tear has no closed form, and may bind
    candidates = isolate(branches[0].left[0], tear)
    if not candidates or len(candidates) > 1:
        return None
    if candidates[0].winds or leaves_out(candidates[0].powers, system.box):
        return None
    return {tear: candidates[0].form, **branches[0].forms}


def _singularity_tests(sheet: Sheet, form: Node, scope: Scope) -> Iterator[str]:
    """Write the tests by which a block's kernel leaves a point open: its form divides by zero within rounding."""
    for node in walk(form):
        if isinstance(node, Apply) and node.op == "inv" and names_in(node) and len(terms(node.args[0])) > 1:
            size = " + ".join(f"abs({sheet.expression(term, scope)})" for term in terms(node.args[0]))
            yield sheet.line(f"(abs({sheet.expression(node.args[0], scope)}) <= {AGREEMENT!r} * ({size}))")


_FEW = 32  # number of points too small for another proof
_CROWD = 4096  # number of points that justifies a proof of their own
_HALVINGS = 6


def kernel_of(
    library: RelationSet, block: Block, inputs: Sequence[str], dialect: Dialect, origins: Origins
) -> Callable[..., Any]:
    """The kernel of a block in a dialect: a function from its inputs, and what they come from, to its unknowns."""
    equations = tuple(library.relations[name].written for name in block.relations)
    domains = {name: library.declared[name].domain for name in (*block.unknowns, *inputs)}
    system = ParametricSystem(equations, block.unknowns, tuple(inputs), domains)
    if isinstance(dialect, PlainPython):
        return machine_code_kernel(system, dialect)
    attempt = next(iter(attempts_of(system)), None)
    solved = _solutions(library, block, inputs, origins)
    if dialect.is_lazy:
        return point_solver_kernel(system, solved, PointSolutions(attempt) if attempt else None)
    return array_solver_kernel(system, solved, ArraySolutions(attempt) if attempt else None)


# The solver, where lines do not decide

SolutionsOfOne = Callable[..., "list[tuple[float, ...]] | None"]
"""All solutions at a point; None where the solver has to be called."""

SolutionsOfMany = Callable[[Sequence[Any]], tuple[Any, Any]]
"""All solutions at many points, in rows for each unknown; and the points where the solver has to be called."""


def point_solver_kernel(
    system: ParametricSystem, solved: SolutionsOfOne, by_lines: SolutionsOfOne | None
) -> Callable[..., tuple[float, ...]]:
    """The kernel of a block for one point: its only admissible solution, by lines or the solver; NaN without.

    It is `solved` where `by_lines` does not decide.
    """
    nothing = (nan,) * len(system.unknowns)

    def only_solution(*numbers: float) -> tuple[float, ...]:
        given = numbers[: len(system.inputs)]
        solutions = by_lines(*given) if by_lines and all(map(isfinite, given)) else None
        solutions = solved(*numbers) if solutions is None else solutions
        if solutions is None or len(solutions) > 1:
            raise ValueError("several solutions")
        return solutions[0] if solutions else nothing

    return only_solution


def array_solver_kernel(
    system: ParametricSystem, solved: SolutionsOfOne, by_lines: SolutionsOfMany | None
) -> Callable[..., Any]:
    """The kernel of a block over arrays: its solutions, several along a new axis, and where one is only bounded."""
    size = len(system.unknowns)

    def solutions_of_arrays(axes: Axes, *arrays: Any) -> Any:
        """The kernel of a block over arrays: all solutions, by lines, and by the solver where these are open."""
        shape = numpy.broadcast_shapes(*(numpy.shape(array) for array in arrays))
        flat = [numpy.broadcast_to(array, shape).ravel() for array in arrays]
        columns, pending = numpy.full((size, 1, prod(shape)), nan), numpy.full(prod(shape), True)
        if by_lines:
            columns, pending = by_lines(flat[: len(system.inputs)])
        places = numpy.flatnonzero(pending)
        points = [axes.once(solved, tuple(float(array[i]) for array in flat)) for i in places]
        bounded = numpy.zeros(pending.shape, bool)
        bounded[places] = [solutions is None for solutions in points]
        most = max((len(solutions) for solutions in points if solutions), default=1)
        columns = numpy.pad(columns, ((0, 0), (0, max(0, most - columns.shape[1])), (0, 0)), constant_values=nan)
        for i, solutions in zip(places, points, strict=True):
            for j, solution in enumerate(solutions or ()):
                columns[:, j, i] = solution
        rows = columns.reshape(size, -1, *shape)
        return *(rows[:, 0] if rows.shape[1] == 1 else axes.added(rows)), bounded.reshape(shape)

    return solutions_of_arrays


def _solutions(library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins) -> SolutionsOfOne:
    """The function by which a kernel asks the solver for all admissible solutions of a block at a point.

    It returns None if an unknown is only bounded, or the equations are dependent there: others may have a value.
    """

    def solutions_at(*numbers: float) -> list[tuple[float, ...]] | None:
        """The solver's admissible solutions of a kernel's block at one point; None if they leave an unknown open."""
        known = dict(zip(inputs, map(float, numbers), strict=False))
        if any(number != number for number in known.values()):
            return []
        known |= origins.values(numbers[len(inputs) :])
        outcome = outcome_of(library, block, known)
        if outcome.singular or any(solution.spans for solution in outcome.solutions):
            return None
        return [tuple(solution.values[name] for name in block.unknowns) for solution in outcome.solutions]

    return solutions_at


# Lines, where a proof says that they find all


class PointSolutions:
    """A kernel's solutions of a block at one point by its lines; None where the solver is needed."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self.proofs = PieceProofs(attempt)
        self._lines = attempt.lines(PlainPython())

    def __call__(self, *numbers: float) -> list[tuple[float, ...]] | None:
        """All solutions that the lines of a block's kernel find at one point; None where the solver is needed."""
        try:
            results = [self._lines(*numbers)] if self._attempt.linear else self._search(numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if results is None or any(inf in result for result in results):
            return None
        return [result for result in results if not isnan(result[0])]

    def _search(self, numbers: Sequence[float]) -> list[tuple[float, ...]] | None:
        """All solutions at one point, by a kernel's search of each piece around it; None without a proof."""
        pieces = self.proofs.around(numbers)
        return None if pieces is None else [self._lines(*piece, *numbers) for piece in chain(*pieces)]


class ArraySolutions:
    """A kernel's solutions of a block at many points by its lines, and where the solver is needed."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._alone = PointSolutions(attempt)
        self._proofs = self._alone.proofs
        self._lines = attempt.lines(Arrays())

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, Any]:
        """All solutions of the block at many points by the kernel's lines, and where the solver is needed."""
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
        """The groups of points of a kernel with a block's solutions there, infinite where the solver is needed."""
        size = len(self._attempt.system.unknowns)
        if self._attempt.linear:
            yield places, [self._as_array(self._lines(*(array[places] for array in arrays)), places)]
            return
        for group, pieces in self._groups(arrays, places):
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
        return numpy.array([numpy.broadcast_to(column, places.shape) for column in columns])

    def _groups(self, arrays: Sequence[Any], places: Any) -> Iterator[tuple[Any, Pieces | None]]:
        """The groups in which a kernel solves the points of arrays, each with the pieces it may search, or None."""
        if self._proofs.widest is not None:
            narrowest = self._proofs.of(_hull(arrays, places)) if places.size >= _CROWD else None
            if narrowest is not None:
                yield places, narrowest
                return
            ends, proved = self._proofs.widest
            pairs = zip(arrays, ends, strict=True)
            inside = numpy.logical_and.reduce([(low <= x[places]) & (x[places] <= high) for x, (low, high) in pairs])
            yield places[inside], proved
            places = places[~inside]
        yield from self._halved_groups(arrays, places, _HALVINGS)

    def _halved_groups(self, arrays: Sequence[Any], places: Any, halvings: int) -> Iterator[tuple[Any, Pieces | None]]:
        """The points of a kernel's arrays in groups, halved until each has a proof or is too small to pay for one."""
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
                yield from self._halved_groups(arrays, half, halvings - 1)


def _hull(arrays: Sequence[Any], places: Any) -> list[Span]:
    return [(float(array[places].min()), float(array[places].max())) for array in arrays]


def _by_width(spans: Sequence[Span]) -> list[int]:
    """The places of a block kernel's inputs that vary, first those that vary most relative to their size."""
    moving = [i for i, (low, high) in enumerate(spans) if low < high]
    widths = [(high - low) / max(abs(low), abs(high), LEAST_FACTOR) for low, high in spans]
    return sorted(moving, key=lambda i: -widths[i]) or [0]
