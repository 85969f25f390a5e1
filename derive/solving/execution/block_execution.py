"""One block of a plan, executed: the states that follow from it.

Where a block has several solutions, the state splits. Where it depends on a quantity that is only known as an
interval, its results are intervals too: exact where there is one closed form, enclosures elsewhere.

These come from interval propagation. Each unknown starts with its whole domain, and pieces on which the sides of an
equation cannot meet are cut off at both ends, until no more come off. Every solution lies in what remains; not
everything that remains is a solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from derive.caches import Memo, numbers_as_key
from derive.errors import Cause, DeriveError, LimitError, NoSolutionError, UnderdeterminedError, first_names
from derive.expressions.tree import Apply, Equation, Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.isolation import isolate, leaves_out
from derive.numerics.algebra.like_terms import occurrences, simplified
from derive.numerics.intervals.arithmetic import FAINT, point_box
from derive.numerics.intervals.enclosure import Span, spans_of_numbers
from derive.numerics.root_finding.branch_and_bound import PARTS
from derive.planning.plan import Block
from derive.solving.assumptions import Assumption
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.closed_forms import composed, enclosed_form
from derive.solving.blocks.free_unknowns import bounds_over, parted, reaching
from derive.solving.blocks.one_unknown import solutions_of
from derive.solving.blocks.outcome import ENCLOSED, Outcome, Solution
from derive.solving.blocks.propagation import fits_in_part, narrowed, narrowed_beside
from derive.solving.blocks.sample_points import is_constant, is_narrow, middle, within
from derive.solving.blocks.substitution import substituted
from derive.time_limits import Search
from derive.tolerances import AGREEMENT
from quantities.domain import Domain

if TYPE_CHECKING:
    from derive.model.relation import Relation

_OUTCOMES = Memo[Outcome](most=512)

_T = TypeVar("_T")
_LOOSE = 20  # limit on parts for bounds that need not be tight
_TRIED = 6  # unknowns of a block by which the others are expressed
_NAMED = 12  # limit on unknowns that a message lists
_PLACES = 3  # numbers of an unknown at which an estimate is tried
_NOTHING_FITS = "nothing in its domain fits the intervals of what it depends on"
_LOOSE_ENDS = 0.05  # relative width of ends of an interval of which only its being there counts
_SHARE = Name("a share of the estimate")  # which nobody declares


@dataclass(frozen=True)
class State:
    """The state of an execution: the numbers so far, the intervals, and the notes on them."""

    values: Mapping[str, float]
    spans: Mapping[str, Span] = field(default_factory=dict)
    forms: Mapping[str, Node] = field(default_factory=dict)
    notes: tuple[Assumption, ...] = ()
    condition_numbers: Mapping[str, float] = field(default_factory=dict)  # of quantities that only conditions need
    choices: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # the same, with several possible values
    hints: Mapping[str, float] = field(default_factory=dict)  # weak values, from which a search may start
    barred: frozenset[str] = frozenset()  # quantities that only checks need, and that have no admissible value here
    only_numbers: bool = False  # whether an interval is of no use, so that its bounds need not be tight
    search: Search = Search.FROM_STARTS  # for a block without a closed solution
    is_free: bool = False  # whether the target's interval ends only where its domain or its case does
    pieces: tuple[Span, ...] = ()  # the intervals of all values that the target has over the ranges, around this one

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of the state between two executed blocks, by which conditions are decided."""
        return {**self.condition_numbers, **self.values}

    @property
    def known(self) -> Set[str]:
        """The quantities of which the state between two executed blocks knows something."""
        return self.values.keys() | self.spans.keys() | self.condition_numbers.keys()

    @property
    def is_enclosure(self) -> bool:
        """Whether an interval of the state between two executed blocks need not be reached in all of its numbers."""
        return any(note.kind == "enclosed" for note in self.notes)

    def taken(self, solution: Solution, note: Assumption | None = None, *, is_last: bool = False) -> State:
        """The state that follows from an executed block's solution; `is_last` saves copying its mappings."""
        values, spans, forms = _own(self.values, is_last), _own(self.spans, is_last), _own(self.forms, is_last)
        values.update(solution.values)
        spans.update(solution.spans)
        if solution.form is not None:
            forms[next(iter(solution.values))] = solution.form
        notes = self.notes if note is None else (*self.notes, note)
        return State(
            values=values,
            spans=spans,
            forms=forms,
            notes=notes,
            condition_numbers=self.condition_numbers,
            hints=self.hints,
            only_numbers=self.only_numbers,
            search=self.search,
        )


def _own(mapping: Mapping[str, _T], is_last: bool) -> dict[str, _T]:
    """A mapping that the state after an executed block may write to: a copy, if the state before is needed again."""
    return mapping if is_last and isinstance(mapping, dict) else dict(mapping)


def block_states(library: RelationSet, block: Block, state: State, *, is_last: bool = False) -> tuple[list[State], str]:
    """The states that follow from executing one block; `is_last` says that the state before is needed no more."""
    needed = {*library.held_by(block.relations)}
    if needed & state.spans.keys():
        return _bounded(library, block, state)
    known = {name: state.values[name] for name in needed if name in state.values}
    outcome = outcome_of(library, block, known, state.hints, search=state.search)
    reason = outcome.reason or "no values in the domains fit all relations"
    if outcome.singular and not outcome.solutions:
        raise _singular(block, reason, outcome.cause)
    if outcome.undecided:
        what = f"{first_names(block.unknowns, _NAMED)}: {reason}, and it is not proved that there is none."
        raise LimitError.unproved(what, hint="Narrow the domains, or give a quantity of the block.")
    steps = []
    for solution in outcome.solutions:
        note = None
        if outcome.caveat is not None:
            note = outcome.caveat.on(block.unknowns[0])
        elif solution.proof:
            note = Assumption(solution.proof, "proved").on(block.unknowns[0])
        steps.append(state.taken(solution, note, is_last=is_last and len(outcome.solutions) == 1))
    return steps, outcome.reason if steps else reason


def states_for_checks(library: RelationSet, block: Block, state: State) -> list[State]:
    """The states after executing a block that only checks need: unknowns without a value there are barred."""
    needed = block.inputs(library)
    barred = replace(state, barred=state.barred | {*block.unknowns})
    if not needed <= state.values.keys():
        return [barred if needed & state.barred else state]
    try:
        steps, _ = block_states(library, block, state)
    except NoSolutionError:
        return [barred]
    return [replace(step, barred=state.barred) for step in steps] or [barred]


def outcome_of(
    library: RelationSet,
    block: Block,
    known: Mapping[str, float],
    stated: Mapping[str, float] | None = None,
    *,
    search: Search = Search.FROM_STARTS,
) -> Outcome:
    """The outcome of an executed block at known numbers, searched for near `stated` or the library's own values.

    It is cached: every target behind a block needs it, and so does each case, trial and certificate of one question.
    """
    stated = library.hints if stated is None else stated
    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    is_alone = len(block.unknowns) == 1
    hints = {} if is_alone else {name: stated[name] for name in block.unknowns if name in stated}
    key = (block, numbers_as_key(known), tuple(hints.items()), None if is_alone else search)

    def compute() -> Outcome:
        """Solve the block; it is singular if an estimate alone leaves an unknown zero, and fixes nothing."""
        if is_alone:
            return solve_block(equations, block.unknowns, known, domains)
        outcome = solve_block(equations, block.unknowns, known, domains, hints, search=search)
        are_zero = all(0 in solution.values.values() for solution in outcome.solutions)
        if are_zero and _estimate_fixes_nothing(library, block, known, domains):
            return Outcome((), singular=True, reason="an estimate only repeats the others, and fixes nothing")
        return outcome

    return _OUTCOMES.of(library.session, key, compute)


def _estimate_fixes_nothing(
    library: RelationSet, block: Block, known: Mapping[str, float], domains: Mapping[str, Domain]
) -> bool:
    """Whether an executed block's estimate holds within its tolerance whatever number an unknown has, by the others.

    It closes a ring: `b = 2*a`, `c = 3*b`, and `a = 0.167*c` within 5 %. Taken for an equation, it leaves zero alone.
    So its right side gets a share as a factor: at some numbers of an unknown, the others give that share.
    """
    name, *others = block.unknowns
    tried = [x for x in within(domains[name].closed)[:_PLACES] if x and x in domains[name]]
    relations = [library.relations[relation] for relation in block.relations]
    for estimate in (relation for relation in relations if relation.approximate is not None):
        written = estimate.written
        with_share = Equation(written.lhs, "=", Apply("mul", (_SHARE, written.rhs)))
        equations = [with_share if relation is estimate else relation.written for relation in relations]
        ends = {**domains, _SHARE.name: Domain("real", -math.inf, math.inf)}
        outcomes = [solve_block(equations, [*others, _SHARE.name], {**known, name: x}, ends) for x in tried]
        solutions = chain.from_iterable(outcome.solutions for outcome in outcomes)
        shares = [solution.values.get(_SHARE.name, math.nan) for solution in solutions]
        if len(shares) >= len(tried) > 1 and all(abs(share - 1) <= estimate.tolerance for share in shares):
            return True
    return False


def _singular(block: Block, reason: str, cause: Cause | None) -> DeriveError:
    """The error for an executed block that is singular here: its relations contradict each other, or fix nothing."""
    relations, unknowns = first_names(block.relations, _NAMED), first_names(block.unknowns, _NAMED)
    if cause is Cause.CONTRADICTION:
        what = f"{unknowns}: {relations} are singular at these numbers, and {reason}."
        return NoSolutionError(what, hint="Change one of the givens, or leave a relation out.", reason=reason)
    what = f"{unknowns}: {relations} are singular at these numbers: {reason}."
    if cause is Cause.CANCELLATION:
        what = f"{unknowns}: in {relations} {reason} at these numbers."
    missing = tuple((name,) for name in block.unknowns)
    return UnderdeterminedError(what, hint=f"Give one of {unknowns}.", missing=missing)


def _bounded(library: RelationSet, block: Block, state: State) -> tuple[list[State], str]:
    """The states after a block that is executed with an interval among its inputs: its results are intervals too."""
    if len(block.unknowns) == 1:
        exact = _by_form(library, library.relations[block.relations[0]], block.unknowns[0], state)
        if exact is not None:
            return exact, "" if exact else _NOTHING_FITS
    written = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    starts = {name: domain.ends for name, domain in domains.items()}

    def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
        return _enclosed_together(written, block.unknowns, {**points, **state.spans, **starts})

    spans = narrowed_beside(state.values, narrowing)
    if spans is None or not _fits_in_part(written, state, spans):
        return [], _NOTHING_FITS
    if all(is_narrow(span) for span in spans.values()):  # by rounding alone: it is a number
        middles = {name: middle(span) for name, span in state.spans.items()}
        solutions = solve_block(written, block.unknowns, {**state.values, **middles}, domains).solutions
        if len(solutions) == 1 and not solutions[0].spans:
            return [state.taken(replace(solutions[0], form=None))], ""
    note = replace(ENCLOSED, text=f"{', '.join(block.unknowns)}: {ENCLOSED.text}")
    enclosed = replace(state, notes=(*state.notes, note))
    if len(block.unknowns) > 1:
        return [replace(enclosed, spans={**state.spans, **spans})], ""
    (name,) = block.unknowns
    box = {**spans_of_numbers(state.values), **state.spans}
    parts = parted(spans[name], written, name, box, domains[name], solutions_of)
    return [replace(enclosed, spans={**state.spans, name: part}) for part in parts or [spans[name]]], ""


def _fits_in_part(written: Sequence[Equation], state: State, spans: Mapping[str, Span]) -> bool:
    """Whether an executed block's equations leave something of its unknowns' intervals for a small part of the ranged.

    For all of these there may be something left only because one of them stands in several places.
    """
    sides = list(chain.from_iterable(equation.sides for equation in written))
    times = {name: sum(occurrences(side, name) for side in sides) for name in state.spans}
    ranged = [name for name, count in times.items() if count > 1]
    if not ranged:
        return True

    def fits(part: Mapping[str, Span]) -> bool:
        def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
            return narrowed(written, [*spans], {**points, **part, **spans}, width=_LOOSE_ENDS)

        return narrowed_beside(state.values, narrowing) is not None

    return fits_in_part(fits, state.spans, ranged)


def _enclosed_together(
    written: Sequence[Equation], unknowns: Sequence[str], box: Mapping[str, Span]
) -> dict[str, Span] | None:
    """The intervals that all equations of an executed block leave to its unknowns; None if one has no value.

    Equation by equation, `wait = n*least` with `least = 3 if n > 1 else 0` leaves n without an end, because of the 0.
    Where definitions leave an equation of one unknown, that narrows it as well.
    """
    spans = narrowed(written, unknowns, box)
    if spans is None or len(unknowns) == 1:
        return spans
    narrower = dict(spans)
    for name in unknowns[:_TRIED]:
        alone = narrowed(_by_definitions(written, unknowns, name), [name], {**box, **narrower})
        if alone is None:
            return None
        narrower |= alone
    return narrower if narrower == spans else narrowed(written, unknowns, {**box, **narrower})


def _by_definitions(written: Sequence[Equation], unknowns: Sequence[str], name: str) -> list[Equation]:
    """The equations of an executed block with `name` as the only unknown, once definitions replace the others."""
    forms: dict[str, Node] = {}
    equations = list(written)
    is_found = True
    while is_found:
        is_found = False
        for equation in equations:
            defined = equation.lhs.name if isinstance(equation.lhs, Name) else name
            inputs = {unknown for unknown in names_in(equation.rhs) if unknown in unknowns}
            if defined == name or defined not in unknowns or defined in forms or not inputs <= {name, *forms}:
                continue
            forms[defined] = substituted(equation.rhs, forms)
            equations.remove(equation)
            is_found = True
            break
    expressed = {name, *forms}
    return [
        Equation(substituted(equation.lhs, forms), equation.op, substituted(equation.rhs, forms))
        for equation in equations
        if expressed.issuperset(unknown for unknown in names_in(equation.lhs, equation.rhs) if unknown in unknowns)
    ]


def _by_form(library: RelationSet, relation: Relation, name: str, state: State) -> list[State] | None:
    """The states with the exact interval of an executed block's unknown, by its only closed form; or None.

    There is no state where the form leaves its domain all along.
    """
    candidates = isolate(relation.written, name)
    if not candidates or len(candidates) != 1 or candidates[0].conditions or candidates[0].winds:
        return None
    (candidate,) = candidates
    domain = relation.declared[name].domain
    points = point_box(state.values)
    box = {**points, **state.spans}
    if leaves_out(candidate.powers, {**box, name: domain.ends}):
        return None
    enclosures = [enclosed_form(divisor, box) for divisor in candidate.divisors]
    if any(enclosure is not None and enclosure.values == (0.0, 0.0) for enclosure in enclosures):
        return None  # the unknown cancels, whatever the intervals are
    is_gathered = occurrences(relation.written.lhs, name) + occurrences(relation.written.rhs, name) > 1
    if is_gathered and _may_be_zero(candidate.divisors, box):
        return None  # the unknown cancels where a divisor is zero
    forms = {**state.forms, name: candidate.form}
    put_in = composed(name, forms)
    if put_in is None:
        return None
    form = simplified(put_in)
    if not set(names_in(form)) <= state.values.keys() | state.spans.keys():
        return None
    ranged = [known for known in names_in(form) if known in state.spans]
    if len(ranged) > 1:
        return None
    root = ranged[0] if ranged else next(iter(state.spans))
    divisors_put_in = [composed("", {**forms, "": divisor}) for divisor in candidate.divisors]

    def may_cancel(span: Span) -> bool:
        """Whether a divisor may be zero as the root runs along an interval."""
        low, high = span
        if low == 0 and library.declared[root].domain.open_low:
            low = FAINT
        return _may_be_zero(divisors_put_in, {**box, root: (low, high)})

    return _along(form, name, root, domain, replace(state, forms=forms), may_cancel)


def _may_be_zero(divisors: Iterable[Node | None], box: Mapping[str, Span]) -> bool:
    """Whether a divisor of an executed block's closed form may be zero in a box, or is not known there."""
    enclosures = (enclosed_form(divisor, box) for divisor in divisors)
    return any(enclosure is None or not enclosure.misses_zero for enclosure in enclosures)


def _along(
    form: Node, name: str, root: str, domain: Domain, state: State, may_cancel: Callable[[Span], bool]
) -> list[State] | None:
    """The states that follow if an executed block's form is run along the interval of its one ranged name; or None.

    Where a divisor is zero and the form stays finite, the unknown cancels: x of `0 = x*y` is anything at y = 0.
    """
    reach_parts, bound_parts = (1, _LOOSE) if state.only_numbers else (PARTS, PARTS)
    span = reaching(form, state.values, root, state.spans[root], domain, reach_parts)
    low, high = bounds_over(form, state.values, {root: span}, bound_parts)
    if math.isfinite(high - low) and may_cancel(span):
        return None
    numbers = [value(form, {**state.values, root: x}) for x in within(span)]
    if numbers[0] in domain and is_constant(numbers, (low, high)):
        return [replace(state, values={**state.values, name: numbers[0]})]
    reach = AGREEMENT * max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    if low - reach > domain.high or high + reach < domain.low:
        return []
    bounds = (max(low, domain.low), min(high, domain.high))
    if bounds[0] > bounds[1] or not (math.isfinite(high - low) or occurrences(form, root) == 1):
        return None
    if bounds[0] == bounds[1]:
        return [replace(state, values={**state.values, name: bounds[0]})] if bounds[0] in domain else []
    return [replace(state, spans={**state.spans, name: bounds})]
